"""Packed messages that are joined of packed parts.

Most of an answer is what it was a move ago, and what is left are small numbers; so parts are made once and kept, which
costs a tenth of making a message anew. Packed messages of one type that are joined make one message: lists follow each
other, what is set in one is set. A message within another one stands behind its field's tag and its length.
"""

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache, partial
from operator import getitem
from typing import Any, Final, ParamSpec, cast

from google.protobuf.message import Message

KEPT: Final = 4096  # of a kind
_MORE: Final = 0x80
_OF_BYTES: Final = 2  # the wire type of what has a length
P = ParamSpec("P")


def kept(make: Callable[P, Message | bytes]) -> Callable[P, bytes]:
    """Returns what makes the same message packed, and need not make it again for values that it had lately."""

    def packed(*values: P.args, **named: P.kwargs) -> bytes:
        made = make(*values, **named)
        return made if isinstance(made, bytes) else made.SerializeToString()

    return cast(Callable[P, bytes], lru_cache(KEPT)(packed))


class _Packed(dict[Any, bytes]):
    """Packed values by what they are packed of; all are forgotten when they have become many.

    Args:
        pack: packs a value that is not there.
    """

    def __init__(self, pack: Callable[[Any], bytes]) -> None:
        super().__init__()
        self._pack: Final = pack

    def __missing__(self, value: Hashable) -> bytes:
        if len(self) >= KEPT:
            self.clear()
        packed = self[value] = self._pack(value)
        return packed


def fields(kind: type[Message], *names: str) -> Callable[..., bytes]:
    """Returns what packs a message of a kind with these fields, which takes their values; None leaves one unset."""
    tables = [_Packed(partial(_packed_field, kind, name)) for name in names]

    def packed(*values: Hashable) -> bytes:
        return b"".join(map(getitem, tables, values))

    return packed


def inner(kind: type[Message], name: str) -> Callable[[bytes], bytes]:
    """Returns what packs a message of a kind that has nothing but a packed message, or packed numbers, in one field."""
    tag = _varint(kind.DESCRIPTOR.fields_by_name[name].number << 3 | _OF_BYTES)

    def packed(content: bytes) -> bytes:
        return b"".join((tag, _varints[len(content)], content))

    return packed


def numbers(values: Iterable[int]) -> bytes:
    """Packs numbers, none of which is negative, for a field that holds a list of them."""
    return b"".join(map(_varints.__getitem__, values))


def _packed_field(kind: type[Message], name: str, value: Any) -> bytes:
    return kind(**{name: value}).SerializeToString()


def _varint(number: int) -> bytes:
    packed = bytearray()
    while number >= _MORE:
        packed.append(number % _MORE | _MORE)
        number //= _MORE
    packed.append(number)
    return bytes(packed)


_varints: Final = _Packed(_varint)
