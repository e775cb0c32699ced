"""Replies that rest only on what a replica has too."""

from typing import Any, Final

from redis.exceptions import TimeoutError as RedisTimeoutError

from referee.store import keys
from referee.store.pipelined import Pipelined

_CONFIRMED_WITHIN_MS: Final = 1_000


class Replicated(Pipelined):
    """Behind commands that go out together it writes a mark, and waits until a replica of the server has that.

    A replica takes over all writes in their order. So it has what the replies rest on, also what others wrote: what a
    reader is told does not go away with the server, and neither does a receipt.
    """

    def _to_be_sent(self, commands: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        mark = next(filter(None, map(keys.mark_of, commands)), None)
        if mark is None:  # they touch nothing that is kept
            return commands
        return [*commands, ("SET", mark, ""), ("WAIT", 1, _CONFIRMED_WITHIN_MS)]

    def _replies_in(self, replies: list[Any], commands: int) -> list[Any]:
        if len(replies) == commands:
            return replies
        *replies, marked, replicas = replies
        if not isinstance(marked, Exception) and not isinstance(replicas, Exception) and replicas:
            return replies
        unconfirmed = RedisTimeoutError(f"no replica of the store has confirmed within {_CONFIRMED_WITHIN_MS} ms")
        return [reply if isinstance(reply, Exception) else unconfirmed for reply in replies]
