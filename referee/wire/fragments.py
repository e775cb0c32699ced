"""Parts of messages that recur from answer to answer: made once, and kept packed.

Packed messages of one type that are joined make one message: lists follow each other, what is set in one is set. It
costs a tenth of making all of them anew, as most of a view is what it was a move ago.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, ParamSpec, cast

from google.protobuf.message import Message

_KEPT: Final = 4096  # of a kind
P = ParamSpec("P")


def kept(make: Callable[P, Message]) -> Callable[P, bytes]:
    """Returns what makes the same message packed, and need not make it again for values that it had lately."""

    def packed(*values: P.args, **named: P.kwargs) -> bytes:
        return make(*values, **named).SerializeToString()

    return cast(Callable[P, bytes], lru_cache(_KEPT)(packed))
