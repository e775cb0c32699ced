"""The audit finds what it is there to find."""

import pytest

from clients.sdk import Principal
from referee.table.snapshot import Actor, Entry, Step
from tests.soak.audit import doubled, lost, out_of_order
from tests.soak.players import Kind, Move, Played, Span, options_of

LOG = [
    Entry(Step.JOIN, 1),
    Entry(Step.MOVE, 0, decision=0, move=7),
    Entry(Step.RESIGNATION, 1),
    Entry(Step.MOVE, 1, decision=0, move=3, actor=Actor.AUTOPILOT),
    Entry(Step.MOVE, 0, decision=1, move=8, ended=True),
]
MOVES = [Move(0, 0, 2, 7, None), Move(0, 1, 5, 8, None)]


def played(moves: list[Move]) -> Played:
    """The match of the log, as its players remember it."""
    kind = Kind("classic_art", options_of("classic_art", 1), 2)
    return Played(kind, Principal(bytes(32)), on_release=False, moves=moves, joins=[(1, 1)], resignations=[(1, 3)])


def test_a_log_that_holds_what_was_told_is_right() -> None:
    assert [*lost(played(MOVES), LOG), *doubled(played(MOVES), LOG)] == []


@pytest.mark.parametrize(
    "log",
    [LOG[:4], LOG[1:], [*LOG[:1], Entry(Step.MOVE, 0, decision=0, move=6), *LOG[2:]], [*LOG[:2], *LOG[3:], LOG[2]]],
    ids=["the last is missing", "the first is missing", "another move", "another place"],
)
def test_what_was_acknowledged_and_is_not_in_the_log_is_lost(log: list[Entry]) -> None:
    assert list(lost(played(MOVES), log)) != []


@pytest.mark.parametrize(
    "log",
    [[*LOG, LOG[4]], [LOG[0], *LOG], [*LOG, Entry(Step.MOVE, 0, decision=2, move=1)]],
    ids=["move", "join", "new"],
)
def test_what_is_in_the_log_more_often_than_it_was_told_is_doubled(log: list[Entry]) -> None:
    assert list(doubled(played(MOVES), log)) != []


def test_a_decision_that_was_accepted_twice_is_doubled() -> None:
    assert list(doubled(played([*MOVES, Move(0, 1, 5, 9, None)]), LOG)) != []


@pytest.mark.parametrize(
    "spans",
    [
        [Span(0.0, 1.0, 1, True), Span(2.0, 3.0, 2, True), Span(4.0, 5.0, 2, False)],
        [Span(0.0, 9.0, 3, True), Span(1.0, 2.0, 1, True), Span(3.0, 4.0, 2, True)],
        [Span(0.0, 2.0, 2, True), Span(1.0, 3.0, 1, True), Span(1.0, 4.0, 0, False)],
    ],
    ids=["one after the other", "one during two", "at the same time in any order"],
)
def test_calls_that_can_be_put_in_an_order_are_in_order(spans: list[Span]) -> None:
    assert list(out_of_order(spans)) == []


@pytest.mark.parametrize(
    "spans",
    [
        [Span(0.0, 1.0, 2, True), Span(2.0, 3.0, 1, True)],
        [Span(0.0, 1.0, 2, True), Span(2.0, 3.0, 1, False)],
        [Span(0.0, 1.0, 2, False), Span(2.0, 3.0, 2, True)],
        [Span(0.0, 2.0, 1, True), Span(1.0, 3.0, 1, True)],
    ],
    ids=["an earlier version later", "an old version read", "a version that was read is told", "one version twice"],
)
def test_calls_that_cannot_be_put_in_an_order_are_out_of_order(spans: list[Span]) -> None:
    assert list(out_of_order(spans)) != []
