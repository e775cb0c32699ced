"""Who finds a match and sees it."""

from collections.abc import AsyncIterator
from typing import Final

from artreferee.v1 import match_pb2, service_pb2
from clients.check import calls
from clients.check.calls import Caller
from clients.check.checks import CheckSkippedError, check, equal, expect
from clients.check.errors import ABSENT
from clients.check.reasons import refused
from clients.check.subject import Sitting, Subject
from clients.sdk import new_request_id

_MOST_PAGES: Final = 20  # of a listing that others fill too
_PAGE: Final = 100


@check
async def only_public_matches_are_listed(subject: Subject) -> None:
    """ListMatches names a public match to anyone, others only to the holders of their seats, with `mine`."""
    ruleset = subject.simplest()
    public, unlisted, private = [
        await subject.sit(ruleset, visibility=visibility)
        for visibility in (
            match_pb2.VISIBILITY_PUBLIC,
            match_pb2.VISIBILITY_UNLISTED,
            match_pb2.VISIBILITY_PRIVATE,
        )
    ]
    for sitting in (public, unlisted, private):
        mine = [match.match_id async for match in _listed(sitting.players[0], mine=True)]
        equal("the matches that are listed as one's own", mine, [sitting.match_id])
    found = {match.match_id async for match in _listed(public.spectator, mine=False)}
    expect(public.match_id in found, "a public match is not listed, expected it to be")
    for name, sitting in (("an unlisted", unlisted), ("a private", private)):
        expect(sitting.match_id not in found, f"{name} match is listed to a stranger, expected it not to be")


async def _listed(caller: Caller, *, mine: bool) -> AsyncIterator[match_pb2.Match]:
    request = service_pb2.ListMatchesRequest(mine=mine, page_size=_PAGE)
    for _ in range(_MOST_PAGES):
        page = await caller.ask(calls.LIST_MATCHES, request)
        for match in page.matches:
            yield match
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token
    raise CheckSkippedError(f"the listing has more than {_MOST_PAGES} pages of {_PAGE}")


@check
async def visibility_is_shown(subject: Subject) -> None:
    """A match shows its visibility, PUBLIC where none was given; an unlisted one is seen by whoever knows its id."""
    for given, shown in (
        (match_pb2.VISIBILITY_UNSPECIFIED, match_pb2.VISIBILITY_PUBLIC),
        (match_pb2.VISIBILITY_PUBLIC, match_pb2.VISIBILITY_PUBLIC),
        (match_pb2.VISIBILITY_UNLISTED, match_pb2.VISIBILITY_UNLISTED),
    ):
        sitting = await subject.sit(subject.simplest(), visibility=given)
        equal("the visibility that a spectator is shown", (await sitting.see(None)).visibility, shown)
    private = await subject.sit(subject.simplest(), visibility=match_pb2.VISIBILITY_PRIVATE)
    equal("the visibility of a private match", (await private.see(0)).visibility, match_pb2.VISIBILITY_PRIVATE)


@check
async def a_private_match_is_not_there_for_others(subject: Subject) -> None:
    """Of a private match host and players see all that they may; strangers are answered as if it were not there."""
    sitting = await subject.sit(subject.simplest(), visibility=match_pb2.VISIBILITY_PRIVATE)
    get = service_pb2.GetMatchRequest(match_id=sitting.match_id)
    for caller in (sitting.host, *sitting.players):
        match = (await caller.ask(calls.GET_MATCH, get)).match
        equal("the match that is seen", match.match_id, sitting.match_id)
    await _require_absent(sitting)
    for seat in range(len(sitting.players) - 1):
        await sitting.resign(seat)
    record = service_pb2.GetRecordRequest(match_id=sitting.match_id)
    for caller in (sitting.host, *sitting.players):
        await caller.ask(calls.GET_RECORD, record)
    await _require_absent(sitting)


async def _require_absent(sitting: Sitting) -> None:
    stranger = sitting.spectator
    for method, request in (
        (calls.GET_MATCH, service_pb2.GetMatchRequest),
        (calls.WATCH_MATCH, service_pb2.WatchMatchRequest),
        (calls.GET_RECORD, service_pb2.GetRecordRequest),
    ):
        there, absent = [
            await stranger.attempt(method, request(match_id=match_id)) for match_id in (sitting.match_id, ABSENT)
        ]
        what = f"{method.name} of another's private match"
        refused(what, there, "MATCH_NOT_FOUND", match_id=sitting.match_id)
        equal(f"the text of {what}", there.text.replace(sitting.match_id, ABSENT), absent.text)
    join = service_pb2.JoinMatchRequest(match_id=sitting.match_id, request_id=new_request_id())
    reply = await stranger.call(calls.JOIN_MATCH, join)
    refused("JoinMatch of another's private match without an open seat", reply, "MATCH_NOT_FOUND")


@check
async def open_seats_of_a_private_match_can_be_taken(subject: Subject) -> None:
    """While a private match has open seats, whoever knows its id may take one, and sees it from then on."""
    sitting = await subject.sit(subject.simplest(), open_seats=[0], visibility=match_pb2.VISIBILITY_PRIVATE)
    joiner, get = sitting.players[0], service_pb2.GetMatchRequest(match_id=sitting.match_id)
    refused("GetMatch before joining", await joiner.call(calls.GET_MATCH, get), "MATCH_NOT_FOUND")
    join = service_pb2.JoinMatchRequest(match_id=sitting.match_id, request_id=new_request_id())
    equal("the seat that was taken", (await joiner.ask(calls.JOIN_MATCH, join)).seat, 0)
    equal("the viewer_seat of who joined", (await joiner.ask(calls.GET_MATCH, get)).match.viewer_seat, 0)
