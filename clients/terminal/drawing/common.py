"""What the drawings of all rulesets have in common: the events and the end of a match, whatever is played."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from artreferee.v1 import match_pb2, ruleset_pb2
from clients.terminal.words import Words, marked

_CAUSES: Final[Mapping[match_pb2.Cause.ValueType, str]] = {
    match_pb2.CAUSE_RESIGNED: marked("resigned"),
    match_pb2.CAUSE_TIMED_OUT: marked("ran out of time"),
    match_pb2.CAUSE_ILLEGAL_MOVES: marked("tried too many illegal moves"),
    match_pb2.CAUSE_NEVER_JOINED: marked("never came"),
    match_pb2.CAUSE_DISCONNECTED: marked("was away for too long"),
}

_REASONS: Final[Mapping[str, str]] = {
    "COMPLETED": marked("The game has come to its end."),
    "LAST_SEAT": marked("All others are out."),
    "NO_SEAT": marked("All players are out."),
    "SEASON_CAP": marked("The limit of seasons ended the game."),
    "ROUND_CAP": marked("The limit of rounds ended the game."),
}


class Common(ABC):
    """The ruleset-neutral part of a drawing."""

    def __init__(self, names: Sequence[str], words: Words) -> None:
        self._names: Final = tuple(names)
        self._words: Final = words

    @abstractmethod
    def _happened(self, event: ruleset_pb2.GameEvent) -> list[str]:
        """Tells what happened in the game."""

    def _name(self, seat: int) -> str:
        return self._names[seat]

    def events(self, events: Sequence[match_pb2.Event]) -> list[str]:
        return [line for event in events for line in self._event(event)]

    def standings(self, match: match_pb2.Match) -> list[str]:
        if not match.HasField("result"):
            return []
        reason = _REASONS.get(match.result.reason)
        places = sorted(enumerate(match.result.seats), key=lambda entry: entry[1].rank)
        return [
            *(self._place(seat, result) for seat, result in places),
            self._words.told(reason) if reason else match.result.reason,
        ]

    def _place(self, seat: int, result: match_pb2.SeatResult) -> str:
        told = self._words.told
        place = told("{rank}. {seat}", rank=result.rank, seat=self._name(seat))
        if result.HasField("score"):
            place = told("{place}: {score}", place=place, score=result.score)
        if result.cause:
            place = told("{place} ({cause})", place=place, cause=self._words.told(_CAUSES[result.cause]))
        return place

    def _event(self, event: match_pb2.Event) -> list[str]:
        told = self._words.told
        match event.WhichOneof("event"):
            case "game":
                return self._happened(event.game)
            case "seat_joined":
                return [told("{seat} sits down.", seat=self._name(event.seat_joined.seat))]
            case "match_started":
                return [told("Play begins.")]
            case "seat_resigned":
                return [told("{seat} resigns.", seat=self._name(event.seat_resigned.seat))]
            case "seat_out":
                cause = self._words.told(_CAUSES[event.seat_out.cause])
                return [told("{seat} is out: {cause}.", seat=self._name(event.seat_out.seat), cause=cause)]
            case "match_finished":
                return [told("The match is over.")]
            case "match_aborted":
                return [told("An operator ended the match.")]
            case _:
                return []
