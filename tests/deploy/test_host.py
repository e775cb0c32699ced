"""What is for a machine of its own, and for clients: the unit, the store's users, the service config, the image."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Final

from artreferee.v1 import service_pb2
from tests.deploy.topology import DEPLOY, variables
from tests.servers import required_program

ROOT: Final = DEPLOY.parent
UNIT: Final = (DEPLOY / "referee.service").read_text()
SYSTEMD: Final = "/usr/bin/systemd-analyze"
SERVICE: Final = service_pb2.DESCRIPTOR.services_by_name["RefereeService"]
EXPOSURE: Final = 20  # tenths; 92 is a service without any protection
OPERATORS_ALSO: Final = {"+info", "+bgsave", "+acl|load"}


def analyze(*words: str | Path) -> None:
    program = required_program(SYSTEMD, "systemd")
    run = subprocess.run([program, *words], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stderr) == (0, ""), run.stdout + run.stderr


def test_systemd_can_read_the_unit(tmp_path: Path) -> None:
    """With a program in the place of the one that its comment installs."""
    (tmp_path / "referee.service").write_text(UNIT.replace("/opt/artreferee/bin/referee", "/bin/true"))
    analyze("verify", "--man=no", tmp_path / "referee.service")


def test_a_referee_under_systemd_may_do_little_else() -> None:
    analyze("security", "--offline=yes", f"--threshold={EXPOSURE}", DEPLOY / "referee.service")


def test_systemd_asks_the_referee_alone_to_stop_and_waits_for_it() -> None:
    """Its embedded store would stop before the drain is over."""
    lines = UNIT.splitlines()
    assert "KillMode=mixed" in lines
    assert "TimeoutStopSec=60" in lines
    assert set(re.findall(r"\b(REFEREE_\w+)=", UNIT)) <= variables()


def test_the_users_of_the_store_are_those_of_the_readme() -> None:
    """An operator's has what `referee admin` needs besides, and what the runbook does."""
    users = {line.split()[1]: line.split()[2:] for line in _lines(DEPLOY / "redis" / "users.acl.example")}
    [line] = re.findall(r"^ACL SETUSER referee on >PASSWORD (.*(?:\n {2,}.*)*)", _readme(), re.MULTILINE)
    [more] = re.findall(r"its user of a Redis needs `([^`]*)` besides", _readme())
    assert users["default"] == ["off", "resetpass", "~*", "&*", "+@all"]
    assert users["probe"] == ["on", "nopass", "resetkeys", "resetchannels", "-@all", "+ping"]
    assert users["referee"] == ["on", "#REFEREE", *line.split()]
    assert users["operator"][:2] == ["on", "#OPERATOR"]
    assert set(users["operator"][2:]) == {*line.split(), *more.split(), *OPERATORS_ALSO}


def _readme() -> str:
    return (ROOT / "README.md").read_text()


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def service_config() -> dict[str, Any]:
    content: dict[str, Any] = json.loads((DEPLOY / "service_config.json").read_text())
    return content


def test_the_service_config_knows_every_call_and_repeats_those_that_have_one_effect() -> None:
    """A changing call has one because of its request id; a stream is resumed by its client, which knows where."""
    unary, streams = service_config()["methodConfig"]
    named = {name["method"] for group in (unary, streams) for name in group["name"]}
    assert named == set(SERVICE.methods_by_name)
    for name in (name["method"] for name in unary["name"]):
        method = SERVICE.methods_by_name[name]
        assert not method.server_streaming
        reads = name.startswith(("Get", "List"))
        assert reads != ("request_id" in method.input_type.fields_by_name), name
    assert unary["retryPolicy"]["retryableStatusCodes"] == ["UNAVAILABLE"]
    assert "retryPolicy" not in streams
    assert "timeout" not in streams
    assert service_config()["healthCheckConfig"]["serviceName"] == SERVICE.full_name


def test_the_image_holds_what_is_copied_and_nothing_else_is_sent_to_its_builder() -> None:
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    sources = {source for line in copied for source in line.split()}
    first, *rest = _lines(ROOT / ".dockerignore")
    assert first == "*"
    assert {line.removeprefix("!") for line in rest if line.startswith("!")} == sources
    assert [source for source in sources if not (ROOT / source).exists()] == []
