"""What the user of a store must be allowed to do, and whether it is: tried on a server without changing anything.

A script that lacks a right ends in the middle of its work and does not say which. So it is not begun without them.
"""

from collections.abc import Sequence
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import NoPermissionError, ResponseError

from referee.store import keys
from referee.table.store import StoreUnavailableError

_NO_SCRIPT: Final = "0" * 40
_MATCHES: Final = f"{keys.RIGHTS}:n"
_PRINCIPALS: Final = "s:rights"
_TAKEN: Final = ("SET", keys.RIGHTS, "", "PX", 10_000)  # by a string: what is for other kinds fails but for a right
_TRIALS: Final[Sequence[tuple[Any, ...]]] = (
    ("PING",),
    ("EVAL", "return 1", 1, keys.RIGHTS),
    ("EVALSHA", _NO_SCRIPT, 1, keys.RIGHTS),
    ("TIME",),
    ("GET", keys.RIGHTS),
    ("HGET", keys.RIGHTS, "x"),
    ("HGETALL", keys.RIGHTS),
    ("HSET", keys.RIGHTS, "x", "x"),
    ("LLEN", keys.RIGHTS),
    ("LRANGE", keys.RIGHTS, 0, 0),
    ("RPUSH", keys.RIGHTS, "x"),
    ("PEXPIRE", keys.RIGHTS, 10_000),
    ("PTTL", keys.RIGHTS),
    ("ZADD", keys.RIGHTS, 0, "x"),
    ("ZCARD", keys.RIGHTS),
    ("ZRANGE", keys.RIGHTS, 0, 0),
    ("ZRANGEBYSCORE", keys.RIGHTS, 0, 0),
    ("ZREM", keys.RIGHTS, "x"),
    ("ZREMRANGEBYSCORE", keys.RIGHTS, 0, 0),
    ("ZSCORE", keys.RIGHTS, "x"),
    ("PUBLISH", _MATCHES, ""),
    ("PUBLISH", _PRINCIPALS, ""),
)
_LISTENING: Final = (("SUBSCRIBE", _MATCHES), ("SUBSCRIBE", _PRINCIPALS), ("UNSUBSCRIBE", _MATCHES))
_IN_SCRIPTS: Final = ("The user executing the script", "ACL failure in script")  # up to Redis 7.0, and later


class RightsError(StoreUnavailableError):
    """The user of the store may not do all that a referee does."""


def tells_of_rights(error: ResponseError) -> bool:
    """Whether the store refuses a command for want of a right, be it within a script."""
    return isinstance(error, NoPermissionError) or any(words in str(error) for words in _IN_SCRIPTS)


async def lacking(redis: "Redis", listener: AbstractConnection, replicated: bool) -> list[str]:
    """Returns the rights that the user of a server lacks, in the words of ACL SETUSER.

    Raises:
        redis.exceptions.RedisError: the server does not answer.
    """
    lacks = dict.fromkeys(await _lacking_for(redis, [_TAKEN]))
    if not lacks:
        more: list[tuple[Any, ...]] = [("WAIT", 0, 0)] if replicated else []
        lacks |= dict.fromkeys(await _lacking_for(redis, [*_TRIALS, *more]))
    return [*(lacks | dict.fromkeys(await _lacking_to_listen(listener)))]


async def _lacking_for(redis: "Redis", commands: Sequence[tuple[Any, ...]]) -> list[str]:
    pipeline = redis.pipeline(transaction=False)
    for command in commands:
        pipeline.execute_command(*command)
    replies = await pipeline.execute(raise_on_error=False)
    return [
        _right(command, reply)
        for command, reply in zip(commands, replies, strict=True)
        if isinstance(reply, NoPermissionError)
    ]


async def _lacking_to_listen(listener: AbstractConnection) -> list[str]:
    lacks = list[str]()
    try:
        await listener.connect()  # type: ignore[no-untyped-call]
        for command in _LISTENING:
            try:
                await listener.send_command(*command)
                await listener.read_response()
            except NoPermissionError as error:
                lacks.append(_right(command, error))
    finally:
        await listener.disconnect(nowait=True)
    return lacks


def _right(command: tuple[Any, ...], refusal: NoPermissionError) -> str:
    text = str(refusal)
    if " to run " in text:
        return f"+{command[0].lower()}"
    if "channel" in text:
        return "&s:*" if _PRINCIPALS in command else "&{b:*"
    return "~{b:*"
