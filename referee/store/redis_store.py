"""Matches in Redis, or in anything that speaks its protocol and runs its scripts (6.2 and later)."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from functools import lru_cache
from hashlib import sha1
from importlib.resources import files
from typing import Any, Final, NamedTuple

from redis.exceptions import NoScriptError, ResponseError

from referee.store import keys
from referee.store.cluster import Cluster, Place
from referee.store.node import Node
from referee.store.notices import AGAIN, Called, Notices, Signal
from referee.store.rights import RightsError
from referee.table.clocks import Deadline, Moment, Outage
from referee.table.formats import FORMAT
from referee.table.ids import BUCKETS, MatchId, Principal, bucket_of
from referee.table.observer import Observer
from referee.table.store import (
    Changes,
    Enrolled,
    Header,
    Listed,
    Logged,
    Stored,
    StoreUnavailableError,
    Summons,
    Untimely,
    Write,
)


class _Script(NamedTuple):
    text: str
    sha: str

    @classmethod
    def of(cls, name: str) -> "_Script":
        text = files(__package__).joinpath(f"{name}.lua").read_text()
        return cls(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


_WRITE: Final = _Script.of("write")
_BEAT: Final = _Script.of("beat")
_LEASE: Final = _Script.of("lease")
_ENROL: Final = _Script.of("enrol")
_STAMP: Final = _Script.of("stamp")
_INBOXES: Final = _Script.of("inboxes")
_OUTAGES_KEPT_MS: Final = 30 * 24 * 3600 * 1000
_GONE: Final = -2  # the lifetime of what is not there
_BUCKETS_AT_ONCE: Final = 32
_MATCH_AT: Final = 14  # in what is in an inbox, behind the time of creation
_UNREADABLE: Final = Stored(b"", {})  # what stands there is no match
_REMEMBERED: Final = 4096  # matches whose keys are not made again for each write


class RedisStore:
    """See `table.store.Store`.

    Args:
        url: redis://, rediss://, unix:// with the path of a socket, or one of a cluster (`cluster.Place`).
        password: for a URL that has none.
        observer: is told of commands and of interruptions.
        replicated: whether a write is told, and anything read, only when a replica of the store has it too.
    """

    def __init__(
        self,
        url: str,
        password: str | None = None,
        observer: Observer | None = None,
        replicated: bool = False,
    ) -> None:
        def new_node(url: str) -> Node:
            return Node(url, password, observer or Observer(), replicated)

        place = Place.of(url)
        self._servers: Final = Cluster(place, new_node) if place else new_node(url)
        self._send: Final = self._servers if isinstance(self._servers, Cluster) else self._servers.send
        self._notices: Final = Notices(self._servers.listener, observer or Observer())
        self._replicated: Final = replicated
        self._is_rightful = False
        if isinstance(self._servers, Cluster):
            self._servers.changed = self._notices.interrupt

    async def load(self, match_id: MatchId) -> Stored | None:
        try:
            reply = await self._send("HGETALL", keys.match(match_id))
        except ResponseError as error:
            if not str(error).startswith("WRONGTYPE"):
                raise
            return _UNREADABLE
        return _stored(reply if isinstance(reply, dict) else _named(reply))  # a URL may ask for the older protocol

    async def write(self, write: Write) -> Header | Stored | Untimely | None:
        expected, names = write.expected, _names(write.match_id, tuple(write.principals), write.over)
        summoned = [] if self._replicated else [keys.summons(principal) for principal in write.summoned]
        arguments: list[Any] = [
            expected.encode() if expected else b"",
            bytes((FORMAT,)) + ((expected.revision if expected else 0) + 1).to_bytes(8, "big"),
            write.write_id,
            write.match_id,
            "" if self._replicated else keys.channel(write.match_id),
            write.version - len(write.entries),
            write.lifetime_ms,
            len(write.principals),
            len(write.fields),
            len(summoned),
            "" if write.not_after_ms is None else write.not_after_ms,
            *_deadline(write.deadline),
            "1" if write.listed else "",
            len(write.standing),
            *(part for pair in write.standing.items() for part in pair),
        ]
        for field, value in write.fields.items():
            arguments += (field, value)
        arguments += summoned
        arguments += write.entries
        status, *reply = await self._run_script(_WRITE, len(names), *names, *arguments)
        if status == 1:
            if self._replicated:
                await self._tell(write)
            return Header.decode(reply[0])
        if status == 3:
            return Untimely(reply[0])
        return _stored(_named(reply))

    async def _tell(self, write: Write) -> None:
        """Publishes what the script has not: it cannot wait for a replica first."""
        news = [(keys.summons(principal), f"{write.match_id} {write.version}") for principal in write.summoned]
        if write.entries:
            news.append((keys.channel(write.match_id), str(write.version)))
        with suppress(StoreUnavailableError):  # the write stands; who follows reads it a heartbeat later
            await asyncio.gather(*(self._send("PUBLISH", channel, content) for channel, content in news))

    async def log(self, match_id: MatchId, start: int, stop: int) -> list[Logged]:
        if stop <= start:
            return []
        entries = await self._send("LRANGE", keys.log(match_id), start, stop - 1)
        return [Logged(int.from_bytes(entry[:8], "big"), entry[8:]) for entry in entries]

    async def listing(self, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        found: list[Listed] = []
        bucket = after.bucket if after else 0
        if after:
            found += await self._rest_of_bucket(after, count + 1)
            bucket += 1
        while bucket < BUCKETS and len(found) <= count:
            chunk = range(bucket, min(bucket + _BUCKETS_AT_ONCE, BUCKETS))
            for rows in await asyncio.gather(*(self._bucket(number, "-inf", 0, count + 1) for number in chunk)):
                found += rows
            bucket += _BUCKETS_AT_ONCE
        return found[:count], len(found) > count

    async def inbox(self, principal: Principal, after: Listed | None, count: int) -> tuple[list[Listed], bool]:
        found: list[Listed] = []
        for start in range(after.bucket if after else 0, BUCKETS, _BUCKETS_AT_ONCE):
            chunk = range(start, min(start + _BUCKETS_AT_ONCE, BUCKETS))
            current, over = await asyncio.gather(
                self._inboxes(principal, chunk, over=False), self._inboxes(principal, chunk, over=True)
            )
            newest = {
                place.match_id: place for place in sorted(current + over)
            }  # an id may be made again after its end
            found += [place for place in newest.values() if after is None or place > after]
            if len(found) > count:
                break
        return found[:count], len(found) > count

    async def unfinished(self, principal: Principal) -> list[MatchId]:
        if isinstance(self._servers, Cluster):  # each bucket may be at another node
            places = await self._inboxes(principal, range(BUCKETS), over=False)
            return list({place.match_id: None for place in places})
        inboxes = (keys.inbox(bucket, principal, over=False) for bucket in range(BUCKETS))
        mails = await self._run_script(_INBOXES, BUCKETS, *inboxes)
        return list({MatchId(mail[_MATCH_AT:].decode()): None for mail in mails})

    @asynccontextmanager
    async def changes(self, match_id: MatchId) -> AsyncIterator[Changes]:
        signal = Signal()
        async with self._notices.to(signal, keys.channel(match_id)):
            yield signal

    @asynccontextmanager
    async def summons(self, principal: Principal) -> AsyncIterator[Summons]:
        called, channel = Called(), keys.summons(principal)
        async with self._notices.to(called, channel):
            await self._send("PUBLISH", channel, called.begin())
            yield called

    async def beat(self, longest_ms: int) -> Moment:
        await self._servers.check()
        names = (keys.BEAT, keys.OUTAGES)
        now_ms, *outages = await self._run_script(_BEAT, len(names), *names, longest_ms, _OUTAGES_KEPT_MS)
        return Moment(now_ms, tuple(_outage(outage) for outage in outages))

    async def due(self, holder: str, lease_ms: int, count: int) -> list[MatchId]:
        now_ms = await self._run_script(_LEASE, 1, keys.SWEEPER, holder, lease_ms)
        if not now_ms:
            return []
        found = await asyncio.gather(
            *(
                self._send("ZRANGEBYSCORE", keys.deadlines(bucket), "-inf", now_ms[0], "LIMIT", 0, count)
                for bucket in range(BUCKETS)
            )
        )
        late = [MatchId(match_id.decode()) for bucket in found for match_id in bucket]
        lifetimes = await asyncio.gather(*(self._send("PTTL", keys.match(match_id)) for match_id in late))
        gone = {match_id for match_id, left_ms in zip(late, lifetimes, strict=True) if left_ms == _GONE}
        for match_id in gone:
            await self._send("ZREM", keys.deadlines(bucket_of(match_id)), match_id)
        return [match_id for match_id in late if match_id not in gone]

    async def enrol(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        members = (keys.enrolled(principal, match_id, grace_ms) for principal in principals)
        await self._run_script(_ENROL, 1, keys.ROLL, *members)

    async def dismiss(self, match_id: MatchId, principals: Collection[Principal], grace_ms: int) -> None:
        members = (keys.enrolled(principal, match_id, grace_ms) for principal in principals)
        await self._send("ZREM", keys.ROLL, *members)

    async def roll(self, since: int) -> list[tuple[int, Enrolled]]:
        reply = await self._send("ZRANGEBYSCORE", keys.ROLL, since, "+inf", "WITHSCORES")
        return [(int(place), keys.enrolled_in(member)) for member, place in _pairs(reply)]

    async def stamp(self, match_id: MatchId, field: str) -> bool:
        return bool(await self._run_script(_STAMP, 1, keys.match(match_id), field))

    async def remind(self, principal: Principal) -> None:
        await self._send("PUBLISH", keys.summons(principal), AGAIN)

    async def ping(self) -> None:
        if not self._is_rightful:
            await self.require_rights()
        await self._send("PING")

    async def close(self) -> None:
        await self._notices.close()
        await self._servers.close()

    async def require_rights(self) -> None:
        """Makes sure that the user of the store may do all that a referee does.

        Raises:
            RightsError: it may not; the text says what it lacks.
            StoreUnavailableError: the store does not answer.
        """
        lacking = [right for node in await self._servers.primaries() for right in await node.lacking()]
        self._is_rightful = not lacking
        if lacking:
            listed = " ".join(dict.fromkeys(lacking))
            raise RightsError(f"the user of the store lacks rights that a referee needs: {listed}")

    async def _run_script(self, script: "_Script", *arguments: Any) -> list[Any]:
        try:
            return await self._run(script, *arguments)
        except RightsError:
            await self.require_rights()  # whose error names them, which that of a script does not
            raise

    async def _run(self, script: "_Script", *arguments: Any) -> list[Any]:
        try:
            reply: list[Any] = await self._send("EVALSHA", script.sha, *arguments)
        except NoScriptError:
            reply = await self._send("EVAL", script.text, *arguments)
        return reply

    async def _inboxes(self, principal: Principal, buckets: Sequence[int], over: bool) -> list[Listed]:
        commands = (self._send("ZRANGE", keys.inbox(bucket, principal, over), 0, -1) for bucket in buckets)
        return [
            Listed(bucket, int(mail[:_MATCH_AT], 16), MatchId(mail[_MATCH_AT:].decode()))
            for bucket, mails in zip(buckets, await asyncio.gather(*commands), strict=True)
            for mail in mails
        ]

    async def _bucket(self, bucket: int, lowest: str | int, offset: int, count: int) -> list[Listed]:
        reply = await self._send(
            "ZRANGEBYSCORE", keys.listing(bucket), lowest, "+inf", "WITHSCORES", "LIMIT", offset, count
        )
        return [Listed(bucket, int(score), MatchId(member.decode())) for member, score in _pairs(reply)]

    async def _rest_of_bucket(self, after: Listed, count: int) -> list[Listed]:
        found: list[Listed] = []
        offset = 0
        while len(found) < count:
            rows = await self._bucket(after.bucket, after.created_ms, offset, count)
            found += [place for place in rows if place > after]
            offset += len(rows)
            if len(rows) < count:
                break
        return found


@lru_cache(_REMEMBERED)
def _names(match_id: MatchId, principals: tuple[Principal, ...], over: bool) -> tuple[str, ...]:
    """Returns the keys of a write."""
    bucket = bucket_of(match_id)
    inboxes = [keys.inbox(bucket, principal, over) for principal in principals]
    left = [keys.inbox(bucket, principal, over=False) for principal in principals] if over else []
    of_match, of_bucket = (keys.match(match_id), keys.log(match_id)), (keys.listing(bucket), keys.expiry(bucket))
    return (*of_match, *of_bucket, keys.deadlines(bucket), *inboxes, *left)


def _deadline(deadline: Deadline | None) -> tuple[float | str, float | str]:
    if deadline is None:
        return "", ""
    if deadline == Deadline():
        return "-", ""
    at, after = deadline
    return "inf" if at is None else at, "inf" if after is None else after


def _outage(packed: bytes) -> Outage:
    start, end = packed.split()
    return int(start), int(end)


def _named(reply: list[bytes]) -> dict[bytes, bytes]:
    return dict(zip(reply[::2], reply[1::2], strict=True))


def _stored(fields: dict[bytes, bytes]) -> Stored | None:
    named = {name.decode(errors="replace"): value for name, value in fields.items()}
    header = named.pop("header", None)
    return None if header is None else Stored(header, named)


def _pairs(reply: list[Any]) -> list[tuple[bytes, float]]:
    if reply and isinstance(reply[0], list | tuple):
        return [(member, float(score)) for member, score in reply]
    return [(member, float(score)) for member, score in zip(reply[::2], reply[1::2], strict=True)]
