"""One Play stream: what it has told so far, and waiting for what it shall tell."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Self

import grpc

from artreferee.v1 import error_pb2, match_pb2, service_pb2
from clients.check import calls
from clients.check.calls import Caller, Refusal, Reply
from clients.check.checks import CheckFailedError
from clients.sdk import new_request_id

_SILENT_AT_MOST_S: Final = 600.0  # whoever waits for something has a limit of its own
_ATTEMPTS: Final = 10
_CUT_OFF: Final = "Internal error from Core"  # grpc's own status where a request meets the end of its stream
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


class Conversation:
    """A Play stream of a caller, being read.

    Attributes:
        responses: what came, in its order.
        end: how it ended; None while it goes on.
    """

    def __init__(self, caller: Caller) -> None:
        self.responses: Final = list[service_pb2.PlayResponse]()
        self.end: Reply[service_pb2.PlayResponse] | None = None
        self._stream: Final = caller.converse(calls.PLAY)
        self._fault: Exception | None = None
        self._heard: Final = asyncio.Condition()
        self._reader: Final = asyncio.create_task(self._read())

    @property
    def seated(self) -> list[match_pb2.Match]:
        """All matches told as those at which the caller is seated."""
        return [match for response in self.responses for match in response.seated]

    @property
    def asked(self) -> list[match_pb2.Match]:
        """All matches told with a prompt."""
        return [match for response in self.responses for match in response.asked]

    @property
    def ended(self) -> list[match_pb2.Match]:
        """All matches told as ended."""
        return [match for response in self.responses for match in response.ended]

    @property
    def outcomes(self) -> list[service_pb2.PlayOutcome]:
        """All that became of moves."""
        return [outcome for response in self.responses for outcome in response.outcomes]

    def asked_in(self, match_id: str) -> list[match_pb2.Match]:
        """Returns how one match was told with a prompt."""
        return [match for match in self.asked if match.match_id == match_id]

    async def send(self, *moves: service_pb2.PlayMove, **fields: Any) -> None:
        """Sends one request."""
        await self._stream.send(service_pb2.PlayRequest(moves=moves, **fields))

    async def send_raw(self, raw: bytes) -> None:
        """Sends bytes as a request."""
        await self._stream.send(raw)

    async def done(self) -> None:
        """Ends the caller's side."""
        await self._stream.done()

    async def until(self, told: Callable[[Self], object], what: str) -> None:
        """Waits until something has been told, or the stream has ended with it.

        Raises:
            CheckFailedError: it was not told in time, or before the end.
        """
        try:
            async with asyncio.timeout(calls.ANSWERED_WITHIN_S), self._heard:
                await self._heard.wait_for(lambda: told(self) or not self._goes_on())
        except TimeoutError:
            raise CheckFailedError(f"Play has not told {what} within {calls.ANSWERED_WITHIN_S:g} s") from None
        if self._fault is not None:
            raise self._fault
        if not told(self):
            raise CheckFailedError(f"Play ended with {self.end.told if self.end else ''}, expected to be told {what}")

    async def ends(self) -> Reply[service_pb2.PlayResponse]:
        """Waits for the end and returns it.

        Raises:
            CheckFailedError: it did not come in time.
        """
        await self.until(lambda heard: heard.end is not None, "the end")
        if self.end is None:
            raise AssertionError("it was waited for")
        return self.end

    async def outcome_of(self, request_id: str) -> service_pb2.PlayOutcome:
        """Waits for what becomes of a move and returns it."""
        await self.until(lambda heard: heard.outcomes_of(request_id), "what became of a move")
        return self.outcomes_of(request_id)[0]

    def outcomes_of(self, request_id: str) -> list[service_pb2.PlayOutcome]:
        """Returns all that was told of a move."""
        return [outcome for outcome in self.outcomes if outcome.request_id == request_id]

    async def close(self) -> None:
        """Goes away without a word."""
        self._stream.cancel()
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    def _goes_on(self) -> bool:
        return self.end is None and self._fault is None

    async def _read(self) -> None:
        try:
            while (response := await self._stream.next(_SILENT_AT_MOST_S)) is not None:
                async with self._heard:
                    self.responses.append(response)
                    self._heard.notify_all()
            self.end = await self._stream.end()
        except CheckFailedError as error:
            self._fault = error
        async with self._heard:
            self._heard.notify_all()


@asynccontextmanager
async def conversing(caller: Caller, **first: Any) -> AsyncIterator[Conversation]:
    """Opens a Play stream for a block, with a first request."""
    conversation = Conversation(caller)
    try:
        await conversation.send(**first)
        yield conversation
    finally:
        await conversation.close()


async def refused_to(caller: Caller) -> Conversation:
    """Returns a Play stream that ended at once, of a caller who may not open one."""
    for _ in range(_ATTEMPTS):
        async with conversing(caller) as conversation:
            reply = await conversation.ends()
        if reply.text != _CUT_OFF:
            break
    return conversation


def answer_to(match: match_pb2.Match, choices: Iterable[match_pb2.MoveChoice], **changes: Any) -> service_pb2.PlayMove:
    """Returns the answer to a prompt."""
    fields: dict[str, Any] = {
        "request_id": new_request_id(),
        "match_id": match.match_id,
        "seat": match.viewer_seat,
        "decision_number": match.prompt.decision_number,
        "moves": choices,
    }
    return service_pb2.PlayMove(**{**fields, **changes})


def refusal_of(outcome: service_pb2.PlayOutcome) -> Reply[service_pb2.PlayResponse]:
    """Returns a refused move as a call that fails alike, so that the same is required of both."""
    refused = outcome.refused
    name = error_pb2.ErrorReason.Name(refused.reason).removeprefix("ERROR_REASON_")
    metadata = {pair.key: pair.value for pair in refused.metadata}
    fields: Sequence[str] = [metadata["field"]] if "field" in metadata else []
    refusal = Refusal(calls.DOMAIN, name, metadata, fields, 0.0 if refused.retriable else None)
    code = _CODES.get(refused.code, grpc.StatusCode.UNKNOWN) if outcome.HasField("refused") else grpc.StatusCode.OK
    return Reply(calls.PLAY, code, refused.text, None, refusal)
