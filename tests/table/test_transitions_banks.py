"""Banks over whole matches, beside a naive book-keeper."""

import random
from collections import Counter

import pytest

from referee.core.errors import RefereeError
from referee.table.clocks import Terms
from referee.table.ids import Principal
from referee.table.snapshot import Cause, Status, Step
from referee.table.transitions import Answer
from tests.table.bookkeeper import BookKeeper
from tests.table.pebbles import BID, BID_0, DRAW, KEEP, LOOK, PUT_LOW, STEPS, TAKE, TAKE_0, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, PEOPLE, START_MS, Sitting, accepted, refused, sitting_of

MATCHES = 40
BANK = Terms(bank_ms=100, increment_ms=30, margin_ms=10)


def bank(sitting: Sitting, seat: int) -> int:
    """What everybody sees in a seat's bank."""
    return sitting.snapshot.bank_ms(seat, sitting.moment)


async def test_an_answer_costs_its_time_beyond_the_margin_and_earns_the_increment() -> None:
    sitting = await sitting_of(ALICE, BOB, terms=BANK)
    sitting.now_ms += 50
    accepted(sitting.submit(ALICE, TAKE_0))
    assert [bank(sitting, seat) for seat in (0, 1)] == [90, 100]
    sitting.now_ms += 10
    accepted(sitting.submit(ALICE, KEEP))
    assert [bank(sitting, seat) for seat in (0, 1)] == [120, 100]


async def test_the_whole_bank_and_the_margin_may_be_used() -> None:
    """What is left then is the increment alone."""
    sitting = await sitting_of(ALICE, BOB, terms=BANK)
    sitting.now_ms += 110
    accepted(sitting.submit(ALICE, TAKE_0))
    assert bank(sitting, 0) == 30
    sitting.now_ms += 40
    accepted(sitting.submit(ALICE, KEEP))
    assert bank(sitting, 0) == 30


async def test_an_empty_bank_leaves_the_margin() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=Terms(bank_ms=100, margin_ms=10))
    sitting.now_ms += 110
    accepted(sitting.submit(ALICE, TAKE_0))
    sitting.now_ms += 10
    accepted(sitting.submit(ALICE, KEEP))
    assert (bank(sitting, 0), bank(sitting, 1)) == (0, 100)
    for who in (BOB, CAROL):
        accepted(sitting.submit(who, TAKE_0, KEEP))
    assert sitting.snapshot.deadline_ms(0, sitting.moment) == sitting.now_ms + 10
    sitting.now_ms += 11
    assert refused(sitting.submit(ALICE, BID_0)).metadata == {"cause": "TIMED_OUT"}


async def test_of_those_who_choose_at_the_same_time_each_has_the_time_of_its_own_bank() -> None:
    """Bob has a millisecond more, and that is when it is now."""
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=Terms(bank_ms=100))
    for who, thought_ms in ((ALICE, 31), (BOB, 30), (CAROL, 0)):
        sitting.now_ms += thought_ms
        accepted(sitting.submit(who, TAKE_0, KEEP))
    sitting.now_ms += 70
    assert [entry.seat for entry in sitting.expire() if entry.step == Step.TIME_OUT] == [0]
    accepted(sitting.submit(BOB, BID_0))
    assert (bank(sitting, 1), bank(sitting, 2)) == (0, 100)


async def test_moves_of_one_call_are_one_answer() -> None:
    sitting = await sitting_of(ALICE, BOB, terms=BANK)
    sitting.now_ms += 50
    accepted(sitting.submit(ALICE, TAKE_0, KEEP))
    assert bank(sitting, 0) == 90


async def test_refusals_and_others_cost_nothing() -> None:
    """The time of a refused answer counts when the question is answered at last, once."""
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=BANK)
    sitting.now_ms += 30
    refused(sitting.submit(ALICE, BID_0))
    refused(sitting.submit(BOB, TAKE_0))
    assert [bank(sitting, seat) for seat in range(3)] == [100, 100, 100]
    sitting.now_ms += 30
    accepted(sitting.submit(ALICE, TAKE_0))
    refused(sitting.submit(ALICE, BID_0))
    assert [bank(sitting, seat) for seat in range(3)] == [80, 100, 100]


async def test_an_outage_costs_nothing_although_it_becomes_known_after_the_answer() -> None:
    """The replica that takes the answer does not know of it yet; the one that writes next does."""
    sitting = await sitting_of(ALICE, BOB, terms=Terms(bank_ms=10_000))
    sitting.now_ms += 6_000
    accepted(sitting.submit(ALICE, TAKE_0))
    sitting.outages = ((START_MS + 500, START_MS + 5_500),)
    sitting.now_ms += 100
    accepted(sitting.submit(ALICE, KEEP))
    assert bank(sitting, 0) == 10_000 - 1_000 - 100


async def test_whoever_goes_out_keeps_what_was_in_the_bank() -> None:
    sitting = await sitting_of(ALICE, BOB, CAROL, terms=BANK)
    accepted(sitting.submit(ALICE, TAKE_0))
    sitting.now_ms += 141
    assert sitting.expire()[0].step == Step.TIME_OUT
    assert bank(sitting, 0) == 130


def random_terms(rng: random.Random) -> Terms:
    kind = rng.randrange(3)
    return Terms(
        move_ms=rng.choice((20, 60)) if kind != 1 else 0,
        bank_ms=rng.choice((30, 100, 300)) if kind else 0,
        increment_ms=rng.choice((0, 5, 40)) if kind else 0,
        margin_ms=rng.choice((0, 3, 15)),
        illegal_moves=rng.choice((-1, 0, 1)),
    )


class Played:
    """A random match, played beside a book-keeper that must agree after everything that happens."""

    def __init__(self, rng: random.Random, sitting: Sitting) -> None:
        self._rng, self._sitting = rng, sitting
        terms = sitting.snapshot.head.terms
        self._books = BookKeeper(terms, [terms.bank_ms] * len(sitting.snapshot.head.seats))
        self.seen = Counter[str]()

    def play(self) -> None:
        self._agree()
        while self._sitting.snapshot.course.status == Status.ACTIVE:
            self._let_time_pass()
            self._rng.choice((self._answer, self._answer, self._answer, self._refused, self._look))()
            self._agree()

    def _let_time_pass(self) -> None:
        sitting = self._sitting
        if self._rng.random() < 0.1:
            away_ms = self._rng.choice((1, 40, 400))
            sitting.outages += ((sitting.now_ms, sitting.now_ms + away_ms),)
            sitting.now_ms += away_ms
            self.seen["outage"] += 1
        sitting.now_ms += self._rng.choice((0, 1, 2, 5, 10, 20, 30, 40))

    def _answer(self) -> None:
        sitting, seat = self._sitting, self._rng.choice(self._sitting.to_act)
        late = self._books.late(sitting.now_ms, sitting.outages)
        step = sitting.snapshot.state.step
        moves = [self._rng.choice([move for move in STEPS[step] if move not in (DRAW, PUT_LOW)])]
        if step == TAKE and self._rng.random() < 0.5:
            moves.append(KEEP)
        outcome = sitting.submit(PEOPLE[seat], *moves)
        if seat in late:
            self._all_out(late, outcome)
        else:
            assert isinstance(outcome, Answer)
            self._books.answer(seat, sitting.now_ms, sitting.outages)
            self.seen["answer"] += 1

    def _refused(self) -> None:
        """A stale or illegal move; nothing is settled by it, unless it is too late or one too many."""
        sitting, seat = self._sitting, self._rng.choice(self._sitting.to_act)
        late, tried = self._books.late(sitting.now_ms, sitting.outages), self._tried(seat)
        illegal = self._rng.random() < 0.5
        outcome = sitting.submit(PEOPLE[seat], PUT_LOW, decision=None if illegal else 99)
        if seat in late:
            self._all_out(late, outcome)
        elif illegal and tried == sitting.snapshot.head.terms.illegal_moves:
            self._books.out.add(seat)
            self.seen["one too many"] += 1

    def _look(self) -> None:
        late = self._books.late(self._sitting.now_ms, self._sitting.outages)
        entries = self._sitting.expire()
        assert [entry.seat for entry in entries if entry.step == Step.TIME_OUT] == late
        self._books.out.update(late)
        self.seen["looked in vain"] += not late

    def _all_out(self, late: list[int], outcome: object) -> None:
        assert isinstance(outcome, RefereeError)
        self._books.out.update(late)
        self.seen["late"] += 1

    def _tried(self, seat: int) -> int:
        return self._sitting.snapshot.course.seats[seat].illegal_moves

    def _agree(self) -> None:
        sitting, snapshot = self._sitting, self._sitting.snapshot
        seats = range(len(snapshot.head.seats))
        self._books.ask(sitting.to_act, [sitting.decision(seat) for seat in seats], sitting.now_ms)
        assert {seat for seat in seats if snapshot.course.seats[seat].cause != Cause.NONE} == self._books.out
        assert [bank(sitting, seat) for seat in seats] == self._books.banks
        deadlines = [snapshot.deadline_ms(seat, sitting.moment) for seat in seats]
        assert deadlines == [self._books.deadline(seat, sitting.outages) for seat in seats]


async def test_banks_deadlines_and_offenders_are_those_of_the_book_keeper() -> None:
    seen = Counter[str]()
    for number in range(MATCHES):
        rng = random.Random(number)
        players: list[Principal] = list(PEOPLE[: rng.randrange(2, 5)])
        played = Played(rng, await sitting_of(*players, rounds=3, terms=random_terms(rng)))
        played.play()
        seen += played.seen
    assert {kind for kind, times in seen.items() if times > 10} == {
        "answer",
        "late",
        "looked in vain",
        "one too many",
        "outage",
    }


@pytest.mark.parametrize("seats", [2, 3, 4])
async def test_a_match_of_quick_players_is_played_to_its_end(seats: int) -> None:
    sitting = await sitting_of(*PEOPLE[:seats], terms=Terms(bank_ms=50, increment_ms=1, margin_ms=1))
    while sitting.to_act:
        sitting.now_ms += 2
        accepted(
            sitting.submit(
                PEOPLE[sitting.to_act[0]], {TAKE: TAKE_1, LOOK: KEEP, BID: BID_0}[sitting.snapshot.state.step]
            )
        )
    end = sitting.snapshot.course.end
    assert end is not None
    assert end.reason == "COMPLETED"
