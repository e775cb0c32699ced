"""Players at a referee, at little cost: `python -m loadtest.peers.players WAY ADDRESS LENGTH`.

Understands by standard input what `drive.js` does. Matches are of two principals, who see positions and choose moves as
any client does:

- "unary": a seat follows its match by WatchMatch and moves by SubmitMove, over a connection of its own;
- "play": a seat has a stream of its own, over a connection of its own;
- "bots": two programs, each of which has one stream for its seats in all matches;
- "script": a caller who holds both seats sends prepared moves; nobody looks at positions.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, Final

import grpc
import uvloop

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk.client import new_request_id
from loadtest.fleet import Caller, Fleet
from loadtest.http2 import Reply, connect
from referee.games import registry

RULESET: Final = "artsee"
SEATS: Final = 2
_MOVES_AT_ONCE: Final = 64
Submit = Callable[[match_pb2.Match], None]
Play = Callable[[], Coroutine[Any, Any, list[float]]]


class Board:
    """A match that is played move by move, by seats that have seen the position; so does `board.js`."""

    def __init__(self, length: int, patience_s: float = 30.0) -> None:
        self.took: Final = list[float]()
        self.senders: Final = dict[int, Submit]()
        self.end: Final[asyncio.Future[None]] = asyncio.get_running_loop().create_future()
        self._length: Final = length
        self._patience_s: Final = patience_s
        self._asked: Final = dict[int, match_pb2.Match]()
        self._sent_s = 0.0
        self._free = False

    async def play(self) -> list[float]:
        """Plays; returns how many ms each move took until its player knew that it was played."""
        self._free = True
        self._step()
        try:
            async with asyncio.timeout(self._patience_s):
                await self.end
        except TimeoutError:
            raise RuntimeError(f"a match stands still after {len(self.took)} of {self._length} moves") from None
        return self.took

    def asked(self, match: match_pb2.Match) -> None:
        """A seat has been shown the match and must choose."""
        self._asked[match.viewer_seat] = match
        self._step()

    def confirmed(self) -> None:
        """The mover knows that its move is played."""
        self.took.append((time.perf_counter() - self._sent_s) * 1e3)
        self._free = True
        self._step()

    def fail(self, words: str) -> None:
        """A move was refused, or a stream has ended."""
        if not self.end.done():
            self.end.set_exception(RuntimeError(words))

    def _step(self) -> None:
        if not self._free:
            return
        if len(self.took) == self._length:
            self._free = False
            self.end.set_result(None)
        elif self._asked:
            seat, match = self._asked.popitem()
            self._free, self._sent_s = False, time.perf_counter()
            self.senders[seat](match)


class Watcher:
    """A seat that follows its match, and moves by calls of their own."""

    def __init__(self, caller: Caller, board: Board) -> None:
        self._caller: Final = caller
        self._board: Final = board
        self._decision = -1
        self._seated: Final = asyncio.Event()

    async def sit(self, match_id: str, seat: int) -> None:
        """Waits until it sees the match."""
        request = service_pb2.WatchMatchRequest(match_id=match_id, seat=seat, detail=match_pb2.DETAIL_IDS)
        self._board.senders[seat] = self._submit
        self._caller.call("WatchMatch", request.SerializeToString(), self._told).add_done_callback(self._ended)
        await self._seated.wait()

    def _told(self, message: bytes, _: float) -> None:
        response = service_pb2.WatchMatchResponse.FromString(message)
        match = response.snapshot if response.HasField("snapshot") else response.update.match
        if match.HasField("prompt") and match.prompt.decision_number > self._decision:
            self._decision = match.prompt.decision_number
            self._board.asked(match)
        self._seated.set()

    def _ended(self, done: asyncio.Future[Reply]) -> None:
        if not done.cancelled():
            self._board.fail("a stream has ended")

    def _submit(self, match: match_pb2.Match) -> None:
        request = service_pb2.SubmitMoveRequest(
            request_id=new_request_id(),
            match_id=match.match_id,
            seat=match.viewer_seat,
            decision_number=match.prompt.decision_number,
            moves=[_choice(match)],
            detail=match_pb2.DETAIL_NONE,
        )
        self._caller.call("SubmitMove", request.SerializeToString()).add_done_callback(self._answered)

    def _answered(self, done: asyncio.Future[Reply]) -> None:
        if done.cancelled() or done.exception() or done.result().code is not grpc.StatusCode.OK:
            self._board.fail("a move was refused")
        else:
            self._board.confirmed()


class Streamer:
    """A principal's stream for its seats at all its boards."""

    def __init__(self, boards: Mapping[str, Board], seat: int) -> None:
        self._boards: Final = boards
        self._seated: Final = set[str]()
        self._told_all: Final = asyncio.Event()
        self._moves: Final = list[service_pb2.PlayMove]()
        for board in boards.values():
            board.senders[seat] = self._submit

    async def sit(self, caller: Caller) -> None:
        """Opens the stream; waits until it has told of all seats."""
        self._send = caller.open("Play", self._told)
        self._send(service_pb2.PlayRequest(detail=match_pb2.DETAIL_IDS).SerializeToString())
        await self._told_all.wait()

    def _told(self, message: bytes, _: float) -> None:
        response = service_pb2.PlayResponse.FromString(message)
        for outcome in response.outcomes:
            board = self._boards[outcome.match_id]
            if outcome.HasField("accepted"):
                board.confirmed()
            else:
                board.fail(outcome.refused.text)
        for match in response.asked:
            self._boards[match.match_id].asked(match)
        self._seated.update(match.match_id for match in response.seated)
        if self._seated == self._boards.keys():
            self._told_all.set()

    def _submit(self, match: match_pb2.Match) -> None:
        if not self._moves:
            asyncio.get_running_loop().call_soon(self._flush)  # what is decided meanwhile goes out at once
        self._moves.append(
            service_pb2.PlayMove(
                request_id=new_request_id(),
                match_id=match.match_id,
                seat=match.viewer_seat,
                decision_number=match.prompt.decision_number,
                moves=[_choice(match)],
            )
        )

    def _flush(self) -> None:
        for start in range(0, len(self._moves), _MOVES_AT_ONCE):
            portion = self._moves[start : start + _MOVES_AT_ONCE]
            self._send(service_pb2.PlayRequest(moves=portion).SerializeToString())
        self._moves.clear()


def _choice(match: match_pb2.Match) -> match_pb2.MoveChoice:
    return match_pb2.MoveChoice(id=random.choice(match.prompt.legal_ids))


class Players:
    """All players of a process, who are seated and play in the way that is asked for."""

    def __init__(self, address: str, length: int) -> None:
        self._address: Final = address
        self._length: Final = length
        self._callers: Final = list[Caller]()

    def leave(self) -> None:
        """Ends all connections."""
        for caller in self._callers:
            caller.leave()
        self._callers.clear()

    async def unary(self, count: int) -> list[Play]:
        """Seats players who watch and call."""
        plays = list[Play]()
        for _ in range(count):
            pair, board = await self._pair(), Board(self._length)
            match_id = await _create(pair)
            for seat, caller in enumerate(pair):
                await Watcher(caller, board).sit(match_id, seat)
            plays.append(board.play)
        return plays

    async def play(self, count: int) -> list[Play]:
        """Seats players with a stream each."""
        return [play for _ in range(count) for play in await self.bots(1)]

    async def bots(self, count: int) -> list[Play]:
        """Seats two players at all matches."""
        pair = await self._pair()
        boards = {await _create(pair): Board(self._length) for _ in range(count)}
        for seat, caller in enumerate(pair):
            await Streamer(boards, seat).sit(caller)
        return [board.play for board in boards.values()]

    async def script(self, count: int) -> list[Play]:
        """Prepares moves."""
        caller = await self._caller()
        fleet = await Fleet.create(caller, registry()[RULESET], SEATS, count)
        scripts = [[fleet.request(match_id, place) for place in range(self._length)] for match_id in fleet.match_ids]
        return [partial(_send, caller, script) for script in scripts]

    async def _pair(self) -> list[Caller]:
        return [await self._caller() for _ in range(SEATS)]

    async def _caller(self) -> Caller:
        caller = Caller(await connect(self._address), self._address)
        self._callers.append(caller)
        return caller


async def _create(pair: Sequence[Caller]) -> str:
    seats = [service_pb2.SeatRequest(principal_hash=caller.principal.hash) for caller in pair]
    request = service_pb2.CreateMatchRequest(request_id=new_request_id(), ruleset=RULESET, seats=seats)
    reply = await pair[0].answered("CreateMatch", request.SerializeToString())
    return service_pb2.CreateMatchResponse.FromString(reply.message).match_id


async def _send(caller: Caller, script: Sequence[bytes]) -> list[float]:
    return [(await caller.answered("SubmitMove", request)).seconds * 1e3 for request in script]


async def obey(way: str, address: str, length: int) -> None:
    """Does what standard input says, to its end."""
    players, plays = Players(address, length), list[Play]()
    while words := (await asyncio.to_thread(sys.stdin.readline)).split():
        if words[0] == "seat":
            players.leave()
            plays = await getattr(players, way)(int(words[1]))
            answer = "seated"
        else:
            start = time.perf_counter()
            took = await asyncio.gather(*(play() for play in plays))
            answer = json.dumps(
                {"seconds": time.perf_counter() - start, "took_ms": [ms for each in took for ms in each]}
            )
        print(answer, flush=True)
    players.leave()


if __name__ == "__main__":
    uvloop.run(obey(sys.argv[1], sys.argv[2], int(sys.argv[3])))
