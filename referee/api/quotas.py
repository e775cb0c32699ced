"""How much of a replica a caller may use. Each counts for itself; whoever is refused is told when to try again."""

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final, Literal, NamedTuple, TypeVar
from urllib.parse import unquote

from referee.api.backlog import Backlog
from referee.core.errors import Reason, RefereeError
from referee.table.ids import Principal
from referee.table.observer import Metadata

BURST_S: Final = 4
"""So many seconds' worth of a rate may be used at once."""
_REMEMBERED: Final = 32_768
_TOLERANCE_S: Final = 1e-6  # floating-point numbers
_FLOODS: Final = 1_024
_SPENT: Final = ("principal", "calls")
_ROOM_MS: Final = 1_000  # until it is worth asking again for what another call has to give back

Who = Literal["principal", "address", "host"]
LimitT = TypeVar("LimitT")


@dataclass(frozen=True, slots=True)
class Quotas:
    """Limits; 0 is none. A rate is so many a second.

    Attributes:
        call_rate: calls of a principal, and moves over its stream; a call that reads many matches counts as several.
        address_call_rate: calls and moves from an address.
        creation_rate: matches that a principal creates.
        address_creation_rate: matches that are created from an address.
        streams: open streams of a principal.
        address_streams: open streams from an address.
        open_matches: unfinished matches of a host.
        calls_at_once: calls under way in this replica, streams not counted.
        streams_at_once: open streams of this replica.
        longest_wait: seconds that calls and moves may wait until this replica gets to them, while a backlog stands.
    """

    call_rate: float = 0
    address_call_rate: float = 0
    creation_rate: float = 0
    address_creation_rate: float = 0
    streams: int = 0
    address_streams: int = 0
    open_matches: int = 0
    calls_at_once: int = 1_000
    streams_at_once: int = 10_000
    longest_wait: float = 0.5


EXPOSED: Final = Quotas(
    call_rate=500,
    address_call_rate=2_000,
    creation_rate=5,
    address_creation_rate=20,
    streams=100,
    address_streams=1_000,
    open_matches=1_000,
)
"""For a referee that others than those on its own machine can call; they leave room for tournaments."""


class Caller(NamedTuple):
    """Who calls, None if that is not said or not asked, and from where."""

    principal: Principal | None
    address: str


class Buckets:
    """A token bucket for each key, which gains `rate` tokens a second and holds those of `BURST_S`, at least one.

    Of very many keys those are forgotten that were not used for the longest time: a bucket that had the time to fill up
    is as good as a new one.
    """

    def __init__(self, rate: float, clock: Callable[[], float]) -> None:
        self.rate: Final = rate
        self._clock: Final = clock
        self._full_at: Final = OrderedDict[bytes | str, float]()

    def take(self, key: bytes | str, count: int = 1) -> float:
        """Takes tokens and returns 0; or takes none and returns in how many seconds there will be so many.

        Where a bucket does not hold so many, a full one does.
        """
        if not self.rate:
            return 0.0
        now, filling_s = self._clock(), count / self.rate
        full_at = max(now, self._full_at.get(key, now)) + filling_s
        wait_s = full_at - now - max(BURST_S, filling_s)
        if wait_s > _TOLERANCE_S:
            return wait_s
        self._full_at[key] = full_at
        self._full_at.move_to_end(key)
        if len(self._full_at) > _REMEMBERED:
            self._full_at.popitem(last=False)
        return 0.0


class Floods:
    """Principals without tokens for a call, by the header that says who they are: they can be refused unread."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock: Final = clock
        self._spent: Final = dict[tuple[str | bytes, int], tuple[float, RefereeError]]()

    def note(self, metadata: Metadata, refusal: RefereeError, cost: int = 1) -> None:
        """Notes whose call was refused that counts as `cost` of them."""
        if refusal.reason is Reason.RATE_LIMITED and (refusal.metadata["who"], refusal.metadata["what"]) == _SPENT:
            if len(self._spent) >= _FLOODS:
                self._spent.clear()
            until_s = self._clock() + int(refusal.metadata["retry_after_ms"]) / 1000
            said = (value for key, value in metadata if key == "authorization")
            self._spent.update({(value, cost): (until_s, refusal) for value in said})

    def refusal(self, metadata: Metadata, cost: int = 1) -> RefereeError | None:
        """Returns how a call is refused that comes too soon; None if it does not, or nobody knows yet."""
        if not self._spent:
            return None
        for key, value in metadata:
            if key == "authorization" and (value, cost) in self._spent:
                until_s, refusal = self._spent[value, cost]
                if (left_s := until_s - self._clock()) > 0:
                    return RefereeError(
                        refusal.reason, **refusal.metadata | {"retry_after_ms": math.ceil(left_s * 1000)}
                    )
                del self._spent[value, cost]
        return None


class Gate:
    """Lets calls in.

    Attributes:
        backlog: whether what is handed over now has waited too long.
        floods: who has called too often.

    Args:
        quotas: the limits.
        proxies: how many proxies stand in front, each of which adds to x-forwarded-for whom it was called by.
        clock: seconds, which only grow.
    """

    def __init__(self, quotas: Quotas, proxies: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self._quotas: Final = quotas
        self._proxies: Final = proxies
        self._calls: Final = (Buckets(quotas.call_rate, clock), Buckets(quotas.address_call_rate, clock))
        self._creations: Final = (Buckets(quotas.creation_rate, clock), Buckets(quotas.address_creation_rate, clock))
        self.backlog: Final = Backlog(quotas.longest_wait, clock)
        self.floods: Final = Floods(clock)
        self._under_way = 0
        self._streams: Final = Counter[bytes | str]()
        self._open_streams = 0

    def address_of(self, peer: str, metadata: Iterable[tuple[str, str | bytes]]) -> str:
        """Returns from where a call comes, by gRPC's name of the peer and by what trusted proxies say."""
        if self._proxies:
            said = [value for key, value in metadata if key == "x-forwarded-for" and isinstance(value, str)]
            hops = ",".join(said).split(",")
            if said and len(hops) >= self._proxies:
                return _network_of(hops[-self._proxies].strip())
        return _network_of(_host_of(peer))

    @contextmanager
    def call(self, caller: Caller, *, cost: int = 1, creates: bool = False) -> Iterator[None]:
        """Lets in a call, which counts as `cost` of them, until the block is left.

        Raises:
            RefereeError: OVERLOADED or RATE_LIMITED.
        """
        if 0 < self._quotas.calls_at_once <= self._under_way:
            raise RefereeError(Reason.OVERLOADED, what="calls", limit=self._under_way, retry_after_ms=_ROOM_MS)
        self.charge(caller, cost)
        if creates:
            _take(self._creations, caller, "creations", 1)
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    @contextmanager
    def stream(self, caller: Caller) -> Iterator[None]:
        """Lets in a stream until the block is left.

        Raises:
            RefereeError: OVERLOADED, RATE_LIMITED or QUOTA_EXCEEDED.
        """
        if 0 < self._quotas.streams_at_once <= self._open_streams:
            raise RefereeError(Reason.OVERLOADED, what="streams", limit=self._open_streams, retry_after_ms=_ROOM_MS)
        self.charge(caller)
        limits = list(_each(caller, self._quotas.streams, self._quotas.address_streams))
        for who, key, most in limits:
            if 0 < most <= self._streams[key]:
                raise exceeded(who, "open streams", most)
        keys = [key for _, key, _ in limits]
        self._open_streams += 1
        self._streams.update(keys)
        try:
            yield
        finally:
            self._open_streams -= 1
            self._streams.subtract(keys)
            for key in keys:
                if not self._streams[key]:
                    del self._streams[key]

    def late(self) -> RefereeError:
        """Returns the error of what has waited too long."""
        what, longest = "seconds of waiting", f"{self._quotas.longest_wait:g}"
        return RefereeError(Reason.OVERLOADED, what=what, limit=longest, retry_after_ms=_ROOM_MS)

    def move(self, caller: Caller) -> None:
        """Lets in a move over a stream.

        Raises:
            RefereeError: OVERLOADED or RATE_LIMITED.
        """
        if self.backlog.late():
            raise self.late()
        self.charge(caller)

    def charge(self, caller: Caller, cost: int = 1) -> None:
        """Counts calls, or what is as much work.

        Raises:
            RefereeError: RATE_LIMITED.
        """
        _take(self._calls, caller, "calls", cost)


def exceeded(who: Who, what: str, most: int) -> RefereeError:
    """Returns the error of one who has as many of something as it may have."""
    return RefereeError(Reason.QUOTA_EXCEEDED, who=who, what=what, limit=most, retry_after_ms=_ROOM_MS)


def _take(buckets: tuple[Buckets, Buckets], caller: Caller, what: str, count: int) -> None:
    """The principal's bucket comes first: one that calls too often takes nothing from its neighbours at the address."""
    for who, key, bucket in _each(caller, *buckets):
        if wait_s := bucket.take(key, count):
            wait_ms = math.ceil(wait_s * 1000)
            raise RefereeError(
                Reason.RATE_LIMITED, who=who, what=what, limit=f"{bucket.rate:g}", retry_after_ms=wait_ms
            )


def _each(caller: Caller, of_principal: LimitT, of_address: LimitT) -> Iterator[tuple[Who, bytes | str, LimitT]]:
    if caller.principal is not None:
        yield "principal", caller.principal, of_principal
    yield "address", caller.address, of_address


@lru_cache(maxsize=4096)
def _host_of(peer: str) -> str:
    """The host of gRPC's "ipv4:HOST:PORT" or "ipv6:%5BHOST%5D:PORT"; nothing of a peer without one."""
    return unquote(peer).partition(":")[2].rpartition(":")[0].strip("[]")


@lru_cache(maxsize=4096)
def _network_of(host: str) -> str:
    """What is counted as one address: of IPv6 the network, since whoever has one address there has all of it."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((address, 64), strict=False))
