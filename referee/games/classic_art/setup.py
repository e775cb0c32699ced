"""Dealing a season."""

from referee.core.seeding import Stream
from referee.games.classic_art.parts import Parts
from referee.games.classic_art.state import Phase, State


def new_game(parts: Parts, seats: int, max_seasons: int, start_seat: int | None, seed: bytes) -> State:
    """Returns a game whose first season is not dealt yet; without `start_seat` the seed decides who starts."""
    first = Stream(seed, "start").randrange(seats) if start_seat is None else start_seat
    return State(
        seed=seed,
        seats=seats,
        max_seasons=max_seasons,
        capped=False,
        season=0,
        first=first,
        phase=Phase.SETUP,
        turn=first,
        turns_left=0,
        hands=bytearray(),
        deck=bytearray(),
        house=b"",
        played=bytearray(),
        net=[],
        board=bytearray(),
        available=bytearray([parts.predictions]) * seats,
        lost=bytearray(seats),
        doubled=bytearray(seats),
        prestige=bytearray(seats * len(parts.categories)),
        chosen=bytearray(seats),
    )


def deal_season(parts: Parts, state: State) -> bytes:
    """Deals the next season in place; `state.first` is its first player. Returns the revealed kinds.

    The shuffled cards go to the seats in order, then to the House, then to the reveal; the rest is out of play.
    """
    state.season += 1
    cards = bytearray(kind for kind, copies in enumerate(parts.copies) for _ in range(copies))
    Stream(state.seed, "deal", state.season).shuffle(cards)
    deal = parts.deals[state.seats]
    dealt = state.seats * deal.hand
    house = dealt + deal.house
    shown = house + parts.revealed
    state.hands = bytearray()
    for start in range(0, dealt, deal.hand):
        state.hands += _counts(parts, cards[start : start + deal.hand])
    state.house = bytes(cards[dealt:house])
    state.deck = _counts(parts, cards[shown:])
    state.played = bytearray((state.seats + 1) * parts.kinds)
    state.net = [0] * len(parts.categories)
    for kind in cards[house:shown]:
        reveal(parts, state, kind)
    state.board = bytearray(parts.all_spaces)
    state.doubled = bytearray(state.seats)
    state.chosen = bytearray(state.seats)
    state.phase = Phase.SETUP
    state.turn = state.first
    state.turns_left = deal.turns(state.seats)
    return bytes(cards[house:shown])


def reveal(parts: Parts, state: State, kind: int) -> None:
    """Resolves a card from the deck or the House."""
    resolve(parts, state, state.seats, kind)


def resolve(parts: Parts, state: State, row: int, kind: int) -> None:
    """Puts a card face up in its exhibition. An Artwork and a Loan annihilate in whatever order they come [CA-R1]."""
    state.played[row * parts.kinds + kind] += 1
    state.net[kind >> 1] += -1 if kind & 1 else 1


def _counts(parts: Parts, cards: bytearray) -> bytearray:
    counts = bytearray(parts.kinds)
    for kind in cards:
        counts[kind] += 1
    return counts
