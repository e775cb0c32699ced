"""The options of a match."""

import pytest

from referee.core.errors import InvalidOptionError
from tests.games.artsee.build import GAME


def test_without_options_the_start_player_is_drawn() -> None:
    assert dict(GAME.options({}, 4)) == {}


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_start_seat_is_one_of_the_seats(seats: int) -> None:
    for seat in range(seats):
        assert dict(GAME.options({"start_seat": seat}, seats)) == {"start_seat": seat}
    for seat in (-1, seats):
        with pytest.raises(InvalidOptionError) as caught:
            GAME.options({"start_seat": seat}, seats)
        assert str(caught.value) == f"start_seat is {seat}, expected 0 to {seats - 1}"


def test_an_unknown_option_is_refused_with_the_known_one() -> None:
    with pytest.raises(InvalidOptionError) as caught:
        GAME.options({"start": 1}, 2)
    assert caught.value.option == "start"
    assert "start_seat" in caught.value.problem


def test_given_options_are_left_as_they_are() -> None:
    given = {"start_seat": 1}
    assert GAME.options(given, 2) is not given
    assert given == {"start_seat": 1}
