"""The floor: the same server and store, but nothing of a referee.

`python -m loadtest.floor REDIS_URL` serves one unary call. A request has 200 bytes, the first four of which name a
slot; it costs one Lua compare-and-set of 400 bytes; the reply has 500 bytes. No interceptor, no protobuf, no coalescing
of commands. The same goes over a stream, request by request; there scripts that wait at the same time share a pipeline.
"""

from __future__ import annotations  # grpc's classes are generic in their stubs only

import asyncio
import sys
from typing import Any, Final

import grpc
import uvloop
from redis.asyncio import Redis

METHOD: Final = "/loadtest.Floor/Call"
STREAM: Final = "/loadtest.Floor/Stream"
REQUEST_BYTES: Final = 200
_REPLY: Final = bytes(500)
_SNAPSHOT: Final = bytes(392)
_SCRIPT: Final = """
if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', 86400)
return 1
"""


class Floor(grpc.GenericRpcHandler):
    """The one call, and its stream."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Final = redis
        self._versions: Final = dict[bytes, int]()
        self._script: Final = redis.register_script(_SCRIPT)
        self._handlers: Final[dict[str, grpc.RpcMethodHandler[bytes, bytes]]] = {
            METHOD: grpc.unary_unary_rpc_method_handler(self._call),
            STREAM: grpc.stream_stream_rpc_method_handler(self._stream),
        }
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._sending: asyncio.Task[None] | None = None

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """Returns the handler of a method."""
        return self._handlers.get(handler_call_details.method)

    async def _call(self, request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        slot = request[:4]
        key, old, new = await self._next(slot)
        if await self._script(keys=[key], args=[old, new]) != 1:
            raise RuntimeError("a compare-and-set was lost")
        return _REPLY

    async def _stream(self, _: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        answers = asyncio.Queue[asyncio.Future[None] | None]()

        async def read() -> None:
            while isinstance(request := await context.read(), bytes):
                answered = asyncio.get_running_loop().create_future()
                self._waiting.append((request[:4], answered))
                if self._sending is None or self._sending.done():
                    self._sending = asyncio.create_task(self._send())
                answers.put_nowait(answered)
            answers.put_nowait(None)

        reader = asyncio.create_task(read())
        while (answered := await answers.get()) is not None:
            await answered
            await context.write(_REPLY)
        await reader

    async def _send(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            pipeline = self._redis.pipeline(transaction=False)
            for slot, _ in batch:
                key, old, new = await self._next(slot)
                pipeline.evalsha(self._script.sha, 1, key, old, new)
            for (_, answered), reply in zip(batch, await pipeline.execute(raise_on_error=False), strict=True):
                if reply == 1:
                    answered.set_result(None)
                else:
                    answered.set_exception(RuntimeError(f"a compare-and-set was lost: {reply}"))

    async def _next(self, slot: bytes) -> tuple[bytes, bytes, bytes]:
        """Returns key, expected version and new value of the next write of a slot."""
        version = self._versions.get(slot, 0)
        key, old, new = b"floor:" + slot, version.to_bytes(8, "big"), (version + 1).to_bytes(8, "big")
        if version == 0:
            await self._redis.set(key, old + _SNAPSHOT)
        self._versions[slot] = version + 1
        return key, old, new + _SNAPSHOT


async def serve(url: str) -> None:
    """Serves until the process is ended."""
    redis = Redis.from_url(url, max_connections=256)
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((Floor(redis),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"listening on 127.0.0.1:{port}\n")
    sys.stdout.flush()
    await server.wait_for_termination()


if __name__ == "__main__":
    uvloop.run(serve(sys.argv[1]))
