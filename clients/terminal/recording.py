"""A match that was recorded, as it can be looked at: any step, from any seat's eyes or from all of them."""

from collections.abc import Iterator
from typing import Final

from artreferee.v1 import match_pb2, record_pb2, ruleset_pb2
from clients.replay import Position, ReplayError, positions
from clients.terminal.drawing import Drawing, drawing_of
from clients.terminal.names import called
from clients.terminal.words import Words
from referee.wire import wires


class Recording:
    """A record that is dealt and played again.

    Attributes:
        record: the record.
        names: the players.
        drawing: draws the match.
        fault: why the record does not follow from its seed and moves; empty if it does.
    """

    def __init__(self, record: record_pb2.MatchRecord, words: Words) -> None:
        self.record: Final = record
        self.names: Final = tuple(called(seat.display_name, words) for seat in record.seats)
        self.drawing: Final[Drawing] = drawing_of(record.ruleset, self.names, words)
        self.fault = ""
        self._words: Final = words
        self._positions: Final = list[Position]()
        try:
            for position in positions(record):
                self._positions.append(position)  # those before a fault are kept
        except ReplayError as error:
            self.fault = str(error)

    @property
    def last(self) -> int:
        """The place of the last position; 0 is the deal, -1 means that there is none."""
        return len(self._positions) - 1

    @property
    def mark(self) -> str:
        """Tells whether the record follows from its seed and moves, or what is wrong with it."""
        return f"✗ {self.fault}" if self.fault else self._words.told("✓ It follows from its seed and moves.")

    def view(self, place: int, eyes: int | None) -> ruleset_pb2.View:
        """Returns what a seat, or with None everybody, saw."""
        wire = wires()[self.record.ruleset]
        return wire.view(wire.game.view(self._positions[place].state, eyes))

    def events(self, place: int, eyes: int | None, *, all_seeing: bool) -> list[str]:
        """Tells what happened with a step, as a seat, everybody or somebody all-seeing was told."""
        lines = self.drawing.events(list(self._of_match(place)))
        for event in self._positions[place].events:
            told = self.drawing.events([match_pb2.Event(game=wires()[self.record.ruleset].event(event))])
            if event.audience in (None, eyes):
                lines += told
            elif all_seeing:
                lines += (self._of_seat(event.audience, line) for line in told)
        return lines

    def hidden(self, place: int) -> list[str]:
        """Tells what each seat sees that not everybody does."""
        known = set(self.drawing.summary(self.view(place, None)))
        return [
            self._of_seat(seat, line)
            for seat in range(len(self.names))
            for line in self.drawing.summary(self.view(place, seat))
            if line not in known
        ]

    def standings(self) -> list[str]:
        """Tells how the match ended."""
        match = match_pb2.Match(status=match_pb2.MATCH_STATUS_FINISHED)
        if self.record.HasField("result"):
            match.result.CopyFrom(self.record.result)
        return self.drawing.standings(match)

    def _of_match(self, place: int) -> Iterator[match_pb2.Event]:
        """Yields what happened around the game."""
        if not place:
            return
        entry = self.record.log[place - 1]
        match entry.WhichOneof("entry"):
            case "join":
                yield match_pb2.Event(seat_joined=match_pb2.SeatJoined(seat=entry.seat))
            case "resignation":
                yield match_pb2.Event(seat_resigned=match_pb2.SeatResigned(seat=entry.seat))
            case "out":
                yield match_pb2.Event(seat_out=match_pb2.SeatOut(seat=entry.seat, cause=entry.out.cause))
            case "abortion":
                yield match_pb2.Event(match_aborted=match_pb2.MatchAborted())

    def _of_seat(self, seat: int, line: str) -> str:
        return self._words.told("{seat}: {line}", seat=self.names[seat], line=line)
