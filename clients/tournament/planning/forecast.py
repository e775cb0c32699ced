"""How long a tournament will take: from trials, and from what else a move costs."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from clients.tournament.pairing import Game
from clients.tournament.plan import Clocks, Entrant, Kind, Plan
from clients.tournament.planning.outline import Outline
from clients.tournament.planning.trial import Thinking, Trial, trials

MOVE_S: Final = 0.0014
"""What a move costs besides thinking, in seconds of a core: referee with its store, director, and the client library.

From the CPU time of tournaments of two random bots, 5 and 60 deals: 1.27 ms in ArtSee, 1.30 in Art Decko, 1.45 in
Classic Art, on the machine whose figures README has.
"""

START_S: Final = 3.0
"""What it takes to start and stop everything, from the same tournaments."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """How long it will take, in wall time.

    Attributes:
        decisions: how many there will be.
        least_s: if all cores are always at work, or the busiest bot is.
        most_s: if bots and all the rest wait for each other.
        waiting_s: what commands and remote entrants add if they take all the time they have; None if no clock ends it.
        cores: how many there are here.
        thinking: of the bots, by the names of entrants; those that are alike were tried as one.
    """

    decisions: int
    least_s: float
    most_s: float
    waiting_s: float | None
    cores: int
    thinking: Mapping[str, Thinking]


class Elsewhere(NamedTuple):
    """Other machines, on which bots run.

    Attributes:
        workers: how many processes each of them has there.
        cores: how many they share.
    """

    workers: int
    cores: int


@dataclass(frozen=True, slots=True)
class _Share:
    """What an entrant has to do in all matches of a game."""

    entrant: Entrant
    game: Game
    seats: int
    decisions: float


def forecast(plan: Plan, outlined: Outline, within_s: float, elsewhere: Elsewhere | None = None) -> Forecast:
    """Returns how long the matches of an outline will take, after trials of about `within_s` here.

    Raises:
        BotNotFoundError: a bot cannot be loaded here.
    """
    alike = _alike(plan.entrants)
    seated = [entrant for name, entrant in alike.items() if name == entrant.name] or plan.entrants[:1]
    tried = trials(list(outlined.matches), seated, plan.clocks, within_s)
    shares = list(_shares(plan, outlined, tried))
    by_bot = dict.fromkeys(alike, 0.0)
    for share in shares:
        if (name := share.entrant.name) in alike:
            by_bot[name] += share.decisions * _mean_s(tried, share.game, alike[name].name)
    decisions = sum(share.decisions for share in shares)
    cores = len(os.sched_getaffinity(0))
    bots, moves = sum(by_bot.values()), decisions * MOVE_S
    workers, for_bots = elsewhere or (1, cores)
    busiest = max(by_bot.values(), default=0.0) / workers
    at_once = min(for_bots, max(1, len(by_bot) * workers))
    at_work = (bots + moves) / cores if elsewhere is None else max(bots / for_bots, moves / cores)
    return Forecast(
        decisions=round(decisions),
        least_s=START_S + max(at_work, busiest),
        most_s=START_S + max(bots / at_once, busiest) + moves,
        waiting_s=_waiting_s(plan, shares, outlined.total),
        cores=cores,
        thinking={name: _all_games(tried, tried_as.name) for name, tried_as in alike.items()},
    )


def _alike(entrants: Sequence[Entrant]) -> Mapping[str, Entrant]:
    """Returns for each entrant that has a bot the first one with the same bot and budget."""
    first = dict[tuple[str, int | None, float | None], Entrant]()
    return {
        entrant.name: first.setdefault((entrant.bot, entrant.iterations, entrant.seconds), entrant)
        for entrant in entrants
        if entrant.kind is Kind.BOT
    }


def _shares(plan: Plan, outlined: Outline, tried: Mapping[Game, Trial]) -> Iterator[_Share]:
    """Yields what everybody has to do."""
    entrants = {entrant.name: entrant for entrant in plan.entrants}
    for (game, name), seats in outlined.seats.items():
        a_seat = tried[game].decisions / tried[game].matches / game.seats
        yield _Share(entrants[name], game, seats, seats * a_seat)


def _mean_s(tried: Mapping[Game, Trial], game: Game, name: str) -> float:
    """Returns how long a bot thinks about a move: in this game, or in all where it was not asked in this one."""
    thinking = tried[game].thinking.get(name, Thinking())
    if not thinking.decisions:
        thinking = _all_games(tried, name)
    return thinking.seconds / max(1, thinking.decisions)


def _all_games(tried: Mapping[Game, Trial], name: str) -> Thinking:
    parts = [trial.thinking[name] for trial in tried.values() if name in trial.thinking]
    return Thinking(
        sum(part.decisions for part in parts),
        sum(part.seconds for part in parts),
        any(part.cut for part in parts),
        next((part.failure for part in parts if part.failure), ""),
    )


def _waiting_s(plan: Plan, shares: Sequence[_Share], matches: int) -> float | None:
    unknown = [share for share in shares if share.entrant.kind is not Kind.BOT]
    limits = [_limit_s(plan.clocks, share) for share in unknown]
    if None in limits:
        return None
    return sum(limit for limit in limits if limit is not None) / min(plan.concurrency, matches)


def _limit_s(clocks: Clocks, share: _Share) -> float | None:
    """Returns how long an entrant can think in all its matches; None for as long as it likes."""
    limits = list[float]()
    if clocks.move_limit_ms:
        limits.append(share.decisions * clocks.move_limit_ms)
    if clocks.bank_ms:
        limits.append(share.seats * clocks.bank_ms + share.decisions * clocks.increment_ms)
    return (min(limits) + share.decisions * clocks.margin_ms) / 1000 if limits else None
