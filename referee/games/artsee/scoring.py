"""The prestige of a turn, and of the game."""

from collections.abc import Sequence
from typing import NamedTuple

from referee.core.game import Outcome
from referee.core.ranking import ranks
from referee.games.artsee.events import GameScored
from referee.games.artsee.parts import LEFT, Parts
from referee.games.artsee.state import Phase, State


class Sight(NamedTuple):
    """What an arrow points at: a column of a gallery, its matching pieces and the matching masterpieces on the way."""

    gallery: int
    column: int
    pieces: int
    masterpieces: int


def sight(
    parts: Parts, galleries: Sequence[tuple[bytes, ...]], slots: Sequence[bytes], seat: int, column: int
) -> Sight:
    """Returns what the front card of a column of a seat's gallery points at.

    Beyond an end that is the nearest column of the neighbour, behind both end slots; LEFT of seat i is seat i + 1
    [G-R1], so that with two seats each is both neighbours of the other [AS-R6].
    """
    card, own = galleries[seat][column][-1], slots[seat]
    category = parts.featured[card]
    if parts.arrows[card] == LEFT:
        if column:
            gallery, target, passed = seat, column - 1, own[column : column + 1]
        else:
            gallery = (seat + 1) % len(galleries)
            target, passed = len(galleries[gallery]) - 1, own[:1] + slots[gallery][-1:]
    elif column + 1 < len(galleries[seat]):
        gallery, target, passed = seat, column + 1, own[column + 1 : column + 2]
    else:
        gallery = (seat - 1) % len(galleries)
        target, passed = 0, own[-1:] + slots[gallery][:1]
    masterpieces = sum(code > 0 and parts.masterpieces[code - 1].category == category for code in passed)
    return Sight(gallery, target, parts.count(galleries[gallery][target], category), masterpieces)


def masterpieces_value(parts: Parts, slots: bytes) -> int:
    """Returns the prestige value of the masterpieces in a gallery's slots."""
    return sum(parts.masterpieces[code - 1].prestige for code in slots if code)


def bonus(parts: Parts, slots: bytes) -> int:
    """Returns the bonus for masterpieces of different categories in a gallery's slots."""
    return parts.bonus[len({parts.masterpieces[code - 1].category for code in slots if code})]


def final(parts: Parts, state: State) -> GameScored:
    """Returns the final scoring."""
    return GameScored(
        state.prestige[:],
        [masterpieces_value(parts, slots) for slots in state.slots],
        [bonus(parts, slots) for slots in state.slots],
        [sum(visitors) for visitors in state.visitors],
    )


def result(parts: Parts, state: State) -> Outcome | None:
    """Returns the final standing: the highest total wins, then most visitors in the gallery; equals share the place."""
    if state.phase != Phase.OVER:
        return None
    scored = final(parts, state)
    scores = tuple(map(sum, zip(scored.prestige, scored.masterpieces, scored.bonus, strict=True)))
    return Outcome(scores, ranks(list(zip(scores, scored.visitors, strict=True))), "COMPLETED")
