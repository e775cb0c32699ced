"""The command `referee admin`, run as an operator would: processes, files, exit codes."""

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from artreferee.v1 import match_pb2, service_pb2
from clients.replay import replay
from clients.sdk import Principal, RefereeClient
from referee.wire.record import parse_record
from tests.servers import RefereeProcess, StoreServer, referee_process, store_server, usual_server

NOBODYS: Final = "a" * 26
OPEN: Final = ("waiting", "active")


def admin(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "referee", "admin", *arguments]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
    environment = {**kept, **variables, "COLUMNS": "200", "LOGNAME": "olga"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def done(*arguments: str, **variables: str) -> str:
    """What it says when it succeeds."""
    run = admin(*arguments, **variables)
    assert run.returncode == 0, run.stderr
    return run.stdout


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def store() -> Iterator[StoreServer]:
    with store_server(usual_server()) as running:
        yield running


@pytest.fixture(scope="module")
def referee(store: StoreServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RefereeProcess]:
    with referee_process(tmp_path_factory.mktemp("referee") / "log", "--redis", store.url) as running:
        yield running


@pytest.fixture
async def client(referee: RefereeProcess) -> AsyncIterator[RefereeClient]:
    async with RefereeClient(referee.address) as running:
        yield running


async def created(
    client: RefereeClient, *, disclosure: match_pb2.Disclosure.ValueType = match_pb2.DISCLOSURE_AT_END
) -> str:
    """A match of two seats of the same player."""
    seats = [service_pb2.SeatRequest(principal_hash=client.principal.hash)] * 2
    creation = service_pb2.CreateMatchRequest(ruleset="artsee", seats=seats, disclosure=disclosure)
    return (await client.create_match(creation)).match_id


async def finished(client: RefereeClient) -> str:
    match_id = await created(client)
    await client.resign(match_id, 0)
    return match_id


async def test_a_match_is_shown_found_and_aborted(client: RefereeClient, store: StoreServer) -> None:
    """While a referee serves the same store; whoever asks it knows at once."""
    match_id, url = await created(client), {"REFEREE_REDIS_URL": store.url}
    [shown] = objects(done("show", match_id, "--json", **url))
    assert (shown["match_id"], shown["status"], len(shown["seats"])) == (match_id, "active", 2)
    assert "seed" not in shown
    assert f"match_id: {match_id}\n" in done("show", match_id, **url)
    assert done("abort", match_id, "--reason", "a flood", **url) == f"match {match_id} is aborted\n"
    assert (await client.get_match(match_id, 0)).status == match_pb2.MATCH_STATUS_ABORTED
    assert done("abort", match_id, "--reason", "again", **url) == f"match {match_id} was aborted already\n"
    listed = objects(done("list", "--status", "aborted", "--json", **url))
    assert match_id in [row["match_id"] for row in listed]
    assert match_id not in done("list", "--status", "active", **url)


async def test_what_was_done_is_in_the_audit_log_and_on_standard_error(
    client: RefereeClient, store: StoreServer
) -> None:
    match_id = await created(client)
    run = admin("abort", match_id, "--reason", "a flood", "--redis", store.url)
    told = {"who": "olga", "what": "abort", "match_id": match_id, "why": "a flood"}
    [line] = objects(run.stderr)
    assert line.items() >= {**told, "event": "audit"}.items()
    [noted] = [
        entry for entry in objects(done("audit", "--json", "--redis", store.url)) if entry["match_id"] == match_id
    ]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", noted.pop("time"))
    assert noted == told


async def test_a_seat_is_given_to_another_principal(
    client: RefereeClient, referee: RefereeProcess, store: StoreServer
) -> None:
    match_id, other = await created(client), Principal.new()
    revoke = ("revoke", match_id, "1", "--to", other.hash.hex(), "--reason", "a lost key", "--redis", store.url)
    assert done(*revoke) == "seat 1 has a new holder\n"
    assert done(*revoke) == "that principal holds seat 1 already\n"
    async with RefereeClient(referee.address, other) as newcomer:
        assert (await newcomer.get_match(match_id)).viewer_seat == 1
    assert (await client.get_match(match_id)).viewer_seat == 0


async def test_records_are_exported_once_each(client: RefereeClient, store: StoreServer, tmp_path: Path) -> None:
    """As they are read from the service, aborted ones too; those that wait for their hosts are counted."""
    over, aborted = await finished(client), await created(client)
    waiting = await created(client, disclosure=match_pb2.DISCLOSURE_ON_RELEASE)
    for match_id in (aborted, waiting):
        done("abort", match_id, "--reason", "a flood", "--redis", store.url)
    first = done("export", str(tmp_path), "--match", over, "--redis", store.url)
    assert first == f"1 records added to {tmp_path}/records.jsonl\n"
    second = done("export", str(tmp_path), "--finished", "--redis", store.url)
    assert second.endswith("1 wait for their hosts to release them\n")
    assert done("export", str(tmp_path), "--finished", "--redis", store.url).startswith("0 records added")
    records = [parse_record(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    found = {record.match_id: record for record in records}
    assert len(found) == len(records)
    assert found.keys() >= {over, aborted}
    assert waiting not in found
    assert found[over] == await client.get_record(over)
    assert [step.text for step in replay(found[aborted])] == ["the match is aborted"]


async def test_statistics_tell_what_there_is(client: RefereeClient, store: StoreServer) -> None:
    match_id = await created(client)
    [found] = objects(done("statistics", "--json", "--redis", store.url))
    counts = {(row["ruleset"], row["status"]): row["count"] for row in found["matches"]}
    assert counts["artsee", "active"] >= 1
    assert found["unreadable"] == 0
    rows = [row for row in objects(done("list", "--json", "--redis", store.url)) if row["status"] in OPEN]
    assert found["oldest_open"]["created"] == min(row["created"] for row in rows)
    assert found["keys"]["match"]["keys"] == sum(counts.values())
    text = done("statistics", "--redis", store.url)
    assert re.search(r"^\d+ active of artsee$", text, re.MULTILINE)
    assert match_id not in done("list", "--older-than", "1", "--redis", store.url)
    assert match_id in done("list", "--older-than", "0", "--redis", store.url)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("show", NOBODYS), 1, f"there is no match {NOBODYS}"),
        (("abort", NOBODYS, "--reason", "why"), 1, f"there is no match {NOBODYS}"),
        (("show", "none"), 2, "'none' is not the id of a match: 26 characters a-z and 2-7"),
        (("abort", NOBODYS), 2, "Missing option '--reason'."),
        (
            ("revoke", NOBODYS, "0", "--to", "ff", "--reason", "why"),
            2,
            "is not the SHA-256 of a principal: 64 hexadecimal characters",
        ),
        (("export", "out"), 2, "name matches with --match, or all with --finished"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    store: StoreServer, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    run = admin(*arguments, REFEREE_REDIS_URL=store.url)
    assert run.returncode == code
    assert run.stderr.splitlines()[-1].endswith(sentence)


def test_a_store_that_does_not_answer_is_told(tmp_path: Path) -> None:
    run = admin("list", REFEREE_REDIS_URL=f"unix://{tmp_path}/nowhere")
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].startswith("Error: ")
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://h", "redis is not a URL that starts with redis://, rediss://, unix://, "),
        ("redis+cluster://h", "redis does not name nodes of a cluster as HOST:PORT,HOST:PORT"),
        ("redis://h?none=1", "the URL of the store has a setting that is not known: 'none'"),
    ],
)
def test_a_store_that_cannot_be_one_is_told(url: str, sentence: str) -> None:
    run = admin("list", REFEREE_REDIS_URL=url)
    assert run.returncode == 1
    assert run.stderr.startswith(f"Error: {sentence}")


async def test_what_no_replica_of_the_store_confirms_is_not_done(client: RefereeClient, store: StoreServer) -> None:
    """Where the referees of a store tell only what a replica of it has too, so does this command."""
    match_id, variables = await created(client), {"REFEREE_DURABILITY": "replica", "REFEREE_REDIS_URL": store.url}
    run = admin("abort", match_id, "--reason", "a flood", **variables)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("Error: no replica of the store has confirmed within")
    assert (await client.get_match(match_id, 0)).status == match_pb2.MATCH_STATUS_ACTIVE


def test_an_embedded_store_has_no_replica(tmp_path: Path) -> None:
    run = admin("list", "--data", str(tmp_path), "--durability", "replica")
    assert run.stderr == "Error: durability is 'replica', but the embedded store has no replica: name a store\n"


async def test_an_embedded_store_is_reached_while_its_referee_runs_and_after_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with referee_process(tmp_path / "log", "--data", str(data)) as referee:
        async with RefereeClient(referee.address) as client:
            match_id = await created(client)
            done("abort", match_id, "--reason", "a flood", "--data", str(data))
            assert (await client.get_match(match_id, 0)).status == match_pb2.MATCH_STATUS_ABORTED
    assert match_id in done("list", "--data", str(data))
    assert done("audit", REFEREE_DATA=str(data)).endswith(f"olga  abort  {match_id}  a flood\n")


async def test_an_embedded_store_is_reached_after_its_referee_was_killed(tmp_path: Path) -> None:
    """What it left behind to find its store by is passed over."""
    data = tmp_path / "data"
    with referee_process(tmp_path / "log", "--data", str(data), "--fsync", "always") as referee:
        async with RefereeClient(referee.address) as client:
            match_id = await created(client)
        referee.kill()
        assert match_id in done("list", "--data", str(data))


def test_there_is_no_store(tmp_path: Path) -> None:
    """None is made."""
    run = admin("list", "--data", str(tmp_path / "nothing"))
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == f"Error: there is no store in {tmp_path}/nothing\n"
    assert not (tmp_path / "nothing").exists()
