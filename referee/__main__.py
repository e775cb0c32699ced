"""The command `referee`."""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from referee import serving
from referee.admin import admin
from referee.api import logs
from referee.api.creations import OperatorKeys
from referee.api.quotas import EXPOSED, Quotas
from referee.api.settings import (
    Settings,
    SettingsError,
    password_in,
    quotas_of,
    tls_of,
)
from referee.options import FILE, store_options
from referee.store.embedded import Embedded
from referee.store.embedded import start as start_embedded
from referee.store.keeper import KeeperError
from referee.table.matches import Limits
from referee.workers import Workers, WorkersError, held

_HOUR_MS = 3600 * 1000
_QUOTAS = {
    "call_rate": "Calls a second by a principal, moves over its stream included.",
    "address_call_rate": "The same from an address.",
    "creation_rate": "Matches that a principal creates a second.",
    "address_creation_rate": "The same from an address.",
    "streams": "Open streams of a principal.",
    "address_streams": "The same from an address.",
    "open_matches": "Unfinished matches of a host.",
    "calls_at_once": "Calls under way, of all callers together.",
    "streams_at_once": "Open streams, of all callers together.",
    "longest_wait": "Seconds that calls and moves may wait while a backlog stands; later ones are refused.",
}


@click.group(context_settings={"show_default": True})
def main() -> None:
    """The art referee."""


main.add_command(admin)


def _quota_options(command: Callable[..., None]) -> Callable[..., None]:
    for name, help_text in reversed(_QUOTAS.items()):
        most, alone = getattr(EXPOSED, name), getattr(Quotas(), name)
        default = str(most) if alone == most else f"{most}; any number if only this machine can call"
        flag, kind = f"--{name.replace('_', '-')}", click.FLOAT if name.endswith(("_rate", "_wait")) else click.INT
        command = click.option(flag, type=kind, show_default=default, help=help_text)(command)
    return command


@main.command(context_settings={"auto_envvar_prefix": "REFEREE"})
@click.option("--listen", default=Settings.listen, metavar="HOST:PORT", help="The address; port 0 takes a free one.")
@click.option(
    "--workers",
    default=Settings.workers,
    help="Processes that share the port and the store; each counts quotas for itself.",
)
@store_options
@click.option(
    "--fsync",
    default=Settings.fsync,
    type=click.Choice(["everysec", "always", "no"]),
    help="How soon the embedded store writes to disk.",
)
@click.option("--drain", default=Settings.drain_s, help="Seconds that calls under way may take at the end.")
@click.option("--keepalive", default=Settings.keepalive_s, help="Seconds until a silent connection is asked.")
@click.option(
    "--connection-age",
    default=Settings.connection_age_s,
    help="Seconds until a connection is ended, more or less a tenth, so that callers spread over replicas; 0 is never.",
)
@click.option("--stop-with-stdin", is_flag=True, help="Stop when standard input ends, for those who start a referee.")
@click.option(
    "--tls-cert",
    type=FILE,
    metavar="FILE",
    help="The server's certificate (PEM); with it TLS is spoken. Read anew when replaced.",
)
@click.option(
    "--tls-key", type=FILE, metavar="FILE", help="The private key (PEM) of that certificate. Read anew when replaced."
)
@click.option(
    "--tls-client-ca",
    type=FILE,
    metavar="FILE",
    help="Roots (PEM): clients must have a certificate of them. Read anew when replaced.",
)
@click.option("--idle-hours", default=168.0, help="How long a match is kept that nobody moves in.")
@click.option("--retention-hours", default=168.0, help="How long a finished match is kept.")
@click.option(
    "--metrics",
    metavar="HOST:PORT",
    help="Where to answer /metrics, /healthz and /readyz by HTTP, each further worker a port higher; nowhere if unset.",
)
@click.option(
    "--tracing",
    envvar=("REFEREE_TRACING", "OTEL_EXPORTER_OTLP_ENDPOINT"),
    metavar="URL",
    help="The OpenTelemetry collector that is told of calls, such as http://localhost:4317; none if unset.",
)
@click.option(
    "--log-format",
    default=Settings.log_format,
    type=click.Choice(logs.FORMATS),
    help="How the log is written; auto is text on a terminal, else json.",
)
@click.option(
    "--log-level", default=Settings.log_level, type=click.Choice(logs.LEVELS), help="The least that is logged."
)
@click.option(
    "--operator-keys",
    type=FILE,
    metavar="FILE",
    help="Its principals alone may create matches: a SHA-256 a line, hexadecimal or base64url. Read anew when changed.",
)
@click.option(
    "--trusted-proxies",
    default=Settings.trusted_proxies,
    help="So many proxies stand in front and write x-forwarded-for; by what they say addresses are told apart.",
)
@_quota_options
def serve(
    redis_password_file: Path | None,
    drain: float,
    keepalive: float,
    connection_age: float,
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_client_ca: Path | None,
    idle_hours: float,
    retention_hours: float,
    operator_keys: Path | None,
    **others: Any,
) -> None:
    """Runs a referee until it is asked to stop (SIGTERM, Ctrl-C).

    The environment may give each option too: --idle-hours is REFEREE_IDLE_HOURS, and --redis is REFEREE_REDIS_URL.
    Where a number of calls, matches or streams is limited, 0 is no limit.
    """
    try:
        limits = Limits(idle_ms=int(idle_hours * _HOUR_MS), retention_ms=int(retention_hours * _HOUR_MS))
        chosen = {name: others.pop(name) for name in _QUOTAS}
        settings = Settings(
            redis_password=password_in(redis_password_file),
            drain_s=drain,
            keepalive_s=keepalive,
            connection_age_s=connection_age,
            tls=tls_of(tls_cert, tls_key, tls_client_ca),
            limits=limits,
            operators=None if operator_keys is None else OperatorKeys(operator_keys),
            quotas=quotas_of(others["listen"], others["trusted_proxies"], chosen),
            **others,
        )
        logs.set_up(settings.log_format, settings.log_level)
        embedded = None if settings.redis else start_embedded(settings.data, settings.fsync)
    except SettingsError as error:
        raise click.UsageError(str(error)) from None
    except KeeperError as error:
        raise click.ClickException(str(error)) from None
    try:
        if settings.workers == 1:
            stop_with = sys.stdin.fileno() if settings.stop_with_stdin else None
            serving.serve(settings, settings.redis or _url(embedded), _tell, stop_with)
        else:
            _keep_workers(settings, settings.redis or _url(embedded))
    finally:
        if embedded is not None:
            embedded.stop()


def _tell(listen: str) -> None:
    click.echo(f"listening on {listen}")


def _keep_workers(settings: Settings, url: str) -> None:
    try:
        with held(settings.listen) as listen:
            workers = Workers(
                partial(serving.work, replace(settings, listen=listen), url), settings.workers, settings.drain_s
            )
            workers.run(lambda: _tell(listen), stop_with_stdin=settings.stop_with_stdin)
    except WorkersError as error:
        raise click.ClickException(str(error)) from None


def _url(embedded: Embedded | None) -> str:
    if embedded is None:
        raise AssertionError("without a URL a store is embedded")
    return embedded.url


if __name__ == "__main__":
    main(prog_name="referee")
