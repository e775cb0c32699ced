"""Prometheus and Grafana are told to ask for what there is, and whoever is woken finds out why."""

import json
import re
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from artreferee.v1 import error_pb2
from tests.api.test_metrics import documented
from tests.deploy.dashboard import DASHBOARD, expressions, panels
from tests.deploy.topology import DEPLOY
from tests.servers import required_program

PROMTOOL: Final = "/usr/bin/promtool"
ALERTS: Final = Path(__file__).parent / "alerts.yml"
RULES: Final = DEPLOY / "prometheus" / "rules.yml"
FOREIGN: Final = {"alertstate", "instance", "job", "le", "proxy", "server", "state"}


def promtool(*words: str | Path) -> None:
    run = subprocess.run(
        [required_program(PROMTOOL, "prometheus"), *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def asked() -> list[str]:
    """All that alerts and panels ask for."""
    return [rule["expr"] for rule in rules()] + list(expressions())


def test_prometheus_can_read_its_configuration() -> None:
    promtool("check", "config", DEPLOY / "prometheus" / "prometheus.yml")


def test_alerts_fire_when_they_should() -> None:
    promtool("test", "rules", ALERTS)


def test_every_alert_has_been_seen_to_fire_and_has_a_section_in_the_runbook() -> None:
    names = [rule["alert"] for rule in rules()]
    cases = [case for test in yaml.safe_load(ALERTS.read_text())["tests"] for case in test["alert_rule_test"]]
    assert {case["alertname"] for case in cases if case["exp_alerts"]} == set(names)
    assert re.findall(r"^### (\w+)$", (DEPLOY / "RUNBOOK.md").read_text(), re.MULTILINE) == names


def test_panels_ask_in_prometheus_language(tmp_path: Path) -> None:
    records = [{"record": f"panel:{number}", "expr": expression} for number, expression in enumerate(expressions())]
    (tmp_path / "panels.yml").write_text(json.dumps({"groups": [{"name": "panels", "rules": records}]}))
    promtool("check", "rules", tmp_path / "panels.yml")


@pytest.mark.parametrize("expression", asked())
def test_what_is_asked_for_is_counted(expression: str) -> None:
    """Names and labels of our metrics are documented, and the reasons are the contract's."""
    metrics = documented()
    names = {
        re.sub(r"_(bucket|count|sum)$", "", name) for name in re.findall(r"\b(?:referee|process)_\w+\b", expression)
    }
    assert names <= metrics.keys()
    labels = set(re.findall(r"(\w+)!?=", expression))
    labels |= {label for group in re.findall(r"by \(([^)]*)\)", expression) for label in re.findall(r"\w+", group)}
    assert labels <= set().union(*(metrics[name] for name in names)) | FOREIGN
    reasons = re.findall(r'reason="(\w+)"', expression)
    assert {f"ERROR_REASON_{reason}" for reason in reasons} <= set(error_pb2.ErrorReason.keys())


def test_every_metric_of_ours_is_looked_at() -> None:
    """A metric that neither an alert nor a panel asks for is forgotten, or is one of the process beside others."""
    seen = " ".join(asked())
    assert {name for name in documented() if name not in seen} == {"process_virtual_memory_bytes"}


def test_panels_have_an_id_and_a_place_of_their_own_and_a_word_of_explanation() -> None:
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    for one, other in combinations(DASHBOARD["panels"], 2):
        assert not _overlap(one["gridPos"], other["gridPos"]), (one["title"], other["title"])
    assert [panel["title"] for panel in panels() if not panel["description"].endswith(".")] == []


def _overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    return all(
        one[start] < other[start] + other[length] and other[start] < one[start] + one[length]
        for start, length in (("x", "w"), ("y", "h"))
    )


def test_panels_ask_the_source_that_is_provisioned() -> None:
    [source] = yaml.safe_load((DEPLOY / "grafana/provisioning/datasources/prometheus.yml").read_text())["datasources"]
    asked = {panel["datasource"]["uid"] for panel in panels()}
    asked |= {target["datasource"]["uid"] for panel in panels() for target in panel["targets"]}
    assert asked == {source["uid"]}
    [provider] = yaml.safe_load((DEPLOY / "grafana/provisioning/dashboards/artreferee.yml").read_text())["providers"]
    assert provider["options"]["path"] == "/etc/grafana/dashboards"
