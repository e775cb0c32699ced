"""What happens in a referee, told to whoever counts it or follows it."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final, Self

Metadata = Iterable[tuple[str, str | bytes]]


class Way(StrEnum):
    """How a move comes in."""

    UNARY = "unary"
    PLAY = "play"


class Span:
    """A stretch of work that a trace may tell of; of this one none does."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def note(self, **attributes: str) -> None:
        """Adds what is known of the work."""


_NO_SPAN: Final = Span()


def no_span(_name: str, _metadata: Metadata | None = None) -> Span:
    """Returns a span that is not told."""
    return _NO_SPAN


class Observer:
    """Is told what happens, and makes nothing of it; others override what they are for.

    But for spans, what it is told does not tell one match or caller from another: all values come from small sets.

    Args:
        span: opens a span by its name, and by a call's metadata if it begins one.
    """

    def __init__(self, span: Callable[..., Span] = no_span) -> None:
        self.span: Final = span

    def called(self, method: str, code: str, seconds: float) -> None:
        """A unary call has ended, with a gRPC code and after some time."""

    def opened(self, method: str) -> None:
        """A stream has begun."""

    def closed(self, method: str, code: str) -> None:
        """A stream has ended."""

    def refused(self, reason: str) -> None:
        """A call, or a move on a stream, was refused."""

    def created(self, ruleset: str) -> None:
        """A match was created."""

    def finished(self, ruleset: str, end: str) -> None:
        """A match has ended, and why."""

    def moved(self, ruleset: str, way: Way, moves: int) -> None:
        """Moves of players were accepted."""

    def looked_up(self, known: bool) -> None:
        """A match was to be changed, which this replica remembers or not."""

    def conflicted(self) -> None:
        """Another call wrote a match between load and write."""

    def stored(self, command: str, seconds: float, failed: bool) -> None:
        """The store has carried out a command, or failed to."""

    def interrupted(self) -> None:
        """The connection with the store's notifications was lost."""
