"""Names of things: principals, match ids and their buckets."""

import re
from base64 import b32encode
from hashlib import sha256
from typing import Final, NewType

from referee.core.seeding import length_prefixed

Principal = NewType("Principal", bytes)
"""SHA-256 of a caller's secret: all that the referee ever keeps of it."""

MatchId = NewType("MatchId", str)
"""26 characters a-z and 2-7: unpadded base32 of 16 bytes."""

MATCH_ID: Final = re.compile("[a-z2-7]{25}[aeimquy4]")  # the last character holds 3 of the 128 bits
REQUEST_ID: Final = re.compile("[A-Za-z0-9._-]{1,64}")
BUCKETS: Final = 256
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"


def principal_of(secret: bytes) -> Principal:
    """Returns the principal that 32 secret bytes stand for.

    It is no secret itself: hosts are given it to bind seats. So principals are compared as any bytes are: how long that
    takes tells something of a hash at most, from which nobody finds the secret that is to be presented.
    """
    return Principal(sha256(secret).digest())


def match_id_of(host: Principal, request_id: str) -> MatchId:
    """Returns the id of the match that a host's creation request makes, the same for a repeated request."""
    digest = sha256(length_prefixed(host, request_id.encode())).digest()[:16]
    return MatchId(b32encode(digest).decode().rstrip("=").lower())


def bucket_of(match_id: MatchId) -> int:
    """Returns the bucket, below `BUCKETS`, that holds a match: the first byte of its id."""
    return _ALPHABET.index(match_id[0]) << 3 | _ALPHABET.index(match_id[1]) >> 2
