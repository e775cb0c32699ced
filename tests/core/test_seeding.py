"""The format of streams and commitments is fixed for ever; here it is written a second time from its description."""

import random
import struct
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from itertools import permutations
from math import sqrt

import pytest

from referee.core.seeding import SEED_BYTES, Random, Stream, commitment, length_prefixed

SEED = bytes(range(32))
OTHER_SEED = bytes(range(1, 33))


def framed(*parts: bytes) -> bytes:
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def naive_bytes(count: int, seed: bytes, purpose: str, *counters: int) -> bytes:
    """The first `count` bytes of a stream, from as many whole blocks as could ever be needed."""
    numbers = [struct.pack(">Q", counter) for counter in counters]
    blocks = [
        sha256(framed(b"artreferee stream 1", seed, purpose.encode(), *numbers, struct.pack(">Q", block))).digest()
        for block in range(count // 32 + 1)
    ]
    return b"".join(blocks)[:count]


class NaiveStream:
    """A stream read bit string by bit string out of one long buffer."""

    def __init__(self, *key: int) -> None:
        self.rest = naive_bytes(50_000, SEED, "deal", *key)

    def randrange(self, stop: int) -> int:
        bits = len(f"{stop - 1:b}") if stop > 1 else 0
        while True:
            size = -(-bits // 8)
            drawn, self.rest = self.rest[:size], self.rest[size:]
            text = "".join(f"{byte:08b}" for byte in drawn)[:bits]
            value = int(text or "0", 2)
            if value < stop:
                return value

    def shuffled(self, cards: list[int]) -> list[int]:
        left, reverse = cards[:], list[int]()
        while len(left) > 1:
            place = self.randrange(len(left))
            left[place], left[-1] = left[-1], left[place]
            reverse.append(left.pop())
        return left + reverse[::-1]


def chi_square(counts: Counter[int] | Counter[tuple[int, ...]], cells: int) -> float:
    expected = counts.total() / cells
    return sum((count - expected) ** 2 for count in counts.values()) / expected + (cells - len(counts)) * expected


def too_large(cells: int) -> float:
    """Six standard deviations above the mean of chi-square with `cells - 1` degrees of freedom."""
    return cells - 1 + 6 * sqrt(2 * (cells - 1))


@pytest.mark.parametrize(
    ("seed", "purpose", "counters", "first"),
    [
        (SEED, "deal", (1,), "ae683698bd58aeca109d1d9d00fa195a"),
        (SEED, "deal", (), "308d04ddd7c949b64c769f85f11496e9"),
        (SEED, "start", (), "6b351d4f0ec10db26c87bb2422d003bf"),
        (bytes(32), "", (), "a1da1c2765f6cb55930b8798b6b5f079"),
        (SEED, "autopilot", (3, 2**40), "8bec64e4d7a9d029f5c9701055d4aaf4"),
    ],
)
def test_first_bytes_of_a_stream_are_known(seed: bytes, purpose: str, counters: tuple[int, ...], first: str) -> None:
    assert Stream(seed, purpose, *counters).randbytes(16).hex() == first


def test_a_stream_is_its_blocks_one_after_another() -> None:
    """However the bytes are taken, they are those of the blocks in order, none skipped, none twice."""
    stream, sizes = Stream(SEED, "deal", 7), [1, 31, 32, 33, 0, 100, 5]
    assert b"".join(stream.randbytes(size) for size in sizes) == naive_bytes(sum(sizes), SEED, "deal", 7)


def test_known_draws() -> None:
    """These never change, or no old record could be verified."""
    stream = Stream(SEED, "deal", 1)
    assert [stream.randrange(stop) for stop in (65, 65, 2, 1, 256, 257, 1_000_000)] == [52, 27, 1, 0, 189, 177, 827657]


def test_known_shuffle() -> None:
    cards = list(range(10))
    Stream(SEED, "deal", 1).shuffle(cards)
    assert cards == [8, 1, 7, 9, 0, 2, 5, 4, 3, 6]


def test_draws_are_the_leading_bits_of_whole_bytes_and_too_large_ones_are_dropped() -> None:
    stream, naive = Stream(SEED, "deal", 5), NaiveStream(5)
    stops = [
        stop for stop in [*range(1, 300), 511, 512, 513, 65_535, 65_536, 65_537, 2**31, 2**64 + 1] for _ in range(3)
    ]
    assert [naive.randrange(stop) for stop in stops] == [stream.randrange(stop) for stop in stops]


@pytest.mark.parametrize("size", [0, 1, 2, 3, 65, 300])
def test_shuffles_swap_from_the_last_place_down(size: int) -> None:
    cards = list(range(size))
    Stream(SEED, "deal", size).shuffle(cards)
    assert NaiveStream(size).shuffled(list(range(size))) == cards


@pytest.mark.parametrize("stop", [2, 3, 5, 65, 129, 200, 256, 257])
def test_draws_are_uniform(stop: int) -> None:
    """No value comes up more often: a remainder instead of a rejection would show at 129, 200 and 257."""
    stream = Stream(SEED, "uniform", stop)
    counts = Counter(stream.randrange(stop) for _ in range(100 * stop))
    assert set(range(stop)) >= counts.keys()
    assert chi_square(counts, stop) < too_large(stop)


def test_shuffles_are_uniform() -> None:
    stream, counts = Stream(SEED, "uniform", 0), Counter[tuple[int, ...]]()
    for _ in range(12_000):
        cards = [0, 1, 2, 3]
        stream.shuffle(cards)
        counts[tuple(cards)] += 1
    assert set(permutations(range(4))) == counts.keys()
    assert chi_square(counts, 24) < too_large(24)


@pytest.mark.parametrize("stop", [0, -1])
def test_an_empty_range_is_refused(stop: int) -> None:
    with pytest.raises(ValueError, match="empty range"):
        Stream(SEED, "deal").randrange(stop)


def test_streams_of_another_seed_purpose_or_counter_share_nothing() -> None:
    """Keys whose parts run into the same text, such as ("deal", 1) and block 1 of ("deal"), are told apart too."""
    keys: list[tuple[bytes, str, tuple[int, ...]]] = [
        (seed, purpose, counters)
        for seed in (SEED, OTHER_SEED)
        for purpose in ("deal", "start", "deal1", "dea")
        for counters in ((), (0,), (1,), (2,), (0, 1), (1, 0), (256,))
    ]
    blocks = [
        block
        for seed, purpose, counters in keys
        for stream in [Stream(seed, purpose, *counters)]
        for block in (stream.randbytes(32), stream.randbytes(32), stream.randbytes(32))
    ]
    assert 3 * len(keys) == len(set(blocks))


def test_commitments_are_known() -> None:
    """The commitment is SHA-256 of the tag, the match id and the seed, each behind its length."""
    expected = sha256(framed(b"artreferee commitment 1", b"aaaabbbbccccddddeeeeffff22", SEED)).hexdigest()
    assert (
        commitment("aaaabbbbccccddddeeeeffff22", SEED).hex()
        == expected
        == "71e8f351a6147cc656fe11b6765a1ccd3219f7e3f0a662e9a71bcc12c169054a"
    )


def test_commitments_bind_seed_and_match() -> None:
    made = {commitment(match_id, seed) for match_id in ("a", "b", "ab") for seed in (SEED, OTHER_SEED)}
    assert len(made) == 6


def test_different_lists_never_have_the_same_length_prefixed_form() -> None:
    """All lists of up to three short strings over two letters give different bytes."""
    strings = [b"", b"a", b"b", b"aa", b"ab", b"\0\0\0\1a", b"\0"]
    lists = [(), *((a,) for a in strings), *((a, b) for a in strings for b in strings)]
    lists += [(a, b, c) for a in strings for b in strings for c in strings]
    assert len({length_prefixed(*parts) for parts in lists}) == len(lists)


def test_length_prefixes_are_four_big_endian_bytes() -> None:
    assert length_prefixed(b"ab", b"", b"c" * 258) == b"\0\0\0\2ab" + b"\0\0\0\0" + b"\0\0\1\2" + b"c" * 258


def test_seeds_have_32_bytes() -> None:
    assert SEED_BYTES == 32


@pytest.mark.parametrize("make", [lambda: Stream(SEED, "deal"), lambda: random.Random(1)], ids=["Stream", "random"])
def test_rules_can_draw_from_either_source(make: Callable[[], Random]) -> None:
    rng, cards = make(), bytearray(range(20))
    rng.shuffle(cards)
    assert sorted(cards) == list(range(20))
    assert len(rng.randbytes(5)) == 5
    assert 0 <= rng.randrange(3) < 3
