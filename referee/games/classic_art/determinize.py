"""Worlds that a viewer cannot rule out."""

from referee.core.seeding import SEED_BYTES, Random
from referee.games.classic_art.parts import PLAYED, Parts
from referee.games.classic_art.state import State
from referee.games.classic_art.view import View, tally


def determinize(parts: Parts, view: View, rng: Random) -> State:
    """Deals the cards that the viewer has not seen at random to hands, House and out of play, with a new seed."""
    seen = tally(parts, view.played)
    unseen = bytearray(
        kind for kind in range(parts.kinds) for _ in range(parts.copies[kind] - view.hand[kind] - seen[kind])
    )
    rng.shuffle(unseen)
    hands, chosen = bytearray(), bytearray(view.seats)
    for seat in range(view.seats):
        if seat == view.seat:
            hands += view.hand
            chosen[seat] = view.chosen + 1
            continue
        cards, unseen = unseen[: view.hand_sizes[seat]], unseen[view.hand_sizes[seat] :]
        hands += bytes(cards.count(kind) for kind in range(parts.kinds))
        if view.committed[seat]:
            chosen[seat] = parts.pair_ids[cards[0]][cards[PLAYED - 1]] + 1
    deck = unseen[view.house_size :]
    return State(
        seed=rng.randbytes(SEED_BYTES),
        seats=view.seats,
        max_seasons=view.max_seasons,
        capped=view.capped,
        season=view.season,
        first=view.first,
        phase=view.phase,
        turn=view.turn,
        turns_left=view.turns_left,
        hands=hands,
        deck=bytearray(deck.count(kind) for kind in range(parts.kinds)),
        house=bytes(unseen[: view.house_size]),
        played=bytearray(view.played),
        net=view.net[:],
        board=bytearray(view.board),
        available=bytearray(view.available),
        lost=bytearray(view.lost),
        doubled=bytearray(view.doubled),
        prestige=bytearray(view.prestige),
        chosen=chosen,
    )
