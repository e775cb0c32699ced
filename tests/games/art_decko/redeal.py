"""The other worlds of a viewer, dealt naively from the whole state: the counterpart of the ruleset's `determinize`."""

import random
from collections import Counter

from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.state import State
from tests.games.art_decko.build import WIDTH

Card = int


def redealt(game: ArtDecko, state: State, viewer: int | None, rng: random.Random) -> State:
    """Returns a copy with all shuffled that `viewer` may not know, and a new seed.

    Shuffled are all decks, the viewer's too, the painting deck, the 3-gold stack, and what others hold beyond the cards
    that are known to be in their hands. Who is in the midst of a purchase can go on with it: where hands that could are
    rare, it has its own.
    """
    twin = game.copy(state)
    for seat in range(state.seats):
        twin.decks[seat] = _shuffled(state.decks[seat], rng)
        for _ in range(50):
            if seat == viewer:
                break
            _redeal_hand(twin, seat, rng)
            if seat != state.turn or game.legal_moves(twin, seat):
                break
        else:
            row = slice(seat * WIDTH, seat * WIDTH + WIDTH)
            twin.hands[row], twin.decks[seat] = state.hands[row], _shuffled(state.decks[seat], rng)
    twin.paintings = _shuffled(state.paintings, rng)
    twin.stack = _shuffled(state.stack, rng)
    twin.seed = rng.randbytes(32)
    return twin


def _redeal_hand(twin: State, seat: int, rng: random.Random) -> None:
    row = slice(seat * WIDTH, seat * WIDTH + WIDTH)
    kept = _listed(twin.kept[row])
    unknown = list((Counter(_listed(twin.hands[row])) - Counter(kept)).elements())
    cards = [*unknown, *twin.decks[seat]]
    rng.shuffle(cards)
    hand = kept + cards[: len(unknown)]
    twin.hands[row] = bytes(hand.count(kind) for kind in range(WIDTH))
    twin.decks[seat] = bytes(cards[len(unknown) :])


def _listed(counts: bytes | bytearray) -> list[Card]:
    return [kind for kind, count in enumerate(counts) for _ in range(count)]


def _shuffled(cards: bytes, rng: random.Random) -> bytes:
    return bytes(rng.sample(list(cards), len(cards)))
