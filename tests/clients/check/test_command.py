"""`curator check-referee`, run as a user would."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from clients.check import suite
from referee.api.servicer import Servicer
from referee.store.memory import MemoryStore
from tests.certificates import Authority
from tests.clients.check.faulty import GAMES, TakesStaleDecisions, serving
from tests.servers import referee_process

COMMAND = (sys.executable, "-m", "clients.curator", "check-referee")


def check_referee(*arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "COLUMNS": "120"}
    return subprocess.run(
        [*COMMAND, *arguments], env=environment, capture_output=True, text=True, timeout=150, check=False
    )


def test_our_own_referee_passes_every_check(tmp_path: Path) -> None:
    """One plain line a check and a summary; only what takes long is skipped, with its reason."""
    with referee_process(tmp_path / "log", "--data", str(tmp_path / "data"), "--fsync", "always") as referee:
        run = check_referee(referee.address)
    *lines, summary = run.stdout.splitlines()
    assert [line for line in lines if not line.startswith("ok ")] == [
        "skipped streams.silent_streams_live: A stream to which nothing happens sends a heartbeat with the version of "
        "the match. (it takes long: ask for it with --heartbeat SECONDS)"
    ]
    assert [line.split()[1] for line in lines] == [f"{check.full_name}:" for check in suite.CHECKS]
    count = len(suite.CHECKS)
    assert (run.returncode, summary) == (0, f"{count - 1} ok, 0 failed, 1 skipped")
    assert run.stderr == ""
    assert "\x1b" not in run.stdout
    assert "fault of the service" not in (tmp_path / "log").read_text()


def test_without_an_address_a_referee_is_started() -> None:
    run = check_referee("--only", "errors.unknown_fields", "--only", "idempotency.creations")
    assert run.returncode == 0, run.stderr
    *lines, summary = run.stdout.splitlines()
    assert [line.split()[1] for line in lines] == ["errors.unknown_fields:", "idempotency.creations:"]
    assert summary == "2 ok, 0 failed, 0 skipped"


async def test_a_claim_that_does_not_hold_is_exit_code_1() -> None:
    """The line says what is claimed, what came and what was expected; the other checks go on."""
    async with serving(Servicer(TakesStaleDecisions(MemoryStore(), GAMES))) as address:
        names = ("refusals.answers_to_another_decision", "refusals.moves_out_of_turn")
        command = await asyncio.create_subprocess_exec(
            *(*COMMAND, address, "--only", names[0], "--only", names[1]), stdout=asyncio.subprocess.PIPE
        )
        output, _ = await command.communicate()
    assert output.decode().splitlines() == [
        "FAILED  refusals.answers_to_another_decision: A move with another decision_number than the open one is "
        "refused with STALE_DECISION, which tells both. But a move that answers decision 1 instead of 0 is answered "
        "with OK, expected ABORTED/STALE_DECISION.",
        "ok      refusals.moves_out_of_turn: A move of a seat that is not to act is refused with NOT_TO_ACT, which "
        "tells the seat.",
        "1 ok, 1 failed, 0 skipped",
    ]
    assert command.returncode == 1


def test_a_referee_that_speaks_tls_is_checked_over_it(tmp_path: Path) -> None:
    """With a certificate of its own, if that is asked for."""
    authority = Authority(tmp_path, "ours")
    theirs, ours = authority.issue(), authority.issue("checker@example.org")
    served = ("--tls-cert", str(theirs.cert), "--tls-key", str(theirs.key), "--tls-client-ca", str(authority.root))
    shown = ("--tls-ca", str(authority.root), "--tls-cert", str(ours.cert), "--tls-key", str(ours.key))
    with referee_process(tmp_path / "log", "--data", str(tmp_path / "data"), *served) as referee:
        run = check_referee(referee.address, "--only", "sessions", *shown)
    assert (run.returncode, run.stderr) == (0, "")


def test_nobody_at_the_address_is_told_in_one_sentence() -> None:
    run = check_referee("127.0.0.1:1")
    assert (run.returncode, run.stdout) == (1, "")
    [sentence] = run.stderr.splitlines()
    assert sentence.startswith("Error: no referee answers at 127.0.0.1:1: ListRulesets is refused with UNAVAILABLE")


@pytest.mark.parametrize("address", ["nowhere", ":50051", "h:65536", "http://h:1"])
def test_what_is_no_address_is_wrong_usage(address: str) -> None:
    run = check_referee(address)
    assert run.returncode == 2
    assert f"{address!r} is not HOST:PORT" in run.stderr
    assert run.stdout == ""


def test_what_is_no_check_is_wrong_usage() -> None:
    run = check_referee("127.0.0.1:1", "--only", "manners")
    assert run.returncode == 2
    assert "there is no check or group 'manners'" in run.stderr


def test_checks_are_listed_without_a_referee() -> None:
    run = check_referee("--list")
    assert run.returncode == 0
    assert run.stdout.splitlines() == [f"{check.full_name}: {check.claim}" for check in suite.CHECKS]
