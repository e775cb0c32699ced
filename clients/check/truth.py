"""What a match was like at each version by our own rules, dealt from the seed that its record reveals."""

from typing import Any, Final

from artreferee.v1 import match_pb2, record_pb2, ruleset_pb2
from referee.wire.ruleset import RulesetWire


class Truth:
    """A match, dealt and played again.

    Raises:
        ValueError: the record does not replay far enough to tell.
    """

    def __init__(self, record: record_pb2.MatchRecord, wire: RulesetWire) -> None:
        self._wire: Final = wire
        game, seats = wire.game, len(record.seats)
        state: Any = game.setup(game.options(wire.options_from(record.options), seats), seats, record.seed)
        self._joins: Final = sum(entry.HasField("join") for entry in record.log)
        self._states: Final = [game.copy(state)]
        self._events: Final = list[list[Any]]()
        for entry in record.log:
            self._events.append(game.play(state, entry.seat, entry.move.id) if entry.HasField("move") else [])
            self._states.append(game.copy(state))

    @property
    def version(self) -> int:
        """The last version."""
        return len(self._events)

    def view(self, version: int, viewer: int | None) -> ruleset_pb2.View:
        """Returns what a viewer may know at a version."""
        return self._wire.view(self._wire.game.view(self._states[version], viewer))

    def events(self, version: int, viewer: int | None) -> list[ruleset_pb2.GameEvent]:
        """Returns what a viewer may be told of the entry with this version."""
        told = self._events[version - 1]
        return [self._wire.event(event) for event in told if event.audience in (None, viewer)]

    def legal_moves(self, version: int, seat: int) -> list[match_pb2.LegalMove]:
        """Returns the moves that a seat is asked to choose from at a version, without texts; none if it is not."""
        game, state = self._wire.game, self._states[version]
        if not self._joins <= version < self.version or seat not in game.to_act(state):
            return []
        legal = game.legal_moves(state, seat)
        return [
            match_pb2.LegalMove(index=index, id=move, move=self._wire.move(move)) for index, move in enumerate(legal)
        ]
