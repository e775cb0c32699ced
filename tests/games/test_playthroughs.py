"""Every ruleset has a readable playthrough for each number of seats, and plays it as written."""

import pytest

from referee.games import registry
from tests.games.playthrough import path_of, transcript

CASES = [(ruleset, seats) for ruleset, game in registry().items() for seats in game.spec.seats]


@pytest.mark.parametrize(("ruleset", "seats"), CASES)
def test_the_playthrough_is_as_written(ruleset: str, seats: int) -> None:
    """Word for word. Whoever changes it reads the difference before writing the file anew."""
    assert transcript(registry()[ruleset], seats).splitlines() == path_of(ruleset, seats).read_text().splitlines()


@pytest.mark.parametrize("ruleset", registry())
def test_there_is_no_playthrough_of_another_number_of_seats(ruleset: str) -> None:
    written = sorted(int(path.stem) for path in path_of(ruleset, 0).parent.iterdir())
    assert written == list(registry()[ruleset].spec.seats)
