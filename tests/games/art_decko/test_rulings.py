"""The rulings: each has a test that fails when it is reversed."""

from collections import Counter

import pytest

from referee.games.art_decko.events import (
    CardPaid,
    CardsDrawn,
    GalleriesFilled,
    LastRoundBegun,
    PurchaseBegun,
    RatingRaised,
    TurnBegun,
)
from referee.games.art_decko.state import Phase
from tests.games.art_decko.build import (
    GAME,
    aside,
    deck,
    discard,
    end_turn,
    finish,
    gallery,
    hand,
    known,
    legal,
    named,
    pay,
    payments,
    play,
    points,
    position,
    refusal,
    words_of,
)
from tests.games.art_decko.moves import (
    DISCOUNT,
    DONE,
    DRAW_TWO,
    EXTRA_ACTION,
    FIVE,
    IDS,
    IMPRESSIONISM,
    KINDS,
    NOUVEAU,
    ONE,
    OPEN_INVITATION,
    POP_ART,
    PROMOTE,
    RENAISSANCE,
    SURREALISM,
    TWO,
)
from tests.games.playouts import dealt

SEATS = [2, 3, 4]


@pytest.mark.parametrize("seats", SEATS)
def test_the_content_of_a_starting_deck_is_public(seats: int) -> None:
    """[AD-R1] All see the ten cards of each seat, and not which of them are in hand or in what order they come."""
    for number in range(20):
        state = dealt(GAME, seats, number)
        for seat in range(seats):
            kept, pool = known(state, seat)
            assert (kept, Counter(pool)) == ([], Counter(hand(state, seat) + deck(state, seat)))
            assert len(pool) == 10
            assert (pool.count(ONE), pool.count(TWO)) == (3, 2)


@pytest.mark.parametrize(("seats", "full"), [(2, 2), (3, 3), (4, 3)])
def test_a_gallery_gets_three_paintings_and_with_two_players_two(seats: int, full: int) -> None:
    """[AD-R2] At the start, and when it is filled again."""
    state = dealt(GAME, seats, 1)
    assert [len(gallery(state, place)) for place in (1, 2, 3, 4)] == [full] * 4
    state = position(seats, hands=[[ONE]], galleries=[[], [POP_ART], [NOUVEAU, NOUVEAU], [POP_ART]])
    end_turn(state)
    assert [len(gallery(state, place)) for place in (1, 2, 3, 4)] == [full] * 4


def test_an_action_must_be_taken_while_actions_remain() -> None:
    """[AD-R3] The turn cannot be ended before its actions are; powers may come between."""
    state = position(hands=[[ONE, TWO, PROMOTE]], decks=[[ONE] * 2])
    assert refusal(state, DONE) == refusal(state, ("discard", ONE)) == "WRONG_STEP"
    play(state, ("haggle", ONE))
    assert refusal(state, DONE) == "WRONG_STEP"
    play(state, ("power", PROMOTE), ("promote", "GOLD"))
    assert refusal(state, DONE) == "WRONG_STEP"
    play(state, ("haggle", TWO))
    assert DONE in legal(state)


def test_an_empty_hand_ends_all_remaining_actions() -> None:
    """[AD-R3] Here one is left, and no discard is asked for."""
    state = position(hands=[[ONE]])
    play(state, ("acquire", 1, NOUVEAU), ("pay", ONE))
    assert (state.turn, state.phase, state.actions) == (1, Phase.ACTION, 2)
    assert hand(state) == [NOUVEAU, ONE]


@pytest.mark.parametrize("cards", [[EXTRA_ACTION], [DISCOUNT], [OPEN_INVITATION]])
def test_an_empty_hand_ends_extra_and_free_actions(cards: list[str]) -> None:
    """[AD-R3] The last card is a power that gives an action, or would pay for one."""
    state = position(hands=[cards], tokens=[1, 1, 1, 1])
    play(state, ("power", cards[0]))
    assert (state.turn, hand(state)) == (1, [])


def test_extra_actions_end_with_the_hand() -> None:
    """[AD-R3] Two of three actions are left."""
    state = position(hands=[[EXTRA_ACTION, ONE]])
    play(state, ("power", EXTRA_ACTION), ("acquire", 1, NOUVEAU), ("pay", ONE))
    assert state.turn == 1


def test_a_turn_that_begins_with_an_empty_hand_has_no_decision() -> None:
    """[AD-R3] It passes: seat 1 has no card at all."""
    state = position(3, hands=[[ONE], [], [TWO]])
    events = end_turn(state)
    assert [event for event in events if isinstance(event, TurnBegun)] == [TurnBegun(1, 1), TurnBegun(2, 1)]
    end_turn(state)
    assert (state.turn, state.round) == (0, 2)
    end_turn(state)
    assert (state.turn, state.round) == (2, 2)


def test_a_haggled_card_joins_the_discard_pile_at_once() -> None:
    """[AD-R4] With nothing else to draw it comes back; set aside it would not."""
    state = position(hands=[[ONE, TWO]])
    play(state, ("haggle", TWO))
    assert (hand(state), deck(state), discard(state), aside(state)) == ([ONE, TWO], [], [], [])


def test_a_gallery_is_used_once_in_the_whole_turn() -> None:
    """[AD-R5] After another action it still is used, and in the seat's next turn it is not."""
    state = position(hands=[[EXTRA_ACTION, ONE, ONE, ONE, ONE]], tokens=[1, 1, 1, 1])
    play(state, ("power", EXTRA_ACTION), ("acquire", 1, NOUVEAU), ("pay", ONE))
    assert refusal(state, ("acquire", 1, NOUVEAU)) == "GALLERY_USED"
    play(state, ("haggle", ONE))
    assert refusal(state, ("acquire", 1, NOUVEAU)) == "GALLERY_USED"
    play(state, ("acquire", 2, RENAISSANCE), ("pay", ONE), DONE)
    end_turn(state)
    assert ("acquire", 1, NOUVEAU) in legal(state)


def test_the_bank_may_be_used_again() -> None:
    """[AD-R5] Two 3-gold and a 5-gold in one turn."""
    state = position(hands=[[EXTRA_ACTION, FIVE, FIVE, FIVE, PROMOTE]], stack=[DRAW_TWO])
    play(state, ("power", EXTRA_ACTION), ("buy", DRAW_TWO), ("pay", FIVE), ("buy", DRAW_TWO), ("pay", FIVE))
    play(state, ("buy", FIVE), *pay(FIVE, PROMOTE))
    assert state.turn == 1
    assert Counter(hand(state) + deck(state)) == Counter([FIVE] * 4 + [PROMOTE] + [DRAW_TWO] * 2)


def test_no_card_of_a_payment_is_needless() -> None:
    """[AD-R6] Of 1, 2, 2 and 5 a cost of 4 is paid with {2, 2} or {5}: with 1 the rest would still pay."""
    state = position(hands=[[ONE, TWO, TWO, FIVE]], tokens=[4, 1, 1, 1])
    play(state, ("acquire", 1, NOUVEAU))
    assert payments(state) == [[TWO, TWO], [FIVE]]
    assert refusal(state, ("pay", ONE)) == "NEEDLESS_CARD"


def test_no_change_is_given_for_a_card_that_is_needed() -> None:
    """[AD-R6] A 5-gold may pay a cost of 1."""
    state = position(hands=[[ONE, FIVE]])
    play(state, ("acquire", 1, NOUVEAU))
    assert payments(state) == [[ONE], [FIVE]]
    play(state, ("pay", FIVE))
    assert (hand(state), Counter(aside(state))) == ([ONE], Counter([FIVE, NOUVEAU]))


def test_a_payment_goes_card_by_card_in_canonical_order() -> None:
    """[AD-R6] After a 2-gold no 1-gold and no painting can follow."""
    state = position(hands=[[POP_ART, ONE, ONE, TWO, TWO]], tokens=[4, 1, 1, 1])
    play(state, ("acquire", 1, NOUVEAU))
    assert payments(state) == [[POP_ART, ONE, TWO], [ONE, ONE, TWO], [TWO, TWO]]
    play(state, ("pay", ONE))
    assert legal(state) == {("pay", ONE)}
    assert refusal(state, ("pay", POP_ART)) == "CANONICAL_ORDER"


def test_a_payment_ends_by_itself() -> None:
    """[AD-R6] When the cost is reached the next action is asked for, though cards are left."""
    state = position(hands=[[ONE, TWO, TWO]], tokens=[2, 1, 1, 1])
    play(state, ("acquire", 1, NOUVEAU), ("pay", TWO))
    assert (state.phase, hand(state)) == (Phase.ACTION, [ONE, TWO])


def test_a_cost_of_nothing_is_paid_with_no_card() -> None:
    """[AD-R6] Whatever is in hand."""
    state = position(hands=[[ONE, DISCOUNT]], tokens=[4, 1, 1, 1])
    events = play(state, ("power", DISCOUNT), ("acquire", 1, NOUVEAU))
    assert not [event for event in events if isinstance(event, CardPaid)]
    assert events[0] == PurchaseBegun(0, IDS["acquire", 1, NOUVEAU], 0)
    assert (state.phase, hand(state), aside(state)) == (Phase.ACTION, [ONE], [NOUVEAU])


def test_discards_go_card_by_card_in_canonical_order() -> None:
    """[AD-R7] And end with "done", or with the hand; a card skipped before cannot follow."""
    state = position(hands=[[POP_ART, ONE, TWO, TWO]], decks=[[FIVE] * 2])
    play(state, ("haggle", POP_ART), ("haggle", ONE), ("discard", TWO))
    assert legal(state) == {("discard", TWO), ("discard", FIVE), ("discard", KINDS[3])} - {("discard", POP_ART)} | {
        DONE
    }
    assert Counter(aside(state)) == Counter([TWO])


def test_powers_come_before_the_first_discard() -> None:
    """[AD-R7] Those that are of use after the last action; and none after the first discard."""
    state = position(hands=[[ONE, ONE, PROMOTE, EXTRA_ACTION, DISCOUNT, OPEN_INVITATION, DRAW_TWO]])
    play(state, ("acquire", 1, NOUVEAU), ("pay", ONE), ("acquire", 2, RENAISSANCE), *pay(PROMOTE))
    assert named(state, "power") == {EXTRA_ACTION, DRAW_TWO}
    play(state, ("discard", ONE))
    assert words_of(state) == {"discard", "done"}
    assert refusal(state, ("power", DRAW_TWO)) == "WRONG_STEP"


def test_discarded_cards_can_be_drawn_at_the_end_of_the_turn() -> None:
    """[AD-R7] They and the cards set aside join the discard pile before the hand is filled up."""
    state = position(hands=[[ONE, ONE, TWO, FIVE]], tokens=[1, 1, 1, 1])
    play(state, ("acquire", 1, NOUVEAU), ("pay", ONE), ("acquire", 2, RENAISSANCE), ("pay", ONE))
    play(state, ("discard", TWO), DONE)
    assert len(hand(state)) == 5
    assert Counter(hand(state) + deck(state)) == Counter([ONE, ONE, TWO, FIVE, NOUVEAU, RENAISSANCE])
    assert discard(state) == []


def test_a_large_hand_stays() -> None:
    """[AD-R7] Six cards are not cut to five, and none is drawn."""
    state = position(hands=[[ONE] * 6], decks=[[TWO] * 4])
    play(state, ("acquire", 1, NOUVEAU), ("pay", ONE))
    play(state, ("haggle", ONE), DONE)
    assert (len(hand(state)), len(deck(state))) == (6, 2)


def test_the_end_of_a_turn_goes_in_this_order() -> None:
    """[AD-R7] Cards are drawn, then galleries filled, then the end is tested, then the next turn begins."""
    state = position(hands=[[TWO, ONE]], decks=[[FIVE] * 5], galleries=[[], [], [], [NOUVEAU]], paintings=[NOUVEAU] * 3)
    events = end_turn(state)
    told = (CardsDrawn, GalleriesFilled, LastRoundBegun, TurnBegun)
    assert [type(event) for event in events if isinstance(event, told)] == list(told)


def test_galleries_are_filled_in_order_while_the_deck_lasts() -> None:
    """[AD-R7] Gallery 1 fully, then 2; only those that were empty and got a painting take tokens."""
    galleries = [[], [POP_ART], [], [NOUVEAU]]
    paintings = [RENAISSANCE, SURREALISM, IMPRESSIONISM]
    state = position(hands=[[ONE]], galleries=galleries, paintings=paintings, tokens=[8, 2, 3, 4], supply=[5, 6])
    events = end_turn(state)
    filled = [event for event in events if isinstance(event, GalleriesFilled)]
    assert filled == [GalleriesFilled([bytes([1, 2]), bytes([4]), b"", b""], bytes([5, 2, 3, 4]))]
    assert [gallery(state, place) for place in (1, 2, 3, 4)] == [
        [RENAISSANCE, SURREALISM],
        [POP_ART, IMPRESSIONISM],
        [],
        [NOUVEAU],
    ]
    assert (list(state.costs), list(state.supply)) == ([5, 2, 3, 4], [6])


def test_two_empty_galleries_take_tokens_in_order() -> None:
    """[AD-R7] Ascending ones, gallery 2 before gallery 4; without a supply the token is kept."""
    galleries = [[POP_ART], [], [NOUVEAU], []]
    state = position(hands=[[ONE]], galleries=galleries, tokens=[1, 2, 3, 4], supply=[5, 5, 6])
    end_turn(state)
    assert (list(state.costs), list(state.supply)) == ([1, 5, 3, 5], [6])
    state = position(hands=[[ONE]], galleries=galleries, tokens=[1, 2, 3, 4], supply=[7])
    end_turn(state)
    assert (list(state.costs), list(state.supply)) == ([1, 7, 3, 4], [])


def test_galleries_are_not_filled_while_none_is_empty() -> None:
    """[AD-R7] One painting in each is enough."""
    state = position(hands=[[ONE]], galleries=[[POP_ART]] * 4)
    events = end_turn(state)
    assert [gallery(state, place) for place in (1, 2, 3, 4)] == [[POP_ART]] * 4
    assert not [event for event in events if isinstance(event, GalleriesFilled)]


def test_the_end_is_tested_after_the_galleries_are_filled() -> None:
    """[AD-R7] The last painting that is laid out makes this round the last."""
    state = position(hands=[[ONE]], galleries=[[], [POP_ART], [POP_ART], [POP_ART]], paintings=[NOUVEAU])
    events = end_turn(state)
    assert LastRoundBegun([2]) in events


def test_the_round_is_finished() -> None:
    """[AD-R8] Seat 1 of 3 brings a rating to the cap in its turn: seat 2 has a turn, seat 0 none."""
    state = position(3, hands=[[ONE], [PROMOTE, ONE], [TWO]], ratings={POP_ART: 68}, turn=1)
    play(state, ("power", PROMOTE), ("promote", POP_ART))
    assert not state.last_round
    end_turn(state)
    assert (state.last_round, list(GAME.to_act(state))) == (True, [2])
    end_turn(state)
    assert list(GAME.to_act(state)) == []


def test_a_rating_stops_at_the_cap() -> None:
    """[AD-R8] 68 and 4 are 70."""
    state = position(hands=[[ONE, PROMOTE]], ratings={POP_ART: 68})
    play(state, ("power", PROMOTE))
    assert play(state, ("promote", POP_ART)) == [RatingRaised(3, 70)]


def test_the_cap_of_rounds_ends_the_game_as_it_stands() -> None:
    """[AD-R9] After `max_rounds` the game is scored and the result says so; 60 by default."""
    state = position(3, hands=[[ONE]] * 3, max_rounds=2, vp=[1, 3, 2])
    finish(state)
    result = GAME.result(state)
    assert result is not None
    assert (state.round, result.reason, result.ranks) == (2, "ROUND_CAP", (3, 1, 2))
    assert GAME.options({}, 3)["max_rounds"] == 60


def test_the_cap_is_not_the_cause_when_the_rules_end_the_game_too() -> None:
    """[AD-R9] The last round allowed may be the last by itself."""
    state = position(hands=[[ONE]] * 2, max_rounds=1, ratings={"GOLD": 70})
    finish(state)
    result = GAME.result(state)
    assert result is not None
    assert result.reason == "COMPLETED"


def test_an_empty_museum_scores_no_tile() -> None:
    """[AD-R10] Not even those for fewest, and with one painting its exhibition's tile alone."""
    tiles = ["FEWEST OWN_CARDS", "FEWEST MUSEUM_PAINTINGS", "MOST OWN_CARDS", "MOST OWN_GOLD", "MOST OWN_GOLD_CARDS"]
    hands = [[ONE], [ONE, TWO]]
    assert [bonus for *_, bonus in points(position(hands=hands, tiles=tiles))] == [0, 0]
    state = position(hands=hands, tiles=tiles, museum=[(1, 0, NOUVEAU, NOUVEAU)])
    assert [bonus for *_, bonus in points(state)] == [4, 2]


def test_nothing_to_show_gets_nothing() -> None:
    """[AD-R11] A count of 0 is no place on a MOST tile."""
    tiles = ["MOST OWN_PAINTINGS POP_ART", "MOST OWN_GOLD", "MOST OWN_CARDS", "MOST OWN_GOLD_CARDS", "EACH OWN_SETS"]
    state = position(3, hands=[[POP_ART], [ONE], [TWO]], tiles=tiles, museum=[(1, 0, NOUVEAU, NOUVEAU)])
    assert [bonus for *_, bonus in points(state)] == [4, 0, 0]


def test_nothing_is_fewest() -> None:
    """[AD-R11] A count of 0 is a place on a FEWEST tile."""
    tiles = ["FEWEST MUSEUM_PAINTINGS", "MOST OWN_GOLD", "MOST OWN_CARDS", "MOST OWN_GOLD_CARDS", "EACH OWN_SETS"]
    state = position(3, hands=[[POP_ART], [ONE], [TWO]], tiles=tiles, museum=[(1, 0, NOUVEAU, NOUVEAU)])
    assert [bonus for *_, bonus in points(state)] == [0, 3, 3]


def test_a_shuffle_makes_a_hand_known() -> None:
    """[AD-R12] What was in hand when the deck ran out is kept, the cards shuffled are the pool."""
    state = position(hands=[[ONE, TWO, PROMOTE]], decks=[[FIVE]], discards=[[ONE, POP_ART]])
    assert known(state) == ([], [ONE, TWO, FIVE, PROMOTE])
    play(state, ("haggle", TWO))
    assert known(state) == ([ONE, FIVE, PROMOTE], [POP_ART, ONE, TWO])


def test_a_card_leaves_the_known_part_of_a_hand_first() -> None:
    """[AD-R12] A 1-gold is known to be in hand and another may be: the first that is paid is the known one."""
    state = position(hands=[[ONE, ONE, TWO]], decks=[[FIVE]], tokens=[1, 1, 1, 1])
    state.kept[KINDS.index(ONE)] = 1
    state.pool[KINDS.index(ONE)] = 1
    play(state, ("acquire", 1, NOUVEAU), ("pay", ONE))
    assert known(state) == ([], [ONE, TWO, FIVE])
    play(state, ("acquire", 2, RENAISSANCE), ("pay", ONE))
    assert known(state) == ([], [TWO, FIVE])


def test_drawing_tells_nothing_of_the_cards() -> None:
    """[AD-R12] The pool is shared by the hand and the deck."""
    state = position(hands=[[ONE, TWO]], decks=[[FIVE, POP_ART, NOUVEAU]])
    play(state, ("haggle", ONE))
    assert known(state) == ([], [NOUVEAU, POP_ART, TWO, FIVE])
