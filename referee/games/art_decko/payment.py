"""Payments: what cards are worth, and which card can come next in a payment without a needless card [AD-R6]."""

from collections.abc import Sequence

from referee.games.art_decko.parts import Parts


def card_values(parts: Parts, market: bytes | bytearray) -> bytes:
    """Returns what a card of each kind pays now."""
    return bytes(map(parts.gold_value.__getitem__, market[: parts.width])) + parts.numbers


def next_cards(hand: Sequence[int], values: bytes, due: int, least: int, floor: int) -> list[int]:
    """Returns the kinds that can be paid next.

    Args:
        hand: counts by kind.
        values: what a card of each kind pays.
        due: what is still to be paid.
        least: the value of the least card paid so far, or more than any value.
        floor: the payment goes on with this kind or a later one.
    """
    rest = [values[kind] for kind in range(floor, len(hand)) for _ in range(hand[kind])]
    kinds, after = [], 0
    for kind in range(floor, len(hand)):
        if hand[kind]:
            value = values[kind]
            if _can_complete(rest[after + 1 :], due - value, min(least, value)):
                kinds.append(kind)
            after += hand[kind]
    return kinds


def _can_complete(rest: list[int], due: int, least: int) -> bool:
    """Returns whether some cards of the rest complete a payment in which every card is needed.

    A payment has no needless card if and only if it is short of the cost without its least card.
    """
    if due <= 0:
        return -due < least
    if sum(rest) < due:
        return False
    if max(rest) <= least:
        return True  # the dearest first: the last one needed is then the least of all
    return any(_reaches(rest, due, lowest) for lowest in {least, *rest} if lowest <= least)


def _reaches(rest: list[int], due: int, lowest: int) -> bool:
    """Returns whether cards worth at least `lowest` sum up to `due` or less than `lowest` above it."""
    sums = 1
    for value in rest:
        if value >= lowest:
            sums |= sums << value
    return sums >> due & ((1 << lowest) - 1) > 0
