"""A way to a server, TCP or unix socket, on which things go wrong when a test says so."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

_CHUNK = 65536


class Fault(Enum):
    """What becomes of a request and of its connection."""

    CUT = auto()  # it does not get through, and the connection ends
    SILENCE = auto()  # it does not get through, nor does anything after it, either way
    SWALLOW = auto()  # it gets through, but nothing comes back any more


@dataclass
class Trap:
    """A fault that waits for a request.

    Attributes:
        fault: what happens.
        holding: bytes of the request.
        nth: how many requests that hold them it takes.
        sprung: set when it has happened; a swallowed request has not been carried out yet then.
        swallowed: what came back and was kept from the client.
    """

    fault: Fault
    holding: bytes
    nth: int
    sprung: asyncio.Event = field(default_factory=asyncio.Event)
    swallowed: bytearray = field(default_factory=bytearray)
    _connection: "_Connection | None" = field(default=None, repr=False)

    def springs(self, request: bytes, connection: "_Connection") -> bool:
        """Whether this is the request that it waits for."""
        self.nth -= self.holding in request
        if self.nth:
            return False
        self._connection = connection
        self.sprung.set()
        return True

    def cut(self) -> None:
        """Ends the connection on which it has happened."""
        if self._connection is None:
            raise AssertionError("it has not happened yet")
        self._connection.cut()


@dataclass(eq=False)
class Proxy:
    """Passes connections on to a server, "unix://PATH" or "HOST:PORT".

    Attributes:
        target: the server.
        address: where the proxy listens itself, in the same form.
        delay_s: how long whatever passes is held back, either way.
        accepted: how many connections there have been.
    """

    target: str
    address: str = ""
    delay_s: float = 0.0
    accepted: int = 0
    _traps: list[Trap] = field(default_factory=list)
    _connections: "set[_Connection]" = field(default_factory=set)

    def trap(self, fault: Fault, holding: bytes = b"", nth: int = 1) -> Trap:
        """Lets something happen to the `nth` request from now on that holds some bytes."""
        trap = Trap(fault, holding, nth)
        self._traps.append(trap)
        return trap

    def silence(self) -> None:
        """Makes all connections that there are silent for ever; new ones work."""
        for connection in self._connections:
            connection.fault = Fault.SILENCE

    def cut(self) -> None:
        """Ends all connections that there are."""
        for connection in self._connections:
            connection.cut()

    def springs(self, request: bytes, connection: "_Connection") -> Trap | None:
        """Returns the trap that a request springs."""
        for trap in self._traps:
            if trap.springs(request, connection):
                self._traps.remove(trap)
                return trap
        return None

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Passes a new connection on until it ends; hangs up if there is no server."""
        self.accepted += 1
        try:
            far = await _connected(self.target)
        except OSError:
            writer.close()
            return
        connection = _Connection(self, _End(reader, writer), far)
        self._connections.add(connection)
        await connection.run()
        self._connections.discard(connection)

    async def close(self) -> None:
        """Ends all connections and waits until they have ended."""
        running = list(self._connections)
        self.cut()
        await asyncio.gather(*(connection.ended.wait() for connection in running))


class _End(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class _Connection:
    def __init__(self, proxy: Proxy, near: _End, far: _End) -> None:
        self._proxy, self._near, self._far = proxy, near, far
        self._trap: Trap | None = None
        self.fault: Fault | None = None
        self.ended = asyncio.Event()

    async def run(self) -> None:
        pipes = {asyncio.create_task(self._pass_up()), asyncio.create_task(self._pass_down())}
        await asyncio.wait(pipes, return_when=asyncio.FIRST_COMPLETED)
        for pipe in pipes:
            pipe.cancel()
        await asyncio.gather(*pipes, return_exceptions=True)
        writers = (self._near.writer, self._far.writer)
        for writer in writers:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in writers), return_exceptions=True)
        self.ended.set()

    def cut(self) -> None:
        self._near.writer.transport.abort()
        self._far.writer.transport.abort()

    async def _pass_up(self) -> None:
        while request := await self._near.reader.read(_CHUNK):
            if self.fault is None and (trap := self._proxy.springs(request, self)):
                self._trap, self.fault = trap, trap.fault
            if self.fault is Fault.CUT:
                self.cut()
                return
            if self.fault is not Fault.SILENCE:
                await self._write(request, self._far.writer)

    async def _pass_down(self) -> None:
        while reply := await self._far.reader.read(_CHUNK):
            if self.fault is None:
                await self._write(reply, self._near.writer)
            elif self._trap is not None:
                self._trap.swallowed += reply

    async def _write(self, part: bytes, writer: asyncio.StreamWriter) -> None:
        if self._proxy.delay_s:
            await asyncio.sleep(self._proxy.delay_s)
        writer.write(part)
        await writer.drain()


async def _connected(target: str) -> _End:
    if target.startswith("unix://"):
        return _End(*await asyncio.open_unix_connection(target.removeprefix("unix://")))
    host, _, port = target.rpartition(":")
    return _End(*await asyncio.open_connection(host, int(port)))


@asynccontextmanager
async def proxy_to(target: str) -> AsyncIterator[Proxy]:
    """Runs a proxy to a server."""
    proxy = Proxy(target)
    with tempfile.TemporaryDirectory(prefix="proxy-") as home:
        if target.startswith("unix://"):
            server = await asyncio.start_unix_server(proxy.accept, f"{home}/s")
            proxy.address = f"unix://{home}/s"
        else:
            server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
            proxy.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server:
            yield proxy
            server.close()
            await proxy.close()
