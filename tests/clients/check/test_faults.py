"""Each planted fault is noticed by the checks whose claim it breaks, and by no others; the suite goes on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pytest

from clients.check import calls, suite
from clients.check.checks import Check, Outcome
from referee.api import errors, requests, responses
from referee.api.servicer import Servicer
from referee.core.errors import Reason
from referee.core.seeding import commitment
from referee.store.memory import MemoryStore
from referee.store.notices import Called
from referee.table import deal, matches, presence, session, snapshot, transitions
from referee.table.session import Ledger
from referee.table.table import Table
from tests.clients.check import faulty
from tests.clients.check.faulty import GAMES, Lenient, Nonsense, listening, serving

Plant = Callable[[pytest.MonkeyPatch], Sequence[Servicer]]


def at_the_table(kind: type[Table]) -> Plant:
    return lambda _: [Servicer(kind(MemoryStore(), GAMES))]


def in_the_service(kind: type[Servicer], replicas: int = 1) -> Plant:
    def plant(_: pytest.MonkeyPatch) -> Sequence[Servicer]:
        store = MemoryStore()
        return [kind(Table(store, GAMES)) for _ in range(replicas)]

    return plant


def replaced(where: object, name: str, what: object) -> Plant:
    def plant(monkeypatch: pytest.MonkeyPatch) -> Sequence[Servicer]:
        monkeypatch.setattr(where, name, what)
        return [Servicer(Table(MemoryStore(), GAMES))]

    return plant


def everything_is_legal(_: pytest.MonkeyPatch) -> Sequence[Servicer]:
    return [Servicer(Table(MemoryStore(), {name: Lenient(game) for name, game in GAMES.items()}))]


@dataclass(frozen=True, slots=True)
class Fault:
    """How to plant a fault, the checks that must notice it, and whether they wait for what never comes."""

    plant: Plant
    noticed_by: frozenset[str]
    silent: bool = False


def fault(plant: Plant, *noticed_by: str, silent: bool = False) -> Fault:
    return Fault(plant, frozenset(noticed_by), silent)


FAULTS: Final[Mapping[str, Fault]] = {
    "a repeated move is played twice": fault(
        at_the_table(faulty.PlaysRepeatedMovesTwice),
        "idempotency.moves",
        "idempotency.another_request_under_a_used_id",
        "idempotency.refusals",
        "clocks.illegal_moves_are_borne_so_often",
        "refusals.the_order_of_checks_with_a_used_request_id",
        "sessions.a_move_is_one_over_play_and_submit_move",
    ),
    "receipts of refusals are forgotten": fault(
        replaced(snapshot.Ring, "find", faulty.forgets_refusals),
        "idempotency.refusals",
        "clocks.illegal_moves_are_borne_so_often",
    ),
    "a repeated creation makes another match": fault(
        at_the_table(faulty.CreatesAnew), "idempotency.creations", "idempotency.another_creation_under_a_used_id"
    ),
    "a spectator sees a hand": fault(
        in_the_service(faulty.ShowsAHand),
        "redaction.a_spectator_sees_no_hand",
        "redaction.views_are_what_the_rules_allow",
        "streams.streams_agree_with_calls",
    ),
    "a mover sees another's hand": fault(
        in_the_service(faulty.ShowsTheNextHand),
        "redaction.views_are_what_the_rules_allow",
        "streams.streams_agree_with_calls",
    ),
    "the seed is shown": fault(
        in_the_service(faulty.ShowsTheSeed),
        "redaction.secrets_stay_secret",
        "redaction.what_is_public_is_the_same_for_all",
        "sessions.open_prompts_are_told_again",
        "streams.streams_agree_with_calls",
        "streams.the_newest_update_shows_the_match",
    ),
    "a bot seed is told to everybody": fault(
        replaced(responses, "introduced", faulty.tells_a_bot_seed), "redaction.bot_seeds_are_told_to_the_holder_alone"
    ),
    "a private event goes to everybody": fault(
        replaced(responses, "_game_events", faulty.tells_everything),
        "redaction.private_events_are_told_to_their_seat",
        "redaction.events_are_what_the_rules_allow",
    ),
    "a stale decision is accepted": fault(
        at_the_table(faulty.TakesStaleDecisions),
        "refusals.answers_to_another_decision",
        "refusals.the_order_of_checks",
        "concurrency.moves_for_one_decision",
        "idempotency.moves",
        "idempotency.another_request_under_a_used_id",
        "sessions.refused_moves_leave_the_stream_open",
        "sessions.a_move_is_one_over_play_and_submit_move",
    ),
    "a reason has another code": fault(
        replaced(errors, "CODES", {**errors.CODES, Reason.NOT_TO_ACT: errors.CODES[Reason.STALE_DECISION]}),
        "refusals.moves_out_of_turn",
        "refusals.the_order_of_checks",
        "idempotency.refusals",
    ),
    "bad input is INTERNAL": fault(
        replaced(requests, "request_id_of", faulty.breaks_at_bad_request_ids),
        "errors.request_ids",
    ),
    "unknown fields are taken": fault(
        replaced(requests, "parse", faulty.takes_unknown_fields),
        "errors.unknown_fields",
        "sessions.wrong_requests_end_the_stream",
        silent=True,
    ),
    "a watcher misses a version": fault(
        in_the_service(faulty.SkipsUpdates),
        "streams.each_version_is_told_once",
        "streams.streams_resume_after_any_version",
    ),
    "a watcher is told a version twice": fault(
        in_the_service(faulty.RepeatsUpdates),
        "streams.each_version_is_told_once",
        "streams.streams_resume_after_any_version",
    ),
    "a record is read before its release": fault(
        at_the_table(faulty.ReadsRecordsEarly),
        "records.a_record_waits_for_its_release",
        "records.only_the_host_releases",
    ),
    "a commitment is to another seed": fault(
        replaced(deal, "commitment", lambda match_id, _: commitment(match_id, bytes(32))),
        "records.the_seed_is_the_one_promised",
        "records.a_record_replays",
    ),
    "an illegal move is accepted": fault(
        everything_is_legal,
        "refusals.moves_that_are_illegal",
        "refusals.a_refused_call_changes_nothing",
        "refusals.the_order_of_checks",
        "sessions.refused_moves_leave_the_stream_open",
    ),
    "half of a refused call is played": fault(
        at_the_table(faulty.PlaysHalfOfACall),
        "refusals.moves_that_are_none",
        "refusals.a_refused_call_changes_nothing",
        "refusals.moves_after_a_reveal",
        "refusals.the_order_of_checks",
    ),
    "Play tells a prompt twice": fault(replaced(Ledger, "look", faulty.asks_twice), "play.each_prompt_is_told_once"),
    "Play does not tell open prompts again": fault(
        replaced(session, "Ledger", faulty.RemembersPlayers),
        "sessions.open_prompts_are_told_again",
        "sessions.a_newer_stream_takes_over",
        silent=True,
    ),
    "an older Play stream goes on": fault(
        replaced(Called, "hear", faulty.goes_on),
        "sessions.a_newer_stream_takes_over",
        silent=True,
    ),
    "time is never up": fault(
        replaced(matches, "expire", lambda *_: None),
        "clocks.who_is_late_goes_out",
        "clocks.who_stays_away_goes_out",
        "clocks.seats_that_nobody_takes_go_out",
        silent=True,
    ),
    "nobody is ever away": fault(
        replaced(snapshot.Snapshot, "grace_ends_ms", lambda *_: None), "clocks.who_stays_away_goes_out", silent=True
    ),
    "signs of life do not count": fault(
        replaced(presence.Presence, "sign", faulty.notes_nothing), "clocks.who_shows_a_sign_of_life_stays"
    ),
    "strangers see a private match": fault(
        replaced(snapshot.Snapshot, "is_hidden_from", lambda *_: False),
        "visibility.a_private_match_is_not_there_for_others",
        "visibility.open_seats_of_a_private_match_can_be_taken",
    ),
    "any number of illegal moves is borne": fault(
        replaced(transitions, "_FOUL", frozenset()), "clocks.illegal_moves_are_borne_so_often"
    ),
}
SOON_S: Final = 2.0


def planted_fault(name: str, monkeypatch: pytest.MonkeyPatch) -> Fault:
    """A fault; what never comes because of it is not waited for as long as a user would."""
    if FAULTS[name].silent:
        monkeypatch.setattr(calls, "ANSWERED_WITHIN_S", SOON_S)
    return FAULTS[name]


async def failed(address: str, checks: Sequence[Check]) -> dict[str, str]:
    """The checks that fail, and their words; all of them must have run."""
    verdicts = [verdict async for verdict in suite.verdicts(address, checks)]
    assert [verdict.check for verdict in verdicts] == list(checks)
    return {verdict.check.full_name: verdict.words for verdict in verdicts if verdict.outcome is Outcome.FAILED}


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_noticed_in_its_groups(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the groups that look at such things, exactly the checks that should notice it fail."""
    planted = planted_fault(name, monkeypatch)
    groups = sorted({check.partition(".")[0] for check in planted.noticed_by})
    async with serving(*planted.plant(monkeypatch)) as address:
        failures = await failed(address, suite.chosen(groups))
    assert failures.keys() == planted.noticed_by, failures


@pytest.mark.long
@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_noticed_by_no_other_check(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = planted_fault(name, monkeypatch)
    async with serving(*planted.plant(monkeypatch)) as address:
        failures = await failed(address, suite.CHECKS)
    assert failures.keys() == planted.noticed_by, failures


async def test_without_a_fault_nothing_fails() -> None:
    async with serving(Servicer(Table(MemoryStore(), GAMES))) as address:
        assert await failed(address, suite.CHECKS) == {}


async def test_a_replica_that_shows_what_it_remembers_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two replicas behind a balancer one shows an old version, whichever of the other checks meet that."""
    async with serving(*in_the_service(faulty.ShowsWhatItRemembers, replicas=2)(monkeypatch)) as address:
        failures = await failed(address, suite.chosen(["contract"]))
    assert "contract.reads_are_current" in failures


async def test_two_replicas_that_keep_the_contract_are_one_referee(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(*in_the_service(Servicer, replicas=2)(monkeypatch)) as address:
        assert await failed(address, suite.chosen(["contract", "idempotency", "concurrency"])) == {}


@pytest.mark.parametrize("answer", [b"", b"\xff\xff", b"\x0a\x03abc"], ids=["nothing", "no message", "three letters"])
async def test_nonsense_is_told_in_plain_words(answer: bytes) -> None:
    """Whatever a server answers, every check comes to a verdict, in one line."""
    async with listening(Nonsense(answer)) as address:
        failures = await failed(address, suite.CHECKS)
    assert len(failures) > len(suite.CHECKS) // 2
    for words in failures.values():
        assert words.isprintable()
        assert words
