"""Plain HTTP for those who watch over the service: is it alive, is it ready, what has it counted.

Served by the event loop that serves the calls: whoever gets an answer knows that the loop turns.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST

_log: Final = logging.getLogger("referee")
_ASKED_WITHIN_S: Final = 5.0
_TEXT: Final = "text/plain; charset=utf-8"


class Monitor:
    """Answers GET /metrics, /healthz and /readyz, one request a connection.

    Args:
        exposition: returns what has been counted.
        ready: tells whether calls should be sent here.
    """

    def __init__(self, exposition: Callable[[], bytes], ready: Callable[[], bool]) -> None:
        self._exposition: Final = exposition
        self._ready: Final = ready

    @asynccontextmanager
    async def on(self, address: str) -> AsyncIterator[int]:
        """Listens on HOST:PORT for the block; yields the port.

        Raises:
            RuntimeError: the address cannot be bound.
        """
        host, _, port = address.rpartition(":")
        try:
            server = await asyncio.start_server(self._answer, host.strip("[]"), int(port))
        except OSError as error:
            raise RuntimeError(f"Failed to bind to address {address}: {error}") from error
        async with server:
            bound: int = server.sockets[0].getsockname()[1]
            _log.info("metrics on http://%s:%d/metrics", host, bound)
            yield bound

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_ASKED_WITHIN_S):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._response(head))
                await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            pass  # whoever asks like this gets no answer
        finally:
            writer.close()

    def _response(self, head: bytes) -> bytes:
        method, _, rest = head.partition(b" ")
        status, kind, body = self._page(rest.partition(b" ")[0].partition(b"?")[0])
        if method not in (b"GET", b"HEAD"):
            status, kind, body = HTTPStatus.METHOD_NOT_ALLOWED, _TEXT, b"GET or HEAD\n"
        lines = (
            f"HTTP/1.1 {status.value} {status.phrase}",
            f"Content-Type: {kind}",
            f"Content-Length: {len(body)}",
            "Connection: close",
            "\r\n",
        )
        return "\r\n".join(lines).encode() + (b"" if method == b"HEAD" else body)

    def _page(self, path: bytes) -> tuple[HTTPStatus, str, bytes]:
        match path:
            case b"/metrics":
                return HTTPStatus.OK, CONTENT_TYPE_LATEST, self._exposition()
            case b"/healthz":
                return HTTPStatus.OK, _TEXT, b"alive\n"
            case b"/readyz" if self._ready():
                return HTTPStatus.OK, _TEXT, b"ready\n"
            case b"/readyz":
                return HTTPStatus.SERVICE_UNAVAILABLE, _TEXT, b"not ready\n"
        return HTTPStatus.NOT_FOUND, _TEXT, b"/metrics, /healthz or /readyz\n"
