"""Bots with one fault each. `python -m tests.faults.bots ADDRESS` plays until its third choice, and crashes."""

import asyncio
import os
import random
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import grpc

from artreferee.v1 import error_pb2, match_pb2, ruleset_pb2, service_pb2
from artreferee.v1.service_pb2_grpc import RefereeServiceStub
from clients.bots.random_bot import RandomBot
from clients.sdk import Budget, CallError, Principal, RefereeClient, Runner, new_request_id, play_seat

SEAT = 0
NO_MOVE = 1_000_000
TOKEN_VARIABLE = "FAULTY_TOKEN"  # noqa: S105 - the name of a variable
_CHOICES_BEFORE_CRASH = 2
_ABSENCE_S = 3.0
_LONG_ABSENCES = 2
_SUBMIT = "/artreferee.v1.RefereeService/SubmitMove"
_PLAY = "/artreferee.v1.RefereeService/Play"


@dataclass
class Player:
    """Who plays a seat of a match.

    Attributes:
        client: its connection.
        address: where it leads.
        match_id: the match; empty until there is one.
        seat: its seat.
        refusals: how what it sent was refused.
    """

    client: RefereeClient
    address: str
    match_id: str = ""
    seat: int = SEAT
    refusals: list[CallError] = field(default_factory=list)
    _rng: random.Random = field(default_factory=lambda: random.Random(1))

    @property
    def metadata(self) -> tuple[tuple[str, str]]:
        """What goes with its calls where it makes them without the client library."""
        return (("authorization", f"Bearer {self.client.principal.token}"),)

    @property
    def reasons(self) -> set[str]:
        """Why what it sent was refused."""
        return {reason_of(refusal) for refusal in self.refusals}

    async def seen(self) -> AsyncIterator[match_pb2.Match]:
        """Yields the match whenever it has changed, to its end."""
        async for match in self.client.follow(self.match_id, self.seat, match_pb2.DETAIL_IDS):
            yield match

    async def asked(self) -> AsyncIterator[match_pb2.Match]:
        """Yields the match once for each question."""
        newest = -1
        async for match in self.seen():
            if match.HasField("prompt") and match.prompt.decision_number > newest:
                newest = match.prompt.decision_number
                yield match

    async def is_out(self) -> None:
        """Waits until the seat is out, or the match is over."""
        async for match in self.seen():
            if match.seats[self.seat].cause:
                return

    async def seen_by_others(self, what: Callable[[match_pb2.Seat], bool]) -> bool:
        """Waits until something is so of its seat, without a sign of life; False if the match ends before."""
        async with RefereeClient(self.address) as spectator:
            async for match in spectator.follow(self.match_id, detail=match_pb2.DETAIL_NONE):
                if what(match.seats[self.seat]):
                    return True
        return False

    def choice(self, match: match_pb2.Match) -> int:
        """A legal move."""
        return self._rng.choice(match.prompt.legal_ids)

    async def send(self, move: int, decision: int, request_id: str = "") -> None:
        """Submits a move and notes why it is refused."""
        await self._submit(self.answer(match_pb2.MoveChoice(id=move), decision, request_id))

    async def interrupt(self, decision: int) -> None:
        """Submits what is a legal move if the seat is asked meanwhile."""
        await self._submit(self.answer(match_pb2.MoveChoice(index=0), decision))

    def answer(
        self, choice: match_pb2.MoveChoice, decision: int, request_id: str = ""
    ) -> service_pb2.SubmitMoveRequest:
        """The request that answers a question."""
        return service_pb2.SubmitMoveRequest(
            request_id=request_id or new_request_id(),
            match_id=self.match_id,
            seat=self.seat,
            decision_number=decision,
            moves=[choice],
            detail=match_pb2.DETAIL_NONE,
        )

    async def call(self, method: Callable[..., Awaitable[object]], request: object) -> str:
        """Calls without the client library; notes and returns why it is refused, nothing if it is not."""
        try:
            await method(request, metadata=self.metadata)
        except grpc.aio.AioRpcError as error:
            self.refusals.append(CallError.of(error))
            return reason_of(self.refusals[-1])
        return ""

    async def _submit(self, request: service_pb2.SubmitMoveRequest) -> None:
        try:
            await self.client.submit_move(request)
        except CallError as error:
            self.refusals.append(error)


def reason_of(refusal: CallError) -> str:
    """The contract's reason."""
    return error_pb2.ErrorReason.Name(refusal.reason).removeprefix("ERROR_REASON_")


async def sleeper(player: Player) -> None:
    """Answers a question when its time is up."""
    async for match in player.asked():
        await player.is_out()
        await player.send(player.choice(match), match.prompt.decision_number)


async def staller(player: Player) -> None:
    """Follows the match and answers nothing."""
    async for _ in player.seen():
        pass


async def silent_stream(player: Player) -> None:
    """Opens a Play stream and reads nothing of it."""
    async with grpc.aio.insecure_channel(player.address) as channel:
        stream: Any = channel.stream_stream(_PLAY)(metadata=player.metadata)
        await stream.write(service_pb2.PlayRequest(detail=match_pb2.DETAIL_FULL).SerializeToString())
        await player.is_out()
        stream.cancel()


async def lurker(player: Player) -> None:
    """Has a Play stream open, and is no more than there."""
    async with grpc.aio.insecure_channel(player.address) as channel:
        stream: Any = channel.stream_stream(_PLAY)(metadata=player.metadata)
        await stream.write(service_pb2.PlayRequest().SerializeToString())
        await player.seen_by_others(lambda seat: bool(seat.cause))
        stream.cancel()


async def vanisher(player: Player) -> None:
    """Answers once and is never seen again."""
    async for match in player.asked():
        await player.send(player.choice(match), match.prompt.decision_number)
        return


async def visitor(player: Player) -> None:
    """Is away whenever it is asked, at first for most of the grace, and comes to answer."""
    for number in count():
        if not await player.seen_by_others(lambda seat: seat.to_act):
            return
        if number < _LONG_ABSENCES:
            await asyncio.sleep(_ABSENCE_S)  # its absence, not a wait
        match = await player.client.get_match(player.match_id, player.seat, match_pb2.DETAIL_IDS)
        if match.HasField("prompt"):
            await player.send(player.choice(match), match.prompt.decision_number)


async def crasher(player: Player) -> None:
    """Is a process that plays, and crashes in the middle of a match."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.faults.bots",
        player.address,
        env={**os.environ, TOKEN_VARIABLE: player.client.principal.token},
    )
    await player.is_out()
    if process.returncode is None:
        process.kill()  # it came too late to play
    await process.wait()


async def raiser(player: Player) -> None:
    """Is a bot of the client library that raises."""

    class Raising(RandomBot):
        def choose(self, *_: object) -> match_pb2.LegalMove:
            raise KeyError("a card")

    failed = asyncio.Event()
    runner = asyncio.create_task(Runner(player.client, Raising, Budget(), lambda *_: failed.set()).run())
    await failed.wait()
    await player.is_out()
    runner.cancel()


async def illegal_mover(player: Player) -> None:
    """Sends moves that are none until it is out, each with a request id of its own."""
    async for match in player.asked():
        while "SEAT_OUT" not in player.reasons:
            await player.send(NO_MOVE, match.prompt.decision_number)


async def garbage_sender(player: Player) -> None:
    """Answers questions by bytes that are no request."""
    async with grpc.aio.insecure_channel(player.address) as channel:
        submit: Callable[..., Awaitable[bytes]] = channel.unary_unary(_SUBMIT)
        async for _ in player.asked():
            for garbage in (b"", b"\xff" * 7, b"\x0a\xff\xff\xff\xff\x7f", bytes(100_000)):
                await player.call(submit, garbage)


async def retrier(player: Player) -> None:
    """Sends everything five times under one request id, at first a move that is none."""
    await asyncio.gather(*(player.send(NO_MOVE, 0, "none") for _ in range(5)))
    async for match in player.asked():
        number, move = match.prompt.decision_number, player.choice(match)
        await asyncio.gather(*(player.send(move, number, f"move-{number}") for _ in range(5)))


async def duplicate_sender(player: Player) -> None:
    """Answers each question three times at once, each time as if it were another answer."""
    async for match in player.asked():
        number, move = match.prompt.decision_number, player.choice(match)
        await asyncio.gather(*(player.send(move, number) for _ in range(3)))


async def stale_sender(player: Player) -> None:
    """Answers the question before, and the one after, and then its own."""
    async for match in player.asked():
        number, move = match.prompt.decision_number, player.choice(match)
        await player.send(move, max(0, number - 1) if number else 7)
        await player.send(move, number + 1)
        await player.send(move, number)


async def interrupter(player: Player) -> None:
    """Sends a move whenever somebody else is asked."""
    async for match in player.seen():
        number = match.seats[player.seat].decision_number
        if match.HasField("prompt"):
            await player.send(player.choice(match), number)
        elif not match.HasField("result"):
            await player.interrupt(number)


async def leaver(player: Player) -> None:
    """Comes for each question over a connection of its own, and goes."""
    while True:
        async with RefereeClient(player.address, player.client.principal) as client:
            guest = Player(client, player.address, player.match_id, player.seat)
            async for match in guest.asked():
                await guest.send(guest.choice(match), match.prompt.decision_number)
                break
            else:
                return


async def flooder(player: Player) -> None:
    """Asks for records without a pause, and sends each answer again and again until it gets through."""
    async with grpc.aio.insecure_channel(player.address) as channel:
        stub, record = RefereeServiceStub(channel), service_pb2.GetRecordRequest(match_id=player.match_id)

        async def flood() -> None:
            while True:
                await player.call(stub.GetRecord, record)

        flooding = asyncio.create_task(flood())
        async for match in player.asked():
            move = match_pb2.MoveChoice(id=player.choice(match))
            answer = player.answer(move, match.prompt.decision_number)
            while await player.call(stub.SubmitMove, answer) == "RATE_LIMITED":
                pass
        flooding.cancel()
        await asyncio.wait([flooding])


async def sound(player: Player) -> None:
    """Plays as it should."""
    await play_seat(player.client, player.match_id, player.seat, RandomBot(), Budget(), random.Random(1))


async def nobody(player: Player) -> None:
    """Never takes its seat."""


class Crashing(RandomBot):
    """A bot that brings its process down."""

    choices = 0

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        self.choices += 1
        if self.choices > _CHOICES_BEFORE_CRASH:
            os._exit(1)
        return super().choose(view, legal_moves, budget, rng)


async def main(address: str) -> None:
    """Plays all seats of a principal until the process is down."""
    async with RefereeClient(address, Principal.from_token(os.environ[TOKEN_VARIABLE])) as client:
        await Runner(client, Crashing, Budget(), lambda *_: None).run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
