"""The options of a match."""

import pytest

from referee.core.errors import InvalidOptionError
from tests.games.art_decko.build import GAME


def test_without_options_the_start_player_is_drawn_and_the_cap_is_sixty() -> None:
    assert dict(GAME.options({}, 4)) == {"max_rounds": 60}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_start_seat_is_one_of_the_seats(seats: int) -> None:
    for seat in range(seats):
        assert GAME.options({"start_seat": seat}, seats)["start_seat"] == seat
    for seat in (-1, seats):
        with pytest.raises(InvalidOptionError) as caught:
            GAME.options({"start_seat": seat}, seats)
        assert str(caught.value) == f"start_seat is {seat}, expected 0 to {seats - 1}"


@pytest.mark.parametrize("rounds", [1, 1000])
def test_rounds_have_a_cap(rounds: int) -> None:
    assert GAME.options({"max_rounds": rounds}, 2)["max_rounds"] == rounds


@pytest.mark.parametrize("rounds", [0, 1001])
def test_at_least_one_and_at_most_a_thousand_rounds_are_played(rounds: int) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        GAME.options({"max_rounds": rounds}, 2)
    assert (caught.value.option, caught.value.problem) == ("max_rounds", f"is {rounds}, expected 1 to 1000")


def test_an_unknown_option_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        GAME.options({"max_round": 3}, 2)
    assert str(caught.value) == "max_round is unknown; known are max_rounds and start_seat"


def test_given_options_are_left_as_they_are() -> None:
    given = {"start_seat": 1}
    GAME.options(given, 2)
    assert given == {"start_seat": 1}
