"""The other worlds of a viewer, dealt naively from the whole state: the counterpart of the ruleset's `determinize`."""

import random

from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.state import State
from tests.games.classic_art.moves import IDS, KINDS, MOVES


def redealt(game: ClassicArt, state: State, viewer: int | None, rng: random.Random) -> State:
    """Returns a copy with all shuffled that `viewer` may not know: other hands and choices, House, deck, seed."""
    twin = game.copy(state)
    hidden = [kind for kind in range(10) for _ in range(state.deck[kind])] + list(state.house)
    others = [seat for seat in range(state.seats) if seat != viewer]
    hands = {seat: list(state.hands[seat * 10 : seat * 10 + 10]) for seat in range(state.seats)}
    for seat in others:
        hidden += [kind for kind in range(10) for _ in range(hands[seat][kind])]
    rng.shuffle(hidden)
    for seat in others:
        cards = [hidden.pop() for _ in range(sum(hands[seat]))]
        hands[seat] = [cards.count(kind) for kind in range(10)]
        if state.chosen[seat]:
            first, second = sorted(rng.sample(cards, 2))
            twin.chosen[seat] = IDS[("play", KINDS[first], KINDS[second])] + 1
    twin.hands = bytearray(count for seat in range(state.seats) for count in hands[seat])
    twin.house = bytes(hidden.pop() for _ in state.house)
    twin.deck = bytearray(hidden.count(kind) for kind in range(10))
    twin.seed = rng.randbytes(32)
    return twin


def is_consistent(state: State) -> bool:
    """Whether every committed seat holds the pair that it has chosen, and every hand has its size."""
    for seat, chosen in enumerate(state.chosen):
        hand = [KINDS[kind] for kind in range(10) for _ in range(state.hands[seat * 10 + kind])]
        for card in MOVES[chosen - 1][1:] if chosen else ():
            if card not in hand:
                return False
            hand.remove(card)
    return True
