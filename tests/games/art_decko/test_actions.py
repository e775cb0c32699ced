"""Haggle, Acquire and Exhibit."""

from collections import Counter
from typing import Any

import pytest

from referee.games.art_decko.events import (
    BankRefilled,
    CardAcquired,
    CardHaggled,
    CardPaid,
    CardsDrawn,
    CardsSeen,
    PaintingExhibited,
    RatingRaised,
)
from referee.games.art_decko.state import State
from tests.games.art_decko.build import (
    GAME,
    RATINGS,
    WORDS,
    Hung,
    aside,
    deck,
    discard,
    gallery,
    hand,
    legal,
    named,
    pay,
    payments,
    play,
    position,
    rating,
    refusal,
)
from tests.games.art_decko.moves import (
    DEACCESSION,
    DISCOUNT,
    DONE,
    DRAW_TWO,
    EXTRA_ACTION,
    FIVE,
    GOLD,
    IMPRESSIONISM,
    KINDS,
    NOUVEAU,
    ONE,
    POP_ART,
    PROMOTE,
    RENAISSANCE,
    SURREALISM,
    TWO,
    WILD,
    Move,
)

WORTH = {0: 1, 9: 1, 10: 2, 19: 2, 20: 3, 34: 3, 35: 4, 49: 4, 50: 5, 64: 5, 65: 6, 70: 6}


def test_haggle_trades_a_card_for_two() -> None:
    """It is one of two actions, and tells all which card went and its owner which came."""
    state = position(hands=[[ONE, TWO]], decks=[[POP_ART, FIVE, ONE]])
    assert play(state, ("haggle", ONE)) == [
        CardHaggled(0, KINDS.index(ONE)),
        CardsDrawn(0, 2),
        CardsSeen(0, bytes([KINDS.index(POP_ART), KINDS.index(FIVE)])),
    ]
    assert (hand(state), discard(state), deck(state), state.actions) == ([POP_ART, TWO, FIVE], [ONE], [ONE], 1)


def test_a_draw_stops_short_when_deck_and_discard_pile_are_empty() -> None:
    """The haggled card alone comes back."""
    state = position(hands=[[ONE, TWO]], decks=[[]])
    play(state, ("haggle", ONE))
    assert (hand(state), deck(state), discard(state)) == ([ONE, TWO], [], [])


def test_haggle_with_the_last_card_goes_on_with_those_drawn() -> None:
    state = position(hands=[[ONE]], decks=[[TWO, FIVE]])
    play(state, ("haggle", ONE))
    assert (state.turn, hand(state), state.actions) == (0, [TWO, FIVE], 1)


@pytest.mark.parametrize(("place", "rise"), [(1, 2), (2, 3), (3, 4), (4, 5)])
def test_an_acquisition_raises_the_style_by_its_gallery(place: int, rise: int) -> None:
    """The painting is set aside; the gallery keeps the other."""
    state = position(hands=[[ONE, ONE]], galleries=[[POP_ART, NOUVEAU]] * 4, tokens=[1, 1, 1, 1])
    assert play(state, ("acquire", place, POP_ART), ("pay", ONE)) == [
        CardPaid(0, KINDS.index(ONE), 1),
        CardAcquired(0, KINDS.index(POP_ART), place - 1),
        RatingRaised(KINDS.index(POP_ART), rise),
    ]
    assert (gallery(state, place), Counter(aside(state))) == ([NOUVEAU], Counter([POP_ART, ONE]))


@pytest.mark.parametrize(("at", "worth"), WORTH.items())
def test_a_painting_pays_by_its_rating(at: int, worth: int) -> None:
    """A cost of just so much is affordable, one more is not."""
    state = position(hands=[[POP_ART]], ratings={POP_ART: at}, tokens=[worth, worth + 1, 8, 8])
    assert named(state, "acquire") == {NOUVEAU}
    assert refusal(state, ("acquire", 2, RENAISSANCE)) == "TOO_EXPENSIVE"
    assert play(state, ("acquire", 1, NOUVEAU), ("pay", POP_ART))[0] == CardPaid(0, KINDS.index(POP_ART), worth)


@pytest.mark.parametrize(("card", "worth"), [(ONE, 1), (TWO, 2), (FIVE, 5), (DISCOUNT, 3), (PROMOTE, 3)])
def test_gold_pays_its_number(card: str, worth: int) -> None:
    state = position(hands=[[card]], ratings={GOLD: 69}, tokens=[worth, worth + 1, 8, 8])
    assert named(state, "acquire") == {NOUVEAU}
    assert play(state, ("acquire", 1, NOUVEAU), ("pay", card))[0] == CardPaid(0, KINDS.index(card), worth)


def test_only_what_is_shown_can_be_acquired() -> None:
    state = position(hands=[[FIVE] * 4], bank=[DRAW_TWO, DRAW_TWO])
    assert refusal(state, ("acquire", 1, POP_ART)) == refusal(state, ("buy", PROMOTE)) == "NOT_ON_OFFER"
    assert named(state, "buy") == {DRAW_TWO, FIVE}


def test_a_3_gold_costs_5_raises_gold_by_3_and_is_replaced_at_once() -> None:
    state = position(hands=[[FIVE, ONE]], bank=[DRAW_TWO, PROMOTE], stack=[EXTRA_ACTION, DISCOUNT])
    events = play(state, ("buy", DRAW_TWO), ("pay", FIVE))
    assert RatingRaised(RATINGS.index(GOLD), 3) in events
    assert events[-1] == BankRefilled(KINDS.index(EXTRA_ACTION))
    bank = WORDS.public(GAME.view(state, None))["bank"]
    assert (bank, Counter(aside(state))) == (Counter([EXTRA_ACTION, PROMOTE]), Counter([FIVE, DRAW_TWO]))
    assert (rating(state, GOLD), len(state.stack)) == (3, 1)


def test_an_empty_stack_leaves_the_place_empty() -> None:
    """The other offer stays."""
    state = position(hands=[[FIVE, FIVE]], bank=[DRAW_TWO, PROMOTE], stack=[])
    play(state, ("buy", PROMOTE), ("pay", FIVE))
    assert named(state, "buy") == {DRAW_TWO}


def test_a_5_gold_costs_8_and_raises_gold_by_5() -> None:
    state = position(hands=[[FIVE, PROMOTE, ONE]])
    play(state, ("buy", FIVE))
    assert payments(state) == [[FIVE, PROMOTE]]
    play(state, *pay(FIVE, PROMOTE))
    assert (rating(state, GOLD), state.fives, Counter(aside(state))) == (5, 9, Counter([FIVE, FIVE, PROMOTE]))


def test_without_5_gold_none_is_for_sale() -> None:
    state = position(hands=[[FIVE] * 4], fives=0)
    assert refusal(state, ("buy", FIVE)) == "NOT_ON_OFFER"


def test_a_painting_is_exhibited() -> None:
    """The marker goes to the highest space; VP, rating and ribbon follow; the painting is nobody's card."""
    state = position(hands=[[POP_ART, FIVE, TWO, ONE]], vp=[3, 4])
    play(state, ("exhibit", POP_ART))
    assert (hand(state), legal(state)) == (
        [ONE, TWO, FIVE],
        {("invite", place, WILD) for place in (1, 2, 3)} | {("invite", place, POP_ART) for place in (2, 3)},
    )
    events = play(state, ("invite", 2, POP_ART), *pay(TWO, FIVE))
    assert events[-2:] == [PaintingExhibited(0, 3, 1, 3, 0, 6), RatingRaised(3, 3)]
    assert (state.vp, rating(state, POP_ART), list(state.ribbons)) == ([9, 4], 3, [8, 9])
    assert WORDS.museum(state.museum)[1] == [(0, POP_ART, POP_ART), None, None, None]
    free: Any = WORDS.public(GAME.view(state, None))["free markers"]
    assert free[1] == Counter([RENAISSANCE, SURREALISM, WILD])
    assert (hand(state), Counter(aside(state)), discard(state)) == ([ONE], Counter([TWO, FIVE]), [])


@pytest.mark.parametrize(
    ("place", "cost", "spaces"),
    [(1, 6, (5, 4, 3, 2)), (2, 7, (6, 5, 4, 3)), (3, 8, (7, 6, 4, 3)), (4, 10, (8, 6, 5, 4)), (5, 12, (10, 8, 6, 4))],
)
def test_costs_and_spaces_of_the_exhibitions(place: int, cost: int, spaces: tuple[int, ...]) -> None:
    """Each costs its number and gives its spaces from the highest down."""
    rich = [FIVE] * (cost // 5) + [ONE] * (cost % 5)
    for count, space in enumerate(spaces):
        museum: list[Hung] = [(place, 1, NOUVEAU, WILD)] * count
        poor = position(hands=[[NOUVEAU, *rich[1:]]], museum=museum, markers=[[WILD] * 4] * 5)
        assert ("invite", place, WILD) not in invitations(poor)
        state = position(hands=[[NOUVEAU, *rich]], museum=museum, markers=[[WILD] * 4] * 5)
        play(state, ("exhibit", NOUVEAU), ("invite", place, WILD), *pay(*sorted(rich, key=KINDS.index)))
        assert state.vp == [space, 0]


def invitations(state: State) -> set[Move]:
    """Where an ART_NOUVEAU can go, if it can be exhibited."""
    if ("exhibit", NOUVEAU) not in legal(state):
        return set()
    play(state, ("exhibit", NOUVEAU))
    return legal(state)


def test_a_painting_does_not_pay_for_itself() -> None:
    """Worth 6 at a rating of 65 it would; a second one of its style may."""
    ratings = {POP_ART: 65}
    state = position(hands=[[POP_ART, ONE]], ratings=ratings, markers=[[WILD] * 4] * 5)
    assert refusal(state, ("exhibit", POP_ART)) == "TOO_EXPENSIVE"
    state = position(hands=[[POP_ART, POP_ART]], ratings=ratings, markers=[[WILD] * 4] * 5)
    play(state, ("exhibit", POP_ART), ("invite", 1, WILD), ("pay", POP_ART))
    assert state.turn == 1


def test_an_exhibition_is_paid_before_the_rating_rises() -> None:
    """Two paintings at 9 are worth 1 each, though the third brings them to 12."""
    state = position(hands=[[POP_ART, POP_ART, POP_ART, FIVE]], ratings={POP_ART: 9}, markers=[[WILD] * 4] * 5)
    play(state, ("exhibit", POP_ART), ("invite", 1, WILD))
    assert payments(state) == [[POP_ART, FIVE]]


def test_a_painting_needs_a_marker_of_its_style_or_a_wild_one() -> None:
    """Of the exhibitions that the other cards pay for."""
    markers = [[POP_ART] * 4, [NOUVEAU] * 4, [POP_ART] * 4, [WILD] * 4, [WILD] * 4]
    state = position(hands=[[NOUVEAU, POP_ART, SURREALISM, FIVE, ONE]], markers=markers)
    assert named(state, "exhibit") == {NOUVEAU, POP_ART}
    assert refusal(state, ("exhibit", SURREALISM)) == "TOO_EXPENSIVE"
    play(state, ("exhibit", NOUVEAU))
    assert legal(state) == {("invite", 2, NOUVEAU)}
    assert refusal(state, ("invite", 1, POP_ART)) == "MARKER_OF_ANOTHER_STYLE"
    assert refusal(state, ("invite", 2, WILD)) == "NO_MARKER"
    assert refusal(state, ("invite", 4, WILD)) == "TOO_EXPENSIVE"


def test_a_style_that_nobody_invites_is_not_exhibited() -> None:
    state = position(hands=[[NOUVEAU, FIVE, FIVE, FIVE]], markers=[[POP_ART] * 4] * 5)
    assert refusal(state, ("exhibit", NOUVEAU)) == "NO_MARKER"


def test_a_used_marker_is_free_no_more() -> None:
    """The wild one is left."""
    state = position(hands=[[NOUVEAU, FIVE, FIVE]], museum=[(1, 1, NOUVEAU, NOUVEAU)])
    play(state, ("exhibit", NOUVEAU))
    assert {move for move in legal(state) if move[1:2] == (1,)} == {("invite", 1, WILD)}
    assert refusal(state, ("invite", 1, NOUVEAU)) == "NO_MARKER"


def test_without_a_ribbon_nothing_is_exhibited() -> None:
    """Nine paintings have taken all of a seat's."""
    museum: list[Hung] = [(place, 0, POP_ART, WILD) for place in (1, 2, 3) for _ in range(3)]
    state = position(hands=[[NOUVEAU, FIVE, FIVE, FIVE]], museum=museum, markers=[[WILD] * 4] * 5)
    assert state.ribbons[0] == 0
    assert refusal(state, ("exhibit", NOUVEAU)) == "NO_RIBBON"


def test_two_actions_of_one_sort_make_a_turn() -> None:
    """Exhibit twice; then discards are asked for."""
    state = position(hands=[[NOUVEAU, IMPRESSIONISM, ONE, TWO, FIVE, FIVE, PROMOTE]])
    play(state, ("exhibit", NOUVEAU), ("invite", 1, WILD), *pay(ONE, FIVE))
    assert DONE not in legal(state)
    play(state, ("exhibit", IMPRESSIONISM), ("invite", 3, WILD), *pay(FIVE, PROMOTE))
    assert legal(state) == {("discard", TWO), DONE}


@pytest.mark.parametrize(
    ("before", "move"),
    [
        ([], ("haggle", TWO)),
        ([], ("exhibit", POP_ART)),
        ([], ("power", PROMOTE)),
        ([("acquire", 1, NOUVEAU)], ("pay", TWO)),
        ([("power", DEACCESSION)], ("remove", TWO)),
        ([("haggle", ONE), ("haggle", ONE)], ("discard", TWO)),
    ],
)
def test_only_cards_of_the_hand_are_of_use(before: list[Move], move: Move) -> None:
    state = position(hands=[[ONE, ONE, FIVE, DEACCESSION]], markers=[[WILD] * 4] * 5)
    play(state, *before)
    assert refusal(state, move) == "CARD_NOT_HELD"
