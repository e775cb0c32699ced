"""Positions of ArtSee made to measure, and short names for what happens in them.

A position is a dealt one whose cards are laid out anew: those that a test names lie where it says, others fill the
hands and piles. Cards go by names such as "P:AL>", see `moves.card`; a column is cards joined by "/", from back to
front.
"""

from collections.abc import Sequence

from referee.games.artsee.events import ArtSeeEvent, PrestigeEarned
from referee.games.artsee.game import ArtSee
from referee.games.artsee.state import Phase, State
from tests.games.artsee.moves import (
    CATEGORIES,
    KINDS,
    MAIN,
    MOVES,
    STARTING,
    TOKENS,
    Card,
    Masterpiece,
    Move,
    kind,
    play_of,
)

GAME = ArtSee()
SEED = bytes(range(32))
Gallery = Sequence[str]
# Galleries in which nothing features PORTRAIT, so that nobody is asked about visitors when seat 0 plays such a card.
QUIET: Gallery = ("A:ALP>", "L:APS<")
MATCHING: Gallery = ("P:AL>", "A:AP>", "P:AS<", "P:LS<")  # three of four fronts feature PORTRAIT
FIVE = "A:LP>/A:LP</L:AP</A:PS>/A:PS<"  # a column of five PORTRAIT pieces
OTHERS: Sequence[Gallery] = (("L:ALP<", "L:LPS>"), ("S:ALP>", "S:APS<"), ("A:LPS>", "S:LPS<"), ("L:ALS>", "A:ALS<"))


def position(
    *galleries: Gallery,
    hand: str = "",
    piles: tuple[int, int] = (2, 2),
    tops: tuple[str, str] = ("", ""),
    hand_sizes: Sequence[int] = (),
) -> State:
    """Returns the turn of seat 0, which holds the cards named by `hand`, joined by spaces.

    The hands of the others, or of all by `hand_sizes`, are filled with starting cards.
    """
    seats = len(galleries)
    state = GAME.setup({"start_seat": 0}, seats, SEED)
    state.galleries = [tuple(bytes(map(kind, column.split("/"))) for column in gallery) for gallery in galleries]
    state.visitors = [bytes(len(gallery)) for gallery in galleries]
    state.slots = [bytes(len(gallery) + 1) for gallery in galleries]
    named = list(map(kind, hand.split()))
    shown = [card for gallery in state.galleries for column in gallery for card in column]
    on_top = [kind(top) for top in tops if top]
    rest = [card for card in range(len(KINDS)) if card not in (*named, *shown, *on_top)]
    assert len(set(named + shown + on_top)) == len(named + shown + on_top)
    starting = [card for card in rest if KINDS[card].deck == STARTING]
    main = [card for card in rest if KINDS[card].deck == MAIN]
    sizes = hand_sizes or (len(named), *[3] * (seats - 1))
    hands = [named, *[[] for _ in range(seats - 1)]]
    for cards, size in zip(hands, sizes, strict=True):
        cards += [starting.pop() for _ in range(size - len(cards))]
    state.hands = [bytes(sorted(cards)) for cards in hands]
    state.piles = []
    for size, top in zip(piles, tops, strict=True):
        below = [main.pop() for _ in range(size - bool(top))]
        state.piles.append(bytes([*below, *([kind(top)] if top else [])]))
    return state


def with_others(gallery: Gallery, seats: int = 2, hand: str = "") -> State:
    """Returns a position in which the opponents' galleries do not matter and feature no PORTRAIT."""
    return position(gallery, *OTHERS[: seats - 1], hand=hand)


def visit(*galleries: Gallery) -> State:
    """Seat 0 has played a PORTRAIT card that these galleries of the others are asked about."""
    state = position(QUIET, *galleries, hand="P:AP>")
    play(state, 0, play_of("P:AP>", 0))
    return state


def put(state: State, seat: int, slot: int, category: str, requirement: int = 9) -> None:
    """Puts a masterpiece into a slot."""
    slots = bytearray(state.slots[seat])
    slots[slot] = TOKENS.index(Masterpiece(category, requirement)) + 1
    state.slots[seat] = bytes(slots)


def put_visitors(state: State, seat: int, column: int, number: int) -> None:
    """Moves visitors from the supply to the front of a column."""
    visitors = bytearray(state.visitors[seat])
    visitors[column] += number
    state.visitors[seat] = bytes(visitors)
    state.supplies[seat] -= number


def play(state: State, seat: int, move: int) -> list[ArtSeeEvent]:
    """Plays a move that must be legal in both opinions."""
    assert seat in GAME.to_act(state)
    assert move in GAME.legal_moves(state, seat)
    GAME.check(state, seat, move)
    return GAME.play(state, seat, move)


def earned(events: Sequence[ArtSeeEvent]) -> int:
    """Returns the prestige of the turn, as announced."""
    (event,) = [event for event in events if isinstance(event, PrestigeEarned)]
    return event.visitors + event.pieces + event.masterpieces


def legal(state: State, seat: int) -> set[Move]:
    """Returns the legal moves in words."""
    return {MOVES[move] for move in GAME.legal_moves(state, seat)}


def passive(state: State, seat: int) -> int:
    """Returns a move that places no visitor and claims nothing, plays the first card on column 0, draws from pile 0."""
    moves = GAME.legal_moves(state, seat)
    return moves[-1] if state.phase in (Phase.VISIT, Phase.CLAIM) else moves[0]


def play_turn(state: State) -> list[int]:
    """Everybody is passive until the next card is to be played; returns the seats that chose, in order."""
    asked = [state.turn]
    play(state, state.turn, passive(state, state.turn))
    while state.phase not in (Phase.PLAY, Phase.OVER):
        asked.append(GAME.to_act(state)[0])
        play(state, asked[-1], passive(state, asked[-1]))
    return asked


def slots_of(state: State, seat: int) -> list[Masterpiece | None]:
    """Returns what lies in the slots of a gallery, from the left."""
    return [TOKENS[code - 1] if code else None for code in GAME.view(state, None).slots[seat]]


def backs_of(state: State, seat: int) -> list[tuple[str, str]]:
    """Returns the backs of a hand as everybody sees them."""
    backs = [(deck, category) for deck in (STARTING, MAIN) for category in CATEGORIES]
    return [backs[back] for back in GAME.view(state, None).backs[seat]]


def cards_of(kinds: bytes) -> list[Card]:
    """Returns cards in words."""
    return [KINDS[card] for card in kinds]
