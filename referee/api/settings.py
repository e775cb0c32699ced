"""What an operator can set, by flag or by environment, checked before anything is started."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from referee.table.table import Limits

_ADDRESS: Final = re.compile(r"(?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):(\d{1,5})")


class SettingsError(ValueError):
    """A setting with a wrong value; the text names it and says what was expected."""


@dataclass(frozen=True)
class Settings:
    """Settings of one referee process.

    Attributes:
        listen: HOST:PORT; port 0 takes a free one.
        redis: the URL of a store; None embeds one.
        data: the directory of the embedded store.
        fsync: how soon the embedded store writes to disk: "everysec", "always" or "no".
        drain_s: how long calls under way may take when the process is asked to stop.
        keepalive_s: after this long a silent connection is asked whether it lives, and ended after a third more.
        stop_with_stdin: whether the end of standard input stops the process.
        limits: how long matches are kept.
    """

    listen: str = "127.0.0.1:50051"
    redis: str | None = None
    data: Path = field(default_factory=lambda: default_data())
    fsync: str = "everysec"
    drain_s: float = 10.0
    keepalive_s: float = 30.0
    stop_with_stdin: bool = False
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        address = _ADDRESS.fullmatch(self.listen)
        if address is None or int(address[1]) > 65535:
            raise SettingsError(f"listen is {self.listen!r}, expected HOST:PORT")
        if self.redis is not None and urlsplit(self.redis).scheme not in ("redis", "rediss", "unix"):
            raise SettingsError("redis is not a URL that starts with redis://, rediss:// or unix://")
        if self.drain_s < 0:
            raise SettingsError(f"drain is {self.drain_s} s, expected 0 or more")
        if self.keepalive_s < 1:
            raise SettingsError(f"keepalive is {self.keepalive_s} s, expected 1 or more")
        for name, value in (("idle", self.limits.idle_ms), ("retention", self.limits.retention_ms)):
            if value <= 0:
                raise SettingsError(f"{name} is {value} ms, expected more than 0")


def default_data() -> Path:
    """Returns where an embedded store keeps its data unless told otherwise."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "artreferee"
