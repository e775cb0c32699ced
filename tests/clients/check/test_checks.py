"""What becomes of a check, whatever it does; and what all checks have in common."""

import asyncio
import re
from typing import Never

import pytest

from artreferee.v1 import match_pb2
from clients.check import reasons, subject, suite
from clients.check.checks import (
    Act,
    CheckFailedError,
    CheckSkippedError,
    Outcome,
    alike,
    check,
    equal,
    verdict_of,
    within,
)
from clients.check.subject import NoRefereeError, Subject
from referee.api.servicer import Servicer
from referee.games import registry
from referee.store.memory import MemoryStore
from referee.table.matches import Limits
from referee.table.table import Table
from tests.api.contract import documented_reasons
from tests.clients.check.faulty import GAMES, listening, serving

NOT_FROM_OUTSIDE = {"CONTENTION", "STORE_UNAVAILABLE", "DRAINING", "SNAPSHOT_UNREADABLE", "INTERNAL"}
UP_TO_THE_OPERATOR = {"CREATION_RESTRICTED", "RATE_LIMITED", "QUOTA_EXCEEDED", "OVERLOADED"}


async def verdict(act: Act) -> tuple[Outcome, str]:
    """How a check of no referee goes."""
    judged = await verdict_of(check(act), Subject("127.0.0.1:1"))
    return judged.outcome, judged.words


async def test_a_check_that_returns_is_ok() -> None:
    async def act(subject: Subject) -> None:
        equal("one", 1, 1)

    assert await verdict(act) == (Outcome.OK, "")


async def test_a_claim_that_does_not_hold_is_told_with_both_values() -> None:
    async def act(subject: Subject) -> None:
        equal("the version", 3, 4)

    assert await verdict(act) == (Outcome.FAILED, "the version is 3, expected 4")


async def test_a_check_can_be_skipped() -> None:
    async def act(subject: Subject) -> None:
        raise CheckSkippedError("there is no such ruleset")

    assert await verdict(act) == (Outcome.SKIPPED, "there is no such ruleset")


async def test_any_exception_is_a_failure_in_words() -> None:
    async def act(subject: Subject) -> None:
        [][0]

    assert await verdict(act) == (Outcome.FAILED, "the answers make no sense: IndexError: list index out of range")


async def test_of_several_exceptions_the_first_is_told() -> None:
    async def act(subject: Subject) -> None:
        async def fail() -> Never:
            raise CheckFailedError("it is so")

        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            group.create_task(fail())

    assert await verdict(act) == (Outcome.FAILED, "it is so")


async def test_a_referees_words_are_kept_from_the_terminal() -> None:
    async def act(subject: Subject) -> None:
        raise CheckFailedError("\x1b[2Jgone\nand done")

    assert await verdict(act) == (Outcome.FAILED, " [2Jgone and done")


async def test_a_check_that_hangs_is_ended() -> None:
    async def act(subject: Subject) -> None:
        await asyncio.Event().wait()

    judged = await verdict_of(within(0.01)(act), Subject("127.0.0.1:1"))
    assert (judged.outcome, judged.words) == (Outcome.FAILED, "it took longer than 0.01 s")


def test_of_two_messages_the_first_field_that_differs_is_told() -> None:
    one, other = match_pb2.Match(match_id="m", version=3), match_pb2.Match(match_id="m", version=3)
    one.view.classic_art.season, other.view.classic_art.season = 1, 2
    alike("the match", one, one)
    with pytest.raises(CheckFailedError, match=r"^the match has view\.classic_art\.season 1, expected 2$"):
        alike("the match", one, other)


def test_fields_outside_of_the_contract_make_a_difference() -> None:
    one = match_pb2.Match.FromString(b"\xba\x3e\x01x")
    with pytest.raises(CheckFailedError, match="fields that the contract does not know"):
        alike("the match", one, match_pb2.Match())


def test_every_check_claims_one_sentence() -> None:
    names = [one.full_name for one in suite.CHECKS]
    assert len(names) == len(set(names))
    for one in suite.CHECKS:
        assert one.claim.endswith("."), one.full_name
        assert not re.search(r"\. [A-Z]", one.claim), one.full_name


def test_reasons_are_documented_as_in_the_contract() -> None:
    """All that can be provoked from outside; the others need a store that fails, a replica that stops, or settings."""
    said = documented_reasons()
    assert reasons.DOCUMENTED.keys() == said.keys() - NOT_FROM_OUTSIDE - UP_TO_THE_OPERATOR
    for name, documented in reasons.DOCUMENTED.items():
        assert documented.code.name == said[name].code
        assert documented.metadata == said[name].metadata
        assert documented.with_bad_request == said[name].with_bad_request
        assert not said[name].with_retry_info


async def test_every_reason_is_provoked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each documented reason is required of some call by the checks, and our own service gives them all."""
    provoked = set[str]()

    class Noted(dict[str, reasons.Documented]):
        def __getitem__(self, reason: str) -> reasons.Documented:
            provoked.add(reason)
            return super().__getitem__(reason)

    monkeypatch.setattr(reasons, "DOCUMENTED", Noted(reasons.DOCUMENTED))
    async with serving(Servicer(Table(MemoryStore(), registry()))) as address:
        checks = suite.chosen(["errors", "refusals", "records.a_record_waits_for_its_release", "sessions"])
        checks += suite.chosen(["records.a_record_waits_for_the_end"])
        async for judged in suite.verdicts(address, checks):
            assert judged.outcome is Outcome.OK, judged.words
    assert provoked == set(reasons.DOCUMENTED)


async def test_rules_that_are_not_known_here_are_checked_as_far_as_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what takes rules of our own is skipped."""
    monkeypatch.setattr(subject, "wires", dict)
    async with serving(Servicer(Table(MemoryStore(), GAMES))) as address:
        verdicts = [judged async for judged in suite.verdicts(address, suite.CHECKS)]
    assert [judged for judged in verdicts if judged.outcome is Outcome.FAILED] == []
    assert {judged.check.full_name for judged in verdicts if judged.outcome is Outcome.SKIPPED} == {
        "contract.several_moves_go_in_one_call",
        "play.play_shows_what_the_rules_allow",
        "records.a_record_replays",
        "records.the_checksum_is_right",
        "redaction.events_are_what_the_rules_allow",
        "redaction.prompts_are_what_the_rules_allow",
        "redaction.views_are_what_the_rules_allow",
        "refusals.a_refused_call_changes_nothing",
        "refusals.moves_after_a_reveal",
        "sessions.moves_of_one_request_are_played_in_order",
        "streams.silent_streams_live",
    }


async def test_a_heartbeat_is_waited_for_when_asked() -> None:
    [silent] = suite.chosen(["streams.silent_streams_live"])
    table = Table(MemoryStore(), registry(), Limits(heartbeat_s=0.05))
    async with serving(Servicer(table)) as address:
        outcomes = [judged.outcome async for judged in suite.verdicts(address, [silent], heartbeat_s=5.0)]
        outcomes += [judged.outcome async for judged in suite.verdicts(address, [silent])]
    assert outcomes == [Outcome.OK, Outcome.SKIPPED]


async def test_a_heartbeat_that_does_not_come_is_noticed() -> None:
    [silent] = suite.chosen(["streams.silent_streams_live"])
    async with serving(Servicer(Table(MemoryStore(), registry()))) as address:
        [judged] = [judged async for judged in suite.verdicts(address, [silent], heartbeat_s=0.05)]
    assert (judged.outcome, judged.words) == (Outcome.FAILED, "WatchMatch sent nothing within 0.05 s")


async def test_a_server_that_is_no_referee_is_refused() -> None:
    async with listening() as address:
        with pytest.raises(
            NoRefereeError, match=f"no referee answers at {address}: ListRulesets is refused with UNIMPL"
        ):
            async with Subject(address):
                raise AssertionError("it was entered")
