"""The other worlds of a viewer, dealt naively from the whole state: the counterpart of the ruleset's `determinize`.

Cards that the viewer does not see change places two by two, where it would not see the difference, many times over.
"""

import random
from collections import Counter
from dataclasses import dataclass
from math import comb, factorial

from referee.games.artsee.game import ArtSee
from referee.games.artsee.state import State
from tests.games.artsee.moves import KINDS, MAIN, Card

SWAPS = 250
REMOVED_OF_EACH = {2: 4, 3: 3, 4: 0, 5: 0}
REMOVED_OF_ALL = {2: 0, 3: 0, 4: 0, 5: 3}


@dataclass
class Place:
    """A place for a card that the viewer does not see: "hand", "top", "pile" or "box"."""

    where: str
    number: int
    kind: int

    @property
    def card(self) -> Card:
        return KINDS[self.kind]

    def shows_its_category(self, seats: int) -> bool:
        """Whether all know the featured category of what lies here, or how many of each lie in such places."""
        if self.where == "box":
            return self.card.deck == MAIN and REMOVED_OF_EACH[seats] > 0
        return self.where in ("hand", "top")


def hidden_places(state: State, viewer: int | None) -> list[Place]:
    """Returns all places whose cards the viewer does not see; each kind is in the game once."""
    places = [Place("hand", seat, kind) for seat, hand in enumerate(state.hands) if seat != viewer for kind in hand]
    for number, pile in enumerate(state.piles):
        places += [Place("pile", number, kind) for kind in pile[:-1]]
        places += [Place("top", number, kind) for kind in pile[-1:]]
    columns = [column for gallery in state.galleries for column in gallery]
    somewhere = b"".join([*state.piles, *state.hands, *columns])
    return places + [Place("box", 0, kind) for kind in range(len(KINDS)) if kind not in somewhere]


def redealt(game: ArtSee, state: State, viewer: int | None, rng: random.Random) -> State:
    """Returns a copy with all shuffled that `viewer` may not know: hands, piles, box, sealed choices, seed.

    Who still chooses has come as far as before, see `with_other_progress`.
    """
    twin, places = game.copy(state), hidden_places(state, viewer)
    for _ in range(SWAPS if len(places) > 1 else 0):
        one, other = rng.sample(places, 2)
        hides = not (one.shows_its_category(state.seats) or other.shows_its_category(state.seats))
        if one.card.deck == other.card.deck and (hides or one.card.featured == other.card.featured):
            one.kind, other.kind = other.kind, one.kind
    for seat in range(state.seats):
        if seat != viewer:
            held = [place.kind for place in places if (place.where, place.number) == ("hand", seat)]
            twin.hands[seat] = bytes(sorted(held))
            twin.choices[seat] = rechosen(len(state.choices[seat]), state.supplies[seat], rng)
    for pile in (0, 1):
        twin.piles[pile] = bytes(
            place.kind for place in places if place.where in ("pile", "top") and place.number == pile
        )
    twin.seed = rng.randbytes(32)
    return twin


def with_other_progress(game: ArtSee, state: State, viewer: int | None, rng: random.Random) -> State:
    """Returns a copy in which the others who still choose have come anywhere with their choices."""
    twin = game.copy(state)
    for seat, asked in enumerate(state.asked):
        if seat != viewer and len(state.choices[seat]) < asked:
            twin.choices[seat] = rechosen(rng.randrange(asked), state.supplies[seat], rng)
    return twin


def rechosen(count: int, supply: int, rng: random.Random) -> bytes:
    """Returns so many choices that a seat might have made: 1 to place a visitor, 0 to skip."""
    chosen: list[int] = []
    for _ in range(count):
        chosen.append(rng.randrange(2) if sum(chosen) < supply else 0)
    return bytes(chosen)


def number_of_worlds(state: State, viewer: int | None) -> int:
    """Returns how many worlds the viewer cannot tell apart, choices of seats that still choose left aside."""
    places, ways = hidden_places(state, viewer), 1
    groups: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        groups.setdefault(place.card.back, []).append(place)
    for cards in groups.values():
        fixed = Counter((place.where, place.number) for place in cards if place.shows_its_category(state.seats))
        ways *= factorial(len(cards)) // factorial(len(cards) - fixed.total())
        for number in fixed.values():
            ways //= factorial(number)
    loose = [place for place in places if place.card.deck == MAIN and not place.shows_its_category(state.seats)]
    ways *= factorial(len(loose)) // factorial(sum(place.where == "box" for place in loose))
    for seat, chosen in enumerate(state.choices):
        if seat != viewer and chosen and len(chosen) == state.asked[seat]:
            ways *= sum(comb(len(chosen), placed) for placed in range(state.supplies[seat] + 1))
    return ways


def faults(state: State) -> list[str]:
    """Returns what is impossible in a state of the printed game."""
    columns = [column for gallery in state.galleries for column in gallery]
    there = b"".join([*state.piles, *state.hands, *columns])
    main = [KINDS[kind] for kind in there if KINDS[kind].deck == MAIN]
    found = []
    if len(set(there)) != len(there):
        found.append("a card is in two places")
    if len(main) != 48 - 4 * REMOVED_OF_EACH[state.seats] - REMOVED_OF_ALL[state.seats]:
        found.append(f"{len(main)} main cards are in the game")
    counted = Counter(card.featured for card in main)
    if REMOVED_OF_EACH[state.seats] and set(counted.values()) != {12 - REMOVED_OF_EACH[state.seats]}:
        found.append(f"main cards are in the game by category: {counted}")
    if len(there) - len(main) != 5 * state.seats:
        found.append(f"{len(there) - len(main)} starting cards are in the game")
    if any(KINDS[kind].deck != MAIN for pile in state.piles for kind in pile):
        found.append("a starting card is in a pile")
    for seat, chosen in enumerate(state.choices):
        if len(chosen) > state.asked[seat] or sum(chosen) > state.supplies[seat]:
            found.append(f"seat {seat} has chosen {list(chosen)}")
    return found
