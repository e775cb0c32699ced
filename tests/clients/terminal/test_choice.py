"""Choices made of steps: what may be chosen is what the rules allow, and is played as it was chosen."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest

from artreferee.v1 import art_decko_pb2, match_pb2
from clients.terminal.choice import Mark, Point, Subset
from tests.clients.terminal.playing import Moment, moments

RULESETS = ("art_decko", "artsee", "classic_art")


def asked(moment: Moment, seat: int) -> match_pb2.Match:
    """What a seat that is to act is asked."""
    match = match_pb2.Match(ruleset=moment.wire.game.spec.name, viewer_seat=seat, view=moment.view(seat))
    match.prompt.legal_moves.extend(moment.legal_moves(seat))
    return match


def questions(ruleset: str, kind: str) -> Iterator[match_pb2.Match]:
    """All questions of a few matches whose first legal move is of a kind."""
    for number in range(3):
        for moment in moments(ruleset, 3, number):
            for seat in moment.to_act:
                match = asked(moment, seat)
                first = getattr(match.prompt.legal_moves[0].move, ruleset)
                if first.WhichOneof("move") == kind:
                    yield match


def subset_of(match: match_pb2.Match) -> Subset:
    subset = Point.of(match).subset
    assert subset is not None
    return subset


def multisets(subset: Subset) -> set[tuple[int, ...]]:
    """The legal subsets as sorted moves, found by asking for every combination of marks."""
    places = range(len(subset.marks))
    chosen = (set(some) for size in range(len(places) + 1) for some in combinations(places, size))
    return {
        tuple(sorted(subset.marks[place].move for place in some))
        for some in chosen
        if subset.moves(frozenset(some)) is not None
    }


def naive_payments(view: art_decko_pb2.ArtDeckoView) -> set[tuple[int, ...]]:
    """The payments by the rule: they suffice, and would not without any one of their cards [AD-R6]."""
    ratings = {rating.rating: rating.gold_value for rating in view.market}
    gold = {6: 1, 7: 2, 8: 5} | dict.fromkeys(range(9, 15), 3)
    values = {
        card: ratings[art_decko_pb2.ArtDeckoRating.ValueType(card)] if card <= 5 else gold[card] for card in view.hand
    }
    return {
        cards
        for size in range(len(view.hand) + 1)
        for cards in set(combinations(sorted(view.hand), size))
        if sum(map(values.__getitem__, cards)) >= view.due
        and all(sum(map(values.__getitem__, cards)) - values[card] < view.due for card in cards)
    }


def test_what_pays_is_every_set_of_cards_none_of_which_is_needless() -> None:
    """The toggled cards are compared with the rule, by all subsets of the hand."""
    count = 0
    for match in questions("art_decko", "pay"):
        if match.view.art_decko.least_paid:
            continue  # in the middle of a payment
        cards = {move.id: int(move.move.art_decko.pay.card) for move in every_move(match)}
        payments = {tuple(sorted(cards[move] for move in moves)) for moves in multisets(subset_of(match))}
        assert naive_payments(match.view.art_decko) == payments
        count += 1
    assert count > 20


def every_move(match: match_pb2.Match) -> list[match_pb2.LegalMove]:
    point = Point.of(match)
    return [point.told(mark) for mark in subset_of(match).marks]


def test_any_part_of_a_hand_may_be_discarded() -> None:
    """Also nothing, also all."""
    for match in questions("art_decko", "discard"):
        if not match.view.art_decko.least_paid:
            hand = Counter(match.view.art_decko.hand)
            possible = 1
            for cards in hand.values():
                possible *= cards + 1
            assert possible == len(multisets(subset_of(match)))
            return
    raise AssertionError("nobody was asked for discards")


def test_visitors_go_to_any_columns_as_far_as_the_supply_lasts() -> None:
    """Each column is one mark; as many as there are visitors may be chosen together [AS-R5]."""
    sizes = set[int]()
    for match in questions("artsee", "place_visitor"):
        own, choices = match.view.artsee.seats[match.viewer_seat], match.view.artsee.choices
        left = own.asked - len(choices)
        subset = subset_of(match)
        columns = [mark.column for mark in subset.marks]
        assert len(set(columns)) == len(columns) == left
        assert max(map(len, multisets(subset))) == min(left, own.supply - sum(choice.placed for choice in choices))
        sizes.add(left)
    assert max(sizes) > 1


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_draft_is_played_as_it_was_chosen(ruleset: str) -> None:
    """The rules take each first and last end of a choice, and nothing hidden comes to light before its last move."""
    for moment in moments(ruleset, 2, 1):
        for seat in moment.to_act:
            for moves in drafts(Point.of(asked(moment, seat))):
                game, state = moment.wire.game, moment.wire.game.copy(moment.state)
                revealed = False
                for move in moves:
                    assert not revealed
                    game.check(state, seat, move)
                    revealed = any(event.reveals for event in game.play(state, seat, move))


def drafts(point: Point) -> Iterator[tuple[int, ...]]:
    """The first and the last way on from a point, and all of them from its picks."""
    if point.subset is not None:
        ends = sorted(multiset for multiset in map(point.subset.moves, every_choice(point.subset)) if multiset)
        yield from {ends[0], ends[-1]}
    for move in point.picks:
        after = point.after(move)
        if after is None:
            yield (*point.drafted, move.id)
        else:
            yield from drafts(after)


def every_choice(subset: Subset) -> Iterator[frozenset[int]]:
    places = range(len(subset.marks))
    return (frozenset(some) for size in range(len(places) + 1) for some in combinations(places, size))


def test_what_cannot_end_well_is_closed() -> None:
    """A mark may be added if some legal subset has it and what is chosen; that is asked of all of them."""
    subset = Subset([((1, 2), (Mark(1), Mark(2))), ((3,), (Mark(3),)), ((1, 1), (Mark(1), Mark(1)))])
    assert [mark.move for mark in subset.marks] == [1, 1, 2, 3]
    assert [place for place in range(4) if subset.may_choose(frozenset({0}), place)] == [0, 1, 2]
    assert [place for place in range(4) if subset.may_choose(frozenset({3}), place)] == [3]
    assert (subset.moves(frozenset({0, 2})), subset.moves(frozenset({0}))) == ((1, 2), None)
    assert subset.only == frozenset()


def test_what_is_forced_is_chosen_already() -> None:
    """Where there is one way only, all that is left is to confirm."""
    assert Subset([((4, 5), (Mark(4), Mark(5)))]).only == frozenset({0, 1})


def test_of_a_ruleset_that_is_not_installed_one_move_is_chosen() -> None:
    """The referee's list is enough for that."""
    match = match_pb2.Match(ruleset="chess", viewer_seat=0)
    match.prompt.legal_moves.add(id=7, text="knight to f3")
    point = Point.of(match)
    assert (list(point.picks), point.subset, point.after(match.prompt.legal_moves[0])) == (
        list(match.prompt.legal_moves),
        None,
        None,
    )
