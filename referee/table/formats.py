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
from typing import Final

FORMAT: Final = 1
Fields = Mapping[str, bytes]

MIGRATIONS: Final[dict[int, Callable[[Fields], Fields]]] = {}
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
