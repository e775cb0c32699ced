"""The floor: the same server and store, but nothing of a referee.

`python -m loadtest.floor REDIS_URL` serves one unary call. A request has 200 bytes, the first four of which name a
slot; it costs one Lua compare-and-set of 400 bytes; the reply has 500 bytes. No interceptor, no protobuf, no coalescing
of commands.
"""

from __future__ import annotations  # grpc's classes are generic in their stubs only

import sys
from typing import Final

import grpc
import uvloop
from redis.asyncio import Redis

METHOD: Final = "/loadtest.Floor/Call"
REQUEST_BYTES: Final = 200
_REPLY: Final = bytes(500)
_SNAPSHOT: Final = bytes(392)
_SCRIPT: Final = """
if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', 86400)
return 1
"""


class Floor(grpc.GenericRpcHandler):
    """The one call."""

    def __init__(self, redis: Redis) -> None:
        self._redis: Final = redis
        self._versions: Final = dict[bytes, int]()
        self._script: Final = redis.register_script(_SCRIPT)
        self._handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(self._call)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """Returns the handler of the one method."""
        return self._handler if handler_call_details.method == METHOD else None

    async def _call(self, request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        slot = request[:4]
        version = self._versions.get(slot, 0)
        key, old, new = b"floor:" + slot, version.to_bytes(8, "big"), (version + 1).to_bytes(8, "big")
        if version == 0:
            await self._redis.set(key, old + _SNAPSHOT)
        if await self._script(keys=[key], args=[old, new + _SNAPSHOT]) != 1:
            raise RuntimeError("a compare-and-set was lost")
        self._versions[slot] = version + 1
        return _REPLY


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
