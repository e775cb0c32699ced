"""What a spectator would score from the opening and the moves alone is what the referee announces."""

from collections import Counter

import pytest

from referee.games.artsee.events import GameScored, PrestigeEarned
from referee.games.artsee.state import State
from tests.games.artsee.build import GAME
from tests.games.artsee.moves import KINDS
from tests.games.artsee.playing import steps as lively_steps
from tests.games.artsee.scorer import Scorer
from tests.games.playouts import dealt, steps

SEATS = [2, 3, 4, 5]
VISITORS = {2: 5, 3: 7, 4: 8, 5: 9}
TURNS = {2: 19, 3: 15, 4: 15, 5: 12}


def assert_scored_alike(seats: int, number: int) -> None:
    """Every third match is random, the others are played to earn."""
    opening: State = dealt(GAME, seats, number)
    galleries = [[KINDS[column[0]] for column in gallery] for gallery in GAME.view(opening, None).galleries]
    moves, events, last = list[tuple[int, int]](), [], opening
    for step in lively_steps(GAME, seats, number) if number % 3 else steps(GAME, seats, number):
        moves.append((step.seat, step.move))
        events += step.events
        last = step.after
    scored = Scorer.of(galleries, VISITORS[seats]).read(moves)
    assert scored.turns == dict.fromkeys(range(seats), TURNS[seats])
    announced = [event for event in events if isinstance(event, PrestigeEarned)]
    assert scored.prestige == [(event.seat, event.visitors + event.pieces + event.masterpieces) for event in announced]
    final, result = events[-1], GAME.result(last)
    assert isinstance(final, GameScored)
    assert result is not None
    sums = Counter[int]()
    for seat, prestige in scored.prestige:
        sums[seat] += prestige
    assert final.prestige == last.prestige == [sums[seat] for seat in range(seats)]
    assert list(result.scores) == [scored.total(seat) for seat in range(seats)]
    assert list(result.ranks) == scored.places()
    assert list(last.supplies) == scored.supplies


@pytest.mark.parametrize("seats", SEATS)
def test_the_score_follows_from_the_moves_alone(seats: int) -> None:
    """And every seat has 19, 15, 15 or 12 turns with 2, 3, 4 or 5 seats."""
    for number in range(25):
        assert_scored_alike(seats, number)


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATS)
def test_the_score_follows_from_the_moves_alone_for_long(seats: int) -> None:
    for number in range(25, 525):
        assert_scored_alike(seats, number)


def test_the_matches_that_are_scored_have_something_to_score() -> None:
    """Visitors come back, masterpieces are seen across an end and within a gallery, claimed, valued and rewarded."""
    visitors, seen, valued, boni = 0, Counter[str](), set[int](), set[int]()
    for seats in SEATS:
        for event in (
            event for number in range(12) for step in lively_steps(GAME, seats, number) for event in step.events
        ):
            if isinstance(event, PrestigeEarned):
                visitors += event.visitors
                seen["across" if event.gallery != event.seat else "within"] += event.masterpieces
            elif isinstance(event, GameScored):
                valued |= set(event.masterpieces)
                boni |= set(event.bonus)
    assert visitors > 1_000
    assert min(seen["across"], seen["within"]) > 30
    assert valued >= {0, 1, 2, 3, 4}
    assert boni == {0, 1, 3, 6, 10}
