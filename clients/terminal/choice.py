"""Choices made of steps, by the rules as a forward model: what may come next, and all that it may come to."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

from artreferee.v1 import match_pb2, ruleset_pb2
from referee.wire import wires
from referee.wire.ruleset import RulesetWire

_FOLLOWS: Final[Mapping[str, frozenset[str]]] = {
    "acquire_painting": frozenset({"pay"}),
    "acquire_gold": frozenset({"pay"}),
    "exhibit": frozenset({"accept_invitation"}),
    "accept_invitation": frozenset({"pay"}),
    "pay": frozenset({"pay"}),
    "play_power": frozenset({"promote", "deaccession"}),
    "discard": frozenset({"discard", "done"}),
    "place_visitor": frozenset({"place_visitor", "skip_visitor"}),
    "skip_visitor": frozenset({"place_visitor", "skip_visitor"}),
}
"""Which kinds of move go on with the choice that a kind of move began."""

_MARKS: Final = frozenset({"pay", "discard", "place_visitor"})
_BLANKS: Final = frozenset({"done", "skip_visitor"})


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """Something that may be toggled: a card, or a visitor.

    Attributes:
        move: the move's id.
        column: where a visitor goes; None of a card.
        value: what a card pays; 0 otherwise.
    """

    move: int
    column: int | None = None
    value: int = 0


_End = tuple[tuple[int, ...], tuple[Mark, ...]]
"""The moves of a legal subset, and the marks in it."""


class Subset:
    """A choice of some of several marks; not every subset may be legal.

    Args:
        ends: every legal subset.

    Attributes:
        marks: all of them, in order; alike ones stand side by side.
    """

    def __init__(self, ends: Sequence[_End]) -> None:
        most = Counter[Mark]()
        for _, marks in ends:
            most |= Counter(marks)
        self._kinds: Final = sorted(most)
        self.marks: Final = [mark for mark in self._kinds for _ in range(most[mark])]
        self._ends: Final = {self._counts(marks): moves for moves, marks in ends}

    def moves(self, chosen: frozenset[int]) -> tuple[int, ...] | None:
        """Returns the moves that choose these places of `marks`; None if more is needed."""
        return self._ends.get(self._counts([self.marks[place] for place in chosen]))

    def may_choose(self, chosen: frozenset[int], place: int) -> bool:
        """Whether some legal subset has the chosen marks and this one."""
        wanted = self._counts([self.marks[each] for each in chosen | {place}])
        return any(all(map(int.__ge__, counts, wanted)) for counts in self._ends)

    @property
    def only(self) -> frozenset[int]:
        """What must be chosen if there is no choice; else nothing."""
        return frozenset(range(len(self.marks))) if len(self._ends) == 1 else frozenset()

    def _counts(self, marks: Sequence[Mark]) -> tuple[int, ...]:
        found = Counter(marks)
        return tuple(found[kind] for kind in self._kinds)


class Point:
    """What a seat may choose next, after moves that are not sent yet.

    Attributes:
        drafted: the ids of those moves.
        legal: the moves that may follow.
    """

    def __init__(
        self,
        wire: RulesetWire | None,
        state: Any,
        seat: int,
        legal: Sequence[match_pb2.LegalMove],
        drafted: tuple[int, ...] = (),
    ) -> None:
        self._wire, self._state, self._seat = wire, state, seat
        self.legal: Final = tuple(legal)
        self.drafted: Final = drafted

    @classmethod
    def of(cls, match: match_pb2.Match) -> Self:
        """Returns what an open prompt asks. The match has its view; of an unknown ruleset only one move is foreseen."""
        legal, wire = match.prompt.legal_moves, wires().get(match.ruleset)
        if wire is None:
            return cls(None, None, match.viewer_seat, legal)
        state = wire.game.determinize(wire.view_from(match.view), random.Random(0))
        return cls(wire, state, match.viewer_seat, legal)

    def after(self, move: match_pb2.LegalMove) -> Self | None:
        """Returns where the choice goes on after a move; None if it is complete with it."""
        return self._step(move)[0]

    @cached_property
    def picks(self) -> tuple[match_pb2.LegalMove, ...]:
        """The moves to choose one of."""
        toggled = _MARKS | _BLANKS if self._has_marks else frozenset[str]()
        return tuple(move for move in self.legal if _kind(move) not in toggled)

    @cached_property
    def subset(self) -> Subset | None:
        """The marks to choose some of, if that is asked."""
        return Subset(list(self._ends(()))) if self._has_marks else None

    def told(self, mark: Mark) -> match_pb2.LegalMove:
        """Returns the move of a mark."""
        if self._wire is None:
            raise AssertionError("what has marks is of a ruleset that is known")
        return legal_move(self._wire, mark.move)

    def view(self) -> ruleset_pb2.View | None:
        """Returns what the seat sees once the drafted moves are played; None for an unknown ruleset."""
        return self._wire.view(self._wire.game.view(self._state, self._seat)) if self._wire else None

    @property
    def _has_marks(self) -> bool:
        return any(_kind(move) in _MARKS for move in self.legal)

    def _step(self, move: match_pb2.LegalMove) -> tuple[Self | None, Sequence[Any]]:
        """Returns what `after` does, and what happened."""
        if self._wire is None or not (follows := _FOLLOWS.get(_kind(move))):
            return None, ()
        game, state = self._wire.game, self._wire.game.copy(self._state)
        events = game.play(state, self._seat, move.id)
        if any(event.reveals for event in events) or self._seat not in game.to_act(state):
            return None, events
        legal = [legal_move(self._wire, each, index) for index, each in enumerate(game.legal_moves(state, self._seat))]
        if not follows.issuperset(map(_kind, legal)):
            return None, events
        return type(self)(self._wire, state, self._seat, legal, (*self.drafted, move.id)), events

    def _ends(self, marks: tuple[Mark, ...]) -> Iterator[_End]:
        """Yields how a subset may go on and end."""
        for move in self.legal:
            if _kind(move) in _BLANKS | _MARKS:
                point, events = self._step(move)
                chosen = (*marks, self._mark(move, events)) if _kind(move) in _MARKS else marks
                if point is None:
                    yield (*self.drafted, move.id), chosen
                else:
                    yield from point._ends(chosen)

    def _mark(self, move: match_pb2.LegalMove, events: Sequence[Any]) -> Mark:
        for event in map(self._wire.event, events) if self._wire else ():
            match event.WhichOneof("ruleset"):
                case "artsee" if event.artsee.HasField("visitor_chosen"):
                    return Mark(move.id, column=event.artsee.visitor_chosen.choice.column)
                case "art_decko" if event.art_decko.HasField("card_paid"):
                    return Mark(move.id, value=event.art_decko.card_paid.value)
        return Mark(move.id)


def legal_move(wire: RulesetWire, move: int, index: int = 0) -> match_pb2.LegalMove:
    """Returns a move of some legal list as a prompt would tell it."""
    return match_pb2.LegalMove(index=index, id=move, move=wire.move(move), text=wire.game.describe(move))


def _kind(move: match_pb2.LegalMove) -> str:
    """Returns the kind of a move, such as "pay"; empty for one of a plug-in."""
    ruleset = move.move.WhichOneof("ruleset")
    if ruleset in (None, "plugin"):
        return ""
    return str(getattr(move.move, str(ruleset)).WhichOneof("move"))
