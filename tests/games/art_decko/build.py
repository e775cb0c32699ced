"""Positions of Art Decko made to measure, and short names for what happens in them.

All that a test does not name is plain: other seats hold a 2-gold, galleries are full, ratings are 0, the museum is
empty. Paintings and 3-gold cards that lie nowhere else make up the painting deck and the stack, unless these are named.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import pytest

from referee.core.errors import IllegalMoveError
from referee.games.art_decko.events import ArtDeckoEvent, GameScored
from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.state import State
from tests.games.art_decko.moves import (
    DONE,
    DRAW_TWO,
    IDS,
    KINDS,
    MOVES,
    NOUVEAU,
    POP_ART,
    POWERS,
    PROMOTE,
    RENAISSANCE,
    STYLES,
    SURREALISM,
    TWO,
    WILD,
    Card,
    Move,
)
from tests.games.art_decko.picture import Words

GAME: Final = ArtDecko()
WORDS: Final = Words(GAME)
SEED: Final = bytes(range(32))
WIDTH: Final = len(KINDS)
Cards = Sequence[Card]
Hung = tuple[int, int, str, str]  # exhibition from 1, owner, style, marker
RATINGS: Final = (*STYLES, "GOLD")
MARKERS: Final = (*STYLES, WILD)
GALLERIES: Final = (NOUVEAU, RENAISSANCE, SURREALISM, POP_ART)
INVITED: Final = tuple((STYLES[place], STYLES[(place + 1) % 5], STYLES[(place + 2) % 5], WILD) for place in range(5))
TILES: Final = tuple(
    f"{tile['scoring']} {tile['counts']}{' ' + tile['style'] if 'style' in tile else ''}" for tile in WORDS.tiles
)


def position(
    seats: int = 2,
    *,
    hands: Sequence[Cards] = (),
    decks: Sequence[Cards] = (),
    discards: Sequence[Cards] = (),
    galleries: Sequence[Cards] | None = None,
    tokens: Sequence[int] = (1, 2, 3, 4),
    supply: Sequence[int] = (5, 6, 7, 8),
    paintings: Cards | None = None,
    bank: Cards = (DRAW_TWO, PROMOTE),
    stack: Cards | None = None,
    fives: int = 10,
    ratings: Mapping[str, int] | None = None,
    markers: Sequence[Sequence[str]] = INVITED,
    museum: Sequence[Hung] = (),
    tiles: Sequence[str] = TILES[:5],
    vp: Sequence[int] | None = None,
    turn: int = 0,
    max_rounds: int = 60,
) -> State:
    """Returns the start of a turn in a game that seat 0 begins. What lies in order is given in the order of its draws.

    `markers` are all that an exhibition had, with those that are used; nothing is known of the hands beyond the pools.
    """
    state = GAME.setup(GAME.options({"start_seat": 0, "max_rounds": max_rounds}, seats), seats, SEED)
    state.turn = turn
    full = GAME.parts.full[seats]
    held = [*hands, *[(TWO,)] * (seats - len(hands))]
    drawn = [*decks, *[()] * (seats - len(decks))]
    state.hands = _rows(held)
    state.decks = [bytes(KINDS.index(card) for card in reversed(deck)) for deck in drawn]
    state.discards = _rows([*discards, *[()] * (seats - len(discards))])
    state.kept = bytearray(WIDTH * seats)
    state.pool = _rows([[*hand, *deck] for hand, deck in zip(held, drawn, strict=True)])
    _set_galleries(state, [(style,) * full for style in GALLERIES] if galleries is None else galleries)
    state.costs, state.supply = bytearray(tokens), bytes(supply)
    state.bank = bytearray(bank.count(power) for power in POWERS)
    state.fives = fives
    for rating, value in (ratings or {}).items():
        state.market[RATINGS.index(rating)] = value
    _set_museum(state, markers, museum)
    state.tiles = bytes(TILES.index(tile) for tile in tiles)
    state.vp = list(vp or [0] * seats)
    rest = _rest(state)
    state.paintings = _pile(rest, STYLES, paintings)
    state.stack = _pile(rest, POWERS, stack)
    return state


def _rows(piles: Sequence[Cards]) -> bytearray:
    return bytearray(list(pile).count(card) for pile in piles for card in KINDS)


def _set_galleries(state: State, galleries: Sequence[Cards]) -> None:
    state.galleries = bytearray(list(shown).count(style) for style in STYLES for shown in galleries)


def _set_museum(state: State, markers: Sequence[Sequence[str]], museum: Sequence[Hung]) -> None:
    free = [list(kinds) for kinds in markers]
    codes = [list[int]() for _ in markers]
    for exhibition, owner, style, marker in museum:
        free[exhibition - 1].remove(marker)
        codes[exhibition - 1].append(1 + (owner * 5 + STYLES.index(style)) * 6 + MARKERS.index(marker))
        state.ribbons[owner] -= 1
    state.markers = bytearray(kinds.count(kind) for kinds in free for kind in MARKERS)
    state.museum = bytearray(code for hung in codes for code in [*hung, 0, 0, 0, 0][:4])


def _rest(state: State) -> Counter[Card]:
    """The paintings and 3-gold cards that lie nowhere yet."""
    rest = Counter({**dict.fromkeys(STYLES, 15), **dict.fromkeys(POWERS, 2)})
    for table in (state.hands, state.discards):
        rest.subtract(KINDS[place % WIDTH] for place, count in enumerate(table) for _ in range(count))
    rest.subtract(KINDS[kind] for deck in state.decks for kind in deck)
    rest.subtract(STYLES[place // 4] for place, count in enumerate(state.galleries) for _ in range(count))
    rest.subtract(hung[1] for row in WORDS.museum(state.museum) for hung in row if hung)
    rest.subtract(power for power, count in zip(POWERS, state.bank, strict=True) for _ in range(count))
    assert all(count >= 0 for card, count in rest.items() if card in STYLES + POWERS)
    return rest


def _pile(rest: Counter[Card], kinds: Cards, named: Cards | None) -> bytes:
    """A pile of all that is left, or of the named cards, which must be left."""
    if named is None:
        return bytes(KINDS.index(card) for card in kinds for _ in range(rest[card]))
    assert all(count <= rest[card] for card, count in Counter(named).items())
    return bytes(KINDS.index(card) for card in reversed(named))


def play(state: State, *moves: Move) -> list[ArtDeckoEvent]:
    """Plays moves of whose turn it is, which must be legal in both opinions; returns what the last brought about."""
    events: list[ArtDeckoEvent] = []
    for move in moves:
        (seat,) = GAME.to_act(state)
        assert move in legal(state)
        GAME.check(state, seat, IDS[move])
        events = GAME.play(state, seat, IDS[move])
    return events


def pay(*cards: Card) -> list[Move]:
    """Returns the moves of a payment."""
    return [("pay", card) for card in cards]


def legal(state: State) -> set[Move]:
    """Returns the moves of whose turn it is."""
    (seat,) = GAME.to_act(state)
    return {MOVES[move] for move in GAME.legal_moves(state, seat)}


def words_of(state: State) -> set[str]:
    """Returns the sorts of moves that are legal now."""
    return {move[0] for move in legal(state)}


def named(state: State, word: str) -> set[str]:
    """Returns what the legal moves of a sort name: a card, a style, a power or a rating."""
    return {str(move[-1]) for move in legal(state) if move[0] == word}


def refusal(state: State, move: Move) -> str:
    """Returns the rule that forbids a move, in the check's opinion; the list must agree."""
    (seat,) = GAME.to_act(state)
    assert move not in legal(state)
    with pytest.raises(IllegalMoveError) as caught:
        GAME.check(state, seat, IDS[move])
    return caught.value.rule


def payments(state: State) -> list[list[Card]]:
    """Returns all payments, card by card as they are asked for, that complete what is being paid."""
    found = []
    for move in sorted(legal(state), key=MOVES.index):
        assert move[0] == "pay"
        after = GAME.copy(state)
        play(after, move)
        rest = payments(after) if after.buying == state.buying else [[]]
        found += [[str(move[1]), *more] for more in rest]
    return found


def hand(state: State, seat: int = 0) -> list[Card]:
    """Returns the cards that a seat sees in its hand, in canonical order."""
    return list(WORDS.cards(GAME.view(state, seat).hand).elements())


def discard(state: State, seat: int = 0) -> list[Card]:
    return list(WORDS.rows(state.discards)[seat].elements())


def deck(state: State, seat: int = 0) -> list[Card]:
    """Returns a deck in the order of its draws."""
    return [KINDS[kind] for kind in reversed(state.decks[seat])]


def aside(state: State) -> list[Card]:
    return list(WORDS.cards(state.aside).elements())


def rating(state: State, name: str) -> int:
    return state.market[RATINGS.index(name)]


def gallery(state: State, place: int) -> list[Card]:
    return [style for number, style in enumerate(STYLES) for _ in range(state.galleries[number * 4 + place - 1])]


def known(state: State, seat: int = 0) -> tuple[list[Card], list[Card]]:
    """Returns (kept, pool) of a seat as all see them."""
    view = GAME.view(state, None)
    return list(WORDS.rows(view.kept)[seat].elements()), list(WORDS.rows(view.pool)[seat].elements())


def end_turn(state: State) -> list[ArtDeckoEvent]:
    """Haggles with the first card as often as must be and discards nothing; returns what the last move brought."""
    seat, number, events = state.turn, state.round, list[ArtDeckoEvent]()
    while (state.turn, state.round) == (seat, number):
        haggles = [move for move in legal(state) if move[0] == "haggle"]
        events = play(state, min(haggles, key=MOVES.index) if haggles else DONE)
    return events


def finish(state: State) -> list[ArtDeckoEvent]:
    """Ends turn after turn up to the end of the game, the last of its rounds."""
    events: list[ArtDeckoEvent] = []
    while GAME.to_act(state):
        events = end_turn(state)
    return events


def points(state: State) -> list[tuple[int, int, int, int]]:
    """Finishes a game in its last round; returns VP taken, of paintings, of gold and of bonus tiles, by seat."""
    state.last_round = True
    scored = finish(state)[-1]
    assert isinstance(scored, GameScored)
    return [(taken, paintings, gold, bonus) for taken, paintings, gold, bonus in scored.points]
