"""How the seats of entrants ended, in all matches that have a result."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from clients.tournament.pairing import Game
from clients.tournament.results import Played, SeatResult
from clients.tournament.statistics.distribution import distribution, histograms
from clients.tournament.statistics.standings import ADJUDICATED, FINISHED, Conduct
from clients.tournament.statistics.thinking import ThinkingTimes


def conducts(
    entrants: Iterable[str], matches: Sequence[Played], thinking: ThinkingTimes, game: Game | None
) -> tuple[Conduct, ...]:
    """Returns one for each entrant.

    Args:
        entrants: their names.
        matches: those of a game, or of all.
        thinking: how long entrants thought.
        game: which; None for all, whose scores do not compare.
    """
    endings = defaultdict[str, Counter[str]](Counter)
    for match in matches:
        for name, seat in seats_of(match):
            endings[name][seat.cause or (ADJUDICATED if match.adjudication else FINISHED)] += 1
    scored = scores(matches) if game else {}
    bars = histograms(scored)
    return tuple(
        Conduct(
            entrant=name,
            seats=endings[name].total(),
            endings=dict(sorted(endings[name].items())),
            thinking_ms=distribution(thinking.of(name, game)),
            scores=distribution(scored.get(name, {})),
            histogram=bars.get(name),
        )
        for name in entrants
    )


def scores(matches: Iterable[Played]) -> dict[str, Counter[int]]:
    """Returns how often each entrant had each final score; those without one are not in it."""
    scored = defaultdict[str, Counter[int]](Counter)
    for match in matches:
        for name, seat in seats_of(match):
            if seat.score is not None:
                scored[name][seat.score] += 1
    return dict(scored)


def seats_of(match: Played) -> Iterator[tuple[str, SeatResult]]:
    """Returns who sat at each seat, and how the match ended for it."""
    return zip(match.pairing.entrants, match.seats, strict=True)
