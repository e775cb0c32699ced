"""The ruleset and a naive second implementation of the same rules agree after every move of random matches."""

import copy
import random
from collections import Counter
from typing import Any

import pytest

from referee.games.art_decko.events import ArtDeckoEvent, GameScored
from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.state import State
from tests.games.art_decko.components import LIMITS, TINY_BOX, box_with, parts_with, tiny
from tests.games.art_decko.naive import NaiveGame
from tests.games.art_decko.naive_scoring import points
from tests.games.art_decko.naive_table import BOX
from tests.games.art_decko.picture import Words, naive_picture
from tests.games.art_decko.policy import Character
from tests.games.playouts import seed_of

WORDS = Words(ArtDecko(), BOX)
TINY = Words(ArtDecko(tiny()), TINY_BOX)
SEATS = [2, 3, 4]


def both(words: Words, box: dict[str, Any], seats: int, number: int, max_rounds: int) -> tuple[State, NaiveGame]:
    """Deals a match in both implementations, every other one with a named start."""
    start = {"start_seat": number % seats} if number % 2 else {}
    options = words.game.options({"max_rounds": max_rounds, **start}, seats)
    state = words.game.setup(options, seats, seed_of(number))
    return state, NaiveGame(seats, seed_of(number), max_rounds, start.get("start_seat"), box)


def assert_lockstep(words: Words, box: dict[str, Any], seats: int, number: int, max_rounds: int = 60) -> str:
    """Plays a random match move by move in both; returns how it ended."""
    state, naive = both(words, box, seats, number, max_rounds)
    character, events = Character(random.Random(number)), list[ArtDeckoEvent]()
    assert words.picture(state) == naive_picture(naive)
    while waiting := naive.to_act():
        move = character.choose(sorted(naive.legal(), key=words.moves.index))
        events = words.game.play(state, waiting[0], words.ids[move])
        naive.play(move)
        assert words.picture(state) == naive_picture(naive)
    assert events[-1] == GameScored(points(naive))
    return naive.reason


@pytest.mark.parametrize("seats", SEATS)
def test_both_implementations_agree(seats: int) -> None:
    for number in range(8):
        assert_lockstep(WORDS, BOX, seats, number)


@pytest.mark.parametrize("seats", SEATS)
def test_both_implementations_agree_up_to_the_cap(seats: int) -> None:
    """Short matches, which the cap ends."""
    ends = Counter(assert_lockstep(WORDS, BOX, seats, number, max_rounds=1 + number % 3) for number in range(100, 112))
    assert ends == {"ROUND_CAP": 12}


def test_both_implementations_agree_on_other_components() -> None:
    """Tiny ones, with which cards, markers, ribbons and tokens run out."""
    for number in range(30):
        assert_lockstep(TINY, TINY_BOX, 2, number, max_rounds=2 + number % 5)


@pytest.mark.parametrize("changes", LIMITS)
def test_both_implementations_agree_on_components_at_their_limits(changes: list[tuple[str, str]]) -> None:
    words, box = Words(ArtDecko(parts_with(*changes)), box_with(*changes)), box_with(*changes)
    for seats in SEATS:
        assert_lockstep(words, box, seats, number=seats, max_rounds=15)


@pytest.mark.long
@pytest.mark.parametrize("changes", LIMITS)
def test_both_implementations_agree_on_components_at_their_limits_for_long(changes: list[tuple[str, str]]) -> None:
    words, box = Words(ArtDecko(parts_with(*changes)), box_with(*changes)), box_with(*changes)
    for seats in SEATS:
        for number in range(30):
            assert_lockstep(words, box, seats, number)


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATS)
def test_both_implementations_agree_for_long(seats: int) -> None:
    for number in range(8, 500):
        assert_lockstep(WORDS, BOX, seats, number)


@pytest.mark.long
@pytest.mark.parametrize("number", [1, 2, 3, 10, 12])
def test_both_implementations_agree_on_every_game_of_a_tiny_deal(number: int) -> None:
    """Whatever is chosen, wherever it leads; a position that was reached before is not gone through again."""
    game, seen, waiting = TINY.game, set[bytes](), [both(TINY, TINY_BOX, 2, number, max_rounds=2)]
    while waiting:
        state, naive = waiting.pop()
        assert TINY.picture(state) == naive_picture(naive)
        for seat in game.to_act(state):
            for move in game.legal_moves(state, seat):
                after, other = game.copy(state), copy.deepcopy(naive)
                game.play(after, seat, move)
                other.play(TINY.moves[move])
                if game.encode(after) not in seen:
                    seen.add(game.encode(after))
                    waiting.append((after, other))
