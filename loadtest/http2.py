"""Calls at less cost than a gRPC client's: prepared frames, and no more of HTTP/2 than a test with one server needs.

A Python client of gRPC takes as long for a call as the server does. This one sends many thousand a second from one
core, so that on a small machine the server has the rest.
"""

import asyncio
import struct
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import count
from typing import Any, Final

import grpc

_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_END_STREAM, _ACK, _END_HEADERS = 1, 1, 4
_LARGEST: Final = (1 << 31) - 1  # of a window
_FIRST_WINDOW: Final = 65_535
_LARGEST_FRAME: Final = 1 << 14
_RENEWED: Final = 1 << 24  # bytes, until the window of a connection is opened anew
_NO_TABLE, _WINDOW = 1, 4
_HEADER: Final = struct.Struct(">HBBBI")  # 24 bits of length, type, flags, stream
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}
Told = Callable[[bytes, float], None]


class _Kind(IntEnum):
    """The frames that are needed (RFC 9113, 6)."""

    DATA = 0
    HEADERS = 1
    RST_STREAM = 3
    SETTINGS = 4
    PING = 6
    GOAWAY = 7
    WINDOW_UPDATE = 8


class BrokenError(Exception):
    """The connection has ended before its calls."""


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """How a call ended: its status, the last message, and how many seconds it took since it was sent."""

    code: grpc.StatusCode
    message: bytes
    seconds: float


@dataclass(slots=True, eq=False)
class _Open:
    sent_s: float
    reply: asyncio.Future[Reply]
    told: Told | None
    left: int  # that may be sent yet
    unread: bytes = b""
    last: bytes = b""
    unsent: bytes = b""


@dataclass(slots=True)
class _Window:
    """What may be sent yet, and the frames that wait for more."""

    left: int = _FIRST_WINDOW
    waiting: deque[tuple[int, bytes]] = field(default_factory=deque)

    def pass_on(self) -> Iterator[bytes]:
        """Yields the frames that may be sent now."""
        while self.waiting and self.waiting[0][0] <= self.left:
            size, frames = self.waiting.popleft()
            self.left -= size
            yield frames


class Connection(asyncio.Protocol):
    """A connection to a server that speaks in the clear. Made by `connect`."""

    def __init__(self, authority: str) -> None:
        self._authority: Final = authority
        self._numbers: Final = count(1, 2)
        self._open: Final = dict[int, _Open]()
        self._window: Final = _Window()
        self._left = _FIRST_WINDOW  # that may be sent over a new stream
        self._received = 0
        self._unread = b""
        self._error: Exception | None = None
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        settings = struct.pack(">HIHI", _NO_TABLE, 0, _WINDOW, _LARGEST)
        opened = struct.pack(">I", _LARGEST - _FIRST_WINDOW)
        self._write(_PREFACE + _frame(_Kind.SETTINGS, 0, 0, settings) + _frame(_Kind.WINDOW_UPDATE, 0, 0, opened))

    def connection_lost(self, exc: Exception | None) -> None:
        error = self._error or exc or BrokenError("the server has ended the connection")
        for call in self._open.values():
            if not call.reply.done():
                call.reply.set_exception(error)

    def call(self, head: bytes, body: bytes, told: Told | None = None) -> asyncio.Future[Reply]:
        """Sends a call; `told` gets each message and the moment of its arrival.

        Args:
            head: as `head_of` has made it.
            body: the request.
            told: is called with each message.
        """
        number, call = self._begin(told)
        message = _message(body)
        frames = _frame(_Kind.HEADERS, _END_HEADERS, number, head) + _frame(_Kind.DATA, _END_STREAM, number, message)
        self._window.waiting.append((len(message), frames))
        self._send()
        return call.reply

    def open(self, head: bytes, told: Told) -> Callable[[bytes], None]:
        """Opens a call whose requests come one by one; returns what sends them.

        Args:
            head: as `head_of` has made it.
            told: is called with each message.
        """
        number, call = self._begin(told)
        self._window.waiting.append((0, _frame(_Kind.HEADERS, _END_HEADERS, number, head)))

        def send(body: bytes) -> None:
            call.unsent += _message(body)
            self._pass_on(number, call)

        return send

    def _begin(self, told: Told | None) -> tuple[int, _Open]:
        if self._transport is None or self._transport.is_closing():
            raise BrokenError("the connection has ended")
        number, reply = next(self._numbers), asyncio.get_running_loop().create_future()
        call = self._open[number] = _Open(time.perf_counter(), reply, told, self._left)
        return number, call

    def _pass_on(self, number: int, call: _Open) -> None:
        """Sends as much as the server takes."""
        while size := min(len(call.unsent), call.left, _LARGEST_FRAME):
            piece, call.unsent = call.unsent[:size], call.unsent[size:]
            call.left -= size
            self._window.waiting.append((size, _frame(_Kind.DATA, 0, number, piece)))
        self._send()

    def close(self) -> None:
        """Ends the connection, and all calls on it."""
        for call in self._open.values():
            call.reply.cancel()
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        now, place, data = time.perf_counter(), 0, self._unread + data
        while len(data) - place >= 9:
            high, low, kind, flags, stream = _HEADER.unpack_from(data, place)
            end = place + 9 + (high << 8 | low)
            if end > len(data):
                break
            self._take(kind, flags, stream, data[place + 9 : end], now)
            place = end
        self._unread = data[place:]
        self._renew()

    def _take(self, kind: int, flags: int, stream: int, payload: bytes, now: float) -> None:
        match kind:
            case _Kind.DATA:
                self._received += len(payload)
                self._tell(stream, payload, now)
            case _Kind.HEADERS if flags & _END_STREAM:
                self._end(stream, _status(payload), now)
            case _Kind.RST_STREAM:
                self._end(stream, grpc.StatusCode.CANCELLED, now)
            case _Kind.SETTINGS if not flags & _ACK:
                self._set(dict(struct.iter_unpack(">HI", payload)))
                self._write(_frame(_Kind.SETTINGS, _ACK, 0, b""))
            case _Kind.PING if not flags & _ACK:
                self._write(_frame(_Kind.PING, _ACK, 0, payload))
            case _Kind.GOAWAY:
                self._error = BrokenError(f"the server goes away: {payload[8:].decode(errors='replace')}")
            case _Kind.WINDOW_UPDATE if not stream:
                self._window.left += int.from_bytes(payload, "big")
                self._send()
            case _Kind.WINDOW_UPDATE if stream in self._open:
                self._open[stream].left += int.from_bytes(payload, "big")
                self._pass_on(stream, self._open[stream])

    def _set(self, settings: dict[int, int]) -> None:
        more, self._left = settings.get(_WINDOW, self._left) - self._left, settings.get(_WINDOW, self._left)
        for number, call in self._open.items():
            call.left += more
            self._pass_on(number, call)

    def _tell(self, stream: int, payload: bytes, now: float) -> None:
        call = self._open.get(stream)
        if call is None:
            return
        call.unread += payload
        while len(call.unread) >= 5 and len(call.unread) >= (end := 5 + int.from_bytes(call.unread[1:5], "big")):
            call.last, call.unread = call.unread[5:end], call.unread[end:]
            if call.told is not None:
                call.told(call.last, now)

    def _end(self, stream: int, code: grpc.StatusCode, now: float) -> None:
        call = self._open.pop(stream, None)
        if call is not None and not call.reply.done():
            call.reply.set_result(Reply(code, call.last, now - call.sent_s))

    def _renew(self) -> None:
        if self._received > _RENEWED:
            self._write(_frame(_Kind.WINDOW_UPDATE, 0, 0, struct.pack(">I", self._received)))
            self._received = 0

    def _send(self) -> None:
        self._write(b"".join(self._window.pass_on()))

    def _write(self, frames: bytes) -> None:
        if frames and self._transport is not None:
            self._transport.write(frames)


async def connect(address: str) -> Connection:
    """Opens a connection to HOST:PORT."""
    host, _, port = address.rpartition(":")
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(lambda: Connection(address), host, int(port))
    return connection


def head_of(method: str, authority: str, token: str = "") -> bytes:
    """Returns the head of a call: its method as "/SERVICE/METHOD", who is called, and the caller's token."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": method,
        ":authority": authority,
        "te": "trailers",
        "content-type": "application/grpc",
        **({"authorization": f"Bearer {token}"} if token else {}),
    }
    return b"".join(b"\0" + _word(name) + _word(value) for name, value in fields.items())


def _word(text: str) -> bytes:
    """A string of a header: its length in a prefix of 7 bits (RFC 7541, 5.1), and no Huffman code."""
    raw = text.encode()
    return bytes([len(raw)]) + raw if len(raw) < 127 else bytes([127, len(raw) - 127]) + raw


def _status(block: bytes) -> grpc.StatusCode:
    """Reads the status from trailers, in which a server without a table writes it in full."""
    _, found, after = block.partition(b"\x0bgrpc-status")
    if not found:
        return grpc.StatusCode.UNKNOWN
    return _CODES[int(after[1 : 1 + after[0]])]


def _message(body: bytes) -> bytes:
    """A message as gRPC sends it: not compressed, and with its length in front."""
    return b"\0" + struct.pack(">I", len(body)) + body


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return _HEADER.pack(len(payload) >> 8, len(payload) & 255, kind, flags, stream) + payload
