"""Matches for trial, by the rules alone and in this process: how much there is to decide, and how long bots think."""

import json
import random
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from itertools import cycle
from types import FrameType
from typing import Any, Final

from artreferee.v1 import match_pb2
from clients.bots.load import load_bot
from clients.sdk import Bot, Budget
from clients.tournament.pairing import Game
from clients.tournament.plan import Clocks, Entrant, Kind
from referee.core.seeding import SEED_BYTES
from referee.wire import wires

_LONGEST: Final = 80  # of what a bot says
_LEAST_S: Final = 0.001  # with less left no bot is asked


@dataclass(slots=True)
class Thinking:
    """How long an entrant's bot thought.

    Attributes:
        decisions: how many it was asked for.
        seconds: how long it thought, all in all.
        cut: whether it was stopped in its first decision, as time was up: it thinks longer than that.
        failure: what was wrong with it, after which it was not asked again; empty for nothing.
    """

    decisions: int = 0
    seconds: float = 0.0
    cut: bool = False
    failure: str = ""


@dataclass(slots=True)
class Trial:
    """What the matches of a game came to.

    Attributes:
        matches: how many there were.
        decisions: how many there were in all of them.
        thinking: by the name of the entrant, for those that have bots.
    """

    matches: int = 0
    decisions: int = 0
    thinking: dict[str, Thinking] = field(default_factory=dict)


def trials(games: Sequence[Game], entrants: Sequence[Entrant], clocks: Clocks, within_s: float) -> Mapping[Game, Trial]:
    """Plays matches of each game until everybody had a seat and time is over; who has no bot moves at random.

    Games have equal parts of the time. When that is over bots are asked no more, and the match ends with random moves.
    To be called in the main thread: its alarm stops who thinks too long.

    Raises:
        BotNotFoundError: a bot cannot be loaded here.
    """
    bots = {entrant.bot: load_bot(entrant.bot) for entrant in entrants if entrant.kind is Kind.BOT}
    found = {game: Trial() for game in games}
    with redirect_stdout(sys.stderr):
        for game, trial in found.items():
            end = time.monotonic() + within_s / len(games)
            tables = _tables(entrants, game.seats)
            for number, players in enumerate(cycle(tables), 1):
                now = time.monotonic()
                if number > len(tables) and now > end:
                    break
                until = now + (end - now) / max(1, len(tables) - number + 1)
                _Match(game, players, bots, clocks, trial).play(until)
    return found


def _tables(entrants: Sequence[Entrant], seats: int) -> list[list[Entrant]]:
    firsts = range(0, len(entrants), seats)
    return [[entrants[(first + seat) % len(entrants)] for seat in range(seats)] for first in firsts]


class _OutOfTimeError(BaseException):
    """Stops a bot; no `except Exception` of its own keeps it going."""


class _Match:
    def __init__(
        self,
        game: Game,
        entrants: Sequence[Entrant],
        bots: Mapping[str, type[Bot]],
        clocks: Clocks,
        trial: Trial,
    ) -> None:
        self._wire: Final = wires()[game.ruleset]
        self._options: Final = self._wire.game.options(json.loads(game.options or "{}"), game.seats)
        self._entrants: Final = entrants
        self._bots: Final = [bots[entrant.bot]() if entrant.kind is Kind.BOT else None for entrant in entrants]
        self._clocks: Final = clocks
        self._trial: Final = trial
        self._rng: Final = random.Random()

    def play(self, until: float) -> None:
        """Plays to the end; bots are asked until a time by `time.monotonic`."""
        game = self._wire.game
        state = game.setup(self._options, len(self._entrants), self._rng.randbytes(SEED_BYTES))
        while to_act := game.to_act(state):
            for seat in to_act:
                legal = game.legal_moves(state, seat)
                chosen = self._choose(state, seat, legal, until - time.monotonic())
                game.play(state, seat, self._rng.choice(legal) if chosen is None else chosen)
                self._trial.decisions += 1
        self._trial.matches += 1

    def _choose(self, state: Any, seat: int, legal: Sequence[int], left_s: float) -> int | None:
        """Returns what the bot at a seat chooses; None if there is none, or no time, or nothing to be had from it."""
        bot, entrant = self._bots[seat], self._entrants[seat]
        if bot is None:
            return None
        thinking = self._trial.thinking.setdefault(entrant.name, Thinking())
        if thinking.failure or left_s < _LEAST_S:
            return None
        view, moves = self._wire.view(self._wire.game.view(state, seat)), self._moves(bot, legal)
        chosen: object = None
        began = time.perf_counter()
        try:
            with _alarm(left_s):
                chosen = bot.choose(view, moves, self._budget(entrant), self._rng)
        except _OutOfTimeError:
            if thinking.decisions:
                return None  # what it took until then says no more than the decisions before
            thinking.cut = True
        except Exception as error:  # whatever the code of a bot may raise
            thinking.failure = f"raised {type(error).__name__}: {_shown(error)}"
        thinking.decisions += 1
        thinking.seconds += time.perf_counter() - began
        if isinstance(chosen, match_pb2.LegalMove) and chosen.id in legal:
            return chosen.id
        if not (thinking.cut or thinking.failure):
            thinking.failure = f"chose {_shown(chosen)}, which is none of the legal moves"
        return None

    def _moves(self, bot: Bot, legal: Sequence[int]) -> list[match_pb2.LegalMove]:
        if getattr(bot, "detail", match_pb2.DETAIL_FULL) != match_pb2.DETAIL_FULL:
            return [match_pb2.LegalMove(index=index, id=move) for index, move in enumerate(legal)]
        describe = self._wire.game.describe
        return [
            match_pb2.LegalMove(index=index, id=move, move=self._wire.move(move), text=describe(move))
            for index, move in enumerate(legal)
        ]

    def _budget(self, entrant: Entrant) -> Budget:
        limits = [entrant.seconds, self._clocks.move_limit_ms / 1000 or None, self._clocks.bank_ms / 1000 or None]
        return Budget(min((limit for limit in limits if limit is not None), default=None), entrant.iterations)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _shown(value: object) -> str:
    text = " ".join((str(value) if isinstance(value, Exception) else repr(value)).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
