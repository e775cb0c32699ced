"""Nothing secret leaves the service before the end of a match: all that it says is searched for all that it must keep.

What may be shown is decided here too: each stored field stands in exactly one of two lists.
"""

import asyncio
import random
from base64 import b64encode
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, fields
from typing import Any, Final, get_args

import msgspec
import pytest
from google.protobuf.message import Message
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from artreferee.v1 import match_pb2, service_pb2
from referee.api.logs import JsonFormatter, TextFormatter
from referee.api.metrics import Metrics
from referee.api.tracing import Tracing
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
from referee.table.store import Header
from tests.api.exposition import label_values
from tests.api.harness import HOST, SEATS, SPECTATOR, Referee, Secret
from tests.api.recorded import KINDS, NO_SEED, SEED, TABLES, Kind, Recorded, found, logged


@pytest.mark.parametrize("before", [b"", b"x", b"xy"])
@pytest.mark.parametrize("after", [b"", b"x", b"xy"])
def test_a_secret_is_found_in_every_form(before: bytes, after: bytes) -> None:
    """The search itself works, whatever stands around the secret."""
    texts = [before + SEED + after, (before + SEED + after).hex().encode(), repr(before + SEED + after).encode()]
    texts += [b64encode(before + SEED + after), b64encode(before + SEED + after, b"-_")]
    for text in texts:
        assert found({"seed": SEED, "other": NO_SEED}, text) == ["seed"]


@dataclass(frozen=True)
class Played:
    """A match that was played to its end, and what was said of it meanwhile.

    Attributes:
        match: it, with what its callers heard.
        streams: what was told on their Play streams.
        logs: what was logged at the level that tells most, in both formats.
        spans: what was told of calls and writes, as JSON.
        metrics: what was counted.
    """

    match: Recorded
    streams: list[service_pb2.PlayResponse]
    logs: dict[str, bytes]
    spans: bytes
    metrics: bytes


@pytest.fixture(scope="module", params=TABLES)
async def played(request: pytest.FixtureRequest) -> AsyncIterator[Played]:
    """A match on each table, with refused calls and faults in it, for all tests here."""
    kind, seats = request.param
    exporter = InMemorySpanExporter()
    tracing = Tracing(SimpleSpanProcessor(exporter))
    metrics = Metrics(tracing.span)
    async with Referee(observer=metrics) as referee:
        match = Recorded(referee, kind, seats)
        with ExitStack() as stack:
            formats = {"text": TextFormatter(), "json": JsonFormatter()}
            logs = {name: stack.enter_context(logged(formatter)) for name, formatter in formats.items()}
            await match.open_streams()
            await match.create()
            await match.meet_faults()
            await match.play(random.Random(seats))
            await asyncio.gather(*match.listening)
            streams = await match.close_streams()
        spans = "\n".join(span.to_json() for span in exporter.get_finished_spans())
        written = {name: log.getvalue().encode() for name, log in logs.items()}
        yield Played(match, streams, written, spans.encode(), metrics.exposition())
    tracing.close()


async def test_nothing_secret_is_said_before_the_end(played: Played) -> None:
    """Seed, principals, write ids, request ids and digests are in no answer, detail, metadata or stream."""
    match = played.match
    heard = [b"\n".join(caller.heard) for caller in match.callers()]
    assert sum(map(len, heard)) > 100_000
    assert found(match.canaries(), b"\n".join(heard)) == []
    assert [found(match.bot_seeds(), each) for each in heard] == [[], [], *([whose] for whose in match.bot_seeds())]
    request = service_pb2.GetRecordRequest(match_id=match.match_id)
    record = await match.referee.caller(SPECTATOR).call("GetRecord", request)
    disclosed = {"seed": SEED, **match.bot_seeds()}
    assert found(disclosed, record.messages[0]) == [*disclosed]


@pytest.mark.parametrize("form", ["text", "json"])
def test_nothing_secret_is_in_the_log_of_a_match(played: Played, form: str) -> None:
    """No seed, token, hash, write id, request id or digest; but the match is named."""
    log, match = played.logs[form], played.match
    assert b"the shelf is on fire" in log
    secrets = {**match.canaries(), **match.bot_seeds()}
    assert found({**secrets, "the match": match.match_id.encode()}, log) == ["the match"]


def test_nothing_secret_is_in_the_spans_of_a_match(played: Played) -> None:
    match = played.match
    secrets = {**match.canaries(), **match.bot_seeds()}
    assert found({**secrets, "the match": match.match_id.encode()}, played.spans) == ["the match"]


def test_no_label_tells_a_match_or_a_caller(played: Played) -> None:
    """No id, principal or secret is among what is counted, and values are from small sets only."""
    match = played.match
    secrets = {**match.canaries(), **match.bot_seeds()}
    assert found({**secrets, "the match": match.match_id.encode()}, played.metrics) == []
    words = label_values(played.metrics.decode())
    assert match.kind.name in words
    assert [word for word in words if len(word) > 32] == []


async def test_players_are_told_their_own_view_alone(played: Played) -> None:
    """On their streams, as GetMatch shows it; everybody else is told nothing there."""
    match = played.match
    host, spectator, *players = played.streams
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


async def test_a_private_event_is_told_to_its_owner_only(played: Played) -> None:
    """Each seat hears what is its own, and all of it; nobody else does, and a spectator sees no card of it."""
    match, kind = played.match, played.match.kind
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
