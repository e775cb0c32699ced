"""What one viewer may know of a game, built field by field from what is allowed."""

from dataclasses import dataclass

from referee.games.art_decko.parts import Parts
from referee.games.art_decko.state import State


@dataclass(slots=True)
class View:
    """What a seat, or a spectator, may know; fields that `State` has too mean the same.

    Attributes:
        seat: the viewer; None for a spectator.
        hand: the viewer's own cards, counted by kind; none for a spectator.
        hand_sizes: cards in each hand.
        deck_sizes: cards in each deck.
        paintings_left: cards of the painting deck.
        stack_size: face-down 3-gold cards.
    """

    seat: int | None
    hand: bytes
    seats: int
    max_rounds: int
    capped: bool
    last_round: bool
    round: int
    first: int
    phase: int
    turn: int
    actions: int
    used: int
    discounts: int
    invited: bool
    buying: int
    painting: int
    due: int
    least: int
    floor: int
    hand_sizes: bytes
    kept: bytes
    pool: bytes
    deck_sizes: bytes
    discards: bytes
    shuffles: list[int]
    aside: bytes
    removed: bytes
    galleries: bytes
    costs: bytes
    supply: bytes
    paintings_left: int
    bank: bytes
    stack_size: int
    fives: int
    market: bytes
    museum: bytes
    markers: bytes
    tiles: bytes
    vp: list[int]
    ribbons: bytes


def view(parts: Parts, state: State, viewer: int | None) -> View:
    """Returns what `viewer`, a seat or None for a spectator, may know."""
    kinds = parts.kinds
    return View(
        seat=viewer,
        hand=bytes(kinds) if viewer is None else bytes(state.hands[viewer * kinds : (viewer + 1) * kinds]),
        seats=state.seats,
        max_rounds=state.max_rounds,
        capped=state.capped,
        last_round=state.last_round,
        round=state.round,
        first=state.first,
        phase=state.phase,
        turn=state.turn,
        actions=state.actions,
        used=state.used,
        discounts=state.discounts,
        invited=state.invited,
        buying=state.buying,
        painting=state.painting,
        due=state.due,
        least=state.least,
        floor=state.floor,
        hand_sizes=bytes(sum(state.hands[seat * kinds : (seat + 1) * kinds]) for seat in range(state.seats)),
        kept=bytes(state.kept),
        pool=bytes(state.pool),
        deck_sizes=bytes(map(len, state.decks)),
        discards=bytes(state.discards),
        shuffles=state.shuffles[:],
        aside=bytes(state.aside),
        removed=bytes(state.removed),
        galleries=bytes(state.galleries),
        costs=bytes(state.costs),
        supply=state.supply,
        paintings_left=len(state.paintings),
        bank=bytes(state.bank),
        stack_size=len(state.stack),
        fives=state.fives,
        market=bytes(state.market),
        museum=bytes(state.museum),
        markers=bytes(state.markers),
        tiles=state.tiles,
        vp=state.vp[:],
        ribbons=bytes(state.ribbons),
    )
