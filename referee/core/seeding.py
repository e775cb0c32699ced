"""Randomness that can be checked: one 32-byte seed a match, one stream of SHA-256 blocks a random event.

The format is fixed for ever; `tests/core/test_seeding.py` holds known answers.
"""

from collections.abc import MutableSequence
from hashlib import sha256
from typing import Any, Final, Protocol

SEED_BYTES: Final = 32
_STREAM_TAG: Final = b"artreferee stream 1"
_COMMITMENT_TAG: Final = b"artreferee commitment 1"


def length_prefixed(*parts: bytes) -> bytes:
    """Concatenates byte strings, each behind its length as 4 big-endian bytes, so that no two lists collide."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def commitment(match_id: str, seed: bytes) -> bytes:
    """Returns the 32 bytes by which a referee binds itself to `seed` before the match."""
    return sha256(length_prefixed(_COMMITMENT_TAG, match_id.encode(), seed)).digest()


class Random(Protocol):
    """What the rules need of a source of randomness; `random.Random` and `Stream` both are one."""

    def randrange(self, stop: int, /) -> int:
        """Returns a uniform integer in [0, stop)."""
        ...

    def shuffle(self, x: MutableSequence[Any], /) -> None:
        """Permutes `x` in place, uniformly."""
        ...

    def randbytes(self, n: int, /) -> bytes:
        """Returns `n` random bytes."""
        ...


class Stream:
    """The random stream of one event: block i is SHA-256(tag, seed, purpose, counters..., i), length-prefixed.

    Args:
        seed: 32 secret bytes.
        purpose: what the stream is for, such as "deal".
        counters: which event of that purpose, such as the season's number.
    """

    __slots__ = ("_block", "_blocks", "_prefix")

    def __init__(self, seed: bytes, purpose: str, *counters: int) -> None:
        parts = (_STREAM_TAG, seed, purpose.encode(), *(counter.to_bytes(8, "big") for counter in counters))
        self._prefix = length_prefixed(*parts)
        self._block = b""
        self._blocks = 0

    def randbytes(self, n: int) -> bytes:
        """Returns the next `n` bytes of the stream."""
        while len(self._block) < n:
            self._block += sha256(self._prefix + length_prefixed(self._blocks.to_bytes(8, "big"))).digest()
            self._blocks += 1
        taken, self._block = self._block[:n], self._block[n:]
        return taken

    def randrange(self, stop: int) -> int:
        """Returns a uniform integer in [0, stop): the first draw below it, of just enough whole bytes, cut."""
        if stop <= 0:
            raise ValueError(f"an empty range: [0, {stop})")
        bits = (stop - 1).bit_length()
        size = (bits + 7) // 8
        while True:
            value = int.from_bytes(self.randbytes(size), "big") >> (size * 8 - bits)
            if value < stop:
                return value

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """Permutes `x` in place: Fisher and Yates, from the last place down."""
        for last in range(len(x) - 1, 0, -1):
            other = self.randrange(last + 1)
            x[last], x[other] = x[other], x[last]
