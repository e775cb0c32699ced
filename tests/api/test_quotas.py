"""Rates, streams and calls at once, counted on a clock that the tests move."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

import pytest

from referee.api import quotas
from referee.api.quotas import BURST_S, Buckets, Caller, Floods, Gate, Quotas
from referee.core.errors import Reason, RefereeError
from referee.table.ids import Principal

ONE: Final = Caller(Principal(b"1" * 32), "192.0.2.1")
OTHER: Final = Caller(Principal(b"2" * 32), "192.0.2.1")
FAR: Final = Caller(Principal(b"1" * 32), "192.0.2.9")
NOBODY: Final = Caller(None, "192.0.2.1")


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@contextmanager
def refused(reason: str, **metadata: object) -> Iterator[None]:
    """What is done in the block is refused, for this reason and with just this metadata."""
    with pytest.raises(RefereeError) as error:
        yield
    assert error.value.reason.name == reason
    assert error.value.metadata == {key: str(value) for key, value in metadata.items()}


def taken(buckets: Buckets, key: str, attempts: int) -> int:
    """How many of so many attempts got a token."""
    return [buckets.take(key) for _ in range(attempts)].count(0)


# Buckets


@pytest.mark.parametrize("rate", [0.1, 0.25, 1, 7, 500])
def test_a_bucket_gives_its_burst_at_once_and_its_rate_for_ever(clock: Clock, rate: float) -> None:
    buckets, burst = Buckets(rate, clock), max(1, int(rate * BURST_S))
    assert taken(buckets, "a", 10 * burst) == burst
    seconds = 40 / rate
    step = seconds / 4000
    given = 0
    for _ in range(4000):
        clock.now += step
        given += taken(buckets, "a", 3)
    assert given == pytest.approx(40, abs=1)


def test_a_bucket_that_rests_fills_up_and_no_further(clock: Clock) -> None:
    buckets = Buckets(2, clock)
    taken(buckets, "a", 100)
    clock.now += 1.5
    assert taken(buckets, "a", 100) == 3
    clock.now += 3600
    assert taken(buckets, "a", 100) == 2 * BURST_S


def test_whoever_waits_as_long_as_it_is_told_gets_a_token(clock: Clock) -> None:
    buckets = Buckets(3, clock)
    for _ in range(100):
        if wait_s := buckets.take("a"):
            assert buckets.take("a") == wait_s
            clock.now += wait_s * 0.9
            assert buckets.take("a") == pytest.approx(wait_s * 0.1)
            clock.now += wait_s * 0.1
            assert buckets.take("a") == 0


def test_who_is_refused_does_not_wait_longer_for_it(clock: Clock) -> None:
    """An attempt in vain costs nothing."""
    buckets = Buckets(1, clock)
    taken(buckets, "a", BURST_S + 1000)
    clock.now += 1
    assert taken(buckets, "a", 2) == 1


def test_keys_have_buckets_of_their_own(clock: Clock) -> None:
    buckets = Buckets(1, clock)
    assert taken(buckets, "a", 100) == BURST_S
    assert taken(buckets, "b", 100) == BURST_S


def test_no_rate_is_no_limit(clock: Clock) -> None:
    assert taken(Buckets(0, clock), "a", 10_000) == 10_000


def test_the_memory_of_buckets_is_bounded_and_keeps_those_that_are_used(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "_REMEMBERED", 10)
    buckets = Buckets(1, clock)
    assert taken(buckets, "used", 100) == BURST_S
    for number in range(1000):
        clock.now += 0.5
        buckets.take(str(number))
        buckets.take("used")
    assert len(buckets._full_at) == 10
    assert buckets.take("used") > 0


# Calls


def test_a_principal_that_calls_too_often_is_told_when_to_call_again(clock: Clock) -> None:
    gate = Gate(Quotas(call_rate=2), clock=clock)
    for _ in range(2 * BURST_S):
        with gate.call(ONE):
            pass
    said = {"who": "principal", "what": "calls", "limit": 2, "retry_after_ms": 500}
    with refused("RATE_LIMITED", **said), gate.call(ONE):
        pass
    with gate.call(OTHER):
        pass
    clock.now += 0.5
    with gate.call(ONE):
        pass


def test_all_who_call_from_an_address_share_its_limit(clock: Clock) -> None:
    gate = Gate(Quotas(address_call_rate=1), clock=clock)
    for caller in (ONE, OTHER, NOBODY, ONE):
        with gate.call(caller):
            pass
    said = {"who": "address", "what": "calls", "limit": 1, "retry_after_ms": 1000}
    for caller in (ONE, NOBODY):
        with refused("RATE_LIMITED", **said), gate.call(caller):
            pass
    with gate.call(FAR):
        pass


def test_a_principal_over_its_limit_takes_nothing_from_its_neighbours(clock: Clock) -> None:
    gate = Gate(Quotas(call_rate=1, address_call_rate=2), clock=clock)
    for number in range(100):
        if number < BURST_S:
            gate.charge(ONE)
        else:
            with refused("RATE_LIMITED", who="principal", what="calls", limit=1, retry_after_ms=1000):
                gate.charge(ONE)
    for _ in range(BURST_S):
        gate.charge(OTHER)


def test_creations_have_a_limit_of_their_own(clock: Clock) -> None:
    gate = Gate(Quotas(creation_rate=0.5, address_creation_rate=0.75), clock=clock)
    for caller in (ONE, ONE, OTHER):
        with gate.call(caller, creates=True):
            pass
    said = {"what": "creations", "limit": 0.5, "retry_after_ms": 2000}
    with refused("RATE_LIMITED", who="principal", **said), gate.call(ONE, creates=True):
        pass
    said = {"what": "creations", "limit": 0.75, "retry_after_ms": 1334}
    with refused("RATE_LIMITED", who="address", **said), gate.call(OTHER, creates=True):
        pass
    for caller in (ONE, OTHER):
        with gate.call(caller):
            pass


def test_what_a_stream_does_counts_with_the_calls(clock: Clock) -> None:
    gate = Gate(Quotas(call_rate=1), clock=clock)
    with gate.stream(ONE):
        for _ in range(BURST_S - 1):
            gate.charge(ONE)
        with refused("RATE_LIMITED", who="principal", what="calls", limit=1, retry_after_ms=1000):
            gate.charge(ONE)
        with refused("RATE_LIMITED", who="principal", what="calls", limit=1, retry_after_ms=1000), gate.call(ONE):
            pass


def test_of_calls_at_once_there_is_room_for_so_many(clock: Clock) -> None:
    """However they end."""
    gate = Gate(Quotas(calls_at_once=2), clock=clock)
    for _ in range(3):
        with ExitStack() as stack:
            for caller in (ONE, OTHER):
                stack.enter_context(gate.call(caller))
            with refused("OVERLOADED", what="calls", limit=2, retry_after_ms=1000), gate.call(FAR):
                pass
        with pytest.raises(ZeroDivisionError), gate.call(ONE):
            raise ZeroDivisionError


# Floods


def header(value: str) -> tuple[tuple[str, str], ...]:
    return (("user-agent", "test"), ("authorization", value))


def limited(**changes: object) -> RefereeError:
    said: dict[str, object] = {"who": "principal", "what": "calls", "limit": 2, "retry_after_ms": 500}
    return RefereeError(Reason.RATE_LIMITED, **said | changes)


def test_who_has_no_token_is_known_until_it_has_one(clock: Clock) -> None:
    """With the time that is left."""
    floods = Floods(clock)
    assert floods.refusal(header("one")) is None
    floods.note(header("one"), limited())
    clock.now += 0.25
    refusal = floods.refusal(header("one"))
    assert refusal is not None
    assert (refusal.reason, refusal.metadata) == (Reason.RATE_LIMITED, limited(retry_after_ms=250).metadata)
    assert floods.refusal(header("other")) is None
    assert floods.refusal(()) is None
    clock.now += 0.25
    assert floods.refusal(header("one")) is None


def test_who_has_no_tokens_for_a_great_call_may_have_one_for_a_small_one(clock: Clock) -> None:
    floods = Floods(clock)
    floods.note(header("one"), limited(), 10)
    assert floods.refusal(header("one"), 10) is not None
    assert floods.refusal(header("one")) is None


@pytest.mark.parametrize(
    "refusal",
    [
        limited(who="address"),
        limited(what="creations"),
        RefereeError(Reason.OVERLOADED, what="calls", limit=1, retry_after_ms=500),
        RefereeError(Reason.MATCH_OVER),
    ],
)
def test_who_is_refused_for_something_else_is_no_flood(clock: Clock, refusal: RefereeError) -> None:
    floods = Floods(clock)
    floods.note(header("one"), refusal)
    assert floods.refusal(header("one")) is None


def test_the_memory_of_floods_is_bounded(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "_FLOODS", 10)
    floods = Floods(clock)
    for number in range(100):
        floods.note(header(str(number)), limited())
        assert floods.refusal(header(str(number))) is not None
        assert len(floods._spent) <= 10


# Streams


def test_a_principal_may_have_so_many_streams(clock: Clock) -> None:
    gate = Gate(Quotas(streams=2), clock=clock)
    said = {"who": "principal", "what": "open streams", "limit": 2, "retry_after_ms": 1000}
    with gate.stream(ONE), gate.stream(FAR):
        for caller in (ONE, FAR):
            with refused("QUOTA_EXCEEDED", **said), gate.stream(caller):
                pass
        with gate.stream(OTHER):
            pass
    with gate.stream(ONE), gate.stream(ONE):
        pass


def test_an_address_may_have_so_many_streams(clock: Clock) -> None:
    gate = Gate(Quotas(streams=9, address_streams=2), clock=clock)
    said = {"who": "address", "what": "open streams", "limit": 2, "retry_after_ms": 1000}
    with gate.stream(ONE), gate.stream(OTHER):
        with refused("QUOTA_EXCEEDED", **said), gate.stream(ONE):
            pass
        with gate.stream(FAR):
            pass


def test_of_streams_at_once_there_is_room_for_so_many(clock: Clock) -> None:
    gate = Gate(Quotas(streams_at_once=2), clock=clock)
    with gate.stream(ONE), gate.stream(OTHER):
        with refused("OVERLOADED", what="streams", limit=2, retry_after_ms=1000), gate.stream(FAR):
            pass
        with gate.call(FAR):
            pass
    with gate.stream(FAR):
        pass


def test_nothing_is_kept_of_streams_that_have_ended(clock: Clock) -> None:
    gate = Gate(Quotas(streams=2, address_streams=2), clock=clock)
    for number in range(100):
        with gate.stream(Caller(Principal(bytes(31) + bytes([number])), f"192.0.2.{number}")):
            pass
    assert gate._streams == {}


# Addresses


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:50123", "192.0.2.7"),
        ("ipv6:%5B::1%5D:50123", "::/64"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:443", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"),
        ("ipv6:%5B::ffff:192.0.2.7%5D:443", "192.0.2.7"),
        ("unix:", ""),
    ],
)
def test_the_address_of_a_peer(peer: str, address: str) -> None:
    """The port changes from connection to connection, and so may the second half of an IPv6 address."""
    assert Gate(Quotas()).address_of(peer, ()) == address


FORWARDED: Final = (("x-forwarded-for", "203.0.113.1, 203.0.113.2"), ("other", "x"), ("x-forwarded-for", "203.0.113.3"))


@pytest.mark.parametrize(
    ("proxies", "address"),
    [(0, "192.0.2.7"), (1, "203.0.113.3"), (2, "203.0.113.2"), (3, "203.0.113.1"), (4, "192.0.2.7")],
)
def test_proxies_are_believed_as_far_as_they_are_trusted(proxies: int, address: str) -> None:
    """What stands to the left of theirs the caller may have written itself; where one of theirs is missing none is."""
    assert Gate(Quotas(), proxies).address_of("ipv4:192.0.2.7:50123", FORWARDED) == address
    assert Gate(Quotas(), proxies).address_of("ipv4:192.0.2.7:50123", ()) == "192.0.2.7"
