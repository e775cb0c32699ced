"""Positions of Classic Art made to measure, and short names for what happens in them.

A position is a dealt one whose cards are laid out anew: those that a test names lie where it says, the others fill the
places left over.
"""

from collections.abc import Sequence

from referee.games.classic_art.events import ClassicArtEvent
from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.state import Phase, State
from tests.games.classic_art.moves import ARTWORK, CATEGORIES, KINDS, LOAN, PASS, SPACES, Card, cards_of_play

GAME = ClassicArt()
SEED = bytes(range(32))
Pile = tuple[Sequence[Card], int]
DEALS = {2: (11, 10), 3: (11, 0), 4: (9, 0), 5: (7, 0)}


def season(
    seats: int,
    *,
    hands: Sequence[Sequence[Card]] = (),
    house: Sequence[Card] = (),
    revealed: Sequence[Card] = (),
    max_seasons: int = 30,
) -> State:
    """Returns the first decision of a game that seat 0 begins; the House is given in the order of its reveals."""
    state = _new(seats, max_seasons)
    hand, house_size = DEALS[seats]
    _lay_out(state, [*_padded(hands, seats, hand), (house, house_size), (revealed, 2)])
    return state


def last_turn(
    seats: int,
    *,
    hands: Sequence[Sequence[Card]] = (),
    house: Sequence[Card] = (),
    on_table: Sequence[Card] = (),
    max_seasons: int = 30,
) -> State:
    """Returns a final turn: three cards in each hand, with two seats two in the House, `on_table` seen before."""
    state = _new(seats, max_seasons)
    _lay_out(state, [*_padded(hands, seats, 3), (house, 2 if seats == 2 else 0), (on_table, len(on_table))])
    state.phase, state.turn, state.turns_left = Phase.FINAL, -1, 0
    return state


def _new(seats: int, max_seasons: int) -> State:
    return GAME.setup(GAME.options({"start_seat": 0, "max_seasons": max_seasons}, seats), seats, SEED)


def _padded(hands: Sequence[Sequence[Card]], seats: int, size: int) -> list[Pile]:
    return [(named, size) for named in (*hands, *[()] * (seats - len(hands)))]


def _lay_out(state: State, piles: Sequence[Pile]) -> None:
    """Lays all 65 cards out anew, to the hands, the House and face up; Artworks fill the places left over."""
    rest = [card for _ in range(11) for card in KINDS if card[1] == ARTWORK]
    rest += [card for card in KINDS if card[1] == LOAN] * 2
    for card in (card for named, _ in piles for card in named):
        rest.remove(card)
    full = []
    for named, size in piles:
        filling, rest = rest[: size - len(named)], rest[size - len(named) :]
        full.append([*named, *filling])
    *hands, house, face_up = full
    state.hands = bytearray(hand.count(kind) for hand in hands for kind in KINDS)
    state.house = bytes(KINDS.index(card) for card in reversed(house))
    state.deck = bytearray(rest.count(kind) for kind in KINDS)
    state.played = bytearray(10 * state.seats) + bytearray(face_up.count(kind) for kind in KINDS)
    state.net = [face_up.count((name, ARTWORK)) - face_up.count((name, LOAN)) for name in CATEGORIES]


def put(state: State, seat: int, category: str, space: str, tokens: int = 1, *, high_risk: bool = False) -> None:
    """Places a prediction outside the order of turns."""
    place = CATEGORIES.index(category) * 8 + SPACES.index(space)
    state.board[place] = 1 + seat * 4 + (tokens - 1) * 2 + high_risk
    state.available[seat] -= tokens
    state.doubled[seat] |= tokens == 2


def set_marker(state: State, seat: int, category: str, height: int) -> None:
    state.prestige[seat * 5 + CATEGORIES.index(category)] = height


def marker(state: State, seat: int, category: str) -> int:
    return state.prestige[seat * 5 + CATEGORIES.index(category)]


def play(state: State, seat: int, move: int) -> list[ClassicArtEvent]:
    """Plays a move that must be legal in both opinions."""
    assert seat in GAME.to_act(state)
    assert move in GAME.legal_moves(state, seat)
    GAME.check(state, seat, move)
    return GAME.play(state, seat, move)


def all_pass(state: State) -> None:
    """Every seat places no prediction at setup."""
    while state.phase == Phase.SETUP:
        play(state, state.turn, PASS)


def commit_all(state: State) -> list[ClassicArtEvent]:
    """Every seat chooses the first pair it can; returns what the last choice brought about."""
    events: list[ClassicArtEvent] = []
    for seat in list(GAME.to_act(state)):
        events = play(state, seat, passive(state, seat))
    return events


def passive(state: State, seat: int) -> int:
    """Returns the move that predicts nothing or plays the first pair."""
    legal = GAME.legal_moves(state, seat)
    return PASS if PASS in legal else legal[0]


def play_season(state: State) -> list[ClassicArtEvent]:
    """Everybody is passive from any step to the end of the season; returns what the last move brought about."""
    this, events = state.season, list[ClassicArtEvent]()
    while state.season == this and (waiting := GAME.to_act(state)):
        events = play(state, waiting[0], passive(state, waiting[0]))
    return events


def shelf(state: State, category: str) -> tuple[int, int]:
    """Returns (Artworks, pending Loans) of an exhibition."""
    net = GAME.view(state, None).net[CATEGORIES.index(category)]
    return max(0, net), max(0, -net)


def hand_of(state: State, seat: int) -> list[Card]:
    """Returns the cards that a seat sees in its hand."""
    hand = GAME.view(state, seat).hand
    return [card for card, count in zip(KINDS, hand, strict=True) for _ in range(count)]


def cards_in(moves: Sequence[int]) -> list[list[Card]]:
    """Returns the cards of moves that play them."""
    return [cards_of_play(move) for move in moves]
