"""Random matches as viewers see them: views, prompts and events as messages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from artreferee.v1 import match_pb2, ruleset_pb2
from referee.wire import wires
from referee.wire.ruleset import RulesetWire
from tests.games.playouts import dealt, steps

NAMES = ("Ada", "Ben", "Cleo", "Dov", "Eli")


@dataclass(frozen=True)
class Moment:
    """A position of a match, and the events of the move that led to it."""

    wire: RulesetWire
    seats: int
    state: Any
    happened: Sequence[Any] = ()

    @property
    def viewers(self) -> list[int | None]:
        """Every seat and a spectator."""
        return [*range(self.seats), None]

    @property
    def to_act(self) -> list[int]:
        return list(self.wire.game.to_act(self.state))

    def view(self, viewer: int | None) -> ruleset_pb2.View:
        return self.wire.view(self.wire.game.view(self.state, viewer))

    def legal_moves(self, seat: int) -> list[match_pb2.LegalMove]:
        """Returns what a seat may choose; nothing unless it is to act."""
        game = self.wire.game
        moves = game.legal_moves(self.state, seat) if seat in self.to_act else []
        return [
            match_pb2.LegalMove(index=index, id=move, move=self.wire.move(move), text=game.describe(move))
            for index, move in enumerate(moves)
        ]

    def events(self, viewer: int | None) -> list[match_pb2.Event]:
        return [
            match_pb2.Event(game=self.wire.event(event))
            for event in self.happened
            if event.audience is None or event.audience == viewer
        ]


def moments(ruleset: str, seats: int, number: int) -> Iterator[Moment]:
    """Every position of the match with this number; each goes on to the next."""
    wire = wires()[ruleset]
    yield Moment(wire, seats, dealt(wire.game, seats, number))
    for step in steps(wire.game, seats, number):
        yield Moment(wire, seats, step.after, step.events)
