"""The ruleset and a naive second implementation of the same rules agree after every move of random matches."""

import random
from collections import Counter

import pytest

from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.state import Phase, State
from tests.games.classic_art.moves import CATEGORIES, KINDS, MOVES, SPACES, Card, cards_of_play
from tests.games.classic_art.naive import NaiveGame
from tests.games.playouts import seed_of, steps

GAME = ClassicArt()
STEPS = {Phase.SETUP: "setup", Phase.PLAY: "play", Phase.PREDICT: "predict", Phase.FINAL: "final", Phase.OVER: "over"}


def cards_of(counts: bytes | bytearray) -> Counter[Card]:
    return Counter({kind: count for kind, count in zip(KINDS, counts, strict=True) if count})


def row(table: bytes | bytearray, place: int, width: int) -> bytes:
    return bytes(table[place * width : (place + 1) * width])


def board_of(state: State) -> dict[tuple[str, str], tuple[int, int, bool]]:
    """What lies on each space: owner, tokens, High-Risk."""
    spaces = [(category, space) for category in CATEGORIES for space in SPACES]
    codes = {space: code - 1 for space, code in zip(spaces, state.board, strict=True) if code}
    return {space: (code // 4, code // 2 % 2 + 1, code % 2 == 1) for space, code in codes.items()}


def chosen_of(state: State) -> list[Counter[Card]]:
    return [Counter(cards_of_play(chosen - 1) if chosen else ()) for chosen in state.chosen]


def picture(state: State) -> dict[str, object]:
    """The state in the words of the naive implementation."""
    seats, waiting = range(state.seats), list(GAME.to_act(state))
    result = GAME.result(state)
    return {
        "season": state.season,
        "step": STEPS[Phase(state.phase)],
        "first": state.first,
        "to act": waiting,
        "legal": {seat: {MOVES[move] for move in GAME.legal_moves(state, seat)} for seat in waiting},
        "hands": [cards_of(row(state.hands, seat, 10)) for seat in seats],
        "chosen": chosen_of(state),
        "house": [KINDS[kind] for kind in state.house],
        "out of play": cards_of(state.deck),
        "face up": Counter(
            {
                (None if who == state.seats else who, card): count
                for who in range(state.seats + 1)
                for card, count in cards_of(row(state.played, who, 10)).items()
            }
        ),
        "counts": {category: max(0, net) for category, net in zip(CATEGORIES, state.net, strict=True)},
        "pending": {category: max(0, -net) for category, net in zip(CATEGORIES, state.net, strict=True)},
        "board": board_of(state),
        "tokens": list(state.available),
        "lost": list(state.lost),
        "doubled": [doubled == 1 for doubled in state.doubled],
        "markers": [dict(zip(CATEGORIES, row(state.prestige, seat, 5), strict=True)) for seat in seats],
        "result": result and (list(result.scores), list(result.ranks), result.reason),
    }


def assert_lockstep(seats: int, number: int) -> None:
    """Plays a random match move by move in both; every other match has options."""
    given = {"max_seasons": 1 + number % 7, "start_seat": number % seats} if number % 2 else {}
    options = GAME.options(given, seats)
    state = GAME.setup(options, seats, seed_of(number))
    naive = NaiveGame(seats, seed_of(number), options["max_seasons"], options.get("start_seat"))
    rng = random.Random(number)
    assert picture(state) == naive.picture()
    while waiting := naive.to_act():
        seat = rng.choice(waiting)
        move = rng.choice(sorted(naive.legal(seat)))
        GAME.play(state, seat, MOVES.index(move))
        naive.play(seat, move)
        assert picture(state) == naive.picture()


def assert_conserved(state: State) -> None:
    everywhere = [*state.house, *(kind for kind in range(10) for _ in range(state.deck[kind]))]
    for table in (state.hands, state.played):
        everywhere += [place % 10 for place, count in enumerate(table) for _ in range(count)]
    assert Counter(everywhere) == {kind: 2 if kind % 2 else 11 for kind in range(10)}
    on_board = Counter[int]()
    for owner, tokens, _ in board_of(state).values():
        on_board[owner] += tokens
    for seat in range(state.seats):
        assert state.available[seat] + state.lost[seat] + on_board[seat] == 6


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_both_implementations_agree(seats: int) -> None:
    for number in range(12):
        assert_lockstep(seats, number)


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_both_implementations_agree_for_long(seats: int) -> None:
    for number in range(12, 500):
        assert_lockstep(seats, number)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_cards_and_tokens_are_conserved(seats: int) -> None:
    """At every position 11 Artworks and 2 Loans of each category are somewhere, and 6 tokens of each player."""
    for number in range(10):
        for step in steps(GAME, seats, number):
            assert_conserved(step.before)
            assert_conserved(step.after)
