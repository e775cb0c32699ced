"""What a drawing of a ruleset does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from rich.text import Text

from artreferee.v1 import match_pb2, ruleset_pb2

View = ruleset_pb2.View
LegalMove = match_pb2.LegalMove


class Size(NamedTuple):
    """A place on the screen, in cells."""

    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Choice:
    """An entry of a menu.

    Attributes:
        text: what it says, short.
        moves: the legal moves that are still open when it is taken; one if `then` is empty.
        then: the entries to choose among next.
    """

    text: str
    moves: tuple[LegalMove, ...]
    then: tuple["Choice", ...] = ()


class Drawing(Protocol):
    """Draws the matches of one ruleset in one language, for players of given names; sees nothing but their views."""

    @property
    def title(self) -> str:
        """The name of the game."""
        ...

    def smallest(self, view: View) -> Size:
        """Returns the least size in which the table of a view is whole; in a smaller one its end is cut off."""
        ...

    def table(self, view: View, size: Size, before: View | None = None, focus: Sequence[LegalMove] = ()) -> Text:
        """Draws a table.

        Args:
            view: what is drawn.
            size: the lines and their width; they are filled exactly.
            before: an earlier view of the same viewer; what has changed since is shown reversed.
            focus: moves that may be chosen; what they concern is underlined, and has the meta value "moves", the
                tuple of the ids of those moves, for whoever clicks there.
        """
        ...

    def summary(self, view: View) -> list[str]:
        """Tells all of a view in plain lines of any length, to be read aloud or looked up."""
        ...

    def question(self, view: View, moves: Sequence[LegalMove]) -> str:
        """Asks in one sentence for one of the legal moves."""
        ...

    def menu(self, view: View, moves: Sequence[LegalMove]) -> tuple[Choice, ...]:
        """Parts the legal moves into steps of few entries; each move is at the end of at least one way through."""
        ...

    def move(self, move: LegalMove) -> str:
        """Tells a move in few words."""
        ...

    def events(self, events: Sequence[match_pb2.Event]) -> list[str]:
        """Tells what happened, a line or none for each event."""
        ...

    def standings(self, match: match_pb2.Match) -> list[str]:
        """Tells how a finished match ended, a line a seat from the first place on; empty for others."""
        ...
