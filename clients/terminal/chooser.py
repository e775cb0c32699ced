"""The way to a choice, step by step: what stands to be chosen now, and what has been."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from artreferee.v1 import match_pb2, ruleset_pb2
from clients.terminal.choice import Mark, Point
from clients.terminal.drawing import Choice, Drawing
from clients.terminal.words import Words


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that may be taken.

    Attributes:
        text: what it says.
        moves: the ids of the moves it may lead to.
        checked: whether it is chosen, of what is toggled; None of what is chosen by taking it.
        open: whether it may be taken now.
    """

    text: str
    moves: tuple[int, ...]
    checked: bool | None = None
    open: bool = True


@dataclass(frozen=True, slots=True)
class _Frame:
    """A step: a point, the entries to be picked from there, the marks that are chosen, and what was picked before."""

    point: Point
    menu: tuple[Choice, ...]
    chosen: frozenset[int] = frozenset()
    entry: str = ""


class Chooser:
    """What one prompt asks, until there are moves to answer it with.

    Args:
        match: has an open prompt, with its legal moves, and a view.
        drawing: tells moves.
        words: the language.

    Attributes:
        decision_number: that of the prompt.
    """

    def __init__(self, match: match_pb2.Match, drawing: Drawing, words: Words) -> None:
        self.decision_number: Final = match.prompt.decision_number
        self._view: Final = match.view
        self._drawing, self._words = drawing, words
        self._frames = [self._frame(Point.of(match))]

    @property
    def question(self) -> str:
        """What is asked."""
        point = self._top.point
        if self._top.entry:
            return self._words.told("{choice} …", choice=self._top.entry)
        if point.subset is not None and any(mark.column is not None for mark in point.subset.marks):
            return self._words.told("On which columns do you place visitors, in secret?")
        if (due := self._due) is not None:
            paid = sum(mark.value for mark in self._chosen_marks)
            return self._words.told("Pay {due}, with no card that is not needed. Chosen: {paid}.", due=due, paid=paid)
        return self._drawing.question(self.view, point.legal)

    @property
    def view(self) -> ruleset_pb2.View:
        """What the seat sees, with what it has chosen so far."""
        return self._top.point.view() or self._view if len(self._frames) > 1 else self._view

    @property
    def moves(self) -> Sequence[match_pb2.LegalMove]:
        """The moves that stand to be chosen now."""
        if self._top.point.subset is not None:
            return self._top.point.legal
        return [move for choice in self._top.menu for move in choice.moves]

    @property
    def entries(self) -> list[Entry]:
        """What may be taken: first what is toggled, then what is chosen by taking it."""
        top, subset = self._top, self._top.point.subset
        toggled = (
            []
            if subset is None
            else [
                Entry(
                    self._told(mark),
                    (mark.move,),
                    checked=place in top.chosen,
                    open=place in top.chosen or subset.may_choose(top.chosen, place),
                )
                for place, mark in enumerate(subset.marks)
            ]
        )
        return toggled + [Entry(choice.text, tuple(move.id for move in choice.moves)) for choice in top.menu]

    @property
    def toggles(self) -> bool:
        """Whether there is something to toggle, and then to confirm."""
        return self._top.point.subset is not None

    @property
    def confirmed(self) -> tuple[int, ...] | None:
        """The moves that what is toggled comes to; None if more is needed."""
        subset = self._top.point.subset
        return None if subset is None else subset.moves(self._top.chosen)

    @property
    def complete(self) -> bool:
        """Whether nothing more may be toggled."""
        entries = self.entries
        return self.confirmed is not None and not any(entry.open and entry.checked is False for entry in entries)

    @property
    def step(self) -> tuple[int, int]:
        """What tells this step from all others of the match: the decision, and how many steps of it were taken."""
        return self.decision_number, len(self._frames) - 1

    @property
    def may_go_back(self) -> bool:
        """Whether there is a step before."""
        return len(self._frames) > 1

    def take(self, place: int) -> tuple[int, ...] | None:
        """Takes an entry, which is open; returns the moves to answer with, if that completes them."""
        top, subset = self._top, self._top.point.subset
        marks = len(subset.marks) if subset else 0
        if place < marks:
            self._frames[-1] = replace(top, chosen=top.chosen ^ {place})
            return None
        choice = top.menu[place - marks]
        if choice.then:
            self._frames.append(_Frame(top.point, choice.then, entry=choice.text))
            return None
        move = choice.moves[0]
        after = top.point.after(move)
        if after is None:
            return (*top.point.drafted, move.id)
        self._frames.append(self._frame(after))
        return None

    def back(self) -> None:
        """Takes the last step back, if there is one."""
        if self.may_go_back:
            self._frames.pop()

    @property
    def _top(self) -> _Frame:
        return self._frames[-1]

    @property
    def _chosen_marks(self) -> list[Mark]:
        subset = self._top.point.subset
        return [subset.marks[place] for place in self._top.chosen] if subset else []

    @property
    def _due(self) -> int | None:
        """What is to be paid, of a payment."""
        subset = self._top.point.subset
        if subset is None or not any(mark.value for mark in subset.marks):
            return None
        return self.view.art_decko.due

    def _frame(self, point: Point) -> _Frame:
        view = point.view() or self._view
        return _Frame(
            point,
            self._drawing.menu(view, point.picks) if point.picks else (),
            point.subset.only if point.subset else frozenset(),
        )

    def _told(self, mark: Mark) -> str:
        text = self._drawing.move(self._top.point.told(mark))
        if mark.column is not None:
            return self._words.told("{move}: column {column}", move=text, column=mark.column)
        if mark.value:
            return self._words.told("{move}: pays {value}", move=text, value=mark.value)
        return text
