"""A referee in this process, spoken to over real gRPC on the loopback, and matches planted in its store.

Callers send and hear bytes, so that a test sees exactly what leaves the service: messages, status, details, metadata.
"""

from __future__ import annotations  # grpc's classes are generic in their stubs only

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from types import TracebackType
from typing import Any, Final, Self

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from artreferee.v1 import service_pb2
from referee.api.quotas import Quotas
from referee.api.server import Server
from referee.api.settings import Settings
from referee.core.game import Options
from referee.games import registry
from referee.table.ids import MatchId, Principal, match_id_of
from referee.table.matches import Limits
from referee.table.observer import Observer
from referee.table.snapshot import Cause, Course, End, Entry, Head, SeatCourse, SeatHead, Status, Visibility, pack
from referee.table.store import Header, Write
from referee.table.table import Table
from tests.api.shelf import Shelf

PATIENT: Final = Quotas(longest_wait=60)
SERVICE: Final = "artreferee.v1.RefereeService"
ANSWERED_WITHIN_S: Final = 20.0
LIFETIME_MS: Final = 3_600_000
Metadata = tuple[tuple[str, str | bytes], ...]
METHODS: Final = {method.name: method for method in service_pb2.DESCRIPTOR.services_by_name["RefereeService"].methods}


@dataclass(frozen=True, slots=True)
class Secret:
    """What a caller keeps to itself; made from a name, so that it is the same in every run."""

    name: str

    @property
    def bytes(self) -> bytes:
        return sha256(b"secret of " + self.name.encode()).digest()

    @property
    def token(self) -> str:
        return urlsafe_b64encode(self.bytes).decode().rstrip("=")

    @property
    def hash(self) -> Principal:
        return Principal(sha256(self.bytes).digest())


@dataclass(frozen=True, slots=True)
class Reply:
    """All that a caller learns from a call: the messages, the status and the metadata around them."""

    code: grpc.StatusCode
    text: str
    messages: tuple[bytes, ...]
    initial: Metadata
    trailing: Metadata

    @property
    def status(self) -> status_pb2.Status:
        """The rich status."""
        [packed] = [value for key, value in self.trailing if key == "grpc-status-details-bin"]
        assert isinstance(packed, bytes)
        return status_pb2.Status.FromString(packed)

    @property
    def info(self) -> error_details_pb2.ErrorInfo:
        """The one ErrorInfo of the status."""
        [info] = self.details(error_details_pb2.ErrorInfo)
        return info

    @property
    def reason(self) -> str:
        """The reason, or OK."""
        return "OK" if self.code == grpc.StatusCode.OK else self.info.reason

    def details(self, kind: type[Any]) -> list[Any]:
        """The details of one type."""
        found = []
        for detail in self.status.details:
            unpacked = kind()
            if detail.Unpack(unpacked):
                found.append(unpacked)
        return found

    def heard(self) -> list[bytes]:
        """Every byte of it, in pieces."""
        metadata = [part for pair in (*self.initial, *self.trailing) for part in pair]
        return [
            *self.messages,
            self.text.encode(),
            *(part.encode() if isinstance(part, str) else part for part in metadata),
        ]


class Stream:
    """A stream that is being read."""

    def __init__(self, call: grpc.aio.Call, heard: list[bytes]) -> None:
        self._call: Final[Any] = call
        self._heard: Final = heard

    async def read(self) -> bytes:
        """The next message."""
        async with asyncio.timeout(ANSWERED_WITHIN_S):
            message = await self._call.read()
        assert isinstance(message, bytes), f"the stream has ended: {await self._call.code()}"
        self._heard.append(message)
        return message

    async def begins(self) -> bool:
        """Whether a message comes before the end."""
        try:
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                return isinstance(await self._call.read(), bytes)
        except grpc.aio.AioRpcError:
            return False

    async def update(self) -> service_pb2.WatchMatchResponse:
        """The next message, parsed."""
        return service_pb2.WatchMatchResponse.FromString(await self.read())

    async def rest(self) -> Reply:
        """All that comes until the stream ends by itself, and how it ends."""
        messages = list[bytes]()
        try:
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                while isinstance(message := await self._call.read(), bytes):
                    messages.append(message)
        except grpc.aio.AioRpcError:
            pass
        reply = await _reply(self._call, messages)
        self._heard.extend(reply.heard())
        return reply

    def cancel(self) -> None:
        """Goes away without a word."""
        self._call.cancel()


class Conversation(Stream):
    """A Play stream; everything in it is heard."""

    def __init__(self, call: grpc.aio.StreamStreamCall[bytes, bytes], heard: list[bytes]) -> None:
        super().__init__(call, heard)
        self._conversation: Final = call

    async def say(self, request: Message | bytes) -> None:
        """Sends a request."""
        await self._conversation.write(_packed(request))

    async def end(self) -> None:
        """Says that nothing more will be said."""
        await self._conversation.done_writing()

    async def told(self) -> service_pb2.PlayResponse:
        """The next message that is no sign of life, parsed."""
        while not (raw := await self.read()):
            pass
        return service_pb2.PlayResponse.FromString(raw)


class Caller:
    """Whoever calls; `heard` collects every byte that reaches it."""

    def __init__(self, channel: grpc.aio.Channel, metadata: Metadata) -> None:
        self._channel: Final = channel
        self._metadata: Final = metadata
        self._methods: Final = dict[str, Any]()
        self.heard: Final = list[bytes]()

    async def call(self, method: str, request: Message | bytes) -> Reply:
        """Calls, and reads a stream to its end."""
        if METHODS[method].client_streaming:
            stream = self.play()
            with suppress(grpc.aio.AioRpcError):  # it may be refused before it is heard; the rest tells
                await stream.say(request)
                await stream.end()
            return await stream.rest()
        if METHODS[method].server_streaming:
            return await self.watch(request).rest()
        call = self._method(method)(_packed(request), metadata=self._metadata, timeout=ANSWERED_WITHIN_S)
        try:
            messages = [await call]
        except grpc.aio.AioRpcError:
            messages = []
        reply = await _reply(call, messages)
        self.heard.extend(reply.heard())
        return reply

    async def ask(self, method: str, request: Message) -> Any:
        """Calls and returns the answer, which must be one."""
        reply = await self.call(method, request)
        assert reply.code == grpc.StatusCode.OK, (method, reply.text)
        [message] = reply.messages
        return getattr(service_pb2, METHODS[method].output_type.name).FromString(message)

    def watch(self, request: Message | bytes) -> Stream:
        """Follows a match."""
        return Stream(self._method("WatchMatch")(_packed(request), metadata=self._metadata), self.heard)

    def play(self) -> Conversation:
        """Opens a Play stream, without a first request."""
        return Conversation(self._method("Play")(metadata=self._metadata), self.heard)

    def _method(self, name: str) -> Any:
        if name not in self._methods:
            path, method = f"/{SERVICE}/{name}", METHODS[name]
            if method.client_streaming:
                self._methods[name] = self._channel.stream_stream(path)
            elif method.server_streaming:
                self._methods[name] = self._channel.unary_stream(path)
            else:
                self._methods[name] = self._channel.unary_unary(path)
        return self._methods[name]


class Referee:
    """The service of one process, with its store at hand; `others` are settings of it.

    Calls may wait for a minute unless quotas are given: the machine may stand still, and few tests are of that.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        quotas: Quotas = PATIENT,
        drain_s: float = 5.0,
        keepalive_s: float = 30.0,
        observer: Observer | None = None,
        **others: Any,
    ) -> None:
        self.shelf: Final = Shelf()
        settings = Settings(listen="127.0.0.1:0", quotas=quotas, drain_s=drain_s, keepalive_s=keepalive_s, **others)
        self.server: Final = Server(Table(self.shelf, registry(), limits, observer), settings, observer)
        self.channel: grpc.aio.Channel
        self._stack: Final = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self.server.start()
        self._stack.push_async_callback(self.server.stop)
        self.channel = grpc.aio.insecure_channel(
            f"127.0.0.1:{self.server.port}", options=(("grpc.use_local_subchannel_pool", 1),)
        )
        self._stack.push_async_callback(self.channel.close)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    def caller(self, secret: Secret | None) -> Caller:
        """One who calls with this secret, or without one."""
        return self.caller_on(self.channel, secret)

    @staticmethod
    def caller_on(channel: grpc.aio.Channel, secret: Secret | None) -> Caller:
        """One who calls over any channel."""
        return Caller(channel, () if secret is None else (("authorization", f"Bearer {secret.token}"),))

    def caller_with(self, *metadata: tuple[str, str | bytes]) -> Caller:
        """One who calls with any metadata."""
        return Caller(self.channel, metadata)

    async def plant(self, match: Planted) -> None:
        """Puts a match into the store, which has room for it."""
        fields = {"head": pack(match.head), "course": pack(match.course), **match.rings}
        write = Write(
            match_id=match.match_id,
            expected=None,
            write_id=match.write_id,
            fields=fields,
            entries=[pack(entry) for entry in match.entries],
            version=match.course.version,
            principals=[Principal(seat.principal) for seat in match.head.seats if seat.principal is not None],
            lifetime_ms=LIFETIME_MS,
            listed=match.head.visibility == Visibility.PUBLIC,
        )
        assert isinstance(await self.shelf.inner.write(write), Header)


@dataclass(frozen=True, slots=True)
class Planted:
    """A match as the store shall hold it."""

    match_id: MatchId
    head: Head
    course: Course
    entries: Sequence[Entry] = ()
    rings: dict[str, bytes] = field(default_factory=dict)
    write_id: bytes = b"planted."


HOST: Final = Secret("host")
SPECTATOR: Final = Secret("spectator")
SEATS: Final = tuple(Secret(f"seat {seat}") for seat in range(5))


def planted(
    name: str,
    state: Any,
    *,
    holders: Sequence[Secret | None] | None = None,
    entries: Sequence[Entry] = (),
    seed: bytes = bytes(32),
    end: End | None = None,
    on_release: bool = False,
    out: Collection[int] = (),
    ruleset: str = "classic_art",
    options: Options | None = None,
    visibility: Visibility = Visibility.PUBLIC,
    bot_seeds: Sequence[bytes] = (),
) -> Planted:
    """A match in a given position, of Classic Art and which seats 0, 1... of `SEATS` hold unless told otherwise."""
    game = registry()[ruleset]
    spec = game.spec
    held = SEATS[: state.seats] if holders is None else holders
    status = Status.FINISHED if end else Status.WAITING if None in held else Status.ACTIVE
    due = game.to_act(state) if status == Status.ACTIVE else ()
    return Planted(
        match_id=match_id_of(HOST.hash, name),
        head=Head(
            ruleset=spec.name,
            rules_version=spec.rules_version,
            data_version=spec.data_version,
            data_digest=spec.data_digest,
            options={"max_seasons": state.max_seasons} if options is None else dict(options),
            seats=tuple(
                SeatHead(secret.hash if secret else None, f"Seat {seat + 1}", "", "")
                for seat, secret in enumerate(held)
            ),
            seed=seed,
            seed_given=False,
            commitment=sha256(b"commitment of " + name.encode()).digest(),
            host=HOST.hash,
            on_release=on_release,
            deal_group="",
            request=bytes(16),
            visibility=visibility,
            bot_seeds=tuple(bot_seeds),
        ),
        course=Course(
            status=status,
            version=len(entries),
            seats=tuple(
                SeatCourse(
                    cause=Cause.RESIGNED if seat in out else Cause.NONE,
                    out_version=1 if seat in out else 0,
                    asked_ms=0 if seat in due else None,
                )
                for seat in range(state.seats)
            ),
            released=False,
            end=end,
            state=game.encode(state),
        ),
        entries=entries,
    )


def _packed(request: Message | bytes) -> bytes:
    return request if isinstance(request, bytes) else request.SerializeToString()


async def _reply(call: Any, messages: list[bytes]) -> Reply:
    initial, trailing = await call.initial_metadata(), await call.trailing_metadata()
    text = await call.details()
    return Reply(await call.code(), text or "", tuple(messages), _pairs(initial), _pairs(trailing))


def _pairs(metadata: Any) -> Metadata:
    return tuple((key, value) for key, value in metadata or ())
