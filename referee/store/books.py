"""The store with what operators need besides: all matches, the audit log, what everything takes."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping

from referee.store import keys
from referee.store.pipelined import Pipelined
from referee.store.redis_store import RedisStore
from referee.table.administration import Deed, Noted, Usage
from referee.table.ids import MatchId

_AT_ONCE = 1_000


class RedisBooks(RedisStore):
    """See `table.administration.Books`. Its user needs the commands XADD, XRANGE, SCAN and MEMORY besides."""

    async def kept(self, bucket: int) -> list[MatchId]:
        return [MatchId(member.decode()) for member in await self._send("ZRANGE", keys.expiry(bucket), 0, -1)]

    async def note(self, deed: Deed) -> None:
        pairs = (part for pair in deed._asdict().items() for part in pair)
        await self._send("XADD", keys.AUDIT, "*", *pairs)

    async def noted(self) -> AsyncIterator[Noted]:
        start = b"-"
        while entries := await self._send("XRANGE", keys.AUDIT, start, "+", "COUNT", _AT_ONCE):
            for name, fields in entries:
                named = zip(fields[::2], fields[1::2], strict=True)
                deed = Deed(**{key.decode(): value.decode() for key, value in named})
                yield Noted(int(name.partition(b"-")[0]), deed)
            start = b"(" + entries[-1][0]

    async def usage(self) -> Mapping[str, Usage]:
        found = defaultdict[str, Usage](lambda: Usage(0, 0))
        for node in await self._servers.primaries():
            async for names in _all_names(node.send):
                sizes = await asyncio.gather(*(self._send("MEMORY", "USAGE", name, "SAMPLES", 0) for name in names))
                for name, size in zip(names, sizes, strict=True):
                    kind = keys.kind_of(name.decode(errors="replace"))
                    found[kind] = Usage(found[kind].keys + 1, found[kind].bytes + (size or 0))
        return dict(found)


async def _all_names(scan: Pipelined) -> AsyncIterator[list[bytes]]:
    cursor = 0
    while True:
        cursor, names = await scan("SCAN", cursor, "MATCH", keys.ALL, "COUNT", _AT_ONCE)
        yield names
        if not int(cursor):
            return
