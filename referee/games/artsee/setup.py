"""Dealing a game."""

from referee.core.seeding import Stream
from referee.games.artsee.parts import MAIN, STARTING, Parts
from referee.games.artsee.state import Phase, State


def deal(parts: Parts, seats: int, start_seat: int | None, seed: bytes) -> State:
    """Returns a dealt game; without `start_seat` the seed decides who starts [G-R7].

    Each seat in order gets its gallery, from left to right [AS-R2], and then its hand from the shuffled starting deck.
    """
    first = Stream(seed, "start").randrange(seats) if start_seat is None else start_seat
    starting = bytearray(parts.decks[STARTING])
    Stream(seed, "starting deck").shuffle(starting)
    galleries, hands = [], []
    size = parts.gallery + parts.hand
    for start in range(0, seats * size, size):
        shown = start + parts.gallery
        galleries.append(tuple(bytes((card,)) for card in starting[start:shown]))
        hands.append(bytes(sorted(starting[shown : start + size])))
    return State(
        seed=seed,
        seats=seats,
        first=first,
        phase=Phase.PLAY,
        turn=first,
        column=-1,
        earned=0,
        piles=_piles(parts, seats, seed),
        hands=hands,
        galleries=galleries,
        visitors=[bytes(parts.gallery)] * seats,
        slots=[bytes(parts.gallery + 1)] * seats,
        supplies=bytearray([parts.tables[seats].visitors]) * seats,
        prestige=[0] * seats,
        asked=bytes(seats),
        choices=[b""] * seats,
    )


def _piles(parts: Parts, seats: int, seed: bytes) -> list[bytes]:
    """Returns the two piles; of the shuffled main deck the first cards, of each category and of all, are removed."""
    main = bytearray(parts.decks[MAIN])
    Stream(seed, "main deck").shuffle(main)
    table = parts.tables[seats]
    to_remove = [table.removed_of_each] * len(parts.categories)
    kept = bytearray()
    for card in main:
        if to_remove[parts.featured[card]]:
            to_remove[parts.featured[card]] -= 1
        else:
            kept.append(card)
    kept = kept[table.removed_of_all :]
    half = (len(kept) + 1) // 2  # [AS-R3]
    return [bytes(kept[:half]), bytes(kept[half:])]
