"""The compose file: what the specification allows, and what fits together."""

import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.deploy.topology import DEPLOY, compose, variables
from tests.servers import required_program

CHECK: Final = Path(sys.executable).parent / "check-jsonschema"
SERVICES: Final[dict[str, Any]] = compose()["services"]
SECRETS: Final = {"grafana-password", "operator-password", "referee-password", "users.acl"}
REFEREES: Final = ("referee-1", "referee-2")


def test_the_file_is_what_the_specification_allows() -> None:
    words = (CHECK, "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml")
    run = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("name", REFEREES)
def test_settings_exist(name: str) -> None:
    assert SERVICES[name]["environment"].keys() <= variables()


@pytest.mark.parametrize("name", SERVICES)
def test_images_are_pinned(name: str) -> None:
    """To a version, of which the last number is one too."""
    assert re.search(r":(\$\{ARTREFEREE_VERSION:-)?v?\d+\.\d+\.\d+", SERVICES[name]["image"])


@pytest.mark.parametrize("name", SERVICES)
def test_files_that_are_mounted_exist(name: str, tmp_path: Path) -> None:
    """Or make-secrets.sh makes them."""
    subprocess.run([DEPLOY / "make-secrets.sh", tmp_path], check=True)
    mounted = [volume.split(":")[0] for volume in SERVICES[name].get("volumes", []) if volume.startswith("./")]
    secrets = [compose()["secrets"][secret]["file"] for secret in SERVICES[name].get("secrets", [])]
    for path in mounted + secrets:
        made = path.startswith("./secrets/")
        assert (tmp_path / Path(path).name if made else DEPLOY / path).exists(), path


def test_a_drain_has_its_time() -> None:
    for name in REFEREES:
        assert int(SERVICES[name]["environment"]["REFEREE_DRAIN"]) < int(
            SERVICES[name]["stop_grace_period"].removesuffix("s")
        )


def test_only_the_balancer_is_reached_from_elsewhere_and_it_from_this_machine_unless_told_otherwise() -> None:
    """And Grafana from this machine."""
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert ports == {"balancer": ["${PUBLISH:-127.0.0.1:50051}:50051"], "grafana": ["127.0.0.1:3000:3000"]}
    assert compose()["networks"]["service"] == {"internal": True}


def test_prometheus_and_the_balancer_look_for_the_services_by_their_names() -> None:
    folder = DEPLOY / "prometheus" / "targets"
    [referees], [balancers] = (
        yaml.safe_load((folder / f"{kind}.yml").read_text()) for kind in ("referees", "balancers")
    )
    assert referees["targets"] == [f"{name}:9464" for name in REFEREES]
    assert balancers["targets"] == ["balancer:8405"]
    named = re.findall(r"presetenv REFEREE_\d (\S+)", (DEPLOY / "haproxy" / "haproxy.cfg").read_text())
    assert tuple(named) == REFEREES


def test_the_balancer_can_read_its_configuration() -> None:
    program = required_program("/usr/sbin/haproxy", "haproxy")
    run = subprocess.run(
        [program, "-c", "-f", DEPLOY / "haproxy" / "haproxy.cfg"], capture_output=True, text=True, check=False
    )
    warnings = [line for line in run.stderr.splitlines() if "WARNING" in line and "could not resolve" not in line]
    assert (run.returncode, warnings) == (0, []), run.stderr


def test_secrets_are_made_once_and_kept_from_others(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    subprocess.run([DEPLOY / "make-secrets.sh", folder], check=True)
    first = {path.name: path.read_text() for path in folder.iterdir()}
    assert first.keys() == SECRETS
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (folder / "operator-password").unlink()
    subprocess.run([DEPLOY / "make-secrets.sh", folder], check=True)
    second = {path.name: path.read_text() for path in folder.iterdir()}
    assert {name for name in SECRETS if first[name] != second[name]} == {"operator-password", "users.acl"}
