"""Sends the markers by which a backlog is measured, through a socket beside the one that all others call at."""

import asyncio
import logging
import secrets
from typing import Any, Final

import grpc

from referee.api.backlog import Backlog

_log: Final = logging.getLogger("referee")
PEER: Final = "unix:"
"""Whoever comes through that socket. Nobody but markers may: there no certificate is asked for."""
_LOST_S: Final = 10.0  # a backlog as old as that is no measure any more


class Markers:
    """Sends markers to a server in this process, from `open` to `close`."""

    def __init__(self, backlog: Backlog) -> None:
        self._backlog: Final = backlog
        self._address: Final = f"unix-abstract:referee-{secrets.token_hex(16)}"  # no file that a kill would leave
        self._sending: Final = set[asyncio.Task[None]]()
        self._channel: grpc.aio.Channel | None = None
        self._call: Any = None

    def open(self, server: grpc.aio.Server) -> None:
        """Lets a server listen for markers and begins to send them; without such sockets nothing is measured."""
        try:
            server.add_insecure_port(self._address)
        except RuntimeError as error:
            _log.warning("how long calls wait is not measured: %s", error)
            return
        self._channel = grpc.aio.insecure_channel(self._address)
        self._call = self._channel.unary_unary(self._backlog.method)
        self._backlog.watch(self._send)

    async def close(self) -> None:
        """Measures no more."""
        self._backlog.rest()
        for task in self._sending:
            task.cancel()
        await asyncio.gather(*self._sending, return_exceptions=True)
        if self._channel is not None:
            await self._channel.close()

    def _send(self) -> None:
        task = asyncio.create_task(self._mark())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _mark(self) -> None:
        try:
            await self._call(b"", timeout=_LOST_S)
        except grpc.aio.AioRpcError:
            self._backlog.forget()
