"""Whoever is notified is so again after whatever befell the connection."""

from collections.abc import Iterator

from redis.asyncio.connection import AbstractConnection, Connection

from referee.store.node import Node
from referee.store.notices import Notices, Signal
from referee.table.observer import Observer
from tests.store.test_contract_changes import HEARD_S


class Ended(Connection):
    """A connection that has ended when the first word goes out, as the event loop of a referee tells it."""

    async def connect(self) -> None:
        raise RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")


async def test_a_connection_that_ends_while_it_begins_is_made_again(url: str) -> None:
    node = Node(url, None, Observer())
    connections: Iterator[AbstractConnection] = iter([Ended(), Ended(), node.listener()])
    notices, signal = Notices(lambda: next(connections), Observer()), Signal()
    async with notices.to(signal, "channel"):
        await node.send("PUBLISH", "channel", "7")
        assert await signal.wait(HEARD_S)
        while signal.version != 7:
            assert await signal.wait(HEARD_S)
    await notices.close()
    await node.close()
