"""What the service notes of each call: in its log, for its observer, in a trace. Nothing in it is secret."""

import asyncio
import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from typing import Final

from google.rpc import code_pb2

from referee.api.errors import CODES
from referee.core.errors import Reason, RefereeError
from referee.table.ids import MATCH_ID, Principal
from referee.table.observer import Metadata, Observer
from referee.table.store import StoreUnavailableError

_log: Final = logging.getLogger("referee")
_OK: Final = "OK"
_CANCELLED: Final = "CANCELLED"  # its caller went away, or waited no longer
_USUAL: Final = frozenset({_OK, _CANCELLED, "RESOURCE_EXHAUSTED"})  # whoever calls too often shall not fill the log too


class Call:
    """A call that is going on: what is known of it so far."""

    __slots__ = ("code", "match_id", "method", "principal", "reason")

    def __init__(self, method: str) -> None:
        self.method: Final = method
        self.principal: Principal | None = None
        self.match_id = ""
        self.code = _OK
        self.reason = ""

    def about(self, message: object) -> None:
        """Notes which match a request or a response names."""
        self.match_id = getattr(message, "match_id", self.match_id)

    def refused(self, error: RefereeError) -> None:
        """Notes how the call ends."""
        self.code, self.reason = code_of(error), error.reason.name


class Journal:
    """Notes calls.

    Attributes:
        span: opens a span, see `Observer`.
    """

    def __init__(self, observer: Observer | None = None) -> None:
        self._observer: Final = observer or Observer()
        self.span: Final = self._observer.span
        self._salt: Final = secrets.token_bytes(16)

    @contextmanager
    def unary(self, method: str, metadata: Metadata) -> Iterator[Call]:
        """Notes a call with one answer; the block does it, and what goes wrong there comes out as a refusal.

        Raises:
            RefereeError: what the caller is to be told, who hears of it after it is noted.
        """
        call, start = Call(method), time.perf_counter()
        with self._observer.span(method, metadata) as span:
            try:
                yield call
            except BaseException as error:
                self._end(call, error)
                raise
            finally:
                span.note(code=call.code, match_id=_checked(call.match_id))
                seconds = time.perf_counter() - start
                self._observer.called(method, call.code, seconds)
                self._tell(call, seconds)

    @contextmanager
    def stream(self, method: str) -> Iterator[Call]:
        """Notes a stream in the same way; the block writes it."""
        call, start = Call(method), time.perf_counter()
        self._observer.opened(method)
        try:
            yield call
        except BaseException as error:
            self._end(call, error)
            raise
        finally:
            self._observer.closed(method, call.code)
            self._tell(call, time.perf_counter() - start)

    def unread(self, method: str, principal: Principal | None, refusal: RefereeError, *, streams: bool) -> None:
        """Notes a call, or a stream, that is refused before it is read; it has no span, as nothing is done."""
        call = Call(method)
        call.principal = principal
        call.refused(self.refusal(refusal))
        if streams:
            self._observer.opened(method)
            self._observer.closed(method, call.code)
        else:
            self._observer.called(method, call.code, 0.0)
        self._tell(call, 0.0)

    def refusal(self, error: Exception) -> RefereeError:
        """Returns the refusal that a caller is told, and notes it; what is no refusal is logged and not told."""
        refusal = _refusal(error)
        self._observer.refused(refusal.reason.name)
        return refusal

    def refused_move(self, principal: Principal, match_id: str, error: Exception) -> RefereeError:
        """Returns the refusal that a player is told on a stream, and notes it."""
        refusal, call = self.refusal(error), Call("Play")
        call.principal, call.match_id = principal, match_id
        call.refused(refusal)
        self._tell(call, None)
        return refusal

    def _end(self, call: Call, error: BaseException) -> None:
        """Notes how a call ends that meets an error; raises the refusal that is told instead, if it is another one."""
        if isinstance(error, asyncio.CancelledError):
            call.code = _CANCELLED
        elif isinstance(error, Exception):
            refusal = self.refusal(error)
            call.refused(refusal)
            if refusal is not error:
                raise refusal from error

    def _tell(self, call: Call, seconds: float | None) -> None:
        level = logging.DEBUG if call.code in _USUAL else logging.INFO
        if not _log.isEnabledFor(level):
            return
        known = {
            "method": call.method,
            "code": call.code,
            "reason": call.reason,
            "match_id": _checked(call.match_id),
            "principal": self._tag(call.principal),
            "duration_ms": None if seconds is None else round(seconds * 1000, 3),
        }
        _log.log(level, "call refused" if call.reason else "call", extra=known)

    def _tag(self, principal: Principal | None) -> str:
        """Tells one caller's lines from another's in this process, but not whose they are."""
        return sha256(self._salt + principal).hexdigest()[:8] if principal else ""


def code_of(error: RefereeError) -> str:
    """Returns the name of the gRPC code of a refusal."""
    return _name_of(CODES[error.reason])


@cache
def _name_of(code: int) -> str:
    name: str = code_pb2.Code.Name(code)
    return name


def _checked(match_id: str) -> str:
    return match_id if MATCH_ID.fullmatch(match_id) else ""  # else it may be anything that a caller sends


def _refusal(error: Exception) -> RefereeError:
    if isinstance(error, RefereeError):
        return error
    if isinstance(error, StoreUnavailableError):
        _log.warning("the store does not answer: %s", error)
        return RefereeError(Reason.STORE_UNAVAILABLE)
    _log.error("a fault of the service", exc_info=error)
    return RefereeError(Reason.INTERNAL)
