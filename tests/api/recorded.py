"""Matches that are played with everybody listening, and the search for secrets in what is heard."""

import asyncio
import io
import logging
import random
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import grpc
import msgspec
import pytest

from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from artreferee.v1.art_decko_pb2 import ArtDeckoOptions
from artreferee.v1.artsee_pb2 import ArtSeeOptions
from artreferee.v1.classic_art_pb2 import ClassicArtOptions
from referee.games import registry
from referee.table.snapshot import Head, Ring
from referee.table.store import StoreUnavailableError
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Conversation, Referee, Reply

SEED: Final = bytes(range(101, 133))
NO_SEED: Final = bytes(range(201, 233))
START: Final = 8  # the bytes of a form by which it is looked for


@dataclass(frozen=True)
class Kind:
    """What is played.

    Attributes:
        name: of the ruleset.
        options: those of its matches here, which are short.
        private: the events that are told to one seat alone.
        own: the fields of a view that are never a spectator's.
    """

    name: str
    options: ruleset_pb2.Options
    private: frozenset[str]
    own: tuple[str, ...]

    @property
    def num_actions(self) -> int:
        return registry()[self.name].spec.num_actions


KINDS: Final = (
    Kind(
        "classic_art",
        ruleset_pb2.Options(classic_art=ClassicArtOptions(max_seasons=2)),
        frozenset({"cards_chosen"}),
        ("hand", "chosen"),
    ),
    Kind(
        "artsee",
        ruleset_pb2.Options(artsee=ArtSeeOptions()),
        frozenset({"visitor_chosen", "card_seen"}),
        ("hand", "choices"),
    ),
    Kind(
        "art_decko",
        ruleset_pb2.Options(art_decko=ArtDeckoOptions(max_rounds=6)),
        frozenset({"cards_seen"}),
        ("hand",),
    ),
)
TABLES: Final = [
    pytest.param((kind, seats), id=f"{kind.name}-{seats}")
    for kind in KINDS
    for seats in registry()[kind.name].spec.seats
]


def forms(canary: bytes) -> Iterator[bytes]:
    """A secret as it may be written: raw, hexadecimal, base64 of both alphabets and any alignment, Python's repr."""
    yield canary
    yield canary.hex().encode()
    yield canary.hex().upper().encode()
    yield repr(canary)[2:-1].encode()
    for shift in range(3):
        whole = b64encode(bytes(shift) + canary)
        inner = whole[(0, 2, 3)[shift] : len(whole) - (0, 3, 2)[(shift + len(canary)) % 3]]
        yield inner
        yield inner.translate(bytes.maketrans(b"+/", b"-_"))


def found(canaries: dict[str, bytes], heard: bytes) -> list[str]:
    """The names of the secrets that can be read in what was heard."""
    by_start = defaultdict[bytes, list[tuple[str, bytes]]](list)
    for name, canary in canaries.items():
        for form in forms(canary):
            assert len(form) >= START
            by_start[form[:START]].append((name, form))
    places = [place for place in range(len(heard)) if heard[place : place + START] in by_start]
    hits = {
        name
        for place in places
        for name, form in by_start[heard[place : place + START]]
        if heard.startswith(form, place)
    }
    return [name for name in canaries if name in hits]


@contextmanager
def logged(formatter: logging.Formatter, level: int = logging.DEBUG) -> Iterator[io.StringIO]:
    """Lets everything that is logged in the block be written to a text too."""
    written, root = io.StringIO(), logging.getLogger()
    handler, before = logging.StreamHandler(written), root.level
    handler.setFormatter(formatter)
    root.addHandler(handler)
    root.setLevel(level)
    try:
        yield written
    finally:
        root.removeHandler(handler)
        root.setLevel(before)


class Recorded:
    """A match that is played through the wire, with everybody listening."""

    def __init__(self, referee: Referee, kind: Kind, seats: int) -> None:
        self.referee: Final = referee
        self.kind: Final = kind
        self.seats: Final = range(seats)
        self.host: Final = referee.caller(HOST)
        self.players: Final = [referee.caller(SEATS[seat]) for seat in self.seats]
        self.spectator: Final = referee.caller(SPECTATOR)
        self.listening: Final = list[asyncio.Task[Reply]]()
        self.streams: Final = list[Conversation]()
        self.playing: Final = list[asyncio.Task[service_pb2.PlayResponse]]()
        self.request_ids: Final = dict[str, bytes]()
        self.match_id = ""

    async def open_streams(self) -> None:
        """Lets everybody be a player, before there is anything to play."""
        for caller in self.callers():
            stream = caller.play()
            await stream.say(service_pb2.PlayRequest())
            assert await stream.read() == b""
            self.streams.append(stream)
        self.playing.extend(asyncio.create_task(_told_to_the_end(stream)) for stream in self.streams[2:])

    async def close_streams(self) -> list[service_pb2.PlayResponse]:
        """Returns all that was told on the stream of each caller, once the players have heard the end."""
        heard = [service_pb2.PlayResponse() for _ in range(2)] + list(await asyncio.gather(*self.playing))
        for stream, together in zip(self.streams, heard, strict=True):
            await stream.end()
            rest = await stream.rest()
            assert rest.code == grpc.StatusCode.OK
            together.MergeFromString(b"".join(rest.messages))
        return heard

    async def create(self) -> None:
        """Binds the first seat at once, leaves the others open, and gives the seed."""
        request = service_pb2.CreateMatchRequest(
            request_id=self._request_id("host"),
            ruleset=self.kind.name,
            options=self.kind.options,
            seed=SEED,
            deal_group="the group with this deal",
        )
        for bot_seed in self.bot_seeds().values():
            request.seats.add(bot_seed=bot_seed)
        request.seats[0].principal_hash = SEATS[0].hash
        self.match_id = (await self.host.ask("CreateMatch", request)).match_id
        for caller in (*self.players[:1], self.spectator):
            self._listen(caller, service_pb2.WatchMatchRequest(match_id=self.match_id))
        for seat in self.seats[1:]:
            join = service_pb2.JoinMatchRequest(
                request_id=self._request_id(f"seat {seat}"), match_id=self.match_id, seat=seat
            )
            await self.players[seat].ask("JoinMatch", join)
            self._listen(self.players[seat], service_pb2.WatchMatchRequest(match_id=self.match_id, after_version=0))

    async def play(self, rng: random.Random) -> None:
        """Plays at random to the end, with refused calls in between."""
        while (match := await self._see(rng)).status == match_pb2.MATCH_STATUS_ACTIVE:
            seat = rng.choice([seat for seat in self.seats if match.seats[seat].to_act])
            await self._be_refused(rng, match)
            seen = await self._get(self.players[seat], match_pb2.DETAIL_FULL)
            move = rng.choice(seen.prompt.legal_moves)
            await self.players[seat].ask("SubmitMove", self._submission(seat, seen.prompt.decision_number, move.id))

    async def meet_faults(self) -> None:
        """Lets the service log something: a move that cannot be written, first for a reason and then for none."""
        match = await self._get(self.spectator, match_pb2.DETAIL_NONE)
        seat = next(seat for seat in self.seats if match.seats[seat].to_act)
        seen = await self._get(self.players[seat], match_pb2.DETAIL_IDS)
        move = self._submission(seat, seen.prompt.decision_number, seen.prompt.legal_ids[0])
        shelf = self.referee.shelf
        for fault, code in (
            (StoreUnavailableError("the shelf is on fire"), grpc.StatusCode.UNAVAILABLE),
            (RuntimeError("the shelf is on fire"), grpc.StatusCode.INTERNAL),
        ):
            shelf.fault_of_writes = fault
            reply = await self.players[seat].call("SubmitMove", move)
            shelf.fault_of_writes = None
            assert reply.code == code

    def _listen(self, caller: Caller, request: service_pb2.WatchMatchRequest) -> None:
        self.listening.append(asyncio.create_task(caller.watch(request).rest()))

    async def _see(self, rng: random.Random) -> match_pb2.Match:
        await self.host.ask("ListMatches", service_pb2.ListMatchesRequest())
        return await self._get(self.spectator, rng.choice(match_pb2.Detail.values()))

    async def _get(self, caller: Caller, detail: match_pb2.Detail.ValueType) -> match_pb2.Match:
        request = service_pb2.GetMatchRequest(match_id=self.match_id, detail=detail)
        response: service_pb2.GetMatchResponse = await caller.ask("GetMatch", request)
        return response.match

    async def _be_refused(self, rng: random.Random, match: match_pb2.Match) -> None:
        seat = rng.choice(self.seats)
        decision = match.seats[seat].decision_number + rng.randrange(2)
        refused = self._submission(
            seat, decision, rng.choice([0, 54, 55, self.kind.num_actions - 1, self.kind.num_actions])
        )
        refused.moves.add(index=200)  # two moves in a call cannot be named by index
        caller = rng.choice([self.players[seat], self.players[seat], self.spectator])
        assert (await caller.call("SubmitMove", refused)).code != grpc.StatusCode.OK
        record = service_pb2.GetRecordRequest(match_id=self.match_id)
        assert (await self.spectator.call("GetRecord", record)).reason == "MATCH_NOT_OVER"

    def _submission(self, seat: int, decision: int, move: int) -> service_pb2.SubmitMoveRequest:
        return service_pb2.SubmitMoveRequest(
            request_id=self._request_id(f"seat {seat}"),
            match_id=self.match_id,
            seat=seat,
            decision_number=decision,
            moves=[match_pb2.MoveChoice(id=move)],
        )

    def _request_id(self, whose: str) -> str:
        request_id = f"canary-{len(self.request_ids)}-{random.Random(len(self.request_ids)).randbytes(8).hex()}"
        self.request_ids[f"request {len(self.request_ids)} of {whose}"] = request_id.encode()
        return request_id

    def bot_seeds(self) -> dict[str, bytes]:
        """What each player alone may hear."""
        return {f"bot seed of seat {seat}": random.Random(f"bot {seat}").randbytes(32) for seat in self.seats}

    def canaries(self) -> dict[str, bytes]:
        """All that must not be heard by anybody."""
        canaries = {"seed": SEED, **self.request_ids}
        for secret in (HOST, SPECTATOR, *SEATS):
            canaries |= {f"secret of {secret.name}": secret.bytes, f"hash of {secret.name}": secret.hash}
            canaries[f"token of {secret.name}"] = secret.token.encode()
        for number, write in enumerate(self.referee.shelf.writes):
            canaries[f"write id {number}"] = write.write_id
            canaries |= dict(_digests(write.fields, number))
        return canaries

    def callers(self) -> list[Caller]:
        return [self.host, self.spectator, *self.players]


async def _told_to_the_end(stream: Conversation) -> service_pb2.PlayResponse:
    """All that is told on a stream until a match has ended, together."""
    together = service_pb2.PlayResponse()
    while not together.ended:
        together.MergeFrom(await stream.told())
    return together


def _digests(written: object, number: int) -> Iterator[tuple[str, bytes]]:
    assert isinstance(written, dict)
    for name, packed in written.items():
        if name == "head":
            yield f"digest of the creation {number}", msgspec.msgpack.decode(packed, type=Head).request
        elif name != "course":
            for place, receipt in enumerate(msgspec.msgpack.decode(packed, type=Ring).receipts):
                yield f"digest of {name} {place} {number}", receipt.request
