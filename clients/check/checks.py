"""What a check is: one claim of the contract, and how it went."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from google.protobuf.message import Message
from google.protobuf.text_format import MessageToString

if TYPE_CHECKING:
    from clients.check.subject import Subject

_LONGEST: Final = 160  # characters of a value in a sentence
_WITHIN_S: Final = 20.0


class CheckFailedError(Exception):
    """A claim does not hold; the text says in one sentence what came and what was expected."""


class CheckSkippedError(Exception):
    """A claim could not be checked; the text says why."""


Act = Callable[["Subject"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Check:
    """One claim, and how to check it.

    Attributes:
        group: the name of the module that holds it.
        name: its name in that group.
        claim: one sentence in the contract's terms.
        act: returns if the claim holds, and raises otherwise.
        within_s: how long it may take.
    """

    group: str
    name: str
    claim: str
    act: Act
    within_s: float

    @property
    def full_name(self) -> str:
        """Its name among all checks."""
        return f"{self.group}.{self.name}"


class Outcome(StrEnum):
    """How a check went."""

    OK = "ok"
    FAILED = "FAILED"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a check went, in `words` unless it went well, and how long it took."""

    check: Check
    outcome: Outcome
    words: str
    seconds: float


def check(act: Act) -> Check:
    """Makes a check of a function: the first line of its docstring is the claim."""
    return within(_WITHIN_S)(act)


def within(seconds: float) -> Callable[[Act], Check]:
    """Makes a check that may take so long."""

    def made(act: Act) -> Check:
        group = act.__module__.rpartition(".")[2]
        claim = " ".join((act.__doc__ or "").split())
        return Check(group, getattr(act, "__name__", ""), claim, act, seconds)

    return made


async def verdict_of(check: Check, subject: "Subject") -> Verdict:
    """Runs a check. Whatever it raises is its verdict."""
    began = time.monotonic()
    outcome, words = Outcome.OK, ""
    try:
        async with asyncio.timeout(check.within_s):
            await check.act(subject)
    except TimeoutError:
        outcome, words = Outcome.FAILED, f"it took longer than {check.within_s:g} s"
    except Exception as error:
        outcome, words = _judged(error)
    return Verdict(check, outcome, words, time.monotonic() - began)


def _judged(error: BaseException) -> tuple[Outcome, str]:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case CheckSkippedError():
            return Outcome.SKIPPED, _printable(str(error))
        case CheckFailedError():
            return Outcome.FAILED, _printable(str(error))
        case _:
            words = f"the answers make no sense: {type(error).__name__}: {_cut(str(error))}"
            return Outcome.FAILED, _printable(words)


def _printable(text: str) -> str:
    """One line for a terminal, whatever a referee has put into its texts."""
    return "".join(character if character.isprintable() else " " for character in text)


def expect(holds: bool, sentence: str) -> None:
    """Requires that something holds; `sentence` says what came and what was expected.

    Raises:
        CheckFailedError: it does not.
    """
    if not holds:
        raise CheckFailedError(sentence)


def equal(what: str, came: object, expected: object) -> None:
    """Requires that something is as expected.

    Raises:
        CheckFailedError: it is not.
    """
    if came != expected:
        raise CheckFailedError(f"{what} is {worded(came)}, expected {worded(expected)}")


def alike(what: str, came: Message, expected: Message) -> None:
    """Requires that two messages are the same to the byte, once both are written anew.

    Raises:
        CheckFailedError: they are not; tells the first field that differs.
    """
    if came.SerializeToString(deterministic=True) != expected.SerializeToString(deterministic=True):
        raise CheckFailedError(f"{what} {_difference(came, expected)}")


def worded(value: object) -> str:
    """Returns a value as it may stand in a sentence."""
    match value:
        case Message():
            return _cut(f"{{{MessageToString(value, as_one_line=True)}}}")
        case bytes():
            return _cut(value.hex()) or "empty"
        case str():
            return _cut(repr(value))
        case _ if isinstance(value, Sequence):
            return _cut(f"[{', '.join(map(worded, value))}]")
        case _:
            return _cut(str(value))


def _difference(came: Message, expected: Message, path: str = "") -> str:
    for field in came.DESCRIPTOR.fields:
        found, wanted = (
            [value for name, value in message.ListFields() if name is field] for message in (came, expected)
        )
        if found == wanted:
            continue
        if found and wanted and isinstance(found[0], Message):
            return _difference(found[0], wanted[0], f"{path}{field.name}.")
        came_value, expected_value = (worded(values[0]) if values else "absent" for values in (found, wanted))
        return f"has {path}{field.name} {came_value}, expected {expected_value}"
    return "has fields that the contract does not know"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
