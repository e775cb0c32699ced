"""Tiny variants of every ruleset are gone through from end to end, in several ways that must agree."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

import pytest

from tests.games.tiny import Tree, built_in, found, passed, path_of, start, stored, tree


@dataclass(frozen=True, slots=True)
class Golden:
    """A match of a tiny variant, and what is to be counted in it: see `Tree`.

    The first numbers follow from the rules, as told beside each. The others are what the list of moves, the check and,
    for ArtSee, the naive second implementation agreed on; `python -m tests.games.tiny` counts them again.
    """

    match: tuple[str, ...]
    nodes: str
    positions: str
    leaves: int
    firsts: str
    scored: str

    def __str__(self) -> str:
        return " ".join(self.match)


GOLDEN: Final = (
    # Each seat holds one painting. It can be haggled away, or pay for the painting or the 3-gold: 3 moves. Who pays has
    # no cards for a second action, so that the other seat has 3 moves again; who has haggled has 2 or 3: 1 + 1 + 3 = 5.
    Golden(
        ("art_decko", "2", "1", "max_rounds=2"),
        nodes="1 3 5 10 22 28 36 88 226 552 1432 2742 2992 1280",
        positions="1 3 5 10 22 28 36 82 179 334 701 1042 809 278",
        leaves=4440,
        firsts="2988 2468",
        scored="18676 16344",
    ),
    # The same with a round more.
    Golden(
        ("art_decko", "2", "1", "max_rounds=3"),
        nodes="1 3 5 10 22 28 36 88 226 552 1432 2742 3232 3056 5272 12928 32352 69864 103440 87424 30720",
        positions="1 3 5 10 22 28 36 82 179 334 701 1042 902 626 778 1289 2380 3285 2792 1452 404",
        leaves=166344,
        firsts="112140 92420",
        scored="700500 613016",
    ),
    # One card on one column or beside it: 3 moves. Two piles of one card to draw from: 2. Then the other seat plays: 3.
    Golden(
        ("artsee", "2", "2"),
        nodes="1 3 6 12 36 72 160 551 1686 2410 3520 2181 437",
        positions="1 3 6 12 36 72 160 551 1686 2382 3508 2121 437",
        leaves=7319,
        firsts="4234 3564",
        scored="27106 23544",
    ),
    # Nobody has visitors. A draw from the second pile empties it, and one card of the first moves over.
    Golden(
        ("artsee", "3", "1"),
        nodes="1 3 6 18 36 108 408 1480 5582 9965 6466 2263 539",
        positions="1 3 6 18 36 87 306 1120 4187 7787 5406 2063 539",
        leaves=19704,
        firsts="8488 12539 2226",
        scored="61060 75987 26376",
    ),
    # There are no piles. Up to three seats choose about visitors in any order, which makes more ways than positions.
    Golden(
        ("artsee", "4", "2"),
        nodes="1 3 6 18 60 136 396 1068 2572 6046 10872 10200 2592",
        positions="1 3 6 18 60 88 252 636 1244 2734 3744 2136 432",
        leaves=19872,
        firsts="7886 15278 1890 0",
        scored="24480 49812 9936 0",
    ),
    # Setup: pass, or 1 or 2 tokens on one of 5 spaces, 1 + 5 * 2 = 11 moves; after the pass 11 again, else 1 + 4 * 2:
    # 11 + 10 * 9 = 101. The first hand has two pairs, of Artworks and with the Loan: 202. A seat without tokens is not
    # asked to predict. In the final turn either seat may choose first, so that every ending counts twice.
    Golden(
        ("classic_art", "2", "8", "max_seasons=1"),
        nodes="1 11 101 202 662 922 2832 5155 4386",
        positions="1 11 101 202 662 922 2733 3778 188",
        leaves=6006,
        firsts="5020 5020",
        scored="6302 6302",
    ),
    # The same with the other Loan in the second hand.
    Golden(
        ("classic_art", "2", "0", "max_seasons=1"),
        nodes="1 11 101 202 752 1884 6284 13272 13158",
        positions="1 11 101 202 752 1884 5960 8975 303",
        leaves=18018,
        firsts="14216 14216",
        scored="28606 28606",
    ),
    # Hands of one pair: 101 again. After the season follow another deal, first player and the tokens that came back.
    Golden(
        ("classic_art", "2", "1", "max_seasons=2"),
        nodes="1 11 101 101 331 451 1271 2094 4786 28966 112378 269468 641308 1204904 2883192 4192862 2850900",
        positions="1 11 101 101 331 451 1238 1504 195 762 2177 5242 10653 22007 32336 18871 411",
        leaves=5130272,
        firsts="3805282 3805282",
        scored="9974102 9974102",
    ),
)
LONG: Final = {("art_decko", "2", "1", "max_rounds=3"), ("classic_art", "2", "1", "max_seasons=2")}

every_match = pytest.mark.parametrize(
    "golden", [pytest.param(case, marks=[pytest.mark.long] * (case.match in LONG), id=str(case)) for case in GOLDEN]
)


@cache
def by_list(golden: Golden) -> Tree:
    """The tree of a match as the list of legal moves grows it."""
    return tree(*start(*golden.match))


def spaced(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def test_every_ruleset_has_a_tiny_variant() -> None:
    assert [path_of(ruleset) for ruleset in built_in() if ruleset not in found()] == []


@pytest.mark.parametrize("ruleset", found())
def test_every_tiny_variant_is_counted(ruleset: str) -> None:
    assert any(golden.match[0] == ruleset for golden in GOLDEN if golden.match not in LONG)


@every_match
def test_the_tree_has_the_known_numbers(golden: Golden) -> None:
    counted, seats = by_list(golden), range(int(golden.match[1]))
    assert spaced(counted.nodes) == golden.nodes
    assert spaced(counted.positions) == golden.positions
    assert counted.leaves == golden.leaves
    assert spaced(map(counted.firsts, seats)) == golden.firsts
    assert spaced(map(counted.scored, seats)) == golden.scored


@every_match
def test_the_check_grows_the_same_tree(golden: Golden) -> None:
    """At every position all move ids are tried."""
    assert tree(*start(*golden.match), passed) == by_list(golden)


@every_match
def test_snapshots_grow_the_same_tree(golden: Golden) -> None:
    """Every move is made in a position read back from its snapshot."""
    assert tree(*start(*golden.match), copy_of=stored) == by_list(golden)
