"""Replaying a record: deal again from its seed, play every move, compare everything the referee said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from artreferee.v1 import match_pb2, record_pb2
from referee.core.errors import IllegalMoveError, MalformedMoveError
from referee.core.game import AnyGame
from referee.core.ranking import ranks
from referee.core.seeding import Stream, commitment
from referee.wire import wires
from referee.wire.ruleset import RulesetWire

_OF_TIME = {match_pb2.CAUSE_TIMED_OUT, match_pb2.CAUSE_DISCONNECTED}
"""What those who go out together may go out for, each for its own."""


class ReplayError(ValueError):
    """A record that does not replay; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of the log, replayed; `seat` is None if it concerns the match."""

    version: int
    seat: int | None
    text: str
    actor: str


@dataclass(frozen=True, slots=True)
class Position:
    """A game as it stood.

    Attributes:
        step: what led there; None of the deal.
        state: the state, which nobody else changes.
        events: what happened with the step, in the game.
    """

    step: Step | None
    state: Any
    events: Sequence[Any] = ()


def replay(record: record_pb2.MatchRecord) -> Iterator[Step]:
    """Deals and plays a record again, checking every move, and its result at the end, which an aborted match has not.

    Raises:
        ReplayError: the record was made under other rules, or does not follow from its seed and moves.
    """
    return (position.step for position in positions(record) if position.step is not None)


def positions(record: record_pb2.MatchRecord) -> Iterator[Position]:
    """Does what `replay` does, and returns how the game stood at first and after each step.

    Raises:
        ReplayError: the record was made under other rules, or does not follow from its seed and moves.
    """
    wire = wires().get(record.ruleset)
    if wire is None:
        raise ReplayError(f"{_name(record)} is of the ruleset {record.ruleset!r}, which is not known here")
    spec = wire.game.spec
    if record.rules_version != spec.rules_version:
        raise ReplayError(
            f"{_name(record)} was played under version {record.rules_version} of the {record.ruleset} rules, "
            f"this is version {spec.rules_version}"
        )
    if record.data_digest != spec.data_digest:
        raise ReplayError(f"{_name(record)} was played with other components of {record.ruleset} than those here")
    if commitment(record.match_id, record.seed) != record.commitment:
        raise ReplayError(f"{_name(record)}: the seed is not the one that was promised")
    yield from _Replay(record, wire).positions()


class _Replay:
    def __init__(self, record: record_pb2.MatchRecord, wire: RulesetWire) -> None:
        self._record, self._wire = record, wire
        self._game: AnyGame = wire.game
        seats = len(record.seats)
        options = self._game.options(wire.options_from(record.options), seats)
        self._state: Any = self._game.setup(options, seats, record.seed)
        self._events: Sequence[Any] = ()
        self._decisions = [0] * seats
        self._out = dict[int, int]()  # the version at which a seat went out
        self._causes = [match_pb2.CAUSE_UNSPECIFIED] * seats

    def positions(self) -> Iterator[Position]:
        yield Position(None, self._game.copy(self._state))
        for number, entry in enumerate(self._record.log, 1):
            if entry.version != number:
                raise self._fault(number, f"the entry has version {entry.version}")
            if entry.seat >= len(self._decisions):
                raise self._fault(number, f"there is no seat {entry.seat}")
            self._events = ()
            step = self._step(entry)
            yield Position(step, self._game.copy(self._state), self._events)
        self._check_result()

    def _step(self, entry: record_pb2.LogEntry) -> Step:
        match entry.WhichOneof("entry"):
            case "move":
                return self._move(entry)
            case "join":
                return Step(entry.version, entry.seat, "takes the seat", "")
            case "resignation":
                self._out[entry.seat], self._causes[entry.seat] = entry.version, match_pb2.CAUSE_RESIGNED
                return Step(entry.version, entry.seat, "resigns", "")
            case "abortion":
                if entry.version != len(self._record.log):
                    raise self._fault(entry.version, "the match goes on after it was aborted")
                return Step(entry.version, None, "the match is aborted", "")
            case "out":
                if entry.seat in self._out or entry.out.out_version != self._out_version(entry):
                    raise self._fault(entry.version, f"seat {entry.seat} cannot go out at {entry.out.out_version}")
                self._out[entry.seat], self._causes[entry.seat] = entry.out.out_version, entry.out.cause
                return Step(entry.version, entry.seat, f"goes out: {_cause(entry.out.cause)}", "")
            case _:
                raise self._fault(entry.version, "the entry is empty")

    def _out_version(self, entry: record_pb2.LogEntry) -> int:
        """The version of the first of those that went out together: one after the other, for causes that may."""
        before = self._record.log[entry.version - 2] if entry.version > 1 else record_pb2.LogEntry()
        together = before.HasField("out") and before.out.out_version == entry.out.out_version
        alike = before.out.cause == entry.out.cause or {before.out.cause, entry.out.cause} == _OF_TIME
        return entry.out.out_version if together and alike else entry.version

    def _move(self, entry: record_pb2.LogEntry) -> Step:
        game, move, seat = self._game, entry.move, entry.seat
        try:
            if self._wire.move_from(move.move) != move.id:
                raise self._fault(entry.version, f"the move is not the one with id {move.id}")
            if move.decision_number != self._decisions[seat]:
                raise self._fault(entry.version, f"seat {seat} answers decision {move.decision_number}")
            if seat not in game.to_act(self._state):
                raise self._fault(entry.version, f"seat {seat} was not to act")
            game.check(self._state, seat, move.id)
        except (IllegalMoveError, MalformedMoveError) as error:
            raise self._fault(entry.version, str(error)) from None
        self._check_actor(entry)
        self._events = game.play(self._state, seat, move.id)
        self._decisions[seat] += 1
        actor = match_pb2.Actor.Name(move.actor).removeprefix("ACTOR_").lower()
        return Step(entry.version, seat, game.describe(move.id), actor)

    def _check_actor(self, entry: record_pb2.LogEntry) -> None:
        out, move, seat = entry.seat in self._out, entry.move, entry.seat
        if (move.actor == match_pb2.ACTOR_AUTOPILOT) != out:
            raise self._fault(entry.version, f"seat {seat} was {'out' if out else 'in'} but moved otherwise")
        if out:
            stream = Stream(self._record.seed, "autopilot", seat, self._decisions[seat])
            if self._game.autopilot(self._game.view(self._state, seat), stream) != move.id:
                raise self._fault(entry.version, "the autopilot would have moved otherwise")

    def _check_result(self) -> None:
        if any(entry.HasField("abortion") for entry in self._record.log[-1:]):
            if self._record.HasField("result"):
                raise ReplayError(f"{_name(self._record)}: it was aborted and has a result")
            return
        outcome, result = self._game.result(self._state), self._record.result
        live = len(self._decisions) - len(self._out)
        if outcome is None and live > 1:
            raise ReplayError(f"{_name(self._record)}: the game is not over after its last entry")
        standings = [
            (0, self._out[seat]) if seat in self._out else (1, -outcome.ranks[seat] if outcome else 0)
            for seat in range(len(self._decisions))
        ]
        reason = outcome.reason if outcome else "LAST_SEAT" if live else "NO_SEAT"
        scores = outcome.scores if outcome else (None,) * len(self._decisions)
        told = tuple(seat.score if seat.HasField("score") else None for seat in result.seats)
        if (result.reason, told, tuple(seat.rank for seat in result.seats)) != (reason, scores, ranks(standings)):
            raise ReplayError(f"{_name(self._record)}: the result does not follow from the moves")
        if [seat.cause for seat in result.seats] != self._causes:
            raise ReplayError(f"{_name(self._record)}: the result tells other causes than the log")

    def _fault(self, version: int, problem: str) -> ReplayError:
        return ReplayError(f"{_name(self._record)}, entry {version}: {problem}")


def _cause(cause: match_pb2.Cause.ValueType) -> str:
    return match_pb2.Cause.Name(cause).removeprefix("CAUSE_").lower().replace("_", " ")


def _name(record: record_pb2.MatchRecord) -> str:
    return f"match {record.match_id}"
