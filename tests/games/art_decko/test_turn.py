"""How a turn, a round and the game end."""

from collections import Counter
from collections.abc import Mapping

import pytest

from referee.games.art_decko.events import GameScored, LastRoundBegun, TurnBegun
from referee.games.art_decko.state import Phase, State
from tests.games.art_decko.build import (
    GAME,
    Hung,
    end_turn,
    finish,
    named,
    pay,
    play,
    points,
    position,
    words_of,
)
from tests.games.art_decko.moves import (
    DISCOUNT,
    DONE,
    FIVE,
    GOLD,
    NOUVEAU,
    ONE,
    OPEN_INVITATION,
    POP_ART,
    PROMOTE,
    STYLES,
    TWO,
    WILD,
)

SEATS = [2, 3, 4]
MUSEUM, DECK, RATING = 1, 2, 3


def triggers(events: list[object]) -> list[list[int]]:
    return [event.triggers for event in events if isinstance(event, LastRoundBegun)]


def hung(count: int) -> list[Hung]:
    """So many paintings in the museum, by turns of seats 0 and 1, in exhibitions that invite anything."""
    return [(1 + place // 4, place % 2, STYLES[place % 5], WILD) for place in range(count)]


@pytest.mark.parametrize("seats", SEATS)
def test_twelve_paintings_in_the_museum_end_the_game(seats: int) -> None:
    """[AD-R8] For every number of players; eleven do not."""
    state = position(seats, hands=[[NOUVEAU, FIVE, FIVE, ONE]], museum=hung(11), markers=[[WILD] * 4] * 5)
    before = GAME.copy(state)
    assert triggers([*end_turn(before)]) == []
    play(state, ("exhibit", NOUVEAU), ("invite", 4, WILD), *pay(FIVE, FIVE))
    assert not state.last_round
    assert triggers([*end_turn(state)]) == [[MUSEUM]]
    assert state.last_round


def test_more_than_twelve_paintings_end_the_game_too() -> None:
    """[AD-R8] Two may be exhibited in the turn."""
    state = position(hands=[[NOUVEAU, POP_ART, ONE, *[FIVE] * 4]], museum=hung(11), markers=[[WILD] * 4] * 5)
    play(state, ("exhibit", NOUVEAU), ("invite", 3, WILD), *pay(FIVE, FIVE))
    play(state, ("exhibit", POP_ART), ("invite", 4, WILD), *pay(FIVE, FIVE))
    assert triggers([*end_turn(state)]) == [[MUSEUM]]


def test_an_empty_painting_deck_ends_the_game() -> None:
    """[AD-R8] Though the galleries have paintings; with one painting in the deck it goes on."""
    assert triggers([*end_turn(position(hands=[[ONE]], paintings=[]))]) == [[DECK]]
    assert triggers([*end_turn(position(hands=[[ONE]], paintings=[NOUVEAU]))]) == []


@pytest.mark.parametrize("name", [*STYLES, GOLD])
def test_a_rating_at_the_cap_ends_the_game(name: str) -> None:
    """[AD-R8] That of a style or of gold; 69 does not."""
    assert triggers([*end_turn(position(hands=[[ONE]], ratings={name: 70}))]) == [[RATING]]
    assert triggers([*end_turn(position(hands=[[ONE]], ratings={name: 69}))]) == []


def test_all_causes_are_told() -> None:
    """[AD-R8] Once: the next turn's end does not tell them again."""
    state = position(
        3, hands=[[ONE], [ONE]], ratings={GOLD: 70}, paintings=[], museum=hung(12), markers=[[WILD] * 4] * 5
    )
    assert triggers([*end_turn(state)]) == [[MUSEUM, DECK, RATING]]
    assert triggers([*end_turn(state)]) == []


@pytest.mark.parametrize("ratings", [{GOLD: 70}, {POP_ART: 70}])
def test_the_turn_is_finished_before_the_end_is_tested(ratings: Mapping[str, int]) -> None:
    """[AD-R8] Its second action and its discards are still to come."""
    state = position(hands=[[ONE, ONE, TWO]], ratings=ratings)
    play(state, ("acquire", 1, NOUVEAU), ("pay", ONE))
    assert (state.last_round, state.phase, state.turn) == (False, Phase.ACTION, 0)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("ender", range(4))
def test_all_have_had_the_same_number_of_turns(seats: int, first: int, ender: int) -> None:
    """[AD-R8] Whoever began and whoever brings the end about in the second round."""
    if first >= seats or ender >= seats:
        return
    state = position(seats, hands=[[ONE]] * seats, turn=first)
    state.first = first
    turns = Counter([first])
    while GAME.to_act(state):
        if (state.turn, state.round) == (ender, 2):
            state.market[0] = 70
        turns.update(event.seat for event in end_turn(state) if isinstance(event, TurnBegun))
    assert turns == dict.fromkeys(range(seats), 2)
    assert state.round == 2


def test_the_game_ends_with_the_turn_of_the_last_seat() -> None:
    """[AD-R8] What it brings about ends the game at once."""
    state = position(3, hands=[[ONE]] * 3, turn=2)
    state.market[5] = 70
    events = end_turn(state)
    assert isinstance(events[-1], GameScored)
    assert (list(GAME.to_act(state)), state.phase, state.round) == ([], Phase.OVER, 1)


def test_rounds_are_counted_from_the_first_seat() -> None:
    state = position(3, hands=[[ONE]] * 3, turn=1)
    state.first = 1
    rounds = [state.round]
    for _ in range(6):
        end_turn(state)
        rounds.append(state.round)
    assert rounds == [1, 1, 1, 2, 2, 2, 3]


def test_what_lasts_for_a_turn_ends_with_it() -> None:
    """Actions, galleries used, discounts, an open invitation, and the order of discards."""
    cards = [DISCOUNT, DISCOUNT, OPEN_INVITATION, ONE, ONE, FIVE, FIVE]
    state = position(hands=[cards, [ONE, TWO, FIVE]], tokens=[1, 1, 1, 1])
    play(state, ("power", OPEN_INVITATION), ("acquire", 1, NOUVEAU), ("pay", ONE))
    play(state, ("power", DISCOUNT), ("power", DISCOUNT), ("haggle", ONE), ("discard", FIVE), DONE)
    assert (state.turn, state.actions, state.used, state.discounts, state.invited) == (1, 2, 0, 0, False)
    play(state, ("haggle", FIVE), ("haggle", FIVE))
    assert named(state, "discard") == {ONE, TWO, FIVE}


def test_a_discard_decision_is_asked_of_every_hand() -> None:
    """After the last action, of a hand of one too."""
    state = position(hands=[[ONE, ONE, TWO]], tokens=[1, 1, 1, 1])
    play(state, ("acquire", 1, NOUVEAU), ("pay", ONE), ("acquire", 4, POP_ART), ("pay", ONE))
    assert (state.turn, words_of(state)) == (0, {"discard", "done"})


@pytest.mark.parametrize(
    ("at", "worth"),
    {0: 1, 9: 1, 10: 2, 19: 2, 20: 3, 29: 3, 30: 4, 39: 4, 40: 5, 54: 5, 55: 6, 69: 6, 70: 7}.items(),
)
def test_paintings_score_by_their_rating(at: int, worth: int) -> None:
    """In hand, deck and discard pile."""
    state = position(hands=[[POP_ART]], decks=[[POP_ART]], discards=[[POP_ART]], ratings={POP_ART: at})
    assert points(state)[0] == (0, 3 * worth, 0, 0)


@pytest.mark.parametrize(
    ("at", "gold_per_vp"),
    {0: 6, 9: 6, 10: 5, 19: 5, 20: 4, 34: 4, 35: 3, 49: 3, 50: 2, 69: 2, 70: 1}.items(),
)
def test_gold_scores_by_its_rating(at: int, gold_per_vp: int) -> None:
    """The total of all own numbers is divided, not each card; a 3-gold counts 3."""
    gold = position(hands=[[ONE, FIVE]], decks=[[FIVE, FIVE]], discards=[[TWO, PROMOTE, TWO]], ratings={GOLD: at})
    assert points(gold)[0] == (0, 0, 23 // gold_per_vp, 0)


def test_a_finished_game_stays_as_it_is() -> None:
    """No turn, no step, and the result of its last move."""
    state = position(hands=[[ONE], [TWO]], max_rounds=1, vp=[2, 1])
    scored = finish(state)[-1]
    result = GAME.result(state)
    assert isinstance(scored, GameScored)
    assert result is not None
    assert tuple(sum(each) for each in scored.points) == result.scores == (2, 1)
    assert_over(state)


def assert_over(state: State) -> None:
    view = GAME.view(state, None)
    assert (view.turn, view.phase, view.actions, view.capped) == (-1, Phase.OVER, 0, True)
