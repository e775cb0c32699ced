"""Small tournaments to report: results made by hand, and records of matches that bots without a plan really played."""

import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from artreferee.v1 import match_pb2, record_pb2, ruleset_pb2
from clients.tournament.pairing import Pairing, Round
from clients.tournament.plan import Entrant, Kind, Plan
from clients.tournament.report import Subject
from clients.tournament.results import Played, round_result
from clients.tournament.statistics.summary import Facts, standings
from referee.core.seeding import commitment
from referee.wire import wires
from referee.wire.record import canonical_json, checksum
from tests.clients.tournament.statistics.made import by_name, drawn, match, names_in

HOSTILE = (
    "<script>alert(1)</script>",
    "\"' onload='x()' &amp;",
    "\N{HEBREW LETTER ALEF}\N{HEBREW LETTER BET}",
    "名" * 32,
)
FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "'=1+1")


def cup(names: Sequence[str] = ("ada", "ben"), deals: int = 2) -> list[Played]:
    """Everybody but the last has met the next one; the earlier one always wins, except in the last match."""
    matches = [
        match(
            (one, other) if rotation == 0 else (other, one),
            (1, 2) if rotation == 0 else (2, 1),
            scores=(30, 20) if rotation == 0 else (20, 30),
            deal=deal,
            table=table,
            rotation=rotation,
        )
        for deal in range(deals)
        for table, (one, other) in enumerate(pairwise(names))
        for rotation in range(2)
    ]
    last = matches[-1].pairing
    return [*matches[:-1], match(last.entrants, (1, 2), deal=last.deal.number, table=last.table, rotation=1)]


def subject(
    matches: Sequence[Played],
    *,
    unplayed: Sequence[Pairing] = (),
    cancelled: Mapping[str, str] | None = None,
    withdrawn: Sequence[str] = (),
    byes: Sequence[str] = (),
    resamples: int = 50,
    plan: Mapping[str, Any] | None = None,
    kind: Kind = Kind.BOT,
    **others: Any,
) -> Subject:
    """A tournament of one round."""
    names = names_in(matches)
    entrants = [Entrant(name, "1.0", kind, bot="random", command=("./bot", "--fast")) for name in names]
    the_round = Round(0, drawn(matches, unplayed).groups, tuple(byes))
    games = tuple(sorted({played.pairing.deal.game for played in matches}, key=lambda game: (game.ruleset, game.seats)))
    facts = Facts(
        entrants=names,
        rounds=[round_result(the_round, by_name(matches))],
        played=by_name(matches),
        withdrawn=withdrawn,
        cancelled=list(cancelled or ()),
    )
    return Subject(
        plan=Plan(games, tuple(entrants), **(plan or {})),
        programs={entrant.name: [entrant] for entrant in entrants},
        standings=standings(facts, resamples),
        rounds=[the_round],
        played=by_name(matches),
        cancelled=cancelled or {},
        **others,
    )


def folder(path: Path, records: Sequence[record_pb2.MatchRecord] = ()) -> Path:
    """Makes a folder with records in it."""
    path.mkdir(exist_ok=True)
    lines = [canonical_json(record) + "\n" for record in records]
    (path / "records.jsonl").write_text("".join(lines), encoding="utf-8")
    return path


def recorded(played: Played, versions: Sequence[str] = ()) -> record_pb2.MatchRecord:
    """A record of a match on the same seats, of random moves, which replays; its result is its own."""
    ruleset, names = played.pairing.deal.game.ruleset, played.pairing.entrants
    wire, seed = wires()[ruleset], played.pairing.name.encode().ljust(32, b".")[:32]
    game, rng = wire.game, random.Random(seed)
    state = game.setup(game.options(wire.options_from(ruleset_pb2.Options()), len(names)), len(names), seed)
    log, decisions = list[record_pb2.LogEntry](), [0] * len(names)
    while acting := game.to_act(state):
        seat = min(acting)
        move = rng.choice(game.legal_moves(state, seat))
        moved = record_pb2.LoggedMove(
            decision_number=decisions[seat],
            id=move,
            move=wire.move(move),
            actor=match_pb2.ACTOR_PLAYER,
            thinking_ms=len(log),
        )
        log.append(record_pb2.LogEntry(version=len(log) + 1, seat=seat, time_ms=len(log), move=moved))
        game.play(state, seat, move)
        decisions[seat] += 1
    outcome = game.result(state)
    assert outcome
    made = record_pb2.MatchRecord(
        record_version=1,
        match_id=played.match_id,
        ruleset=ruleset,
        rules_version=game.spec.rules_version,
        data_version=game.spec.data_version,
        data_digest=game.spec.data_digest,
        seats=[
            record_pb2.RecordSeat(display_name=name, entrant=match_pb2.Entrant(name=name, version=version))
            for name, version in zip(names, versions or ["1.0"] * len(names), strict=True)
        ],
        seed=seed,
        seed_given=True,
        commitment=commitment(played.match_id, seed),
        deal_group=played.pairing.deal.name,
        log=log,
        result=match_pb2.Result(
            reason=outcome.reason,
            seats=[
                match_pb2.SeatResult(rank=rank, score=score)
                for rank, score in zip(outcome.ranks, outcome.scores, strict=True)
            ],
        ),
    )
    made.checksum = checksum(made)
    return made
