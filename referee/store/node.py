"""One server, and the ways to it."""

import asyncio
from collections.abc import Sequence
from typing import Final

from redis.asyncio import BlockingConnectionPool, ConnectionPool, Redis
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from referee.store import rights
from referee.store.pipelined import TIMEOUT_S, Pipelined
from referee.store.replicated import Replicated
from referee.table.observer import Observer
from referee.table.store import StoreUnavailableError


class UrlError(Exception):
    """A URL that no server can be reached by. It is not shown, for it may hold a password."""


class Node:
    """One server.

    Args:
        url: redis://, rediss:// or unix:// with the path of a socket.
        password: for a URL that has none.
        observer: is told of commands.
        replicated: whether only that is told which a replica of the server has too.

    Attributes:
        send: carries out commands.

    Raises:
        UrlError: the URL names no server, or has settings in its query that there are none of.
    """

    def __init__(self, url: str, password: str | None, observer: Observer, replicated: bool = False) -> None:
        once = Retry(NoBackoff(), 0)  # a command that is sent twice may be carried out twice
        try:
            self._redis: Final = Redis.from_pool(
                BlockingConnectionPool.from_url(
                    url, password=password, max_connections=4, timeout=TIMEOUT_S, retry=once, socket_timeout=TIMEOUT_S
                )
            )
            self._listeners: Final = ConnectionPool.from_url(  # plain replies
                url, password=password, protocol=2, retry=once, socket_timeout=None
            )
            self.listener()  # what is in the query is looked at only then
        except ValueError:  # it may quote a part of a password
            raise UrlError("the URL of the store does not name a server, or has a value that cannot be") from None
        except TypeError as error:
            setting = str(error).rpartition(" ")[2]
            raise UrlError(f"the URL of the store has a setting that is not known: {setting}") from None
        except RedisError as error:
            raise UrlError(f"the URL of the store has a value that cannot be: {error}") from None
        self._replicated: Final = replicated
        self.send: Final = (Replicated if replicated else Pipelined)(self._redis, observer)

    def listener(self) -> AbstractConnection:
        """Makes a connection for notifications, which is not open yet and is its caller's."""
        connection: AbstractConnection = self._listeners.make_connection()  # type: ignore[no-untyped-call]
        return connection

    async def check(self) -> None:
        """Does nothing: whoever asks the server for anything learns whether it is at work."""

    async def primaries(self) -> Sequence["Node"]:
        """Returns each server that keeps something: here the one."""
        return [self]

    async def lacking(self) -> list[str]:
        """Returns the rights that its user lacks.

        Raises:
            StoreUnavailableError: it does not answer.
        """
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await rights.lacking(self._redis, self.listener(), self._replicated)
        except (RedisError, OSError, RuntimeError, TimeoutError) as error:  # see `line.ENDED`
            raise StoreUnavailableError(str(error) or f"no reply within {TIMEOUT_S} s") from error

    async def close(self) -> None:
        """Closes all connections."""
        await self._redis.aclose()
