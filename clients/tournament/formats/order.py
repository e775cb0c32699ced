"""In which order the matches of a round are begun."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from clients.tournament.pairing import Deal, Group, Pairing, Round

APART: Final = 32
"""Between two matches of a deal are begun at least so many less one of other deals, where the round has them."""


def playing_order(played_round: Round) -> Iterator[Pairing]:
    """Yields the matches of a round so that those of a deal are far apart, and yet early deals are done with early.

    Who remembers a deal should have had much to remember since; but records are released when all matches of a deal
    have ended. So deals are played in blocks of at least APART. In a block the matches of each deal are spread evenly:
    between two of them is at least one of each deal of the block that has as many.
    """
    deals = defaultdict[Deal, list[Group]](list)
    for group in played_round.groups:
        deals[group.deal].append(group)
    matches = [list(_rotation_by_rotation(groups)) for groups in deals.values()]
    for block in _blocks(matches):
        yield from _spread(block)


def _rotation_by_rotation(groups: Sequence[Group]) -> Iterator[Pairing]:
    for rotation in range(max(len(group.pairings) for group in groups)):
        yield from (group.pairings[rotation] for group in groups if rotation < len(group.pairings))


def _blocks(matches: Sequence[list[Pairing]]) -> Iterator[Sequence[list[Pairing]]]:
    count = max(1, len(matches) // APART)
    ends = [len(matches) * block // count for block in range(count + 1)]
    return (matches[start:end] for start, end in pairwise(ends))


def _spread(block: Sequence[list[Pairing]]) -> list[Pairing]:
    placed = [(place / len(of_deal), pairing) for of_deal in block for place, pairing in enumerate(of_deal)]
    return [pairing for _, pairing in sorted(placed, key=lambda each: each[0])]
