"""What single values of a plan may be."""

import math
import re
import shutil
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, TypeVar

Check = Callable[[Any], Any]
"""Returns a value as the plan has it.

Raises:
    ValueFaultError: it may not be so.
"""

LONGEST_NAME: Final = 32
LONGEST_VERSION: Final = 32
_LONGEST_SHOWN: Final = 40

ChoiceT = TypeVar("ChoiceT", bound=StrEnum)


class ValueFaultError(ValueError):
    """What is wrong with a value; the text follows the name of its key."""


def whole(least: int, most: int) -> Check:
    """Whole numbers of a range."""

    def check(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueFaultError(f"is {shown(value)}, expected a whole number from {least} to {most}")
        return value

    return check


def number(above: float, below: float) -> Check:
    """Numbers between two others."""

    def check(value: Any) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool) or not above < value < below:
            raise ValueFaultError(f"is {shown(value)}, expected a number between {above:g} and {below:g}")
        return float(value)

    return check


def yes_or_no(value: Any) -> bool:
    """Booleans."""
    if not isinstance(value, bool):
        raise ValueFaultError(f"is {shown(value)}, expected true or false")
    return value


def text(longest: int, least: int = 1) -> Check:
    """Texts on one line, of characters that can be printed."""

    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueFaultError(f"is {shown(value)}, expected a text in quotes")
        if not least <= len(value) <= longest:
            raise ValueFaultError(f"has {len(value)} characters, expected {least} to {longest}")
        if found := next((character for character in value if not character.isprintable()), ""):
            raise ValueFaultError(f"has U+{ord(found):04X}, a character that cannot be printed")
        return value

    return check


def name(value: Any) -> str:
    """Names of entrants, which stand in records, reports and beside seats: as narrow as the narrowest of these."""
    checked: str = text(LONGEST_NAME)(value)
    if not checked.strip():
        raise ValueFaultError("has nothing to be seen")
    if unicodedata.normalize("NFC", checked) != checked:
        raise ValueFaultError("is not in Unicode form NFC")
    return checked


def choice(kind: type[ChoiceT]) -> Check:
    """Members of an enumeration, by their values."""

    def check(value: Any) -> ChoiceT:
        if value not in list(kind):
            raise ValueFaultError(f"is {shown(value)}, expected {listed(list(kind), 'or')}")
        return kind(value)

    return check


def several(check_one: Check) -> Check:
    """Lists with at least one entry, all of one sort."""

    def check(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or not value:
            raise ValueFaultError(f"is {shown(value)}, expected a list with at least one entry")
        return tuple(check_one(entry) for entry in value)

    return check


def one_or_several(check_one: Check) -> Check:
    """A value or a list of them, as a list."""

    def check(value: Any) -> tuple[Any, ...]:
        checked: tuple[Any, ...] = several(check_one)(value if isinstance(value, list) else [value])
        return checked

    return check


def command(value: Any) -> tuple[str, ...]:
    """A program and its arguments; whether there is such a program depends on its environment, see `program`."""
    parts: tuple[str, ...] = several(_argument)(value)
    if not parts[0]:
        raise ValueFaultError("begins with an empty text, expected a program")
    return parts


def program(parts: Sequence[str], environment: Mapping[str, str]) -> None:
    """Checks that a command's program can be found where its process will look for it."""
    if shutil.which(parts[0], path=environment.get("PATH")) is None:
        raise ValueFaultError(f"names the program {shown(parts[0])}, which is neither on the PATH nor a file to be run")


def variables(value: Any) -> tuple[tuple[str, str], ...]:
    """Variables of an environment, in the order of their names."""
    if not isinstance(value, dict):
        raise ValueFaultError(f"is {shown(value)}, expected a table of texts")
    for key in value:
        if not key or "=" in key or "\0" in key:
            raise ValueFaultError(f"has {shown(key)}, which cannot be the name of a variable")
    return tuple(sorted((key, _argument(inner)) for key, inner in value.items()))


def principal_hash(value: Any) -> str:
    """SHA-256 in hexadecimal."""
    if not isinstance(value, str) or not re.fullmatch("[0-9A-Fa-f]{64}", value):
        raise ValueFaultError(f"is {shown(value)}, expected SHA-256 of the principal as 64 hexadecimal digits")
    return value.lower()


def table(value: Any) -> dict[str, Any]:
    """Tables."""
    if not isinstance(value, dict):
        raise ValueFaultError(f"is {shown(value)}, expected a table")
    return value


def tables(value: Any) -> list[dict[str, Any]]:
    """Lists of tables."""
    if not isinstance(value, list) or not value or not all(isinstance(entry, dict) for entry in value):
        raise ValueFaultError(f"is {shown(value)}, expected one or more tables in double brackets")
    return value


def shown(value: Any) -> str:
    """Returns a value as a file would have it, or what it is where that is long."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            short = value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}..."
            return repr(short)
        case list():
            return "a list" if value else "an empty list"
        case dict():
            return "a table"
        case float() if math.isinf(value):
            return "infinite"
        case int() if value.bit_length() > 128:
            return "a number of many digits"
        case _:
            return str(value)


def listed(words: Sequence[str], last: str) -> str:
    """Returns words as a list in a sentence."""
    *before, end = words
    return f"{', '.join(before)} {last} {end}" if before else end


def _argument(value: Any) -> str:
    if not isinstance(value, str) or re.search(r"[\0\ud800-\udfff]", value):
        raise ValueFaultError(f"is {shown(value)}, expected a text without U+0000")
    return value
