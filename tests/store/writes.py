"""Writes as the contract of the store knows them, made with as few words as a test needs."""

import secrets
from base64 import b32encode
from collections.abc import Iterable, Mapping, Sequence

from referee.table.ids import MatchId, Principal
from referee.table.store import Header, Store, Write

LONG_MS = 60_000
SHORT_MS = 500  # long enough for another write to come in time, on a busy machine too
BRIEF_MS = 60  # for what nobody needs any more


def match_in(bucket: int) -> MatchId:
    """Makes the id of a match in a bucket: its first byte is the bucket."""
    return MatchId(b32encode(bytes([bucket]) + secrets.token_bytes(15)).decode().rstrip("=").lower())


def any_match() -> MatchId:
    """Makes the id of a match in a random bucket."""
    return match_in(secrets.randbelow(256))


def any_principal() -> Principal:
    """Makes a principal."""
    return Principal(secrets.token_bytes(32))


def write_of(
    match_id: MatchId,
    expected: Header | None = None,
    entries: Sequence[bytes] = (),
    *,
    after: int = 0,
    fields: Mapping[str, bytes] | None = None,
    principals: Iterable[Principal] = (),
    lifetime_ms: int = LONG_MS,
    summoned: Iterable[Principal] = (),
    over: bool = False,
    not_after_ms: int | None = None,
) -> Write:
    """Makes a write that appends `entries` behind the `after` entries that the log has."""
    return Write(
        match_id=match_id,
        expected=expected,
        write_id=secrets.token_bytes(8),
        fields={} if fields is None else fields,
        entries=entries,
        version=after + len(entries),
        principals=tuple(principals),
        lifetime_ms=lifetime_ms,
        summoned=tuple(summoned),
        over=over,
        not_after_ms=not_after_ms,
    )


async def written(store: Store, write: Write) -> Header:
    """Writes what must get through; returns the new header."""
    header = await store.write(write)
    assert isinstance(header, Header), f"the write met {header}"
    return header


async def created(store: Store, match_id: MatchId, entries: Sequence[bytes] = ()) -> Header:
    """Creates a match with a field."""
    return await written(store, write_of(match_id, None, entries, fields={"state": b"dealt"}))
