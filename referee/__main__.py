"""The command `referee`: puts a store, a table and a server together."""

import logging
import sys
from pathlib import Path

import click

from referee.api.settings import Settings, SettingsError, default_data
from referee.store.embedded import Embedded
from referee.store.embedded import start as start_embedded
from referee.store.keeper import KeeperError
from referee.table.table import Limits, Table

_HOUR_MS = 3600 * 1000


@click.group(context_settings={"auto_envvar_prefix": "REFEREE", "show_default": True})
def main() -> None:
    """The art referee."""


@main.command()
@click.option("--listen", default=Settings.listen, metavar="HOST:PORT", help="The address; port 0 takes a free one.")
@click.option(
    "--redis",
    envvar="REFEREE_REDIS_URL",
    metavar="URL",
    help="The store; without it one is embedded. Give a URL with a password by the environment.",
)
@click.option(
    "--data", default=default_data(), type=click.Path(path_type=Path), help="The directory of the embedded store."
)
@click.option(
    "--fsync",
    default=Settings.fsync,
    type=click.Choice(["everysec", "always", "no"]),
    help="How soon the embedded store writes to disk.",
)
@click.option("--drain", default=Settings.drain_s, help="Seconds that calls under way may take at the end.")
@click.option("--keepalive", default=Settings.keepalive_s, help="Seconds until a silent connection is asked.")
@click.option("--stop-with-stdin", is_flag=True, help="Stop when standard input ends, for those who start a referee.")
@click.option("--idle-hours", default=168.0, help="How long a match is kept that nobody moves in.")
@click.option("--retention-hours", default=168.0, help="How long a finished match is kept.")
def serve(
    listen: str,
    redis: str | None,
    data: Path,
    fsync: str,
    drain: float,
    keepalive: float,
    stop_with_stdin: bool,
    idle_hours: float,
    retention_hours: float,
) -> None:
    """Runs a referee until it is asked to stop (SIGTERM, Ctrl-C)."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s", stream=sys.stderr)
    try:
        limits = Limits(idle_ms=int(idle_hours * _HOUR_MS), retention_ms=int(retention_hours * _HOUR_MS))
        settings = Settings(listen, redis, data, fsync, drain, keepalive, stop_with_stdin, limits)
        embedded = None if settings.redis else start_embedded(settings.data, settings.fsync)
    except SettingsError as error:
        raise click.UsageError(str(error)) from None
    except KeeperError as error:
        raise click.ClickException(str(error)) from None
    try:
        _serve(settings, settings.redis or _url(embedded))
    except RuntimeError as error:
        raise click.ClickException(f"cannot listen on {settings.listen}: {error}") from None
    finally:
        if embedded is not None:
            embedded.stop()


def _serve(settings: Settings, url: str) -> None:
    import uvloop  # grpc must not be imported before the embedded store was started

    from referee.api.server import Server, run
    from referee.games import registry
    from referee.store.redis_store import RedisStore

    def ready(port: int) -> None:
        host = settings.listen.rpartition(":")[0]
        click.echo(f"listening on {host}:{port}")

    async def serve_store() -> None:
        store = RedisStore(url)
        try:
            await run(Server(Table(store, registry(), settings.limits), settings), ready, settings.stop_with_stdin)
        finally:
            await store.close()

    uvloop.run(serve_store())


def _url(embedded: Embedded | None) -> str:
    if embedded is None:
        raise AssertionError("without a URL a store is embedded")
    return embedded.url


if __name__ == "__main__":
    main(prog_name="referee")
