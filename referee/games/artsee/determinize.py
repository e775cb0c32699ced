"""Worlds that a viewer cannot rule out."""

from itertools import chain

from referee.core.seeding import SEED_BYTES, Random
from referee.games.artsee.parts import MAIN, Parts
from referee.games.artsee.state import State
from referee.games.artsee.view import View


def determinize(parts: Parts, view: View, rng: Random) -> State:
    """Deals the fronts that the viewer has not seen at random to the backs that it sees, with a new seed.

    Per back they go to the opponents' hands, the tops of the piles and the cards removed of that category; the main
    cards that are left lie below the tops in any order, and what is left then was removed.
    """
    unseen = _unseen(parts, view, rng)
    hands = [
        view.hand if seat == view.seat else bytes(sorted(unseen[back].pop() for back in backs))
        for seat, backs in enumerate(view.backs)
    ]
    return State(
        seed=rng.randbytes(SEED_BYTES),
        seats=view.seats,
        first=view.first,
        phase=view.phase,
        turn=view.turn,
        column=view.column,
        earned=view.earned,
        piles=_piles(parts, view, unseen[MAIN * len(parts.categories) :], rng),
        hands=hands,
        galleries=view.galleries[:],
        visitors=view.visitors[:],
        slots=view.slots[:],
        supplies=bytearray(view.supplies),
        prestige=view.prestige[:],
        asked=view.asked,
        choices=[_choices(view, seat, rng) for seat in range(view.seats)],
    )


def _unseen(parts: Parts, view: View, rng: Random) -> list[bytearray]:
    """Returns the cards that the viewer has not seen, shuffled, by their backs."""
    unseen = [bytearray() for _ in range((MAIN + 1) * len(parts.categories))]
    for card in chain(*parts.decks):
        unseen[parts.backs[card]].append(card)
    for card in chain(view.hand, *chain(*view.galleries)):
        unseen[parts.backs[card]].remove(card)
    for cards in unseen:
        rng.shuffle(cards)
    return unseen


def _piles(parts: Parts, view: View, unseen: list[bytearray], rng: Random) -> list[bytes]:
    """Returns the two piles from the unseen main cards of each category."""
    tops = [bytes((unseen[category].pop(),)) if category >= 0 else b"" for category in view.tops]
    removed = parts.tables[view.seats].removed_of_each
    rest = bytearray().join(cards[removed:] for cards in unseen)
    rng.shuffle(rest)
    piles, start = [], 0
    for size, top in zip(view.pile_sizes, tops, strict=True):
        end = start + size - len(top)
        piles.append(bytes(rest[start:end]) + top)
        start = end
    return piles


def _choices(view: View, seat: int, rng: Random) -> bytes:
    """Returns what a seat has chosen: anything if it has committed, and nothing yet if it has not."""
    if seat == view.seat:
        return view.choices
    chosen, supply = bytearray(), view.supplies[seat]
    for _ in range(view.asked[seat] if view.committed[seat] else 0):
        placed = rng.randrange(2) if supply else 0
        supply -= placed
        chosen.append(placed)
    return bytes(chosen)
