"""The chain of comparisons that makes places, step by step on cases made by hand."""

from collections.abc import Mapping
from fractions import Fraction

from clients.tournament.statistics.places import Merit, places
from clients.tournament.statistics.tally import Count, Key
from tests.clients.tournament.statistics.made import match, rows


def merit(
    entrant: str, above_chance: Fraction | int = 0, rating: float = 0.0, beaten: Fraction | int = 0, faults: int = 0
) -> Merit:
    return Merit(entrant, Fraction(above_chance), rating, Fraction(beaten), faults)


def ranked(*merits: Merit, meetings: Mapping[str, tuple[int, int]] | None = None) -> list[tuple[int, str]]:
    """Places, where `meetings` says of two letters how often each was ahead."""
    counted = dict[Key, int]()
    for pair, (ahead, behind) in (meetings or {}).items():
        for names, times in ((tuple(pair), ahead), (tuple(pair[::-1]), behind)):
            counted[Key(Count.AHEAD, names)] = 2 * times
            counted[Key(Count.PAIRS, names)] = 2 * (ahead + behind)
    return list(places(merits, counted))


def test_the_share_above_chance_comes_first() -> None:
    """Whoever won more stands before whoever is rated higher and won their meeting."""
    assert ranked(merit("a", 0, rating=300.0), merit("b", Fraction(1, 100)), meetings={"ab": (9, 0)}) == [
        (1, "b"),
        (2, "a"),
    ]


def test_equal_shares_are_told_apart_by_their_meetings() -> None:
    """Before ratings: b won against a more often."""
    assert ranked(merit("a", rating=300.0), merit("b"), meetings={"ab": (1, 2)}) == [(1, "b"), (2, "a")]


def test_a_meeting_counts_once_however_often_it_took_place() -> None:
    """C was ahead of a in 1 of 1 and of b in 5 of 10: more in mean than a, who was ahead of b in 9 of 10."""
    meetings = {"ab": (9, 1), "ca": (1, 0), "cb": (5, 5)}
    assert ranked(merit("a"), merit("b"), merit("c"), meetings=meetings) == [(1, "c"), (2, "a"), (3, "b")]


def test_who_is_still_equal_is_compared_by_own_meetings() -> None:
    """All meetings of four give a and b 2 of 3, c and d 1 of 3; of a and b themselves b won, of c and d c."""
    meetings = {"ba": (1, 0), "ac": (1, 0), "ad": (1, 0), "bc": (1, 0), "db": (1, 0), "cd": (1, 0)}
    assert ranked(*map(merit, "abcd"), meetings=meetings) == [(1, "b"), (2, "a"), (3, "c"), (4, "d")]


def test_a_circle_of_meetings_is_told_apart_by_ratings() -> None:
    """A beat b, b beat c, c beat a: their meetings say nothing."""
    circle = {"ab": (1, 0), "bc": (1, 0), "ca": (1, 0)}
    assert ranked(merit("a", rating=1.0), merit("b", rating=3.0), merit("c", rating=2.0), meetings=circle) == [
        (1, "b"),
        (2, "c"),
        (3, "a"),
    ]


def test_meetings_say_nothing_unless_all_have_met() -> None:
    """A beat b, but neither has met c, who is equal to both: the rating tells."""
    merits = merit("a", rating=1.0), merit("b", rating=2.0), merit("c", rating=3.0)
    assert ranked(*merits, meetings={"ab": (1, 0)}) == [(1, "c"), (2, "b"), (3, "a")]


def test_meetings_with_others_say_nothing() -> None:
    """Only those who are equal are compared by meetings: that d lost to b is in the shares already."""
    merits = merit("a", rating=2.0), merit("b", rating=1.0), merit("d", above_chance=-1)
    assert ranked(*merits, meetings={"ab": (1, 1), "bd": (5, 0), "ad": (0, 5)}) == [(1, "a"), (2, "b"), (3, "d")]


def test_after_ratings_come_ranks_and_then_faults() -> None:
    """More of the others behind; then fewer faults."""
    assert ranked(merit("a", faults=2), merit("b", faults=1), merit("c", beaten=Fraction(1, 2), faults=3)) == [
        (1, "c"),
        (2, "b"),
        (3, "a"),
    ]


def test_whoever_is_equal_in_everything_shares_a_place() -> None:
    """In the order of names, and the next place is skipped."""
    merits = merit("c"), merit("d", above_chance=-1), merit("a"), merit("e", above_chance=1)
    assert ranked(*merits) == [(1, "e"), (2, "a"), (2, "c"), (4, "d")]


def test_a_perfect_circle_shares_the_first_place() -> None:
    """Three that beat each other in a circle are equal in everything, ratings included."""
    matches = [match(names, (1, 2), table=table) for table, names in enumerate(["ab", "bc", "ca"])]
    assert [(row.place, row.entrant) for row in rows(matches).values()] == [(1, "a"), (1, "b"), (1, "c")]


def test_games_of_several_sizes_weigh_by_what_chance_gives() -> None:
    """Half of the wins at a table of three, where chance gives a third, is more than half of them at a table of two."""
    matches = [match("ab", (1, 2)), match("ab", (2, 1), rotation=1)]
    matches += [match("cde", (1, 2, 3)), match("cde", (2, 1, 3), rotation=1)]
    assert {row.entrant: row.place for row in rows(matches).values()} == {"c": 1, "d": 1, "a": 3, "b": 3, "e": 5}
