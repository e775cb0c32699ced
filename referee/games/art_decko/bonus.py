"""Bonus tiles. They follow from what is public, so a view serves as well as a state."""

from collections.abc import Sequence

from referee.games.art_decko.parts import Parts, Tile
from referee.games.art_decko.state import State
from referee.games.art_decko.view import View


def owned(parts: Parts, table: State | View, seat: int) -> list[int]:
    """Returns a seat's own cards by kind: hand, deck and discard pile, and what lies aside in its turn."""
    mine = slice(seat * parts.kinds, (seat + 1) * parts.kinds)
    piles = [table.kept[mine], table.pool[mine], table.discards[mine]]
    if seat == table.turn:
        piles.append(table.aside)
    return [sum(counts) for counts in zip(*piles, strict=True)]


def bonuses(parts: Parts, tiles: bytes, museum: bytes | bytearray, cards: Sequence[Sequence[int]]) -> list[int]:
    """Returns the VP of all bonus tiles that score as the museum hangs, by seat.

    Args:
        parts: the components.
        tiles: the tile of each exhibition.
        museum: what hangs on each space.
        cards: for each seat what `owned` returns.
    """
    totals = [0] * len(cards)
    for exhibition in scoring_exhibitions(parts, museum):
        tile = parts.tiles[tiles[exhibition]]
        counts = [count(parts, tile, museum, exhibition, seat, own) for seat, own in enumerate(cards)]
        totals = [total + points for total, points in zip(totals, awarded(tile, counts), strict=True)]
    return totals


def scoring_exhibitions(parts: Parts, museum: bytes | bytearray) -> list[int]:
    """Returns the full exhibitions; if there are none, those with most paintings; none in an empty museum [AD-R10]."""
    hung = [
        parts.spaces - museum.count(0, place, place + parts.spaces) for place in range(0, len(museum), parts.spaces)
    ]
    most = max(hung)
    return [exhibition for exhibition, paintings in enumerate(hung) if paintings == most > 0]


def count(parts: Parts, tile: Tile, museum: bytes | bytearray, exhibition: int, seat: int, own: Sequence[int]) -> int:
    """Returns what a tile that lies at `exhibition` counts of a seat, which owns these cards by kind."""
    match tile.counts:
        case "OWN_PAINTINGS":
            return own[tile.style]
        case "OWN_GOLD_CARDS":
            return sum(own[parts.width :])
        case "OWN_GOLD":
            return own_gold(parts, own)
        case "OWN_CARDS":
            return sum(own)
        case "OWN_SETS":
            return min(own[: parts.width])
        case "MUSEUM_PAINTINGS":
            return len(_hung(parts, museum, seat))
        case "MUSEUM_STYLES":
            return len(set(_hung(parts, museum, seat)))
        case "EXHIBITION_PAINTINGS":
            first = exhibition * parts.spaces
            return len(_hung(parts, museum[first : first + parts.spaces], seat))
        case _:
            return len(_hung(parts, museum[:: parts.spaces], seat))


def own_gold(parts: Parts, own: Sequence[int]) -> int:
    """Returns the sum of the numbers on own gold cards."""
    return sum(number * cards for number, cards in zip(parts.numbers, own[parts.width :], strict=True))


def awarded(tile: Tile, counts: Sequence[int]) -> list[int]:
    """Returns the points that counts bring: who ties shares a place, the next is skipped.

    With nothing to show there is no place, but for FEWEST [AD-R11].
    """
    if tile.scoring == "EACH":
        return [tile.vp[0] * number for number in counts]
    fewest = tile.scoring == "FEWEST"
    places = [sum(other < number if fewest else other > number for other in counts) for number in counts]
    return [
        tile.vp[place] if place < len(tile.vp) and (fewest or number) else 0
        for place, number in zip(places, counts, strict=True)
    ]


def _hung(parts: Parts, codes: bytes | bytearray, seat: int) -> list[int]:
    """Returns the styles of a seat's paintings among some of the museum."""
    hanging = [parts.hanging(code) for code in codes if code]
    return [style for owner, style, _ in hanging if owner == seat]
