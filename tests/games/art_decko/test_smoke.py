"""What must hold in every state of random matches: no card is lost, what all know is true, payments are exact."""

from itertools import combinations

import pytest

from referee.games.art_decko.bonus import awarded
from referee.games.art_decko.events import LastRoundBegun
from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.parts import Tile
from referee.games.art_decko.state import UNPAID, Phase, State
from tests.games.playouts import positions, steps

GAME = ArtDecko()
MATCHES = range(6)
PAINTINGS = range(5)
WORTH = {0: 1, 10: 2, 20: 3, 35: 4, 50: 5, 65: 6}
every_seat_count = pytest.mark.parametrize("seats", [2, 3, 4])


def census(state: State) -> list[int]:
    """Counts all cards of the game by kind, wherever they are."""
    cards = [*state.paintings, *state.stack, *[7] * state.fives]
    for counts in (state.hands, state.discards, state.aside, state.removed):
        cards += [place % 14 for place, count in enumerate(counts) for _ in range(count)]
    cards += [kind for deck in state.decks for kind in deck]
    cards += [place // 4 for place, count in enumerate(state.galleries) for _ in range(count)]
    cards += [8 + power for power, count in enumerate(state.bank) for _ in range(count)]
    cards += [(code - 1) // 6 % 5 for code in state.museum if code]
    cards += [state.painting] * (state.painting >= 0)
    return [cards.count(kind) for kind in range(14)]


@every_seat_count
def test_no_card_is_lost(seats: int) -> None:
    """75 paintings and 42 gold cards but for those in the box, and as many markers as places, after every move."""
    for number in MATCHES:
        for state in positions(GAME, seats, number):
            assert census(state) == [15] * 5 + [3 * seats, 2 * seats, 10] + [2] * 6
            assert sum(state.markers) + sum(code > 0 for code in state.museum) == 20


@every_seat_count
def test_what_all_know_of_a_hand_is_true(seats: int) -> None:
    """`kept` lies in the hand, and its rest and the deck are the pool [AD-R12]."""
    for number in MATCHES:
        for state in positions(GAME, seats, number):
            decks = [deck.count(kind) for deck in state.decks for kind in range(14)]
            for held, kept, pool, deck in zip(state.hands, state.kept, state.pool, decks, strict=True):
                assert 0 <= held - kept <= pool
                assert held - kept + deck == pool


@every_seat_count
def test_random_matches_end_by_a_trigger(seats: int) -> None:
    """And all have had the same number of turns [AD-R8]: the last turn is that of the seat before the first."""
    for number in MATCHES:
        triggered = False
        for step in steps(GAME, seats, number):
            triggered |= any(isinstance(event, LastRoundBegun) for event in step.events)
            last = step
        result = GAME.result(last.after)
        assert result is not None
        assert (triggered, result.reason) == (True, "COMPLETED")
        assert last.seat == (last.after.first - 1) % seats


@every_seat_count
def test_the_listed_cards_complete_all_payments_without_a_needless_card(seats: int) -> None:
    """Card by card in canonical order, against all combinations of the hand [AD-R6]."""
    for number in MATCHES:
        paid: tuple[int, ...] = ()
        payments: set[tuple[int, ...]] = set()
        for step in steps(GAME, seats, number):
            state = step.before
            if state.phase != Phase.PAYMENT:
                continue
            if state.least == UNPAID:
                paid, payments = (), all_payments(state)
            going_on = {payment[len(paid)] for payment in payments if payment[: len(paid)] == paid}
            assert [76 + kind for kind in sorted(going_on)] == GAME.legal_moves(state, step.seat)
            paid = (*paid, step.move - 76)
            assert (paid in payments) == (step.after.phase != Phase.PAYMENT)


def all_payments(state: State) -> set[tuple[int, ...]]:
    hand = state.hands[14 * state.turn : 14 * state.turn + 14]
    cards = [kind for kind, count in enumerate(hand) for _ in range(count)]
    found = set()
    for size in range(1, len(cards) + 1):
        for payment in combinations(cards, size):
            values = [value(state, kind) for kind in payment]
            if state.due <= sum(values) < state.due + min(values):
                found.add(payment)
    return found


def value(state: State, kind: int) -> int:
    if kind in PAINTINGS:
        return max(worth for rating, worth in WORTH.items() if rating <= state.market[kind])
    return {5: 1, 6: 2, 7: 5}.get(kind, 3)


@pytest.mark.parametrize(("counts", "points"), [([4, 4, 3], [4, 4, 0]), ([3, 0, 0], [4, 0, 0]), ([4, 3, 3], [4, 2, 2])])
def test_tied_seats_share_a_place_and_the_next_is_skipped(counts: list[int], points: list[int]) -> None:
    """On a 4/2 tile; with nothing to show there is nothing to get [AD-R11]."""
    assert awarded(Tile("MOST", "OWN_CARDS", -1, (4, 2)), counts) == points
