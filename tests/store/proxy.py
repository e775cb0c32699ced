"""A way to a server on which connections can go silent, as they do behind a gateway that has forgotten them."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Proxy:
    """Passes connections on to a unix socket.

    Attributes:
        url: where it listens itself.
        upstream: the path of the server's socket.
    """

    url: str
    upstream: str
    _writers: list[asyncio.StreamWriter] = field(default_factory=list)
    _pipes: set[asyncio.Task[None]] = field(default_factory=set)

    def silence(self) -> None:
        """Makes all connections that there are silent for ever; new ones work."""
        for pipe in self._pipes:
            pipe.cancel()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Passes a new connection on."""
        far_reader, far_writer = await asyncio.open_unix_connection(self.upstream)
        self._writers += [writer, far_writer]
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            pipe = asyncio.create_task(_pass_on(source, sink))
            self._pipes.add(pipe)
            pipe.add_done_callback(self._pipes.discard)

    async def close(self) -> None:
        """Ends all connections."""
        self.silence()
        for writer in self._writers:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in self._writers), return_exceptions=True)


async def _pass_on(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    try:
        while part := await source.read(65536):
            sink.write(part)
            await sink.drain()
    except OSError:
        pass  # one end is gone, and with it goes the other
    sink.close()


@asynccontextmanager
async def proxy_to(url: str) -> AsyncIterator[Proxy]:
    """Runs a proxy to a store's URL."""
    home = tempfile.mkdtemp(prefix="proxy-")
    path = str(Path(home) / "s")
    proxy = Proxy(f"unix://{path}", url.removeprefix("unix://"))
    server = await asyncio.start_unix_server(proxy.accept, path)
    try:
        yield proxy
    finally:
        server.close()
        await proxy.close()
        await server.wait_closed()
        shutil.rmtree(home)
