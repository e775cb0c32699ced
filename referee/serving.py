"""A process that serves: puts a store, a table and a server together."""

from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

import click

from referee.api import logs
from referee.api.settings import Settings
from referee.table.observer import Observer, Span, no_span
from referee.table.store import StoreUnavailableError
from referee.table.table import Table

if TYPE_CHECKING:
    from referee.store.redis_store import RedisStore


def serve(settings: Settings, url: str, ready: Callable[[str], None], stop_with: int | None) -> None:
    """Serves until it is asked to stop, or what the file descriptor `stop_with` reads has an end.

    Calls `ready` with HOST:PORT once it listens.

    Raises:
        click.ClickException: it cannot.
    """
    import uvloop  # grpc must not be imported before the embedded store was started

    from referee.api.metrics import Metrics
    from referee.api.monitor import Monitor
    from referee.api.server import Server, run
    from referee.games import registry
    from referee.store.node import UrlError
    from referee.store.redis_store import RedisStore

    async def serve_store() -> None:
        async with AsyncExitStack() as stack:
            span = stack.enter_context(_spans(settings.tracing))
            metrics = Metrics(span) if settings.metrics else None
            observer = metrics or Observer(span)
            store = RedisStore(url, settings.redis_password, observer, settings.durability == "replica")
            stack.push_async_callback(store.close)
            await _require_rights(store)
            server = Server(Table(store, registry(), settings.limits, observer), settings, observer)
            if settings.metrics and metrics:
                monitor = Monitor(metrics.exposition, lambda: server.ready)
                await stack.enter_async_context(monitor.on(settings.metrics))
            host = settings.listen.rpartition(":")[0]
            await run(server, lambda port: ready(f"{host}:{port}"), stop_with)

    try:
        uvloop.run(serve_store())
    except UrlError as error:
        raise click.UsageError(str(error)) from None
    except RuntimeError as error:
        raise click.ClickException(f"cannot listen: {error}") from None


def work(settings: Settings, url: str, number: int, parent: Connection) -> None:
    """Is a worker, until its parent ends the connection; each has a port of its own for its metrics."""
    if settings.metrics is not None:
        host, _, port = settings.metrics.rpartition(":")
        settings = replace(settings, metrics=f"{host}:{int(port) + number}")
    logs.set_up(settings.log_format, settings.log_level)

    def say(why_not: str | None) -> None:
        with suppress(BrokenPipeError):  # the parent ends, for another one could not listen; so this one ends too
            parent.send(why_not)

    try:
        serve(settings, url, lambda _: say(None), parent.fileno())
    except click.ClickException as error:
        say(error.message)


async def _require_rights(store: "RedisStore") -> None:
    from referee.store.rights import RightsError

    try:
        await store.require_rights()
    except RightsError as error:
        raise click.ClickException(str(error)) from None
    except StoreUnavailableError:
        pass  # health tells of it


@contextmanager
def _spans(collector: str | None) -> Iterator[Callable[..., Span]]:
    if collector is None:
        yield no_span
        return
    try:
        from referee.api.tracing import Tracing, to_collector
    except ModuleNotFoundError as error:
        message = f"--tracing needs {error.name}: pip install 'artreferee[tracing]'"
        raise click.ClickException(message) from None
    tracing = Tracing(to_collector(collector))
    try:
        yield tracing.span
    finally:
        tracing.close()
