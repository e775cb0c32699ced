"""Follows a match over many connections: `python subscriber.py HOST:PORT TOKEN MATCH_ID CONNECTIONS`.

Says "ready" on standard output when it has heard something on each of them, and then reads on for ever.
"""

import asyncio
import sys

import grpc

from artreferee.v1 import service_pb2, service_pb2_grpc


async def follow(address: str, token: str, match_id: str, ready: asyncio.Semaphore) -> None:
    """Follows the match over a connection of its own."""
    metadata = (("authorization", f"Bearer {token}"),)
    async with grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
        watch = service_pb2_grpc.RefereeServiceStub(channel).WatchMatch
        async for _ in watch(service_pb2.WatchMatchRequest(match_id=match_id), metadata=metadata):
            ready.release()


async def main(address: str, token: str, match_id: str, connections: str) -> None:
    ready = asyncio.Semaphore(0)
    async with asyncio.TaskGroup() as group:
        for _ in range(int(connections)):
            group.create_task(follow(address, token, match_id, ready))
        for _ in range(int(connections)):
            await ready.acquire()
        sys.stdout.write("ready\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
