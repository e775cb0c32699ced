"""The floor of telling many: the same server, streams and messages, but nothing of a referee.

`python -m loadtest.fanout` serves two calls under the names that a referee has for them. Whoever calls WatchMatch is
sent its own request first, and then what anybody sends by SubmitMove. There is no garbage collection.
"""

from __future__ import annotations  # grpc's classes are generic in their stubs only

import asyncio
import gc
import sys
from typing import Final

import grpc
import uvloop

Context = grpc.aio.ServicerContext[bytes, bytes]
_SERVICE: Final = "/artreferee.v1.RefereeService"


class FanOut(grpc.GenericRpcHandler):
    """The two calls."""

    def __init__(self) -> None:
        self._message = b""
        self._watching: Final = set[asyncio.Event]()
        self._handlers: Final[dict[str, grpc.RpcMethodHandler[bytes, bytes]]] = {
            f"{_SERVICE}/WatchMatch": grpc.unary_stream_rpc_method_handler(self._watch),
            f"{_SERVICE}/SubmitMove": grpc.unary_unary_rpc_method_handler(self._tell),
        }

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """Returns the handler of a method."""
        return self._handlers.get(handler_call_details.method)

    async def _watch(self, request: bytes, context: Context) -> None:
        news = asyncio.Event()
        self._watching.add(news)
        try:
            await context.write(request)
            while await news.wait():
                news.clear()
                await context.write(self._message)
        finally:
            self._watching.discard(news)

    async def _tell(self, message: bytes, _: Context) -> bytes:
        self._message = message
        for news in self._watching:
            news.set()
        return b""


async def serve() -> None:
    """Serves until the process is ended."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((FanOut(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"listening on 127.0.0.1:{port}\n")
    sys.stdout.flush()
    await server.wait_for_termination()


if __name__ == "__main__":
    gc.disable()
    uvloop.run(serve())
