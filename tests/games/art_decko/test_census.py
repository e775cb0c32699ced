"""What holds in every position of random matches: cards, tokens, markers, what is known of hands, end and score."""

import random
from collections import Counter

import pytest

from referee.games.art_decko.events import GameScored, LastRoundBegun, TurnBegun
from referee.games.art_decko.state import State
from tests.games.art_decko.build import GAME, WIDTH, WORDS
from tests.games.art_decko.moves import FIVE, GOLD, KINDS, ONE, POWERS, STYLES, TWO, WILD
from tests.games.art_decko.naive import NaiveGame
from tests.games.art_decko.naive_scoring import places, points
from tests.games.art_decko.naive_table import Painting
from tests.games.art_decko.policy import Character
from tests.games.playouts import dealt

SEATS = [2, 3, 4]
ORANGE = [1, 2, 2, 3, 3, 4, 4, 5]
YELLOW = [5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 8]


def all_cards(seats: int) -> list[int]:
    """75 paintings; 42 gold cards less the 1- and 2-gold that stay in the box."""
    cards = {**dict.fromkeys(STYLES, 15), ONE: 3 * seats, TWO: 2 * seats, FIVE: 10, **dict.fromkeys(POWERS, 2)}
    return [cards[kind] for kind in KINDS]


def cards_everywhere(state: State) -> list[int]:
    """How many cards of each kind there are, wherever they lie."""
    ordered = b"".join([*state.decks, state.paintings, state.stack])
    counts = [ordered.count(kind) for kind in range(WIDTH)]
    for table in (state.hands, state.discards, state.aside, state.removed):
        for kind in range(WIDTH):
            counts[kind] += sum(table[kind::WIDTH])
    for style in range(5):
        counts[style] += sum(state.galleries[style * 4 : style * 4 + 4])
    for hung in (hung for row in WORDS.museum(state.museum) for hung in row if hung):
        counts[STYLES.index(hung[1])] += 1
    for power, count in enumerate(state.bank):
        counts[WIDTH - 6 + power] += count
    counts[KINDS.index(FIVE)] += state.fives
    if state.painting >= 0:
        counts[state.painting] += 1
    return counts


def assert_what_is_known_is_true(state: State) -> None:
    """`kept` lies in the hand; the rest of the hand comes from the pool, and what it leaves there is the deck."""
    decks = b"".join(bytes(deck.count(kind) for kind in range(WIDTH)) for deck in state.decks)
    for held, kept, pool, in_deck in zip(state.hands, state.kept, state.pool, decks, strict=True):
        assert kept <= held
        assert held - kept <= pool
        assert held - kept + in_deck == pool


def assert_markers_and_ribbons(state: State) -> None:
    """Four markers an exhibition, free or used from the first space on; a ribbon on every painting."""
    ribbons = Counter[int]()
    for place, row in enumerate(WORDS.museum(state.museum)):
        hung = [painting for painting in row if painting]
        assert row[: len(hung)] == hung
        assert len(hung) + sum(state.markers[place * 6 : place * 6 + 6]) == 4
        ribbons.update(owner for owner, _, _ in hung)
    assert [ribbons[seat] + left for seat, left in enumerate(state.ribbons)] == [9] * state.seats


def trigger_holds(state: State, trigger: int) -> bool:
    hanging = sum(hung is not None for row in WORDS.museum(state.museum) for hung in row)
    return {1: hanging >= 12, 2: not state.paintings, 3: max(state.market) == 70}[trigger]


def recount(state: State) -> tuple[list[tuple[int, int, int, int]], list[int]]:
    """Scores and ranks what lies on the table with the naive implementation."""
    naive = NaiveGame(state.seats, bytes(32))
    naive.ratings = dict(zip((*STYLES, GOLD), state.market, strict=True))
    for seat, player in enumerate(naive.players):
        row = slice(seat * WIDTH, seat * WIDTH + WIDTH)
        player.hand = list(WORDS.cards(state.hands[row]).elements())
        player.discard = list(WORDS.cards(state.discards[row]).elements())
        player.deck = [KINDS[kind] for kind in state.decks[seat]]
        player.vp, player.ribbons = state.vp[seat], state.ribbons[seat]
    hanging = WORDS.museum(state.museum)
    for exhibition, spaces, tile in zip(naive.museum.values(), hanging, state.tiles, strict=True):
        exhibition.tile = WORDS.tiles[tile]
        exhibition.paintings = [Painting(*hung) for hung in spaces if hung]
        exhibition.markers = [WILD] * (4 - len(exhibition.paintings))
    return points(naive), places(naive)


def assert_match_is_sound(seats: int, number: int) -> list[int]:
    """Plays a match of a random character to its end; returns what brought the end about."""
    state, character = dealt(GAME, seats, number), Character(random.Random(number))
    cards, turns, causes = all_cards(seats), Counter({state.first: 1}), list[int]()
    assert Counter([*state.costs, *state.supply]) == Counter(ORANGE + YELLOW)
    scored = None
    while waiting := GAME.to_act(state):
        (seat,) = waiting
        move = character.choose([WORDS.moves[move] for move in GAME.legal_moves(state, seat)])
        for event in GAME.play(state, seat, WORDS.ids[move]):
            match event:
                case TurnBegun():
                    turns[event.seat] += 1
                case LastRoundBegun():
                    assert not causes
                    causes = event.triggers
                case GameScored():
                    scored = event.points
        assert cards_everywhere(state) == cards
        assert_what_is_known_is_true(state)
        assert_markers_and_ribbons(state)
        assert not Counter([*state.costs, *state.supply]) - Counter(ORANGE + YELLOW)
    assert all(trigger_holds(state, trigger) for trigger in causes)
    assert len({turns[seat] for seat in range(seats)}) == 1
    earned, ranks = recount(state)
    result = GAME.result(state)
    assert result is not None
    assert scored == earned
    assert (list(result.scores), list(result.ranks)) == ([sum(each) for each in earned], ranks)
    assert result.reason == ("COMPLETED" if causes else "ROUND_CAP")
    assert bool(causes) or state.round == 60
    return causes


@pytest.mark.parametrize("seats", SEATS)
def test_random_matches_are_sound(seats: int) -> None:
    for number in range(20):
        assert_match_is_sound(seats, number)


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATS)
def test_many_random_matches_are_sound(seats: int) -> None:
    """And each cause ends some of them."""
    causes = Counter(cause for number in range(20, 2_020) for cause in assert_match_is_sound(seats, number))
    assert all(causes[cause] >= 20 for cause in (1, 2, 3))
