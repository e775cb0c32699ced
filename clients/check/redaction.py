"""Nobody is sent what only another may know."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from google.protobuf.message import Message

from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from clients.check import calls
from clients.check.checks import CheckSkippedError, alike, check, equal, expect, worded
from clients.check.played import Played, all_played, in_hindsight, who
from clients.check.subject import Subject, rules_of
from clients.check.truth import Truth

_PRIVATE_FIELDS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {"art_decko": ("hand",), "artsee": ("hand", "choices", "visit_column"), "classic_art": ("hand", "chosen")}
)
"""The fields of a view that are for its own seat only."""
_PRIVATE_EVENTS: Final[Mapping[str, Sequence[str]]] = MappingProxyType(
    {"art_decko": ("cards_seen",), "artsee": ("visitor_chosen", "card_seen"), "classic_art": ("cards_chosen",)}
)
"""The events that only their seat may be told."""


@in_hindsight
async def a_match_is_seen_from_ones_own_seat(subject: Subject) -> None:
    """A match and its view name the viewer's own seat, and none to a spectator, whatever call shows them."""
    for match in await all_played(subject):
        for sighting in match.shown():
            where = f"of {match.name} by {sighting.call}, for {who(sighting.viewer)},"
            equal(f"the viewer_seat {where}", _optional(sighting.match, "viewer_seat"), sighting.viewer)
            view = _own(sighting.match.view)
            if view is not None and match.sitting.ruleset.name in _PRIVATE_FIELDS:
                equal(f"the seat in the view {where}", _optional(view, "seat"), sighting.viewer)


@in_hindsight
async def a_spectator_sees_no_hand(subject: Subject) -> None:
    """Hands and sealed choices are empty in whatever a spectator is shown."""
    for match in await _with_private_fields(subject):
        for sighting in match.shown():
            if sighting.viewer is not None:
                continue
            held = {field.name: value for field, value in _fields(sighting.match.view)}
            for field in _PRIVATE_FIELDS[match.sitting.ruleset.name]:
                what = f"the {field} that {sighting.call} of {match.name} shows a spectator"
                expect(field not in held, f"{what} is {worded(held.get(field))}, expected nothing")


@in_hindsight
async def what_is_public_is_the_same_for_all(subject: Subject) -> None:
    """What viewers are shown of one version differs in viewer_seat, prompt and private fields only."""
    for match in await _with_private_fields(subject):
        public = dict[int, match_pb2.Match]()
        for sighting in match.shown():
            seen = _public(sighting.match, _PRIVATE_FIELDS[match.sitting.ruleset.name])
            first = public.setdefault(seen.version, seen)
            what = f"{match.name} at version {seen.version}, shown to {who(sighting.viewer)} by {sighting.call},"
            alike(what, seen, first)


def _public(match: match_pb2.Match, private: Sequence[str]) -> match_pb2.Match:
    public = match_pb2.Match()
    public.CopyFrom(match)
    public.ClearField("viewer_seat")
    public.ClearField("prompt")
    view = _own(public.view)
    if view is not None:
        for field in ("seat", *private):
            view.ClearField(field)
    return public


@in_hindsight
async def private_events_are_told_to_their_seat(subject: Subject) -> None:
    """What a seat draws or chooses in secret is told to that seat alone."""
    for match in await _with_private_fields(subject):
        ruleset = match.sitting.ruleset.name
        for viewer, watched in match.watched.items():
            for update in watched.updates:
                for event in _game_events(update):
                    own: Any = getattr(event, ruleset)
                    kind = own.WhichOneof("event")
                    if kind in _PRIVATE_EVENTS[ruleset]:
                        what = f"who but its seat is told of {kind} in {match.name}: {who(viewer)}, where the seat"
                        equal(what, getattr(own, kind).seat, viewer)


@in_hindsight
async def views_are_what_the_rules_allow(subject: Subject) -> None:
    """Every view ever sent is, to the byte, what the rules show that viewer of the deal that the record reveals."""
    for match, truth in await _with_truth(subject):
        for sighting in match.shown():
            version = sighting.match.version
            what = f"the view of {match.name} at version {version}, shown to {who(sighting.viewer)} by {sighting.call},"
            expect(version <= truth.version, f"{what} is of a version beyond the log's {truth.version}")
            if sighting.match.HasField("view"):
                alike(what, sighting.match.view, truth.view(version, sighting.viewer))


@in_hindsight
async def events_are_what_the_rules_allow(subject: Subject) -> None:
    """Every update tells a viewer, to the byte, the events that the rules let it know, in their order."""
    for match, truth in await _with_truth(subject):
        for viewer, watched in match.watched.items():
            for update in watched.updates:
                what = f"of entry {update.version} of {match.name} told to {who(viewer)}"
                told = list(_game_events(update))
                expected = truth.events(update.version, viewer)
                equal(f"the number of events {what}", len(told), len(expected))
                for event, allowed in zip(told, expected, strict=True):
                    alike(f"an event {what}", event, allowed)


@in_hindsight
async def prompts_are_what_the_rules_allow(subject: Subject) -> None:
    """Every prompt lists the legal moves of the rules, in their order."""
    for match, truth in await _with_truth(subject):
        expected = dict[tuple[int, int], list[match_pb2.LegalMove]]()
        for sighting in match.shown():
            version, seat = sighting.match.version, sighting.viewer
            if seat is None:
                continue
            if (version, seat) not in expected:
                expected[version, seat] = truth.legal_moves(version, seat)
            what = f"the prompt of {match.name} at version {version}, for seat {seat},"
            listed = sighting.match.prompt.legal_moves
            equal(f"the ids in {what}", [move.id for move in listed], [move.id for move in expected[version, seat]])
            for move, legal in zip(listed, expected[version, seat], strict=True):
                alike(f"a move in {what}", move.move, legal.move)


@in_hindsight
async def secrets_stay_secret(subject: Subject) -> None:
    """The seed is in nothing that is sent before the record, and nobody's principal or its hash in anything at all."""
    for match in await all_played(subject):
        sitting, seed = match.sitting, match.record.seed
        principals = [caller.principal for caller in (sitting.host, *sitting.players, sitting.spectator)]
        hidden = {"the seed": [seed, seed.hex().encode()] if seed else []}
        hidden["a principal"] = [form for one in principals for form in (one.secret, one.hash, one.token.encode())]
        everything = b"\0".join(match.heard)
        for name, forms in hidden.items():
            found = any(form in everything for form in forms)
            expect(not found, f"{name} is in an answer about {match.name}, expected it to stay secret")
        record = match.record.SerializeToString()
        found = any(form in record for form in hidden["a principal"])
        expect(not found, f"a principal is in the record of {match.name}, expected it to stay secret")


@check
async def bot_seeds_are_told_to_the_holder_alone(subject: Subject) -> None:
    """GetMatch shows a seat's bot_seed to its holder alone; the record tells all of them."""
    bot_seeds = [secrets.token_bytes(32) for _ in range(subject.simplest().min_seats)]
    sitting = await subject.sit(subject.simplest(), bot_seeds=bot_seeds)
    for viewer in sitting.viewers:
        own = b"" if viewer is None else bot_seeds[viewer]
        equal(f"the bot_seed that {who(viewer)} is shown", (await sitting.see(viewer)).bot_seed, own)
    get = service_pb2.GetMatchRequest(match_id=sitting.match_id)
    equal("the bot_seed that the host is shown", (await sitting.host.ask(calls.GET_MATCH, get)).match.bot_seed, b"")
    await sitting.end()
    request = service_pb2.GetRecordRequest(match_id=sitting.match_id)
    record = (await sitting.host.ask(calls.GET_RECORD, request)).record
    equal("the bot seeds of the record", [seat.bot_seed for seat in record.seats], bot_seeds)


async def _with_private_fields(subject: Subject) -> list[Played]:
    known = [match for match in await all_played(subject) if match.sitting.ruleset.name in _PRIVATE_FIELDS]
    if not known:
        raise CheckSkippedError("of no listed ruleset it is known here what is private")
    return known


async def _with_truth(subject: Subject) -> list[tuple[Played, Truth]]:
    known = list[tuple[Played, Truth]]()
    for match in await all_played(subject):
        wire = rules_of(match.sitting.ruleset)
        if wire is not None:
            known.append((match, Truth(match.record, wire)))
    if not known:
        raise CheckSkippedError("no listed ruleset is known here in the version that the referee plays")
    return known


def _own(view: ruleset_pb2.View) -> Message | None:
    kind = view.WhichOneof("ruleset")
    return getattr(view, kind) if kind else None


def _fields(view: ruleset_pb2.View) -> Sequence[tuple[Any, Any]]:
    own = _own(view)
    return own.ListFields() if own is not None else ()


def _optional(message: Message, field: str) -> int | None:
    value: int = getattr(message, field)
    return value if message.HasField(field) else None


def _game_events(update: match_pb2.Update) -> Iterator[ruleset_pb2.GameEvent]:
    return (event.game for event in update.events if event.HasField("game"))
