"""What a player has been told: each decision once, ends once, and nothing is kept of what is over."""

import pytest

from referee.table.ids import Principal
from referee.table.session import Ledger, News
from referee.table.snapshot import Snapshot
from tests.table.pebbles import BID_0, KEEP, TAKE_1
from tests.table.sitting import ALICE, BOB, CAROL, STRANGER, Sitting, accepted, sitting_of

Asked = list[tuple[int | None, int]]


def told(ledger: Ledger, snapshot: Snapshot, at_least: int = 0) -> News:
    """What the ledger's owner is told when a snapshot is looked at."""
    news = News()
    ledger.look(snapshot, news, at_least)
    return news


def asked(news: News) -> Asked:
    """The seats that are asked, each with its decision."""
    return [
        (seen.viewer, seen.snapshot.course.seats[seen.viewer].decisions)
        for seen in news.asked
        if seen.viewer is not None
    ]


def viewers(news: News) -> tuple[list[int | None], list[int | None]]:
    """Through whose eyes seats and ends are told."""
    return [seen.viewer for seen in news.seated], [seen.viewer for seen in news.ended]


def revision(snapshot: Snapshot) -> int:
    assert snapshot.header is not None
    return snapshot.header.revision


def turn(sitting: Sitting, who: Principal, seat: int | None = None) -> None:
    """Takes a pebble and keeps it."""
    for move in (TAKE_1, KEEP):
        accepted(sitting.submit(who, move, seat=seat))


async def test_each_decision_is_told_once() -> None:
    """Whatever else happens in the match meanwhile, and however often it is looked at."""
    sitting, ledger = await sitting_of(ALICE, BOB), Ledger(ALICE)
    seen = list[Asked]()
    for move in (None, TAKE_1, KEEP, None):
        if move is not None:
            accepted(sitting.submit(ALICE, move))
        seen.append(asked(told(ledger, sitting.snapshot)))
        assert not told(ledger, sitting.snapshot)
    assert seen == [[(0, 0)], [(0, 1)], [], []]
    turn(sitting, BOB)
    assert asked(told(ledger, sitting.snapshot)) == [(0, 2)]
    accepted(sitting.submit(BOB, BID_0))
    assert not told(ledger, sitting.snapshot)


async def test_a_seat_is_told_once_before_it_is_asked() -> None:
    sitting, ledger = await sitting_of(None, BOB), Ledger(BOB)
    news = told(ledger, sitting.snapshot)
    assert (viewers(news), asked(news)) == (([1], []), [])
    accepted(sitting.join(ALICE))
    turn(sitting, ALICE)
    news = told(ledger, sitting.snapshot)
    assert (viewers(news), asked(news)) == (([], []), [(1, 0)])


async def test_who_holds_several_seats_is_told_and_asked_for_each() -> None:
    """They choose at the same time; when one has chosen the other is not asked anew."""
    sitting, ledger = await sitting_of(BOB, ALICE, ALICE, rounds=1), Ledger(ALICE)
    turn(sitting, BOB)
    turn(sitting, ALICE, seat=1)
    turn(sitting, ALICE, seat=2)
    news = told(ledger, sitting.snapshot)
    assert (viewers(news), sorted(asked(news))) == (([1, 2], []), [(1, 2), (2, 2)])
    accepted(sitting.submit(ALICE, BID_0, seat=2))
    assert not told(ledger, sitting.snapshot)
    accepted(sitting.submit(ALICE, BID_0, seat=1))
    accepted(sitting.submit(BOB, BID_0))
    news = told(ledger, sitting.snapshot)
    assert (viewers(news), asked(news)) == (([], [1, 2]), [])


async def test_an_older_snapshot_is_passed_over() -> None:
    """It comes late and shows a decision that has been told, or even made."""
    sitting, ledger = await sitting_of(ALICE, BOB), Ledger(ALICE)
    before = sitting.snapshot
    accepted(sitting.submit(ALICE, TAKE_1))
    between = sitting.snapshot
    assert asked(told(ledger, between)) == [(0, 1)]
    assert not told(ledger, before)
    accepted(sitting.submit(ALICE, KEEP))
    assert not told(ledger, sitting.snapshot)
    assert not told(ledger, between)
    assert ledger.told(sitting.match_id) == (revision(sitting.snapshot), 2)


async def test_what_the_store_has_lost_is_asked_again() -> None:
    """A snapshot that was read after a newer one had been told is the truth now."""
    sitting, ledger = await sitting_of(ALICE, BOB), Ledger(ALICE)
    accepted(sitting.submit(ALICE, TAKE_1))
    kept = sitting.snapshot
    assert asked(told(ledger, kept)) == [(0, 1)]
    accepted(sitting.submit(ALICE, KEEP))
    assert not told(ledger, sitting.snapshot)
    newest = ledger.told(sitting.match_id)[0]
    assert asked(told(ledger, kept, at_least=newest)) == [(0, 1)]
    assert ledger.told(sitting.match_id) == (revision(kept), 1)
    assert not told(ledger, kept, at_least=revision(kept))


async def test_an_end_is_told_once_and_then_forgotten() -> None:
    sitting, ledger = await sitting_of(ALICE, BOB), Ledger(ALICE)
    told(ledger, sitting.snapshot)
    assert ledger.matches() == {sitting.match_id}
    late = sitting.snapshot
    accepted(sitting.resign(BOB))
    assert viewers(told(ledger, sitting.snapshot)) == ([], [0])
    assert (ledger.matches(), ledger.told(sitting.match_id)) == (set(), (0, -1))
    assert not told(ledger, sitting.snapshot)
    assert viewers(told(ledger, late)) == ([0], [])  # nothing is remembered; who has the newest reads no older one


async def test_who_has_resigned_is_told_the_end() -> None:
    sitting, ledger = await sitting_of(ALICE, BOB, CAROL), Ledger(BOB)
    told(ledger, sitting.snapshot)
    accepted(sitting.resign(BOB))
    assert not told(ledger, sitting.snapshot)
    accepted(sitting.resign(CAROL))
    assert viewers(told(ledger, sitting.snapshot)) == ([], [1])


async def test_an_end_is_told_only_to_who_has_heard_of_the_match() -> None:
    sitting, ledger = await sitting_of(ALICE, BOB), Ledger(ALICE)
    accepted(sitting.resign(BOB))
    assert not told(ledger, sitting.snapshot)


@pytest.mark.parametrize("over", [True, False])
async def test_a_match_that_was_missed_is_told_as_it_is(over: bool) -> None:
    """Its end, or else what it asks; an end that comes then is told once."""
    sitting, ledger = await sitting_of(ALICE, BOB), Ledger(ALICE)
    if over:
        accepted(sitting.resign(BOB))
    ledger.expect([sitting.match_id])
    news = told(ledger, sitting.snapshot)
    assert (viewers(news), asked(news)) == ((([], [0]), []) if over else (([0], []), [(0, 0)]))
    if not over:
        accepted(sitting.resign(BOB))
        assert viewers(told(ledger, sitting.snapshot)) == ([], [0])
    assert not told(ledger, sitting.snapshot)
    assert ledger.matches() == set()


@pytest.mark.parametrize("over", [True, False])
async def test_a_match_of_others_tells_nothing_and_is_forgotten(over: bool) -> None:
    sitting, ledger = await sitting_of(ALICE, BOB), Ledger(STRANGER)
    if over:
        accepted(sitting.resign(BOB))
    ledger.expect([sitting.match_id])
    assert not told(ledger, sitting.snapshot)
    assert ledger.matches() == set()


async def test_a_match_that_is_gone_is_forgotten_without_a_word() -> None:
    """If it can be read again it is new."""
    sitting, ledger = await sitting_of(ALICE, BOB), Ledger(ALICE)
    ledger.expect([sitting.match_id])
    told(ledger, sitting.snapshot)
    ledger.forget(sitting.match_id)
    assert ledger.matches() == set()
    news = told(ledger, sitting.snapshot)
    assert (viewers(news), asked(news)) == (([0], []), [(0, 0)])
