"""The options of a match."""

import pytest

from referee.core.errors import InvalidOptionError
from tests.games.classic_art.build import GAME


def test_without_options_the_start_player_is_drawn_and_the_cap_is_thirty() -> None:
    assert dict(GAME.options({}, 4)) == {"max_seasons": 30}


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_start_seat_is_one_of_the_seats(seats: int) -> None:
    for seat in range(seats):
        assert GAME.options({"start_seat": seat}, seats)["start_seat"] == seat
    for seat in (-1, seats):
        with pytest.raises(InvalidOptionError) as caught:
            GAME.options({"start_seat": seat}, seats)
        assert str(caught.value) == f"start_seat is {seat}, expected 0 to {seats - 1}"


def test_at_least_one_season_is_played() -> None:
    assert GAME.options({"max_seasons": 1}, 2)["max_seasons"] == 1
    with pytest.raises(InvalidOptionError) as caught:
        GAME.options({"max_seasons": 0}, 2)
    assert (caught.value.option, caught.value.problem) == ("max_seasons", "is 0, expected 1 to 1000")


def test_an_unknown_option_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        GAME.options({"max_season": 3}, 2)
    assert str(caught.value) == "max_season is unknown; known are max_seasons and start_seat"


def test_given_options_are_left_as_they_are() -> None:
    given = {"start_seat": 1}
    GAME.options(given, 2)
    assert given == {"start_seat": 1}
