"""Follows a match, and plays, over many connections: `python subscriber.py HOST:PORT MATCH_ID CONNECTIONS`.

Says "ready" on standard output when it has heard something on each of their streams, and then reads on for ever.
"""

import asyncio
import secrets
import sys
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterable

import grpc

from artreferee.v1 import service_pb2, service_pb2_grpc


async def follow(address: str, match_id: str, ready: asyncio.Semaphore) -> None:
    """Opens both kinds of streams over a connection of its own, as a principal of its own."""
    token = urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
    metadata = (("authorization", f"Bearer {token}"),)
    async with grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
        stub = service_pb2_grpc.RefereeServiceStub(channel)
        play = stub.Play(metadata=metadata)
        await play.write(service_pb2.PlayRequest())
        watch = stub.WatchMatch(service_pb2.WatchMatchRequest(match_id=match_id), metadata=metadata)
        await asyncio.gather(read(watch, ready), read(play, ready))


async def read(stream: AsyncIterable[object], ready: asyncio.Semaphore) -> None:
    async for _ in stream:
        ready.release()


async def main(address: str, match_id: str, connections: str) -> None:
    ready = asyncio.Semaphore(0)
    async with asyncio.TaskGroup() as group:
        for _ in range(int(connections)):
            group.create_task(follow(address, match_id, ready))
        for _ in range(2 * int(connections)):
            await ready.acquire()
        sys.stdout.write("ready\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
