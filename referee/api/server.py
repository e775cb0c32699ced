"""A gRPC server around a table: ready, serving, draining, stopped."""

import asyncio
import gc
import logging
import os
import signal
from collections.abc import Callable
from typing import Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from referee.api import health
from referee.api.certificates import credentials
from referee.api.creations import Creations
from referee.api.interceptor import SERVICE, Handlers
from referee.api.journal import Journal
from referee.api.markers import Markers
from referee.api.quotas import Gate
from referee.api.servicer import Servicer
from referee.api.settings import Settings
from referee.table.observer import Observer
from referee.table.store import StoreUnavailableError
from referee.table.table import Table

_log: Final = logging.getLogger("referee")
_LARGEST_MESSAGE: Final = 1024 * 1024  # above our own limit, which gives the better error
_PENDING: Final = 4_000  # calls that wait in gRPC; if refusals do not keep pace, it cancels some, whosever they are
_UNREAD_S: Final = 10  # as long as callers wait: what is older is cancelled without being looked at
_PROBE_S: Final = 1.0
_COLLECTED_AFTER: Final = (1_000, 10, 2_000)
"""So many new objects; so many times that, until older ones are looked at too; so many times that, until all are.

gRPC leaves a cycle for each call. What is thrown away counts against what is new, and each move throws an older
snapshot away: after 20,000 a collection found so much that all calls waited 40 to 60 ms. All are looked at seldom, for
what 10,000 watchers are told lives until it is sent.
"""


class Server:
    """Serves a table on one address.

    Attributes:
        port: where it listens, once it has started.
        ready: whether the store answers and calls are taken.
    """

    def __init__(self, table: Table, settings: Settings, observer: Observer | None = None) -> None:
        self._table: Final = table
        self._settings: Final = settings
        self._server: Final = grpc.aio.server(options=_options(settings))
        journal = Journal(observer)
        creations = Creations(table, settings.operators, settings.quotas.open_matches)
        gate = Gate(settings.quotas, settings.trusted_proxies)
        self._markers: Final = Markers(gate.backlog)
        self._handlers: Final = Handlers(Servicer(table, journal, creations), journal, gate)
        self._health: Final = health.Health()
        self._minding = list[asyncio.Task[None]]()
        self.port = 0
        self.ready = False
        self._draining = False

    async def start(self) -> None:
        """Binds the address and serves.

        Raises:
            RuntimeError: the address cannot be bound.
        """
        self._server.add_generic_rpc_handlers((self._handlers,))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (SERVICE.full_name, health.NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)
        self.port = self._bind()
        self._markers.open(self._server)
        await self._server.start()
        self._minding = [asyncio.create_task(self._watch_store()), asyncio.create_task(self._table.keep_time())]

    async def stop(self) -> None:
        """Drains: tells balancers, sends watchers elsewhere, lets calls under way finish, and stops."""
        self.ready, self._draining = False, True
        await self._health.end()
        for task in self._minding:
            task.cancel()
        self._table.time.cancel()  # from here on time stands still, unless another replica is at work
        await asyncio.gather(*self._minding, return_exceptions=True)
        self._handlers.end_streams()
        await self._markers.close()
        await self._server.stop(self._settings.drain_s)

    def _bind(self) -> int:
        listen, tls = self._settings.listen, self._settings.tls
        if tls is None:
            return self._server.add_insecure_port(listen)
        return self._server.add_secure_port(listen, credentials(tls))

    async def _watch_store(self) -> None:
        while True:
            try:
                await self._table.ping()
                serving = True
            except StoreUnavailableError as error:
                _log.warning("not ready, the store does not answer: %s", error)
                serving = False
            except Exception:
                _log.exception("not ready, the store answers with an error")
                serving = False
            self.ready = serving and not self._draining
            status = health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
            for service in ("", SERVICE.full_name):
                await self._health.set(service, status)
            await asyncio.sleep(_PROBE_S)


def _options(settings: Settings) -> tuple[tuple[str, int], ...]:
    keepalive_ms = int(settings.keepalive_s * 1000)
    ages = (
        ("grpc.max_connection_age_ms", int(settings.connection_age_s * 1000)),
        ("grpc.max_connection_age_grace_ms", int(settings.drain_s * 1000)),
    )
    return (
        *(ages if settings.connection_age_s else ()),
        ("grpc.so_reuseport", int(settings.workers > 1)),  # else a second server on the port starts without a word
        ("grpc.max_receive_message_length", _LARGEST_MESSAGE),
        ("grpc.server.max_pending_requests", _PENDING),
        ("grpc.server.max_pending_requests_hard_limit", 2 * _PENDING),
        ("grpc.server_max_unrequested_time_in_server", _UNREAD_S),
        ("grpc.keepalive_time_ms", keepalive_ms),  # a connection that went silent is found within time and timeout
        ("grpc.keepalive_timeout_ms", keepalive_ms // 3),
        ("grpc.http2.ping_timeout_ms", keepalive_ms // 3),  # without it the answer may take a minute
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    )


async def run(server: Server, ready: Callable[[int], None], stop_with: int | None) -> None:
    """Serves until SIGTERM, SIGINT or the end of what a file descriptor reads, if there is one; then drains.

    Calls `ready` with the port once it listens.
    """
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await server.start()
    gc.freeze()  # what is here for good is not looked at again and again, while all calls wait
    gc.set_threshold(*_COLLECTED_AFTER)
    ready(server.port)
    if stop_with is not None:
        loop.add_reader(stop_with, _set_at_end, stop, stop_with)
    await stop.wait()
    if stop_with is not None:
        loop.remove_reader(stop_with)
    _log.info("draining")
    await server.stop()


def _set_at_end(stop: asyncio.Event, source: int) -> None:
    if not os.read(source, 1024):
        stop.set()
