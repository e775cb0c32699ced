"""What all know of a hand [AD-R12], from first principles: every deal that fits all that was seen is kept in mind.

A deal is ruled out when it lacks a card that left the hand, or when a move was not open to its hand. Starting decks are
small here, and a match is followed for as long as the deals can be counted.
"""

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations, permutations

import pytest

from referee.games.art_decko.events import (
    ArtDeckoEvent,
    CardAcquired,
    CardDiscarded,
    CardHaggled,
    CardPaid,
    CardRemoved,
    CardsDrawn,
    DeckShuffled,
    PaintingChosen,
    PowerPlayed,
)
from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.state import State
from tests.games.art_decko.build import WIDTH
from tests.games.art_decko.components import parts_with
from tests.games.art_decko.moves import IDS, KINDS, MOVES, POWERS
from tests.games.art_decko.policy import Character
from tests.games.playouts import dealt

SMALL = ArtDecko(parts_with(("paintings = 5\nones = 3\ntwos = 2", "paintings = 3\nones = 2\ntwos = 2")))
Kinds = tuple[int, ...]
Deal = tuple[Kinds, Kinds]  # a hand in canonical order, and a deck with its topmost card last
LARGEST = 7  # cards whose orders can be counted


@cache
def orders(cards: Kinds) -> frozenset[Kinds]:
    return frozenset(permutations(cards))


def deals_of(kept: Kinds, pool: Kinds, size: int) -> set[Deal]:
    """All hands of a size with what is kept and cards of the pool, and all orders of the rest."""
    found = set[Deal]()
    for drawn in set(combinations(pool, size - len(kept))):
        rest = tuple(sorted((Counter(pool) - Counter(drawn)).elements()))
        found |= {(tuple(sorted(kept + drawn)), deck) for deck in orders(rest)}
    return found


def listed(table: bytes | bytearray, seat: int = 0) -> Kinds:
    return tuple(kind for kind in range(WIDTH) for _ in range(table[seat * WIDTH + kind]))


def moves_with(state: State, seat: int, hand: Kinds) -> Sequence[int]:
    """What a seat could do if it held this hand."""
    twin = SMALL.copy(state)
    twin.hands[seat * WIDTH : seat * WIDTH + WIDTH] = bytes(hand.count(kind) for kind in range(WIDTH))
    return SMALL.legal_moves(twin, seat)


class Observer:
    """Keeps in mind all that a seat's hand and deck may be, from what is public alone."""

    def __init__(self, state: State, seat: int) -> None:
        self.seat = seat
        self.deals = deals_of((), listed(state.pool, seat), 5)

    def watch(self, before: State, move: int, events: Sequence[ArtDeckoEvent], ended: bool) -> None:
        """Rules out what does not fit a move of the seat."""
        able = {hand for hand in {hand for hand, _ in self.deals} if move in moves_with(before, self.seat, hand)}
        self.deals = {(hand, deck) for hand, deck in self.deals if hand in able}
        discards, aside = list(listed(before.discards, self.seat)), list(listed(before.aside))
        for event in events:
            match event:
                case CardHaggled(kind=kind):
                    self.leaves(kind)
                    discards.append(kind)
                case CardPaid(kind=kind) | CardDiscarded(kind=kind):
                    self.leaves(kind)
                    aside.append(kind)
                case PaintingChosen(style=kind) | CardRemoved(kind=kind):
                    self.leaves(kind)
                case PowerPlayed(power=power):
                    self.leaves(KINDS.index(POWERS[power]))
                case CardAcquired(kind=kind):
                    aside.append(kind)
                case DeckShuffled():
                    pile = tuple(sorted(discards + aside if ended else discards))
                    self.deals = {(hand, deck) for hand, _ in self.deals for deck in orders(pile)}
                    discards, aside = [], []
                case CardsDrawn(cards=cards):
                    self.deals = {
                        (tuple(sorted(hand + deck[len(deck) - cards :])), deck[: len(deck) - cards])
                        for hand, deck in self.deals
                    }

    def leaves(self, kind: int) -> None:
        held = {(hand, deck) for hand, deck in self.deals if kind in hand}
        self.deals = {(hand[: hand.index(kind)] + hand[hand.index(kind) + 1 :], deck) for hand, deck in held}


def expected(state: State, seat: int) -> set[Deal]:
    """What the public multisets say, less hands that could not go on with a purchase."""
    size = SMALL.view(state, None).hand_sizes[seat]
    deals = deals_of(listed(state.kept, seat), listed(state.pool, seat), size)
    if seat not in SMALL.to_act(state):
        return deals
    able = {hand for hand in {hand for hand, _ in deals} if moves_with(state, seat, hand)}
    return {(hand, deck) for hand, deck in deals if hand in able}


def followed(number: int) -> int:
    """Follows a match, and returns how many moves were watched."""
    state, character = dealt(SMALL, 2, number), Character(random.Random(number))
    observers, watched = [Observer(state, seat) for seat in range(2)], 0
    while SMALL.to_act(state) and max(map(len, state.decks)) <= LARGEST:
        before, seat = SMALL.copy(state), state.turn
        move = IDS[character.choose([MOVES[move] for move in SMALL.legal_moves(state, seat)])]
        events = SMALL.play(state, seat, move)
        if max(map(len, state.decks)) > LARGEST or any(
            isinstance(event, DeckShuffled) and event.cards > LARGEST for event in events
        ):
            break
        observers[seat].watch(before, move, events, ended=(state.turn, state.round) != (seat, before.round))
        assert observers[seat].deals == expected(state, seat)
        watched += 1
    return watched


def test_what_is_public_of_a_hand_is_all_that_can_be_known() -> None:
    """The deals that nothing seen rules out are those of `kept` and `pool`, no fewer and no more."""
    assert sum(followed(number) for number in range(30)) > 1_000


@pytest.mark.long
def test_what_is_public_of_a_hand_is_all_that_can_be_known_for_long() -> None:
    assert sum(followed(number) for number in range(30, 1_000)) > 30_000
