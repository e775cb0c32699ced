"""The other worlds of a viewer, dealt naively from the whole state: the counterpart of the ruleset's `determinize`."""

import random

from referee.games.artsee.game import ArtSee
from referee.games.artsee.state import State
from tests.games.artsee.moves import CATEGORIES, KINDS, MAIN

REMOVED_OF_EACH = {2: 4, 3: 3, 4: 0, 5: 0}


def redealt(game: ArtSee, state: State, viewer: int | None, rng: random.Random) -> State:
    """Returns a copy with all shuffled that `viewer` may not know: other hands and choices, piles, removals, seed."""
    twin = game.copy(state)
    shown = {card for gallery in state.galleries for column in gallery for card in column}
    shown |= set(() if viewer is None else state.hands[viewer])
    unseen = [card for card in range(len(KINDS)) if card not in shown]
    rng.shuffle(unseen)

    def take(back: tuple[str, str]) -> int:
        card = next(card for card in unseen if KINDS[card].back == back)
        unseen.remove(card)
        return card

    for seat in range(state.seats):
        if seat != viewer:
            twin.hands[seat] = bytes(sorted(take(KINDS[card].back) for card in state.hands[seat]))
            twin.choices[seat] = rechosen(len(state.choices[seat]), state.supplies[seat], rng)
    tops = [bytes(take(KINDS[card].back) for card in pile[-1:]) for pile in state.piles]
    for category in CATEGORIES:
        for _ in range(REMOVED_OF_EACH[state.seats]):
            take((MAIN, category))
    left = [card for card in unseen if KINDS[card].deck == MAIN]
    twin.piles = [bytes(left.pop() for _ in pile[:-1]) + top for pile, top in zip(state.piles, tops, strict=True)]
    twin.seed = rng.randbytes(32)
    return twin


def rechosen(count: int, supply: int, rng: random.Random) -> bytes:
    """Returns so many choices that a seat might have made: 1 to place a visitor, 0 to skip."""
    chosen: list[int] = []
    for _ in range(count):
        chosen.append(rng.randrange(2) if sum(chosen) < supply else 0)
    return bytes(chosen)
