"""The dashboard, taken apart."""

import json
from collections.abc import Iterator
from typing import Any, Final

from tests.deploy.topology import DEPLOY

DASHBOARD: Final[dict[str, Any]] = json.loads((DEPLOY / "grafana" / "dashboards" / "artreferee.json").read_text())


def panels() -> list[dict[str, Any]]:
    """All panels, the headings of rows not."""
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def expressions(interval: str = "1m") -> Iterator[str]:
    """What its panels ask Prometheus, with an interval in the place of the one that Grafana works out."""
    for panel in panels():
        for target in panel["targets"]:
            yield target["expr"].replace("$__rate_interval", interval)
