"""The formats of stored matches, and how a match of an older one is read.

What is stored of a match may change in two ways:

- A struct gains fields at its end, with defaults. The format stays. A newer version reads what an older one wrote; an
  older one passes over what it does not know, and drops it when it writes: only for what may be lost while both run.
- Anything else is a new format: raise `FORMAT`, and tell in `MIGRATIONS` how to come from the one before. A newer
  version reads such a match, and when it changes it for the first time it writes all of it in its own format; from
  then on an older version refuses the match in words.

Log entries are never written anew, so that their struct may change in the first way only.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec

FORMAT: Final = 2
Fields = Mapping[str, bytes]


def _from_1(fields: Fields) -> Fields:
    """A ring had its receipts one by one, each with the whole id of its request and 16 bytes of hash."""
    return {name: _ring_from_1(packed) if name.startswith("r") else packed for name, packed in fields.items()}


def _ring_from_1(packed: bytes) -> bytes:
    receipts, refused = msgspec.msgpack.decode(packed, type=tuple[list[tuple[str, bytes, int, int, str, Any]], Any])
    requests = [sha256(request_id.encode()).digest()[:8] + asked[:8] for request_id, asked, *_ in receipts]
    versions = [version for _, _, version, *_ in receipts]
    decisions = [decision for _, _, _, decision, *_ in receipts]
    answers = zip(requests, receipts, strict=True)
    refusals = {request: (reason, metadata) for request, (*_, reason, metadata) in answers if reason}
    return msgspec.msgpack.encode((b"".join(requests), versions, decisions, refusals, refused))


MIGRATIONS: Final[dict[int, Callable[[Fields], Fields]]] = {1: _from_1}
"""From each older format that can still be read to the next one."""


class FormatError(ValueError):
    """A match of a format that this version does not read; says which."""


def migrated(fields: Fields, since: int) -> Fields:
    """Returns the fields of a match of any readable format as they are in the present one.

    Raises:
        FormatError: it cannot be read.
    """
    if since > FORMAT:
        raise FormatError(f"format {since}, the newest that is known is {FORMAT}")
    for number in range(since, FORMAT):
        if number not in MIGRATIONS:
            raise FormatError(f"format {since}, which is too old")
        fields = MIGRATIONS[number](fields)
    return fields
