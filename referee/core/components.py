"""Loading of component data: TOML with a version, the parts, and for each part its source."""

import tomllib
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from referee.core.errors import ComponentsError
from referee.core.game import Source

_ORIGINS = ("rule_book", "public_fact", "reconstruction")


@dataclass(frozen=True, slots=True)
class Components:
    """Component data as read, not yet judged by a ruleset.

    Attributes:
        name: where they were read from, for error texts.
        version: the version that they name.
        digest: SHA-256 of their bytes.
        sources: where each part comes from.
        parts: the tables.
    """

    name: str
    version: str
    digest: bytes
    sources: tuple[Source, ...]
    parts: dict[str, Any]


def parse(name: str, content: bytes) -> Components:
    """Reads component data.

    Raises:
        ComponentsError: not TOML, or version or sources are missing or wrong.
    """
    try:
        parts = tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ComponentsError(name, [f"not a TOML file: {error}"]) from None
    version = parts.pop("version", None)
    sources = parts.pop("sources", None)
    faults = []
    if not isinstance(version, str) or not version:
        faults.append("version: expected a non-empty string")
    if not isinstance(sources, list) or not sources:
        faults.append("sources: expected at least one table")
        sources = []
    read = []
    for place, source in enumerate(sources):
        if not isinstance(source, dict) or not all(
            isinstance(source.get(key), str) for key in ("part", "origin", "note")
        ):
            faults.append(f"sources[{place}]: expected part, origin and note as strings")
        elif source["origin"] not in _ORIGINS:
            faults.append(f"sources[{place}]: origin {source['origin']!r}, expected one of {', '.join(_ORIGINS)}")
        else:
            read.append(Source(source["part"], source["origin"], source["note"]))
    if faults:
        raise ComponentsError(name, faults)
    return Components(name, str(version), sha256(content).digest(), tuple(read), parts)
