"""The powers of the 3-gold cards."""

from collections import Counter

import pytest

from referee.games.art_decko.events import CardRemoved, CardsDrawn, PowerPlayed, PurchaseBegun
from referee.games.art_decko.state import Phase
from tests.games.art_decko.build import (
    GAME,
    RATINGS,
    WORDS,
    aside,
    deck,
    discard,
    end_turn,
    hand,
    legal,
    named,
    pay,
    payments,
    play,
    points,
    position,
    rating,
    refusal,
    words_of,
)
from tests.games.art_decko.moves import (
    DEACCESSION,
    DISCOUNT,
    DONE,
    DRAW_TWO,
    EXTRA_ACTION,
    FIVE,
    GOLD,
    IDS,
    IMPRESSIONISM,
    KINDS,
    NOUVEAU,
    ONE,
    OPEN_INVITATION,
    POP_ART,
    POWERS,
    PROMOTE,
    RENAISSANCE,
    STYLES,
    SURREALISM,
    TWO,
    WILD,
)

ANY_MARKER = [[WILD] * 4] * 5
AT_CAP = dict.fromkeys(RATINGS, 70)


@pytest.mark.parametrize("power", POWERS)
def test_a_power_is_no_action_and_removes_its_card(power: str) -> None:
    """The card leaves the game; both actions are still to come."""
    state = position(hands=[[ONE, TWO, power]], bank=[])
    events = play(state, ("power", power))
    assert events[0] == PowerPlayed(0, POWERS.index(power))
    assert state.actions == (3 if power == EXTRA_ACTION else 2)
    everywhere = hand(state) + deck(state) + discard(state) + aside(state)
    assert (Counter(everywhere), WORDS.cards(state.removed)) == (Counter([ONE, TWO]), Counter([power]))


@pytest.mark.parametrize("power", POWERS)
def test_a_3_gold_that_pays_is_kept(power: str) -> None:
    """It counts 3 and waits for the end of the turn; its power is not used."""
    state = position(hands=[[ONE, power]], tokens=[3, 1, 1, 1], bank=[])
    play(state, ("acquire", 1, NOUVEAU), ("pay", power))
    assert (Counter(aside(state)), WORDS.cards(state.removed)) == (Counter([NOUVEAU, power]), Counter())
    assert (state.actions, state.discounts, state.invited) == (1, 0, False)


@pytest.mark.parametrize("power", POWERS)
def test_a_3_gold_that_is_haggled_or_discarded_is_kept(power: str) -> None:
    """Without its power: two cards are drawn for it, as for any."""
    state = position(hands=[[ONE, power, power]], decks=[[TWO] * 5], bank=[])
    play(state, ("haggle", power))
    assert (hand(state).count(TWO), discard(state), state.actions) == (2, [power], 1)
    play(state, ("haggle", ONE), ("discard", power))
    assert (Counter(aside(state)), WORDS.cards(state.removed)) == (Counter([power]), Counter())


def test_powers_are_played_in_the_own_turn_at_every_point_between_steps() -> None:
    """Before, between and after the actions, but not amid a payment or a choice."""
    state = position(hands=[[NOUVEAU, ONE, ONE, FIVE, DRAW_TWO, PROMOTE]], markers=ANY_MARKER)
    assert named(state, "power") == {DRAW_TWO, PROMOTE}
    play(state, ("exhibit", NOUVEAU))
    assert words_of(state) == {"invite"}
    play(state, ("invite", 1, WILD))
    assert words_of(state) == {"pay"}
    play(state, *pay(ONE, FIVE))
    assert named(state, "power") == {DRAW_TWO, PROMOTE}
    play(state, ("acquire", 1, NOUVEAU), ("pay", ONE))
    assert (state.phase, named(state, "power")) == (Phase.DISCARD, {DRAW_TWO, PROMOTE})


def test_draw_two() -> None:
    """As with Haggle the discard pile is shuffled when the deck is empty; the power's card is not in it."""
    state = position(hands=[[DRAW_TWO, ONE]], decks=[[FIVE]], discards=[[POP_ART, POP_ART]])
    events = play(state, ("power", DRAW_TWO))
    assert [event for event in events if isinstance(event, CardsDrawn)] == [CardsDrawn(0, 1), CardsDrawn(0, 1)]
    assert (hand(state), deck(state)) == ([POP_ART, ONE, FIVE], [POP_ART])


def test_draw_two_as_the_last_card_goes_on_with_those_drawn() -> None:
    state = position(hands=[[DRAW_TWO]], decks=[[FIVE, ONE]])
    play(state, ("power", DRAW_TWO))
    assert (state.turn, hand(state), state.actions) == (0, [ONE, FIVE], 2)


def test_draw_two_with_nothing_to_draw_ends_the_turn() -> None:
    state = position(hands=[[DRAW_TWO]])
    play(state, ("power", DRAW_TWO))
    assert (state.turn, hand(state)) == (1, [])


def test_draw_two_before_the_discards() -> None:
    """After the last action the cards drawn may be discarded."""
    state = position(hands=[[DRAW_TWO, ONE, ONE, ONE]], decks=[[FIVE, TWO]], tokens=[1, 1, 1, 1])
    play(state, ("acquire", 1, NOUVEAU), ("pay", ONE), ("acquire", 2, RENAISSANCE), ("pay", ONE))
    play(state, ("power", DRAW_TWO))
    assert (state.phase, named(state, "discard")) == (Phase.DISCARD, {ONE, TWO, FIVE})


def test_extra_actions_stack() -> None:
    """Two of them make four actions."""
    state = position(hands=[[EXTRA_ACTION, EXTRA_ACTION, ONE, ONE, ONE]], decks=[[TWO] * 8])
    play(state, ("power", EXTRA_ACTION), ("power", EXTRA_ACTION))
    assert state.actions == 4
    for left in (3, 2, 1):
        play(state, ("haggle", sorted(named(state, "haggle"))[0]))
        assert (state.actions, state.phase) == (left, Phase.ACTION)
    play(state, ("haggle", TWO))
    assert (state.actions, state.phase) == (0, Phase.DISCARD)


def test_an_extra_action_after_the_last() -> None:
    """It must then be taken."""
    state = position(hands=[[EXTRA_ACTION, ONE, ONE, ONE]], decks=[[TWO] * 8])
    play(state, ("haggle", ONE), ("haggle", ONE))
    assert state.phase == Phase.DISCARD
    play(state, ("power", EXTRA_ACTION))
    assert (state.phase, state.actions) == (Phase.ACTION, 1)
    assert DONE not in legal(state)


def test_an_extra_action_lasts_for_one_turn() -> None:
    state = position(hands=[[EXTRA_ACTION, ONE, ONE]], decks=[[TWO] * 8])
    play(state, ("power", EXTRA_ACTION))
    end_turn(state)
    assert (state.turn, state.actions) == (1, 2)


def test_discounts_stack_and_are_used_up_together() -> None:
    """Two take 8 off the next cost, what is left over is lost; the cost after it is full."""
    state = position(hands=[[DISCOUNT, DISCOUNT, ONE, TWO]], tokens=[5, 2, 8, 8])
    play(state, ("power", DISCOUNT), ("power", DISCOUNT))
    assert named(state, "acquire") == {NOUVEAU, RENAISSANCE, SURREALISM, POP_ART}
    assert play(state, ("acquire", 1, NOUVEAU))[0] == PurchaseBegun(0, IDS["acquire", 1, NOUVEAU], 0)
    assert state.discounts == 0
    play(state, ("acquire", 2, RENAISSANCE))
    assert payments(state) == [[TWO]]


def test_a_discount_makes_affordable() -> None:
    """Cost 7, hand of 3: with a discount it can be paid, not without."""
    state = position(hands=[[DISCOUNT, TWO, ONE]], tokens=[7, 8, 8, 8], bank=[PROMOTE])
    assert refusal(state, ("acquire", 1, NOUVEAU)) == "TOO_EXPENSIVE"
    play(state, ("power", DISCOUNT))
    assert (named(state, "acquire"), named(state, "buy")) == ({NOUVEAU}, {PROMOTE})
    assert refusal(state, ("acquire", 2, RENAISSANCE)) == refusal(state, ("buy", FIVE)) == "TOO_EXPENSIVE"


def test_a_discount_on_gold() -> None:
    state = position(hands=[[DISCOUNT, TWO, TWO]], bank=[PROMOTE])
    play(state, ("power", DISCOUNT), ("buy", FIVE))
    assert payments(state) == [[TWO, TWO]]
    play(state, *pay(TWO, TWO))
    assert state.turn == 1


def test_a_discount_on_an_exhibition() -> None:
    """It waits for the exhibition to be chosen."""
    state = position(hands=[[NOUVEAU, DISCOUNT, TWO, ONE]], markers=ANY_MARKER)
    play(state, ("power", DISCOUNT), ("exhibit", NOUVEAU))
    assert (state.discounts, legal(state)) == (1, {("invite", 1, WILD), ("invite", 2, WILD)})
    play(state, ("invite", 1, WILD))
    assert (state.discounts, payments(state)) == (0, [[TWO]])


def test_a_discount_is_not_used_up_by_haggle() -> None:
    state = position(hands=[[DISCOUNT, ONE, TWO]], decks=[[ONE] * 2], tokens=[5, 8, 8, 8])
    play(state, ("power", DISCOUNT), ("haggle", TWO), ("acquire", 1, NOUVEAU))
    assert payments(state) == [[ONE]]


def test_a_discount_lapses_at_the_end_of_the_turn() -> None:
    state = position(hands=[[DISCOUNT, ONE, TWO]])
    play(state, ("power", DISCOUNT))
    end_turn(state)
    assert state.discounts == 0
    end_turn(state)
    assert (state.turn, state.discounts) == (0, 0)


@pytest.mark.parametrize("power", [DISCOUNT, OPEN_INVITATION])
def test_powers_for_an_action_need_one(power: str) -> None:
    """After the last action they are of no use; an extra action makes them so again."""
    state = position(hands=[[power, EXTRA_ACTION, ONE, ONE]], decks=[[TWO] * 8])
    play(state, ("haggle", ONE), ("haggle", ONE))
    assert named(state, "power") == {EXTRA_ACTION}
    assert refusal(state, ("power", power)) == "POWER_NEEDS_ACTION"
    play(state, ("power", EXTRA_ACTION))
    assert named(state, "power") == {power}


@pytest.mark.parametrize("name", RATINGS)
def test_promote_raises_any_rating_by_4(name: str) -> None:
    state = position(hands=[[PROMOTE, ONE]], ratings={name: 7})
    play(state, ("power", PROMOTE))
    assert legal(state) == {("promote", each) for each in RATINGS}
    play(state, ("promote", name))
    assert {each: rating(state, each) for each in RATINGS} == {**dict.fromkeys(RATINGS, 0), name: 11}


def test_promote_leaves_a_rating_at_the_cap() -> None:
    """And is of no use when all are there."""
    state = position(hands=[[PROMOTE, PROMOTE, ONE]], bank=[], ratings={**AT_CAP, POP_ART: 67})
    play(state, ("power", PROMOTE))
    assert legal(state) == {("promote", POP_ART)}
    assert refusal(state, ("promote", GOLD)) == "RATING_AT_CAP"
    play(state, ("promote", POP_ART))
    assert (rating(state, POP_ART), named(state, "power")) == (70, set())
    assert refusal(state, ("power", PROMOTE)) == "RATING_AT_CAP"


def test_promote_as_the_last_card_ends_the_turn_after_the_choice() -> None:
    state = position(hands=[[PROMOTE]])
    play(state, ("power", PROMOTE))
    assert state.turn == 0
    play(state, ("promote", GOLD))
    assert (state.turn, rating(state, GOLD)) == (1, 4)


def test_deaccession_removes_another_card() -> None:
    """For good: it is not counted at the end either."""
    state = position(hands=[[DEACCESSION, POP_ART, POP_ART, ONE]])
    play(state, ("power", DEACCESSION))
    assert legal(state) == {("remove", POP_ART), ("remove", ONE)}
    assert play(state, ("remove", POP_ART))[0] == CardRemoved(0, KINDS.index(POP_ART))
    assert (hand(state), aside(state), discard(state)) == ([POP_ART, ONE], [], [])
    assert WORDS.cards(state.removed) == Counter([DEACCESSION, POP_ART])
    assert points(state)[0] == (0, 1, 0, 0)


def test_deaccession_needs_another_card() -> None:
    state = position(hands=[[DEACCESSION]])
    assert refusal(state, ("power", DEACCESSION)) == "NO_OTHER_CARD"
    state = position(hands=[[DEACCESSION, DEACCESSION]])
    play(state, ("power", DEACCESSION), ("remove", DEACCESSION))
    assert (state.turn, hand(state)) == (1, [])


def test_open_invitation_lets_any_marker_do() -> None:
    """The own style rises, and the marker that was used is gone."""
    markers = [[IMPRESSIONISM] * 4, [SURREALISM, WILD, WILD, WILD], *[[POP_ART] * 4] * 3]
    state = position(hands=[[NOUVEAU, OPEN_INVITATION, FIVE, TWO]], markers=markers)
    assert refusal(state, ("invite", 1, IMPRESSIONISM)) == "WRONG_STEP"
    assert named(state, "exhibit") == {NOUVEAU}
    play(state, ("power", OPEN_INVITATION), ("exhibit", NOUVEAU))
    assert legal(state) == {("invite", 1, IMPRESSIONISM), ("invite", 2, SURREALISM), ("invite", 2, WILD)}
    play(state, ("invite", 1, IMPRESSIONISM), *pay(TWO, FIVE))
    assert (rating(state, NOUVEAU), rating(state, IMPRESSIONISM)) == (3, 0)
    assert WORDS.museum(state.museum)[0][0] == (0, NOUVEAU, IMPRESSIONISM)
    assert WORDS.public(GAME.view(state, None))["free markers"] == [
        Counter({IMPRESSIONISM: 3}),
        Counter({SURREALISM: 1, WILD: 3}),
        *[Counter({POP_ART: 4})] * 3,
    ]


def test_open_invitation_makes_any_style_welcome() -> None:
    """Where no marker of it and no wild one is free."""
    state = position(hands=[[NOUVEAU, OPEN_INVITATION, FIVE, TWO]], markers=[[POP_ART] * 4] * 5)
    assert refusal(state, ("exhibit", NOUVEAU)) == "NO_MARKER"
    play(state, ("power", OPEN_INVITATION))
    assert ("exhibit", NOUVEAU) in legal(state)


def test_open_invitation_does_not_open_a_full_exhibition() -> None:
    """There is no free marker."""
    museum = [(1, 1, style, POP_ART) for style in STYLES[:4]]
    state = position(hands=[[NOUVEAU, OPEN_INVITATION, FIVE, ONE]], markers=[[POP_ART] * 4] * 5, museum=museum)
    play(state, ("power", OPEN_INVITATION))
    assert refusal(state, ("exhibit", NOUVEAU)) == "TOO_EXPENSIVE"


def test_one_open_invitation_is_pending_at_a_time() -> None:
    """The next Exhibit uses it up, whatever its marker; then another may be played."""
    cards = [NOUVEAU, RENAISSANCE, OPEN_INVITATION, OPEN_INVITATION, FIVE, ONE, FIVE]
    state = position(hands=[cards], markers=[[NOUVEAU, POP_ART, POP_ART, POP_ART]] * 5)
    play(state, ("power", OPEN_INVITATION))
    assert refusal(state, ("power", OPEN_INVITATION)) == "INVITATION_PENDING"
    play(state, ("exhibit", NOUVEAU), ("invite", 1, NOUVEAU), *pay(ONE, FIVE))
    assert not state.invited
    assert refusal(state, ("exhibit", RENAISSANCE)) == "NO_MARKER"
    play(state, ("power", OPEN_INVITATION))
    assert (state.invited, hand(state)) == (True, [RENAISSANCE, FIVE])


def test_open_invitation_waits_for_an_exhibition_and_lapses_at_the_end_of_the_turn() -> None:
    state = position(hands=[[OPEN_INVITATION, ONE, ONE, TWO]])
    play(state, ("power", OPEN_INVITATION), ("acquire", 1, NOUVEAU), ("pay", ONE))
    assert state.invited
    end_turn(state)
    assert not state.invited


def test_no_power_is_played_in_the_turn_of_another() -> None:
    """Only the seat on turn is asked."""
    state = position(hands=[[ONE], [DRAW_TWO, PROMOTE]])
    assert list(GAME.to_act(state)) == [0]
    end_turn(state)
    assert named(state, "power") == {DRAW_TWO, PROMOTE}
