"""The names of all keys and channels. Changing one of them loses what is stored.

All keys of a match carry the hash tag of its bucket, so that one script may touch them on a cluster.
"""

from collections.abc import Sequence
from typing import Any, Final

from referee.table.ids import MatchId, Principal, bucket_of
from referee.table.store import Enrolled

_PRINCIPAL: Final = 32  # bytes
_MATCH_ID: Final = 26  # characters
_KEY_AT: Final = {"EVALSHA": 3, "EVAL": 3, "MEMORY": 2}  # where a command has its first key, if not behind its name


def tag(bucket: int) -> str:
    """Returns the hash tag of a bucket, such as "{b:0f}"."""
    return f"{{b:{bucket:02x}}}"


def match(match_id: MatchId) -> str:
    """A hash: the header and the other fields of a match."""
    return f"{tag(bucket_of(match_id))}:m:{match_id}"


def log(match_id: MatchId) -> str:
    """A list: the log entries of a match, each behind 8 bytes of time."""
    return f"{tag(bucket_of(match_id))}:l:{match_id}"


def listing(bucket: int) -> str:
    """A sorted set: the match ids of a bucket by the time of creation."""
    return f"{tag(bucket)}:created"


def expiry(bucket: int) -> str:
    """A sorted set: the match ids of a bucket by the time at which they expire."""
    return f"{tag(bucket)}:expiry"


def deadlines(bucket: int) -> str:
    """A sorted set: the match ids of a bucket by the time at which they are due."""
    return f"{tag(bucket)}:deadlines"


def mark(bucket: int) -> str:
    """A string, which is empty: whoever has it has all that was written before it."""
    return f"{tag(bucket)}:mark"


ALL: Final = "{b:*"
"""A pattern of all keys."""

BEAT: Final = f"{tag(0)}:beat"
"""A string: when a replica was last at work, in ms since 1970."""

OUTAGES: Final = f"{tag(0)}:outages"
"""A sorted set: "START END" of each outage by its end."""

SWEEPER: Final = f"{tag(0)}:sweeper"
"""A string: who looks for matches that are due."""

ROLL: Final = f"{tag(0)}:roll"
"""A sorted set: whose signs of life count, as principal, match id and grace, by their place."""

RIGHTS: Final = f"{tag(0)}:rights"
"""A string, for a moment: what a user may do is tried on it."""

AUDIT: Final = f"{tag(0)}:audit"
"""A stream: what operators did, and why."""

_KINDS: Final = {
    "m": "match",
    "l": "log",
    "p": "inbox",
    "f": "inbox of ended matches",
    "created": "listing",
    "expiry": "expiry",
    "deadlines": "deadlines",
    "mark": "mark",
    "roll": "roll",
    "audit": "audit",
}


def kind_of(key: str) -> str:
    """Returns what a key is for, in words."""
    return _KINDS.get(key.split(":")[2] if key.count(":") > 1 else "", "other")


def key_of(command: Sequence[Any]) -> bytes:
    """Returns the key or channel by which a command belongs to a node of a cluster; without one, that of the beat."""
    place = _KEY_AT.get(command[0], 1)
    key = command[place] if len(command) > place else BEAT
    return key if isinstance(key, bytes) else str(key).encode()


def mark_of(command: Sequence[Any]) -> str | None:
    """Returns the mark beside the key of a command; None if it has no key of ours."""
    key = key_of(command) if len(command) > 1 else b""
    if command[0] == "PUBLISH" or not key.startswith(b"{b:"):
        return None
    return f"{key.partition(b'}')[0].decode()}}}:mark"


def inbox(bucket: int, principal: Principal, over: bool) -> str:
    """A sorted set: a principal's matches in a bucket, as time of creation (hexadecimal) and id, by when to forget.

    Those that have ended stand apart.
    """
    return f"{tag(bucket)}:{'f' if over else 'p'}:{principal.hex()}"


def enrolled(principal: Principal, match_id: MatchId, grace_ms: int) -> bytes:
    """A member of the roll."""
    return principal + f"{match_id}{grace_ms}".encode()


def enrolled_in(member: bytes) -> Enrolled:
    """Returns what a member of the roll says."""
    words = member[_PRINCIPAL:].decode()
    match_id, grace_ms = words[:_MATCH_ID], words[_MATCH_ID:]
    return Enrolled(Principal(member[:_PRINCIPAL]), MatchId(match_id), int(grace_ms))


def channel(match_id: MatchId) -> str:
    """A channel: the new version of a match, in decimal."""
    return f"{tag(bucket_of(match_id))}:n:{match_id}"


def summons(principal: Principal) -> str:
    """A channel: "MATCH_ID VERSION" of a match that concerns a principal, "begin TOKEN" of a follower, or "again"."""
    return f"s:{principal.hex()}"
