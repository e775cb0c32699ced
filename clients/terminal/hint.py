"""What the searching bot would do, found in a process of its own so that the terminal stays awake."""

import asyncio
import random
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from types import TracebackType
from typing import Final, NamedTuple, Self

from artreferee.v1 import match_pb2
from clients.sdk import Budget
from clients.terminal.choice import legal_move
from referee.wire import wires

_BUDGET: Final = Budget(seconds=1.5)
_MOST: Final = 3


class Hint(NamedTuple):
    """A move that is worth a thought.

    Attributes:
        chance: of winning after it, in [0, 1].
        visits: how often the search tried it.
        line: it, and what is expected to follow: each move with its seat.
    """

    chance: float
    visits: int
    line: tuple[tuple[int, match_pb2.LegalMove], ...]


class NoHintError(Exception):
    """The process that looked for hints has ended."""


class Advisor:
    """Finds hints, one at a time; its process is started with the first."""

    def __init__(self) -> None:
        self._processes = _new_process()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._processes.shutdown(wait=False, cancel_futures=True)

    async def hints(self, match: match_pb2.Match) -> list[Hint]:
        """Returns the best moves of an open prompt, the best first; none of a ruleset that is not installed here.

        Raises:
            NoHintError: the process was killed; there is another next time.
        """
        wire = wires().get(match.ruleset)
        if wire is None:
            return []
        try:
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(self._processes, _found, match.SerializeToString())
        except BrokenProcessPool:
            self._processes = _new_process()
            raise NoHintError from None
        return [
            Hint(chance, visits, tuple((seat, legal_move(wire, move)) for seat, move in line))
            for chance, visits, line in found
        ]


def _new_process() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, get_context("spawn"))


def _found(match: bytes) -> list[tuple[float, int, list[tuple[int, int]]]]:
    """Runs in the other process, where only plain values go."""
    from clients.bots.search.bot import SearchBot  # the terminal does without

    told = match_pb2.Match.FromString(match)
    analysis = SearchBot().search(told.view, told.prompt.legal_moves, _BUDGET, random.Random())
    return [
        (candidate.values[analysis.seat], candidate.visits, [(step.seat, step.move) for step in candidate.line])
        for candidate in analysis.candidates[:_MOST]
        if candidate.visits
    ]
