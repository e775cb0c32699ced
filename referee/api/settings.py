"""What an operator can set, by flag or by environment, checked before anything is started."""

import math
import os
import re
import ssl
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from referee.api.quotas import EXPOSED, Quotas
from referee.table.ids import Principal
from referee.table.matches import Limits
from referee.urls import split

_LOOPBACK: Final = re.compile(r"127\.|localhost:|\[::1\]:")
_ADDRESS: Final = re.compile(r"(?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):(\d{1,5})")


class SettingsError(ValueError):
    """A setting with a wrong value; the text names it and says what was expected."""


@dataclass(frozen=True, slots=True)
class Tls:
    """How the server speaks TLS, by files in PEM form.

    Attributes:
        cert: its certificate, and those between it and a root.
        key: its private key, without a passphrase.
        client_ca: roots; only clients with a certificate from one of them are served. None serves all.
    """

    cert: Path
    key: Path
    client_ca: Path | None = None

    def __post_init__(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        _read("tls-cert", self.cert)
        _read("tls-key", self.key)
        try:
            context.load_cert_chain(self.cert, self.key, password="")  # or it would ask at the terminal
        except ssl.SSLError:
            problem = "are not a certificate and its key without a passphrase"
            raise SettingsError(f"tls-cert {self.cert} and tls-key {self.key} {problem}") from None
        if self.client_ca is None:
            return
        roots = _read("tls-client-ca", self.client_ca)
        try:
            context.load_verify_locations(cadata=roots)
        except (ssl.SSLError, ValueError):
            raise SettingsError(f"tls-client-ca {self.client_ca} holds no certificate") from None


def tls_of(cert: Path | None, key: Path | None, client_ca: Path | None) -> Tls | None:
    """Returns how TLS is spoken; None if it is not.

    Raises:
        SettingsError: not all that is needed is given, or it is not what it should be.
    """
    if cert is not None and key is not None:
        return Tls(cert, key, client_ca)
    if cert is not None or key is not None:
        raise SettingsError("tls-cert and tls-key go together, only one of them is given")
    if client_ca is not None:
        raise SettingsError("tls-client-ca is given without tls-cert and tls-key")
    return None


@dataclass(frozen=True)
class Settings:
    """Settings of one referee process.

    Attributes:
        listen: HOST:PORT; port 0 takes a free one.
        workers: how many processes serve there; each has quotas and metrics of its own.
        redis: the URL of a store; None embeds one.
        redis_password: the password of that store, if it is not in the URL.
        data: the directory of the embedded store.
        fsync: how soon the embedded store writes to disk: "everysec", "always" or "no".
        durability: who has a write when it is acknowledged: the store's "primary", or a "replica" of it too.
        drain_s: how long calls under way may take when the process is asked to stop.
        keepalive_s: after this long a silent connection is asked whether it lives, and ended after a third more.
        connection_age_s: after this long, more or less a tenth of it, a connection is ended, so that callers spread
            over replicas; what is under way on it has `drain_s` to end. 0 is never.
        stop_with_stdin: whether the end of standard input stops the process.
        limits: how long matches are kept.
        tls: how TLS is spoken; None speaks in the clear.
        metrics: HOST:PORT for whoever watches over the process, of the first worker; None serves nothing there.
        tracing: the URL of an OpenTelemetry collector; None tells nobody of calls.
        log_format: "text", "json", or "auto": text on a terminal, else json.
        log_level: from when on something is logged: "debug", "info", "warning" or "error".
        operators: the principals that may create matches; anyone if None.
        quotas: how much of the process callers may use.
        trusted_proxies: how many proxies stand between callers and the process, each of which adds to x-forwarded-for.
    """

    listen: str = "127.0.0.1:50051"
    workers: int = 1
    redis: str | None = field(default=None, repr=False)
    redis_password: str | None = field(default=None, repr=False)
    data: Path = field(default_factory=lambda: default_data())
    fsync: str = "everysec"
    durability: str = "primary"
    drain_s: float = 10.0
    keepalive_s: float = 30.0
    connection_age_s: float = 0.0
    stop_with_stdin: bool = False
    limits: Limits = field(default_factory=Limits)
    tls: Tls | None = None
    metrics: str | None = None
    tracing: str | None = None
    log_format: str = "auto"
    log_level: str = "info"
    operators: Container[Principal] | None = None
    quotas: Quotas = field(default_factory=Quotas)
    trusted_proxies: int = 0

    def __post_init__(self) -> None:
        _check_address("listen", self.listen)
        if self.workers < 1:
            raise SettingsError(f"workers is {self.workers}, expected 1 or more")
        if self.metrics is not None:
            _check_address("metrics", self.metrics)
            _check_ports("metrics", self.metrics, self.workers)
        check_store(self.redis, self.durability)
        if self.redis_password is not None and (self.redis is None or has_password(self.redis)):
            raise SettingsError("redis-password-file is for a store that redis names without a password")
        if self.tracing is not None and split(self.tracing).scheme not in ("http", "https"):
            raise SettingsError(f"tracing is {self.tracing!r}, expected a URL that starts with http:// or https://")
        if self.drain_s < 0:
            raise SettingsError(f"drain is {self.drain_s} s, expected 0 or more")
        if self.keepalive_s < 1:
            raise SettingsError(f"keepalive is {self.keepalive_s} s, expected 1 or more")
        if not 0 <= self.connection_age_s < math.inf:
            raise SettingsError(f"connection-age is {self.connection_age_s} s, expected 0 or more")
        for name, value in (("idle", self.limits.idle_ms), ("retention", self.limits.retention_ms)):
            if value <= 0:
                raise SettingsError(f"{name} is {value} ms, expected more than 0")
        for name, value in (("trusted-proxies", self.trusted_proxies), *asdict(self.quotas).items()):
            if not 0 <= value < math.inf:
                raise SettingsError(f"{name.replace('_', '-')} is {value}, expected 0 or more")


def check_store(url: str | None, durability: str) -> None:
    """Makes sure that there may be such a store; without a URL it is the embedded one.

    Raises:
        SettingsError: there is none.
    """
    if url is not None:
        _check_url(url)
    elif durability != "primary":
        raise SettingsError(f"durability is {durability!r}, but the embedded store has no replica: name a store")


def _check_url(url: str) -> None:
    parts = split(url)
    scheme, _, kind = parts.scheme.partition("+")
    if scheme not in ("redis", "rediss", "unix") or kind not in ("", "cluster") or (scheme == "unix" and kind):
        expected = "redis://, rediss://, unix://, redis+cluster:// or rediss+cluster://"
        raise SettingsError(f"redis is not a URL that starts with {expected}")
    nodes = parts.netloc.rpartition("@")[2].split(",")
    if kind and not all(map(_ADDRESS.fullmatch, nodes)):  # it is not shown, for it may hold a password
        raise SettingsError("redis does not name nodes of a cluster as HOST:PORT,HOST:PORT")
    if kind and parts.path.strip("/"):
        raise SettingsError("redis names a database, but a cluster has one only")


def _check_address(name: str, address: str) -> None:
    found = _ADDRESS.fullmatch(address)
    if found is None or int(found[1]) > 65535:
        raise SettingsError(f"{name} is {address!r}, expected HOST:PORT")


def _check_ports(name: str, address: str, count: int) -> None:
    port = int(address.rpartition(":")[2])
    if count > 1 and not 0 < port <= 65536 - count:
        expected = f"a port that {count - 1} more follow, one for each worker"
        raise SettingsError(f"{name} is {address!r}, expected {expected}")


def quotas_of(listen: str, trusted_proxies: int, chosen: Mapping[str, Any]) -> Quotas:
    """Returns quotas: those that are chosen, by name, and for others, which are None, what is right for an address."""
    alone = _LOOPBACK.match(listen) and not trusted_proxies
    return replace(Quotas() if alone else EXPOSED, **{name: most for name, most in chosen.items() if most is not None})


def has_password(url: str) -> bool:
    """Whether the URL of a store holds a password, as one or in its query."""
    parts = split(url)
    return parts.password is not None or any("password" in name for name, _ in parse_qsl(parts.query))


def password_in(file: Path | None) -> str | None:
    """Returns the password of a store that a file holds.

    Raises:
        SettingsError: it cannot be read.
    """
    return None if file is None else _read("redis-password-file", file).rstrip("\r\n")


def _read(name: str, path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError as error:
        raise SettingsError(f"{name} {path} cannot be read: {error.strerror}") from None


def default_data() -> Path:
    """Returns where an embedded store keeps its data unless told otherwise."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "artreferee"
