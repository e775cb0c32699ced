"""Absence in the pure transitions: who is asked and stays away goes out; who shows a sign of life does not."""

import random
from collections import Counter

import pytest

from referee.core.errors import Reason
from referee.table.clocks import Terms
from referee.table.ids import Principal
from referee.table.snapshot import Cause, Status, seen_field
from referee.table.transitions import Answer
from tests.table.bookkeeper import passed
from tests.table.pebbles import BID_1, KEEP, TAKE_0, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, DAVE, PEOPLE, START_MS, STRANGER, Sitting, accepted, sitting_of
from tests.table.test_transitions_clocks import at_the_bids, causes, outline, ranks

GRACE_MS = 40_000
NOTICED_MS = 10_000  # a quarter of it
OVER_MS = START_MS + GRACE_MS + NOTICED_MS  # until then whoever was asked at the start may be away
GRACE = Terms(grace_ms=GRACE_MS)
MATCHES = 40


def seen(sitting: Sitting, who: Principal) -> None:
    """A sign of life, noted at once."""
    sitting.fields[seen_field(who)] = str(sitting.now_ms).encode()


@pytest.mark.parametrize(
    ("grace_ms", "noticed_ms"),
    [(1, 1_000), (4_000, 1_000), (8_000, 2_000), (480_000, 120_000), (488_000, 120_000), (604_800_000, 120_000)],
)
async def test_absence_is_noticed_a_quarter_of_the_grace_later_within_a_second_and_two_minutes(
    grace_ms: int, noticed_ms: int
) -> None:
    sitting = await sitting_of(ALICE, BOB, terms=Terms(grace_ms=grace_ms))
    sitting.now_ms += grace_ms + noticed_ms
    assert sitting.expire() == []
    sitting.now_ms += 1
    assert outline(sitting.expire()) == [("DISCONNECTION", 0)]
    assert (ranks(sitting), causes(sitting)) == (("LAST_SEAT", (2, 1)), [Cause.DISCONNECTED, Cause.NONE])


async def test_who_stays_away_is_played_on_and_the_next_has_its_own_grace() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=GRACE)
    sitting.now_ms = OVER_MS + 1
    assert outline(sitting.expire()) == [("DISCONNECTION", 0), ("AUTOPILOT", 0), ("AUTOPILOT", 0)]
    assert sitting.expire() == []
    sitting.now_ms += GRACE_MS + NOTICED_MS
    assert (sitting.expire(), sitting.to_act) == ([], [1])
    sitting.now_ms += 1
    assert outline(sitting.expire()) == [("DISCONNECTION", 1)]
    assert ranks(sitting) == ("LAST_SEAT", (3, 2, 1))


async def test_who_is_not_asked_may_be_away_for_as_long_as_it_likes() -> None:
    """And has its whole grace once it is asked."""
    sitting = await sitting_of(ALICE, BOB, terms=GRACE)
    for _ in range(100):
        sitting.now_ms += GRACE_MS
        seen(sitting, ALICE)
        assert sitting.expire() == []
    accepted(sitting.submit(ALICE, TAKE_0, KEEP))
    sitting.now_ms += GRACE_MS + NOTICED_MS
    assert sitting.expire() == []
    accepted(sitting.submit(BOB, TAKE_0))


async def test_the_grace_counts_from_the_last_sign_of_life() -> None:
    """Of the one who is asked, and of nobody else."""
    sitting = await sitting_of(ALICE, BOB, terms=GRACE)
    sitting.now_ms += GRACE_MS
    seen(sitting, ALICE)
    sitting.now_ms += GRACE_MS + NOTICED_MS
    for other in (BOB, STRANGER):
        seen(sitting, other)
    assert sitting.expire() == []
    sitting.now_ms += 1
    assert outline(sitting.expire()) == [("DISCONNECTION", 0)]


async def test_who_was_seen_before_it_is_asked_has_the_grace_from_the_question() -> None:
    sitting = await sitting_of(ALICE, BOB, terms=GRACE)
    seen(sitting, BOB)
    sitting.now_ms += GRACE_MS
    accepted(sitting.submit(ALICE, TAKE_0, KEEP))
    sitting.now_ms += GRACE_MS + NOTICED_MS
    assert sitting.expire() == []


async def test_who_comes_back_before_anybody_has_looked_is_not_out() -> None:
    """However late: the grace is for being away, and not for the answer."""
    sitting = await sitting_of(ALICE, BOB, terms=GRACE)
    sitting.now_ms = OVER_MS + 1_000_000
    assert accepted(sitting.submit(ALICE, TAKE_0)) == Answer(1, 1, 0)
    assert causes(sitting) == [Cause.NONE, Cause.NONE]


@pytest.mark.parametrize(
    ("move_ms", "is_there", "cause"),
    [
        (GRACE_MS + NOTICED_MS, False, Cause.TIMED_OUT),
        (GRACE_MS + NOTICED_MS + 1, False, Cause.DISCONNECTED),
        (GRACE_MS + NOTICED_MS + 1, True, Cause.TIMED_OUT),
        (10 * GRACE_MS, False, Cause.DISCONNECTED),
    ],
)
async def test_of_clock_and_grace_the_first_that_is_over_is_the_cause(
    move_ms: int, is_there: bool, cause: Cause
) -> None:
    """Though both are over by the time somebody looks."""
    sitting = await sitting_of(ALICE, BOB, terms=Terms(move_ms=move_ms, grace_ms=GRACE_MS))
    sitting.now_ms += 1_000
    if is_there:
        seen(sitting, ALICE)
    sitting.now_ms += 100 * GRACE_MS
    sitting.expire()
    assert causes(sitting) == [cause, Cause.NONE]


async def test_who_is_there_and_does_not_answer_is_late_and_not_away() -> None:
    sitting = await sitting_of(ALICE, BOB, terms=Terms(move_ms=10 * GRACE_MS, grace_ms=GRACE_MS))
    for _ in range(20):
        sitting.now_ms += GRACE_MS // 2
        seen(sitting, ALICE)
        assert sitting.expire() == []
    sitting.now_ms += 1
    assert outline(sitting.expire()) == [("TIME_OUT", 0)]


async def test_those_who_go_out_together_are_equals_whatever_they_go_out_for() -> None:
    sitting = await at_the_bids(
        ALICE, BOB, CAROL, DAVE, terms=Terms(move_ms=GRACE_MS + NOTICED_MS + 5, grace_ms=GRACE_MS)
    )
    accepted(sitting.submit(DAVE, BID_1))
    sitting.now_ms += 10
    seen(sitting, BOB)
    sitting.now_ms += GRACE_MS + NOTICED_MS
    assert outline(sitting.expire())[:3] == [("DISCONNECTION", 0), ("TIME_OUT", 1), ("DISCONNECTION", 2)]
    assert causes(sitting) == [Cause.DISCONNECTED, Cause.TIMED_OUT, Cause.DISCONNECTED, Cause.NONE]
    assert ranks(sitting) == ("LAST_SEAT", (2, 2, 2, 1))


async def test_who_is_away_from_several_seats_loses_those_that_are_asked() -> None:
    sitting = await sitting_of(ALICE, BOB, ALICE, terms=GRACE)
    for who, seat in ((ALICE, 0), (BOB, 1), (ALICE, 2)):
        accepted(sitting.submit(who, TAKE_1, KEEP, seat=seat))
    seen(sitting, BOB)
    sitting.now_ms += GRACE_MS + NOTICED_MS + 1
    seen(sitting, BOB)
    assert outline(sitting.expire())[:2] == [("DISCONNECTION", 0), ("DISCONNECTION", 2)]
    assert ranks(sitting) == ("LAST_SEAT", (2, 1, 2))


async def test_a_sign_of_life_is_one_for_all_seats() -> None:
    sitting = await sitting_of(ALICE, BOB, ALICE, terms=GRACE)
    accepted(sitting.submit(ALICE, TAKE_1, KEEP, seat=0))
    accepted(sitting.submit(BOB, TAKE_1, KEEP))
    sitting.now_ms += GRACE_MS
    seen(sitting, ALICE)
    sitting.now_ms += GRACE_MS + NOTICED_MS
    assert sitting.expire() == []


async def test_an_outage_is_charged_to_nobody() -> None:
    sitting = await sitting_of(ALICE, BOB, terms=GRACE)
    sitting.outages = ((START_MS + 5_000, START_MS + 3_605_000),)
    sitting.now_ms = OVER_MS + 3_600_000
    assert sitting.expire() == []
    sitting.now_ms += 1
    assert outline(sitting.expire()) == [("DISCONNECTION", 0)]


async def test_without_a_grace_nobody_is_away() -> None:
    sitting = await sitting_of(ALICE, BOB)
    sitting.now_ms += 1_000_000_000
    assert (sitting.expire(), sitting.snapshot.next_deadline_ms(sitting.moment)) == ([], None)


async def test_who_went_out_is_told_so() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=GRACE)
    sitting.now_ms = OVER_MS + 1
    sitting.expire()
    refusal = sitting.submit(ALICE, TAKE_0)
    assert not isinstance(refusal, Answer)
    assert (refusal.reason, refusal.metadata) == (Reason.SEAT_OUT, {"cause": "DISCONNECTED"})


class Played:
    """A random match of players who come and go; who is out must have been away for longer than the grace."""

    def __init__(self, rng: random.Random, sitting: Sitting, grace_ms: int, noticed_ms: int) -> None:
        self._rng, self._sitting, self._grace_ms, self._noticed_ms = rng, sitting, grace_ms, noticed_ms
        self._last = dict.fromkeys(range(len(sitting.snapshot.head.seats)), START_MS)
        self._asked = dict.fromkeys(sitting.to_act, START_MS)
        self.seen = Counter[str]()

    def play(self) -> None:
        while self._sitting.snapshot.course.status == Status.ACTIVE:
            self._let_time_pass()
            self._rng.choice((self._look, self._look, self._answer, self._sign, self._sign))()
            due = self._sitting.to_act
            self._asked = {seat: self._asked.get(seat, self._sitting.now_ms) for seat in due}

    def _let_time_pass(self) -> None:
        sitting = self._sitting
        sitting.now_ms += self._rng.choice((0, 1, 200, 500, 900, 1_300))
        if self._rng.random() < 0.05:
            sitting.outages += ((sitting.now_ms, sitting.now_ms + 3_000),)
            sitting.now_ms += 3_000

    def _look(self) -> None:
        """The away are out, and only they."""
        since = {seat: max(asked_ms, self._last[seat]) for seat, asked_ms in self._asked.items()}
        sitting = self._sitting
        away = {seat: passed(at_ms, sitting.now_ms, sitting.outages) for seat, at_ms in since.items()}
        gone = {entry.seat for entry in sitting.expire() if entry.step == 8}
        assert gone == {seat for seat, ms in away.items() if ms > self._grace_ms + self._noticed_ms}
        assert all(away[seat] > self._grace_ms for seat in gone)
        self.seen["out"] += len(gone)
        self.seen["stays although it was away"] += any(ms > self._grace_ms // 2 for ms in away.values()) and not gone

    def _answer(self) -> None:
        seat = self._rng.choice(self._sitting.to_act)
        self._sign(seat)
        legal = self._sitting.snapshot.game.legal_moves(self._sitting.snapshot.state, seat)
        accepted(self._sitting.submit(PEOPLE[seat], self._rng.choice(legal)))
        self._asked.pop(seat)

    def _sign(self, seat: int | None = None) -> None:
        who = self._rng.randrange(len(self._last)) if seat is None else seat
        seen(self._sitting, PEOPLE[who])
        self._last[who] = self._sitting.now_ms


async def test_nobody_is_out_within_the_grace_of_its_last_sign_of_life() -> None:
    """And everybody who stays away is, when that may have been noticed."""
    found = Counter[str]()
    for number in range(MATCHES):
        rng = random.Random(number)
        people: list[Principal] = list(PEOPLE[: rng.randrange(2, 5)])
        grace_ms = rng.choice((500, 2_000))
        played = Played(rng, await sitting_of(*people, rounds=3, terms=Terms(grace_ms=grace_ms)), grace_ms, 1_000)
        played.play()
        found += played.seen
    assert min(found["out"], found["stays although it was away"]) > 10
