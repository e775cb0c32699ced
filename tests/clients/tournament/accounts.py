"""What a tournament's folder holds, read without the code that wrote it, and what of it is the same in every run."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

Json = Mapping[str, Any]


class Match(NamedTuple):
    """What is the same whenever a match is played again: the deal, who sat where, each seat's moves, the result."""

    deal: str
    entrants: tuple[str, ...]
    moves: tuple[tuple[int, ...], ...]
    result: str


def records_of(folder: Path, size: int | None = None) -> list[Json]:
    """The records in a folder, or those in so many bytes."""
    content = (folder / "records.jsonl").read_bytes()[:size]
    assert content == b"" or content.endswith(b"\n")
    return [json.loads(line) for line in content.splitlines()]


def entries_of(folder: Path) -> list[Json]:
    """The journal of a folder, without a last line that was cut."""
    lines = (folder / "journal.jsonl").read_bytes().split(b"\n")[:-1]
    return [json.loads(line)["entry"] for line in lines]


def match_of(record: Json) -> Match:
    """What is the same of a record."""
    moves = defaultdict[int, list[int]](list)
    for entry in record["log"]:
        if "move" in entry:
            moves[entry.get("seat", 0)].append(entry["move"].get("id", 0))
    return Match(
        record["deal_group"],
        tuple(seat["entrant"]["name"] for seat in record["seats"]),
        tuple(tuple(moves[seat]) for seat in range(len(record["seats"]))),
        json.dumps(record["result"], sort_keys=True),
    )


def matches_of(folder: Path) -> Counter[Match]:
    """All matches of a folder."""
    return Counter(match_of(record) for record in records_of(folder))


def drawn_in(entries: Sequence[Json]) -> list[tuple[str, tuple[str, ...]]]:
    """The deal and who sits where, of each pairing that was drawn."""
    return [
        (_deal_name(pairing["deal"]), tuple(pairing["entrants"]))
        for entry in entries
        if entry["type"] == "drawn"
        for group in entry["round"]["groups"]
        for pairing in group["pairings"]
    ]


def require_consistent(folder: Path) -> None:
    """At whatever point a director was killed: no match ended twice, and what is said to be recorded is."""
    entries = entries_of(folder)
    ended = [entry["pairing"] for entry in entries if entry["type"] == "ended"]
    assert len(set(ended)) == len(ended)
    sizes = [entry["size"] for entry in entries if entry["type"] == "recorded"]
    recorded = {entry["deal"] for entry in entries if entry["type"] == "recorded"}
    records = records_of(folder, sizes[-1]) if sizes else []
    assert {record["deal_group"] for record in records} == recorded
    told = {entry["match_id"]: entry for entry in entries if entry["type"] == "ended"}
    for record in records:
        ranks = [seat["rank"] for seat in record["result"]["seats"]]
        assert [seat["rank"] for seat in told[record["match_id"]]["seats"]] == ranks
    assert len({record["match_id"] for record in records}) == len(records)


def _deal_name(deal: Json) -> str:
    game = deal["game"]
    options = [sha256(game["options"].encode()).hexdigest()[:8]] if game["options"] else []
    return "/".join([game["ruleset"], str(game["seats"]), *options, str(deal["number"])])
