"""Results made by hand."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from clients.tournament.pairing import Deal, Game, Group, Pairing, Round
from clients.tournament.results import Played, RoundResult, SeatResult, round_result
from clients.tournament.statistics.standings import Estimate, Standing, Standings
from clients.tournament.statistics.summary import Facts, standings

RULESET = "classic_art"


def match(
    entrants: Sequence[str],
    ranks: Sequence[int],
    *,
    deal: int = 0,
    table: int = 0,
    rotation: int = 0,
    ruleset: str = RULESET,
    scores: Sequence[int] | None = None,
    causes: Sequence[str] | None = None,
    reason: str = "COMPLETED",
    adjudication: str = "",
    began_ms: int = 0,
    ended_ms: int = 1000,
) -> Played:
    """Returns a match that has ended, of the game for so many entrants."""
    pairing = Pairing(Deal(Game(ruleset, len(entrants)), deal), 0, table, rotation, tuple(entrants))
    seats = tuple(
        SeatResult(rank, scores[seat] if scores else None, causes[seat] if causes else "")
        for seat, rank in enumerate(ranks)
    )
    return Played(pairing, f"id of {pairing.name}", seats, reason, began_ms, ended_ms, adjudication)


def drawn(matches: Iterable[Played], unplayed: Iterable[Pairing] = ()) -> Round:
    """Returns a round of these: what has one deal and table is a group."""
    groups = defaultdict[tuple[Deal, int], list[Pairing]](list)
    for pairing in [*(match.pairing for match in matches), *unplayed]:
        groups[pairing.deal, pairing.table].append(pairing)
    return Round(0, tuple(Group(tuple(pairings)) for pairings in groups.values()))


def results(matches: Sequence[Played], unplayed: Iterable[Pairing] = ()) -> RoundResult:
    """Returns what of such a round counts."""
    return round_result(drawn(matches, unplayed), by_name(matches))


def by_name(matches: Iterable[Played]) -> dict[str, Played]:
    """Returns matches by the names of their pairings."""
    return {match.pairing.name: match for match in matches}


def names_in(matches: Iterable[Played]) -> list[str]:
    """Returns who plays in them, in order."""
    return sorted({name for match in matches for name in match.pairing.entrants})


def stood(matches: Sequence[Played], resamples: int = 0) -> Standings:
    """Returns the standings after these matches, all of whose groups are complete."""
    return standings(Facts(entrants=names_in(matches), rounds=[results(matches)], played=by_name(matches)), resamples)


def rows(matches: Sequence[Played], resamples: int = 0) -> dict[str, Standing]:
    """Returns the standings over all games by entrant, best first."""
    return {row.entrant: row for row in stood(matches, resamples).overall.table.standings}


def ends(estimate: Estimate | None) -> tuple[float, float]:
    """Returns the ends of an interval that there must be."""
    assert estimate is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def ratings(matches: Sequence[Played]) -> dict[str, float]:
    """Returns the ratings over all games."""
    return {name: row.rating.value for name, row in rows(matches).items() if row.rating}
