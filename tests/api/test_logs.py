"""What is logged, how it looks, and what is never in it."""

import asyncio
import io
import json
import logging
import random
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from artreferee.v1 import service_pb2
from clients.sdk import CallError, RefereeClient
from clients.sdk import Principal as Caller
from referee.api.journal import Journal
from referee.api.logs import JsonFormatter, TextFormatter, lower_undelivered
from referee.core.errors import Reason, RefereeError
from referee.table.ids import Principal
from tests.api.faults import by_id, submission
from tests.api.harness import SEATS, SPECTATOR, Planted, Referee, planted
from tests.api.recorded import logged
from tests.faults.wire import Wire
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import PASS
from tests.servers import referee_process, store_server, usual_server

ANYBODY = Caller.new()

both_formats = pytest.mark.parametrize("formatter", [TextFormatter, JsonFormatter])


def lines(written: io.StringIO) -> list[dict[str, Any]]:
    """The lines of the referee's own logger."""
    parsed = [json.loads(line) for line in written.getvalue().splitlines()]
    return [line for line in parsed if line["logger"] == "referee"]


async def plant(referee: Referee, name: str) -> Planted:
    match = planted(name, season(2))
    await referee.plant(match)
    return match


async def test_a_refused_call_is_a_line_at_info(referee: Referee, name: str) -> None:
    """With method, code, reason, match, how long it took, and a mark of who called."""
    match = await plant(referee, name)
    with logged(JsonFormatter(), logging.INFO) as written:
        await referee.caller(SPECTATOR).ask("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id))
        await referee.caller(SPECTATOR).call("SubmitMove", submission(match.match_id, [by_id(PASS)]))
    [line] = lines(written)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert re.fullmatch("[0-9a-f]{8}", line.pop("principal"))
    assert line.pop("duration_ms") > 0
    assert line == {
        "level": "info",
        "logger": "referee",
        "event": "call refused",
        "method": "SubmitMove",
        "code": "PERMISSION_DENIED",
        "reason": "NOT_PERMITTED",
        "match_id": match.match_id,
    }


async def test_every_call_is_a_line_at_debug(referee: Referee, name: str) -> None:
    match = await plant(referee, name)
    with logged(JsonFormatter()) as written:
        await referee.caller(None).ask("ListRulesets", service_pb2.ListRulesetsRequest())
        await referee.caller(SPECTATOR).ask("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id))
    calls = [line for line in lines(written) if line["event"] == "call"]
    assert [(call["method"], call["code"], call.get("match_id")) for call in calls] == [
        ("ListRulesets", "OK", None),
        ("GetMatch", "OK", match.match_id),
    ]


async def test_a_refused_move_on_a_stream_is_a_line_of_its_own(referee: Referee, name: str) -> None:
    match = await plant(referee, name)
    stream = referee.caller(SPECTATOR).play()
    with logged(JsonFormatter(), logging.INFO) as written:
        move = service_pb2.PlayMove(request_id="r", match_id=match.match_id, moves=[by_id(PASS)])
        await stream.say(service_pb2.PlayRequest(moves=[move]))
        await stream.end()
        await stream.rest()
    [line] = lines(written)
    assert (line["method"], line["reason"], line["match_id"]) == ("Play", "NOT_PERMITTED", match.match_id)


async def test_what_a_caller_sends_in_place_of_a_match_id_is_not_logged(referee: Referee) -> None:
    """It may be anything, a secret too."""
    with logged(JsonFormatter()) as written:
        request = service_pb2.GetMatchRequest(match_id=SEATS[0].token)
        await referee.caller(SEATS[0]).call("GetMatch", request)
    [line] = lines(written)
    assert "match_id" not in line
    assert SEATS[0].token not in written.getvalue()


def test_lines_of_one_caller_can_be_told_within_a_process_only() -> None:
    """The mark is the same for one journal, another for the next one, and no part of what is stored."""
    marks = dict[Journal, set[str]]()
    for journal in (Journal(), Journal()):
        with logged(JsonFormatter()) as written:
            for _ in range(2):
                journal.refused_move(SEATS[0].hash, "", RefereeError(Reason.NOT_PERMITTED))
            journal.refused_move(Principal(SEATS[1].hash), "", RefereeError(Reason.NOT_PERMITTED))
        first, again, other = (line["principal"] for line in lines(written))
        assert first == again != other
        marks[journal] = {first, other}
    one, another = marks.values()
    assert not one & another
    assert not any(secret.hash.hex().startswith(mark) for secret in SEATS for mark in one | another)


@both_formats
def test_an_event_is_written_with_its_fields(formatter: type[logging.Formatter]) -> None:
    """Other attributes of it are not."""
    record = logging.LogRecord("referee", logging.WARNING, __file__, 1, "it is %s", ("odd",), None)
    record.created, record.method, record.reason, record.token = 0.0, "Play", "", "never"
    if formatter is JsonFormatter:
        assert json.loads(formatter().format(record)) == {
            "time": "1970-01-01T00:00:00.000+00:00",
            "level": "warning",
            "logger": "referee",
            "event": "it is odd",
            "method": "Play",
        }
    else:
        assert formatter().format(record).endswith(" WARNING referee it is odd method=Play")


@both_formats
def test_a_fault_is_written_with_where_it_happened(formatter: type[logging.Formatter]) -> None:
    try:
        dict[str, int]()["a card"]
    except KeyError:
        record = logging.LogRecord("referee", logging.ERROR, __file__, 1, "a fault", (), sys.exc_info())
    text = formatter().format(record)
    if formatter is JsonFormatter:
        text = json.loads(text)["exception"]
    assert text.endswith("KeyError: 'a card'")
    assert "Traceback (most recent call last)" in text


async def test_a_running_referee_writes_lines_of_json(tmp_path: Path) -> None:
    """Every line that it writes is an object, those of libraries too."""
    arguments = ("--data", str(tmp_path / "data"), "--fsync", "no", "--log-level", "debug")
    with referee_process(tmp_path / "log", *arguments) as referee:
        async with RefereeClient(referee.address) as client:
            with pytest.raises(CallError):
                await client.get_match("a" * 26)
    parsed = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert {"call refused", "draining"} <= {line["event"] for line in parsed}
    assert {"referee", "grpc"} <= {line["logger"].partition(".")[0] for line in parsed}
    assert all({"time", "level", "logger", "event"} <= line.keys() for line in parsed)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ('Failed "execute_batch": (<SendMessageOperation>, <SendStatusFromServerOperation>)', "DEBUG"),
        ("Failed grpc_call_start_batch: 8 with grpc_call_error value: 'GRPC_CALL_ERROR_TOO_MANY_OPERATIONS'", "ERROR"),
    ],
    ids=["the caller has gone", "a fault of the service"],
)
def test_an_answer_that_nobody_waits_for_any_more_is_no_error(text: str, level: str) -> None:
    error = grpc.aio.InternalError(text)
    record = logging.LogRecord("grpc", logging.ERROR, __file__, 1, "raised in core", (), (type(error), error, None))
    assert lower_undelivered(record) == logging.getLogger().isEnabledFor(record.levelno)
    assert record.levelname == level


@pytest.mark.long
async def test_no_fault_is_logged_when_deadlines_end_while_a_slow_store_answers(tmp_path: Path) -> None:
    rng, deadline_s = random.Random(1), 0.3
    with (
        store_server(usual_server()) as store,
        referee_process(
            tmp_path / "log", "--redis", store.url, "--call-rate", "0", "--address-call-rate", "0"
        ) as referee,
    ):
        async with Wire([referee.address]) as wire:

            async def call() -> None:
                with suppress(CallError):
                    await wire.call(0, ANYBODY, "GetMatch", service_pb2.GetMatchRequest(match_id="a" * 26), deadline_s)

            for _ in range(30):
                store.pause()
                async with asyncio.TaskGroup() as callers:
                    for _ in range(50):
                        callers.create_task(call())
                    await asyncio.sleep(deadline_s - rng.uniform(0.0, 0.03))  # how slow it is, not a wait
                    store.go_on()
    assert "Traceback" not in (tmp_path / "log").read_text()
