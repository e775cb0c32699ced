"""Nothing secret leaves the service before the end of a match: all that it says is searched for all that it must keep.

What may be shown is decided here too: each stored field stands in exactly one of two lists.
"""

import asyncio
import logging
import random
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Final, get_args

import grpc
import msgspec
import pytest
from google.protobuf.message import Message

from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from artreferee.v1.art_decko_pb2 import ArtDeckoOptions
from artreferee.v1.artsee_pb2 import ArtSeeOptions
from artreferee.v1.classic_art_pb2 import ClassicArtOptions
from referee.games import registry
from referee.games.art_decko.events import ArtDeckoEvent
from referee.games.art_decko.state import State as ArtDeckoState
from referee.games.art_decko.view import View as ArtDeckoView
from referee.games.artsee.events import ArtSeeEvent
from referee.games.artsee.state import State as ArtSeeState
from referee.games.artsee.view import View as ArtSeeView
from referee.games.classic_art.events import ClassicArtEvent
from referee.games.classic_art.state import State
from referee.games.classic_art.view import View
from referee.table.snapshot import Course, End, Entry, Head, Ring, SeatCourse, SeatHead
from referee.table.store import Header, StoreUnavailableError
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Conversation, Referee, Reply, Secret

SEED: Final = bytes(range(101, 133))
START: Final = 8  # the bytes of a form by which it is looked for
NO_SEED: Final = bytes(range(201, 233))


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
every_table = pytest.mark.parametrize(
    ("kind", "seats"),
    [
        pytest.param(kind, seats, id=f"{kind.name}-{seats}")
        for kind in KINDS
        for seats in registry()[kind.name].spec.seats
    ],
)


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


@pytest.mark.parametrize("before", [b"", b"x", b"xy"])
@pytest.mark.parametrize("after", [b"", b"x", b"xy"])
def test_a_secret_is_found_in_every_form(before: bytes, after: bytes) -> None:
    """The search itself works, whatever stands around the secret."""
    texts = [before + SEED + after, (before + SEED + after).hex().encode(), repr(before + SEED + after).encode()]
    texts += [b64encode(before + SEED + after), b64encode(before + SEED + after, b"-_")]
    for text in texts:
        assert found({"seed": SEED, "other": NO_SEED}, text) == ["seed"]


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


@every_table
async def test_nothing_secret_is_said_before_the_end(
    referee: Referee, kind: Kind, seats: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Seed, principals, write ids, request ids and digests are in no answer, detail, metadata, stream or log."""
    caplog.set_level(logging.DEBUG)
    match = Recorded(referee, kind, seats)
    await match.open_streams()
    await match.create()
    await _meet_faults(match)
    await match.play(random.Random(seats))
    await asyncio.gather(*match.listening)
    await _assert_told_their_own_alone(match)
    heard = b"\n".join([*(part for caller in match.callers() for part in caller.heard), caplog.text.encode()])
    assert len(heard) > 100_000
    assert "the shelf is on fire" in caplog.text
    assert found(match.canaries(), heard) == []
    told = [found(match.bot_seeds(), b"\n".join(caller.heard)) for caller in match.callers()]
    assert told == [[], [], *([whose] for whose in match.bot_seeds())]
    assert found(match.bot_seeds(), caplog.text.encode()) == []
    record = await match.spectator.call("GetRecord", service_pb2.GetRecordRequest(match_id=match.match_id))
    disclosed = {"seed": SEED, **match.bot_seeds()}
    assert found(disclosed, record.messages[0]) == [*disclosed]


async def _assert_told_their_own_alone(match: Recorded) -> None:
    """Requires that the players were told their own views as GetMatch shows them, and everybody else nothing."""
    host, spectator, *players = await match.close_streams()
    assert (host, spectator) == (service_pb2.PlayResponse(), service_pb2.PlayResponse())
    for seat, told in enumerate(players):
        seen = [*told.asked, *told.ended]
        assert {each.viewer_seat for each in (*told.seated, *seen)} == {seat}
        assert {getattr(each.view, match.kind.name).seat for each in seen} == {seat}
        assert not any(each.HasField("view") for each in told.seated)
        decisions = [each.prompt.decision_number for each in told.asked]
        assert decisions == sorted(set(decisions)) != []
        last = await match.players[seat].ask("GetMatch", service_pb2.GetMatchRequest(match_id=match.match_id))
        last.match.ClearField("bot_seed")
        assert list(told.ended) == [last.match]


async def _meet_faults(match: Recorded) -> None:
    """Lets the service log something."""
    for fault, code in (
        (StoreUnavailableError("the shelf is on fire"), grpc.StatusCode.UNAVAILABLE),
        (RuntimeError("the shelf is on fire"), grpc.StatusCode.INTERNAL),
    ):
        match.referee.shelf.fault = fault
        reply = await match.players[0].call("SubmitMove", match._submission(0, 0, 55))
        match.referee.shelf.fault = None
        assert reply.code == code


@every_table
async def test_a_private_event_is_told_to_its_owner_only(referee: Referee, kind: Kind, seats: int) -> None:
    """Each seat hears what is its own, and all of it; nobody else does, and a spectator sees no card of it."""
    match = Recorded(referee, kind, seats)
    await match.create()
    await match.play(random.Random(-seats))
    happened = Counter(_private_in_the_log(match))
    assert {owner for owner, _ in happened} == set(match.seats)
    assert {name for _, name in happened} == kind.private
    watchers = [0, None, *match.seats[1:]]  # in the order in which they began to watch
    for watcher, listening in zip(watchers, match.listening, strict=True):
        heard = Counter[tuple[int, str]]()
        for packed in (await listening).messages:
            message = service_pb2.WatchMatchResponse.FromString(packed)
            heard.update(_private(message.update.events, kind))
            view = getattr(message.update.match.view, kind.name)
            assert view.HasField("seat") == (watcher is not None) or not message.update.HasField("match")
            if watcher is None:
                assert not any(getattr(view, name) for name in kind.own)
        assert heard == Counter({told: times for told, times in happened.items() if told[0] == watcher})


def _private(events: Any, kind: Kind) -> Iterator[tuple[int, str]]:
    for event in events:
        told = getattr(event.game, kind.name)
        name = told.WhichOneof("event")
        if name in kind.private:
            yield getattr(told, name).seat, name


def _private_in_the_log(match: Recorded) -> Iterator[tuple[int, str]]:
    """Whose each private event is, and what, by the log that was written."""
    game = registry()[match.kind.name]
    for write in match.referee.shelf.writes:
        for packed in write.entries:
            entry = msgspec.msgpack.decode(packed, type=Entry)
            for event in game.decode_events(entry.events) if entry.events else ():
                if event.audience is not None:
                    yield event.audience, _in_snake_case(type(event).__name__)


def _in_snake_case(name: str) -> str:
    return "".join(
        "_" * (place > 0) + letter.lower() if letter.isupper() else letter for place, letter in enumerate(name)
    )


@pytest.mark.parametrize(
    ("kind", "events"),
    [*zip(KINDS, (ClassicArtEvent, ArtSeeEvent, ArtDeckoEvent), strict=True)],
    ids=[kind.name for kind in KINDS],
)
def test_an_event_is_public_unless_it_was_decided_to_keep_it(kind: Kind, events: Any) -> None:
    private = {event.__name__ for event in get_args(events) if "audience" in event.__struct_fields__}
    assert {_in_snake_case(name) for name in private} == kind.private


HIDDEN: Final[dict[type, set[str]]] = {
    State: {"seed", "hands", "deck", "house"},
    ArtSeeState: {"seed", "hands", "piles", "choices"},
    ArtDeckoState: {"seed", "hands", "decks", "paintings", "stack"},
    Head: {"options", "seed", "data_version", "data_digest", "host", "deal_group", "request", "bot_seeds"},
    SeatHead: {"principal"},
    Course: {"released", "state"},
    SeatCourse: {"asked_ms", "out_version", "uncharged_ms", "illegal_moves"},
    End: set(),
    Entry: {"decision", "move", "asked_ms"},
    Ring: {"requests", "versions", "decisions", "refusals", "refused"},
    Header: {"revision", "write_id", "created_ms", "commit_ms", "format"},
}
SHOWN: Final[dict[type, set[str]]] = {
    State: {field.name for field in fields(View)},
    ArtSeeState: {field.name for field in fields(ArtSeeView)} - {"choices"},  # those of the viewer's own
    ArtDeckoState: {field.name for field in fields(ArtDeckoView)},
    Head: {"ruleset", "rules_version", "seats", "seed_given", "commitment", "on_release", "visibility", "terms"},
    SeatHead: {"display_name", "entrant_name", "entrant_version"},
    Course: {"status", "version", "seats", "end"},
    SeatCourse: {"decisions", "cause", "bank_ms"},
    End: {"reason", "ranks", "scores"},
    Entry: {"step", "seat", "started", "ended", "events", "actor"},
    Ring: set(),
    Header: set(),
}


def _names(kind: Any) -> set[str]:
    if issubclass(kind, msgspec.Struct):
        return set(kind.__struct_fields__)
    return set(Header._fields) if kind is Header else {field.name for field in fields(kind)}


@pytest.mark.parametrize("kind", HIDDEN, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_a_stored_field_is_hidden_unless_it_was_decided_to_show_it(kind: type) -> None:
    """A new field of the state or of the snapshot fails here until somebody has decided on it."""
    assert not HIDDEN[kind] & SHOWN[kind]
    assert _names(kind) - SHOWN[kind] == HIDDEN[kind]


VIEW_ONLY: Final[dict[tuple[type, type], set[str]]] = {
    (View, State): {"seat", "hand", "hand_sizes", "committed", "deck_size", "house_size"},
    (ArtSeeView, ArtSeeState): {"seat", "hand", "pile_sizes", "tops", "backs", "committed"},
    (ArtDeckoView, ArtDeckoState): {"seat", "hand", "hand_sizes", "deck_sizes", "paintings_left", "stack_size"},
}


@pytest.mark.parametrize(("view", "state"), VIEW_ONLY, ids=[kind.name for kind in KINDS])
def test_a_view_holds_what_the_rules_call_public_and_the_viewers_own(view: type, state: type) -> None:
    """A new field of the view fails here until somebody has decided on it."""
    assert _names(view) - _names(state) == VIEW_ONLY[view, state]


def test_a_match_message_holds_what_was_decided_to_be_shown() -> None:
    """A new field of what viewers are sent fails here until somebody has decided on it."""
    assert _fields_of(match_pb2.Match()) == (
        "match_id ruleset rules_version status version seats commitment disclosure seed_given viewer_seat "
        "view prompt result visibility time_control fault_policy bot_seed"
    )
    assert _fields_of(match_pb2.Seat()) == "bound display_name entrant decision_number to_act cause bank_ms"
    assert _fields_of(match_pb2.Prompt()) == "decision_number legal_count legal_moves legal_ids remaining_ms"
    assert _fields_of(match_pb2.Update()) == "version seat actor events match"


def _fields_of(message: Message) -> str:
    return " ".join(field.name for field in message.DESCRIPTOR.fields)


def test_secrets_of_the_tests_are_all_different() -> None:
    assert len({secret.bytes for secret in (HOST, SPECTATOR, *SEATS, Secret("another"))}) == 8
