"""One contract for all rulesets and numbers of seats. None is left out, and none has tests in its stead."""

import pytest

from referee.core.errors import InvalidOptionError
from referee.core.game import AnyGame
from referee.games import registry
from tests.games.laws import (
    LAWS,
    Law,
    legal_moves_are_those_that_pass_the_check,
    legal_moves_are_those_that_pass_the_check_everywhere,
)
from tests.games.playouts import dealt

CASES = [(ruleset, seats) for ruleset, game in registry().items() for seats in game.spec.seats]
SWEPT = 110  # matches in all in which all move ids are tried
PLAYED = 100  # matches in all for each other law
MANY = 5_000  # matches in all for each law in long runs
LEAST = 10  # matches a case, however many cases there are
LONG_LAWS = (legal_moves_are_those_that_pass_the_check_everywhere, *LAWS)

every_case = pytest.mark.parametrize(("ruleset", "seats"), CASES)
every_law = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
every_game = pytest.mark.parametrize("game", registry().values(), ids=registry().keys())


def share(matches: int) -> int:
    """Each case's part of so many matches in all."""
    return max(LEAST, -(-matches // len(CASES)))


@every_case
def test_legal_moves_are_those_that_pass_the_check(ruleset: str, seats: int) -> None:
    for number in range(share(SWEPT)):
        legal_moves_are_those_that_pass_the_check(registry()[ruleset], seats, number)


@every_law
@every_case
def test_law_holds_in_random_matches(law: Law, ruleset: str, seats: int) -> None:
    for number in range(share(PLAYED)):
        law(registry()[ruleset], seats, number)


@pytest.mark.long
@pytest.mark.parametrize("law", LONG_LAWS, ids=lambda law: law.__name__)
@every_case
def test_law_holds_in_many_random_matches(law: Law, ruleset: str, seats: int) -> None:
    for number in range(share(SWEPT), share(SWEPT) + share(MANY)):
        law(registry()[ruleset], seats, number)


@every_case
def test_seeds_give_different_deals(ruleset: str, seats: int) -> None:
    """A thousand seeds, a thousand deals, seen apart from the seeds that they hold."""
    game = registry()[ruleset]
    states = [dealt(game, seats, number) for number in range(1_000)]
    for state in states:
        state.seed = bytes(32)
    assert len({game.encode(state) for state in states}) == 1_000


@every_game
def test_the_spec_is_complete(game: AnyGame) -> None:
    spec = game.spec
    assert registry()[spec.name] is game
    assert all((spec.title, spec.rules_version, spec.data_version, spec.sources))
    assert len(spec.data_digest) == 32
    assert list(spec.seats) == sorted(set(spec.seats))
    assert 2 <= spec.seats[0] <= spec.seats[-1] <= 5
    assert 1 <= spec.max_legal_moves <= 128


@every_game
def test_every_move_has_a_description_of_its_own(game: AnyGame) -> None:
    texts = [game.describe(move) for move in range(game.spec.num_actions)]
    assert all(text.strip() == text != "" for text in texts)
    assert len(set(texts)) == len(texts)


@every_case
def test_options_have_defaults_that_are_good_options(ruleset: str, seats: int) -> None:
    game = registry()[ruleset]
    defaults = game.options({}, seats)
    assert game.options(defaults, seats) == defaults


@every_case
def test_an_unknown_option_is_refused(ruleset: str, seats: int) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        registry()[ruleset].options({"weather": 1}, seats)
    assert caught.value.option == "weather"


@every_case
@pytest.mark.parametrize("value", [-1, 2**31])
def test_an_option_out_of_range_is_refused(ruleset: str, seats: int, value: int) -> None:
    game = registry()[ruleset]
    for option in (*game.options({}, seats), "start_seat"):
        with pytest.raises(InvalidOptionError) as caught:
            game.options({option: value}, seats)
        assert caught.value.option == option
