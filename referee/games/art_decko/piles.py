"""Hands, decks and discard piles of the seats, and what all know of them [AD-R12]."""

from referee.core.seeding import Stream
from referee.games.art_decko.events import ArtDeckoEvent, CardsDrawn, CardsSeen, DeckShuffled
from referee.games.art_decko.parts import Parts
from referee.games.art_decko.state import State


def counted(parts: Parts, cards: bytes | bytearray) -> bytes:
    """Returns how many cards there are of each kind."""
    return bytes(cards.count(kind) for kind in range(parts.kinds))


def listed(counts: bytes | bytearray) -> bytearray:
    """Returns counted cards in canonical order."""
    return bytearray(kind for kind, count in enumerate(counts) for _ in range(count))


def shuffled(cards: bytes | bytearray, seed: bytes, seat: int, number: int) -> bytes:
    """Returns a seat's deck after its shuffle number `number`, from 0; cards of a kind cannot be told apart."""
    deck = bytearray(sorted(cards))
    Stream(seed, "deck", seat, number).shuffle(deck)
    return bytes(deck)


def leave_hand(parts: Parts, state: State, seat: int, kind: int) -> None:
    """Takes a card out of a hand: one that is known to be there, if one is."""
    place = seat * parts.kinds + kind
    state.hands[place] -= 1
    if state.kept[place]:
        state.kept[place] -= 1
    else:
        state.pool[place] -= 1


def draw(parts: Parts, state: State, seat: int, count: int, events: list[ArtDeckoEvent]) -> None:
    """Draws cards one after another; an empty deck is made of the discard pile first, without one it stops short."""
    base = seat * parts.kinds
    while count > 0:
        deck = state.decks[seat]
        if not deck:
            if not any(state.discards[base : base + parts.kinds]):
                return
            events.append(_reshuffle(parts, state, seat))
            continue
        drawn = deck[-count:]
        state.decks[seat] = deck[: -len(drawn)]
        for kind in drawn:
            state.hands[base + kind] += 1
        events.append(CardsDrawn(seat, len(drawn)))
        events.append(CardsSeen(seat, bytes(sorted(drawn))))
        count -= len(drawn)


def _reshuffle(parts: Parts, state: State, seat: int) -> DeckShuffled:
    """Makes the discard pile the deck: then all know the whole hand."""
    mine = slice(seat * parts.kinds, (seat + 1) * parts.kinds)
    cards = listed(state.discards[mine])
    state.decks[seat] = shuffled(cards, state.seed, seat, state.shuffles[seat])
    state.shuffles[seat] += 1
    state.kept[mine] = state.hands[mine]
    state.pool[mine] = state.discards[mine]
    state.discards[mine] = bytes(parts.kinds)
    return DeckShuffled(seat, len(cards))
