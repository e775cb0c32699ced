"""Stored matches of earlier versions of the service, which every later one must read and play on.

`python -m tests.table.formats NAME` writes those of the present version: once for each version that stores otherwise.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from referee.table import interventions
from referee.table.clocks import Terms
from referee.table.ids import MatchId
from referee.table.snapshot import pack, unpack_entry
from referee.table.store import Header
from tests.table.pebbles import BID_1, KEEP, TAKE_0, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, HOST, Sitting, sitting_of

FOLDER: Final = Path(__file__).parent / "golden"


async def matches() -> AsyncIterator[tuple[str, Sitting]]:
    """Matches with everything that is stored."""
    yield "waiting for a second player", await sitting_of(ALICE, None, terms=Terms(join_ms=3_600_000))
    yield "just begun", await sitting_of(ALICE, BOB, bot_seeds=(b"", bytes(range(32))))
    yield "in the middle", await _in_the_middle()
    timed = await sitting_of(ALICE, BOB, terms=Terms(60_000, 600_000, 2_000, 500, 0, 3))
    timed.now_ms += 7_000
    timed.submit(ALICE, TAKE_1, KEEP)
    timed.now_ms += 9_000
    timed.submit(BOB, 99)
    yield "with clocks", timed
    yield "with a grace", await sitting_of(ALICE, BOB, terms=Terms(grace_ms=60_000))
    resigned = await sitting_of(ALICE, BOB, CAROL)
    resigned.submit(ALICE, TAKE_1)
    resigned.resign(ALICE)
    yield "with a seat that is out", resigned
    finished = await sitting_of(ALICE, BOB, rounds=1, on_release=True)
    for who in (ALICE, BOB):
        finished.submit(who, TAKE_1, KEEP)
    for who in (ALICE, BOB):
        finished.submit(who, BID_1)
    finished.release(HOST)
    yield "finished and released", finished
    aborted = await _in_the_middle()
    aborted.change(lambda match: interventions.abort(match, aborted.moment))
    yield "aborted", aborted


async def _in_the_middle() -> Sitting:
    """With a sealed choice, a refusal, and a seat that was taken later."""
    sitting = await sitting_of(ALICE, None)
    sitting.join(BOB, request_id="join", name="Zoë")
    sitting.submit(ALICE, TAKE_0, KEEP, request_id="take")
    sitting.submit(ALICE, TAKE_0, request_id="too early")
    sitting.submit(BOB, TAKE_1, KEEP)
    sitting.submit(ALICE, BID_1, request_id="bid")
    return sitting


def known(sitting: Sitting) -> dict[str, Any]:
    """What is read of a match, in words that no struct decides."""
    match = sitting.snapshot
    return {
        "ruleset": match.head.ruleset,
        "seats": [[seat.display_name, (seat.principal or b"").hex()] for seat in match.head.seats],
        "seed": match.head.seed.hex(),
        "host": match.head.host.hex(),
        "bot_seeds": [(match.bot_seed(seat) or b"").hex() for seat in range(len(match.head.seats))],
        "status": match.course.status,
        "version": match.course.version,
        "released": match.course.released,
        "to_act": match.to_act(),
        "decisions": [seat.decisions for seat in match.course.seats],
        "causes": [seat.cause for seat in match.course.seats],
        "deadlines": [match.deadline_ms(seat, sitting.moment) for seat in range(len(match.head.seats))],
        "banks": [match.bank_ms(seat, sitting.moment) for seat in range(len(match.head.seats))],
        "end": None if match.course.end is None else [match.course.end.reason, list(match.course.end.ranks)],
        "receipts": {
            str(seat): [[receipt.request[:8].hex(), receipt.version, receipt.reason] for receipt in ring.receipts]
            for seat, ring in sorted(match.rings.items())
        },
        "log": [[entry.step, entry.seat, entry.move, entry.actor, entry.started, entry.ended] for entry in sitting.log],
        "totals": match.state.totals,
        "bids": match.state.bids,
    }


def written(what: str, sitting: Sitting) -> str:
    """A match as a line of a file."""
    line = {
        "what": what,
        "match_id": sitting.match_id,
        "now_ms": sitting.now_ms,
        "header": sitting.header.encode().hex(),
        "fields": {name: packed.hex() for name, packed in sorted(sitting.fields.items())},
        "log": [pack(entry).hex() for entry in sitting.log],
        "known": known(sitting),
    }
    return json.dumps(line, ensure_ascii=False)


def read(line: str) -> tuple[Sitting, dict[str, Any]]:
    """A match of a file, and what is to be read of it, in present words."""
    stored = json.loads(line)
    expected = {"bot_seeds": [""] * len(stored["known"]["seats"]), **stored["known"]}
    if stored["header"].startswith("01"):  # it kept the ids of requests
        expected["receipts"] = {
            seat: [[sha256(request_id.encode()).hexdigest()[:16], *answer] for request_id, *answer in receipts]
            for seat, receipts in expected["receipts"].items()
        }
    sitting = Sitting(
        match_id=MatchId(stored["match_id"]),
        header=Header.decode(bytes.fromhex(stored["header"])),
        fields={name: bytes.fromhex(packed) for name, packed in stored["fields"].items()},
        log=[unpack_entry(bytes.fromhex(packed)) for packed in stored["log"]],
        now_ms=stored["now_ms"],
    )
    return sitting, expected


async def _lines() -> list[str]:
    return [written(what, sitting) async for what, sitting in matches()]


if __name__ == "__main__":
    (FOLDER / f"{sys.argv[1]}.jsonl").write_text("".join(f"{line}\n" for line in asyncio.run(_lines())))
