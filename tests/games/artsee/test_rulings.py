"""The rulings on ArtSee: each has a test that fails when it is reversed. `test_general_rulings` has the others."""

from collections import Counter

import pytest

from referee.core.errors import IllegalMoveError
from referee.games.artsee.events import (
    CardMoved,
    PrestigeEarned,
    VisitorChosen,
    VisitorsCommitted,
    VisitorsPlaced,
)
from referee.games.artsee.state import Phase, State
from tests.games.artsee.build import (
    FIVE,
    GAME,
    MATCHING,
    OTHERS,
    QUIET,
    backs_of,
    cards_of,
    earned,
    legal,
    play,
    play_turn,
    position,
    put,
    slots_of,
    visit,
    with_others,
)
from tests.games.artsee.moves import (
    ABSTRACT,
    FIRST_PILE,
    LANDSCAPE,
    LEFT,
    MAIN,
    PLACE,
    PORTRAIT,
    RIGHT,
    SECOND_PILE,
    SKIP,
    STARTING,
    STILL_LIFE,
    Masterpiece,
    Spot,
    claim_of,
    kind,
    play_of,
)
from tests.games.artsee.naive import PRINTED, NaiveGame
from tests.games.playouts import dealt, seed_of


def refusal(state: State, seat: int, move: int) -> str:
    """The rule that forbids a move, in the check's opinion; the list must agree."""
    assert move not in GAME.legal_moves(state, seat)
    with pytest.raises(IllegalMoveError) as caught:
        GAME.check(state, seat, move)
    return caught.value.rule


def test_prestige_is_not_limited_by_the_tokens_there_are() -> None:
    """[AS-R1] 65 tokens come with the game; all earn more than that, and it is kept, stored and shown."""
    state = with_others(("A:ALS>", "A:AP>/L:AP>"), seats=3, hand="P:AL>")
    for before in (64, 254, 70_000):
        after = GAME.copy(state)
        after.prestige = [before, 300, 80_000]
        play(after, 0, play_of("P:AL>", 0))
        assert GAME.view(after, None).prestige == [before + 2, 300, 80_000]
        assert GAME.decode(GAME.encode(after)) == after


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_gallery_lies_in_the_order_of_the_deal(seats: int) -> None:
    """[AS-R2] Each player's first two cards lie from left to right, the next three are its hand."""
    for number in range(20):
        state, naive = dealt(GAME, seats, number), NaiveGame(PRINTED, seats, seed_of(number))
        for seat, player in enumerate(naive.players):
            assert [cards_of(column) for column in state.galleries[seat]] == [
                [show.card for show in column] for column in player.columns
            ]
            assert Counter(cards_of(state.hands[seat])) == Counter(player.hand)


@pytest.mark.parametrize(("seats", "sizes"), [(2, [16, 16]), (3, [18, 18]), (4, [24, 24]), (5, [23, 22])])
def test_the_first_pile_gets_the_extra_card(seats: int, sizes: list[int]) -> None:
    """[AS-R3] Of an even number both get the same."""
    for number in range(5):
        assert list(GAME.view(dealt(GAME, seats, number), None).pile_sizes) == sizes


@pytest.mark.parametrize(("spot", "columns"), [(LEFT, 3), (RIGHT, 3), (0, 2), (1, 2)])
def test_slots_and_columns_are_numbered_with_the_played_card_in_place(spot: Spot, columns: int) -> None:
    """[AS-R4] n columns have the slots 0 to n, and a new left column is column 0 at once."""
    state = with_others((FIVE, "S:AP>/S:AP</S:LP>/S:LP</S:PS>"), hand="P:AL> P:AL<")
    name = "P:AL<" if spot in (1, RIGHT) else "P:AL>"
    assert earned(play(state, 0, play_of(name, spot))) == 5
    assert {move[2] for move in legal(state, 0) if move[0] == "claim"} == set(range(columns + 1))
    assert refusal(state, 0, claim_of(PORTRAIT, 5, columns + 1)) == "NO_SUCH_SLOT"
    view = GAME.view(state, None)
    assert view.column == {LEFT: 0, 0: 0, 1: 1, RIGHT: 2}[spot]
    assert view.galleries[0][view.column][-1] == kind(name)


@pytest.mark.parametrize(("slot", "seen"), [(0, False), (1, True), (2, False)])
def test_slot_i_lies_left_of_column_i(slot: int, seen: bool) -> None:
    """[AS-R4] From column 0 an arrow RIGHT looks over slot 1, from column 1 an arrow LEFT too."""
    for name, spot in (("P:AL>", 0), ("P:AL<", 1)):
        state = with_others(("A:ALS>", "L:ALS<"), hand=name)
        put(state, 0, slot, PORTRAIT)
        assert earned(play(state, 0, play_of(name, spot))) == seen


def test_each_matching_front_is_asked_about_in_the_order_of_columns() -> None:
    """[AS-R5] One question each: columns 0, 2 and 3."""
    state = visit(MATCHING)
    asked = []
    for move in (SKIP, PLACE, SKIP):
        chosen = play(state, 1, move)[0]
        assert isinstance(chosen, VisitorChosen)
        asked.append((chosen.column, chosen.placed))
    assert asked == [(0, False), (2, True), (3, False)]
    assert list(state.visitors[1]) == [0, 0, 1, 0]


def test_with_the_supply_used_up_the_seat_is_still_asked() -> None:
    """[AS-R5] Only SKIP is legal then, but the number of steps stays three."""
    state = visit(MATCHING)
    state.supplies[1] = 1
    assert legal(state, 1) == {("place",), ("skip",)}
    play(state, 1, PLACE)
    for _ in range(2):
        assert list(GAME.to_act(state)) == [1]
        assert refusal(state, 1, PLACE) == "SUPPLY_USED_UP"
        assert legal(state, 1) == {("skip",)}
        play(state, 1, SKIP)
    assert (state.phase, list(state.visitors[1])) == (Phase.DRAW, [1, 0, 0, 0])


def test_visitors_leave_the_supply_at_the_reveal() -> None:
    """[AS-R5] Until the last seat has chosen nobody sees a visitor placed or a supply shrink."""
    state = visit(("P:AL>", "A:AS>"), ("P:AS<", "A:AS<"))
    play(state, 2, PLACE)
    for viewer in (0, 1, None):
        view = GAME.view(state, viewer)
        assert (list(view.supplies), view.visitors[2]) == ([7, 7, 7], b"\0\0")
    events = play(state, 1, PLACE)
    assert [event for event in events if isinstance(event, VisitorsPlaced)] == [
        VisitorsPlaced(1, [0]),
        VisitorsPlaced(2, [0]),
    ]
    assert list(GAME.view(state, None).supplies) == [7, 6, 6]


def test_who_has_no_matching_front_or_no_supply_is_not_asked() -> None:
    """[AS-R5] Nor the active player, whose own front matches too."""
    state = position(("P:LP>", "A:ALP>"), ("A:AP>", "L:ALP<"), ("P:AL>", "S:ALP>"), ("P:AS<", "L:APS<"), hand="P:AP>")
    state.supplies[3] = 0
    play(state, 0, play_of("P:AP>", 1))
    assert list(GAME.view(state, None).asked) == [0, 0, 1, 0]
    assert list(GAME.to_act(state)) == [2]
    (event, *_) = play(state, 2, SKIP)[1:]
    assert event == VisitorsCommitted(2)


def test_who_has_no_cards_left_is_asked() -> None:
    """[AS-R5] Even when the last card of all is played: visitors break ties."""
    state = position(QUIET, MATCHING, OTHERS[1], hand="P:AP>", piles=(0, 0), hand_sizes=(1, 0, 0))
    play(state, 0, play_of("P:AP>", 0))
    assert list(GAME.to_act(state)) == [1]
    for move in (PLACE, SKIP, PLACE):
        play(state, 1, move)
    result = GAME.result(state)
    assert result is not None
    assert (list(state.visitors[1]), result.scores, result.ranks) == ([1, 0, 0, 1], (1, 0, 0), (1, 2, 3))


@pytest.mark.parametrize("slot", [0, 3])
@pytest.mark.parametrize(("name", "spot"), [("P:AL<", LEFT), ("P:AL<", 0), ("P:AL>", 1), ("P:AL>", RIGHT)])
def test_the_one_opponent_is_both_neighbours(name: str, spot: Spot, slot: int) -> None:
    """[AS-R6] LEFT sees its rightmost column with two pieces and slot 3, RIGHT its leftmost with four and slot 0."""
    leftmost, rightmost = "L:ALP>/L:ALP</L:APS>/L:APS<", "S:AP>/S:AP<"
    state = position(("A:ALS>", "A:ALS<"), (leftmost, "A:LPS>", rightmost), hand=name)
    put(state, 1, slot, PORTRAIT)
    events = play(state, 0, play_of(name, spot))
    assert earned(events) == (2 + (slot == 3) if name == "P:AL<" else 4 + (slot == 0))
    (event,) = [event for event in events if isinstance(event, PrestigeEarned)]
    assert (event.gallery, event.column) == (1, 2 if name == "P:AL<" else 0)


@pytest.mark.parametrize(
    ("spot", "slots"), [(LEFT, [None, "P", None, "A"]), (RIGHT, ["P", None, "A", None]), (0, ["P", None, "A"])]
)
def test_a_column_beyond_an_end_masterpiece_opens_a_new_end_slot(spot: Spot, slots: list[str | None]) -> None:
    """[AS-R7] The masterpiece lies between columns then, and the new end slot is empty and can be filled."""
    state = with_others(("L:ALS>", "L:ALS<"), hand="S:AP>")
    put(state, 0, 0, PORTRAIT)
    put(state, 0, 2, ABSTRACT)
    play(state, 0, play_of("S:AP>", spot))
    assert [token and token.category[0] for token in slots_of(state, 0)] == slots


def test_the_new_end_slot_can_be_filled() -> None:
    """[AS-R7] All slots were full; a new right column makes room for the fourth category."""
    state = with_others(("A:AL>", FIVE), hand="P:AL<")
    for slot, category in enumerate((ABSTRACT, LANDSCAPE, STILL_LIFE)):
        put(state, 0, slot, category)
    assert earned(play(state, 0, play_of("P:AL<", RIGHT))) == 5
    token = Masterpiece(PORTRAIT, 5)
    assert legal(state, 0) == {("claim", token, 3), ("decline",)}
    play(state, 0, claim_of(PORTRAIT, 5, 3))
    assert [held.category for held in slots_of(state, 0) if held] == [ABSTRACT, LANDSCAPE, STILL_LIFE, PORTRAIT]


def test_with_all_slots_full_no_claim_is_asked() -> None:
    """[AS-R7] The same five prestige from a card put on a column, which opens no slot."""
    state = with_others(("A:AL>", FIVE), hand="P:AL>")
    for slot, category in enumerate((ABSTRACT, LANDSCAPE, STILL_LIFE)):
        put(state, 0, slot, category)
    assert earned(play(state, 0, play_of("P:AL>", 0))) == 5
    assert state.phase == Phase.DRAW


@pytest.mark.parametrize(
    ("piles", "drawn", "after"),
    [
        ((1, 3), FIRST_PILE, [1, 2]),
        ((1, 2), FIRST_PILE, [1, 1]),
        ((3, 1), SECOND_PILE, [2, 1]),
        ((1, 1), FIRST_PILE, [0, 1]),
        ((1, 1), SECOND_PILE, [1, 0]),
        ((2, 1), FIRST_PILE, [1, 1]),
        ((2, 3), SECOND_PILE, [2, 2]),
    ],
)
def test_the_top_of_two_or_more_cards_moves_to_the_empty_pile(
    piles: tuple[int, int], drawn: int, after: list[int]
) -> None:
    """[AS-R8] At once, so that the mover's successor finds two piles; the moved card is the top one."""
    state = with_others(QUIET, hand="S:AL> S:AP<")
    state.piles = position(QUIET, OTHERS[0], piles=piles).piles
    play(state, 0, play_of("S:AL>", RIGHT))
    full = 0 if drawn == SECOND_PILE else 1
    top = state.piles[full][-1]
    events = play(state, 0, drawn)
    assert list(GAME.view(state, None).pile_sizes) == after
    moved = [event for event in events if isinstance(event, CardMoved)]
    assert [(event.pile, event.featured) for event in moved] == (
        [(full, GAME.parts.featured[top])] if piles[1 - full] == 1 < piles[full] else []
    )
    if moved:
        assert state.piles[1 - full] == bytes([top])


def test_a_seat_without_cards_is_skipped() -> None:
    """[AS-R9] Hands of 1, 0, 2, 0 and no piles: seats 0, 2, 2 play and nobody else."""
    state = position(("A:ALP>", "L:APS<"), *OTHERS[:3], piles=(0, 0), hand_sizes=(1, 0, 2, 0))
    turns = []
    while state.phase != Phase.OVER:
        turns.append(state.turn)
        play_turn(state)
    assert turns == [0, 2, 2]
    assert GAME.result(state) is not None


def test_backs_show_the_deck() -> None:
    """[AS-R10] Two PORTRAIT cards of different decks look different, two of one deck alike, whatever their fronts."""
    state = position(QUIET, OTHERS[0], hand="P:ALP> P:AL> P:AL< A:AP>")
    expected = [(STARTING, PORTRAIT), (MAIN, ABSTRACT), (MAIN, PORTRAIT), (MAIN, PORTRAIT)]
    assert backs_of(state, 0) == expected
    other = position(QUIET, OTHERS[0], hand="P:ALS< P:PS> P:AS< A:LS<")
    assert backs_of(other, 0) == expected
