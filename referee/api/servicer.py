"""The calls of the contract: read the request, do one thing at the table, write the answer."""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Final

from artreferee.v1 import error_pb2, match_pb2, service_pb2
from referee.api import requests, responses
from referee.api.creations import Creations
from referee.api.journal import Journal
from referee.core.errors import Reason, RefereeError
from referee.table.ids import MatchId, Principal, match_id_of
from referee.table.session import Session, session
from referee.table.snapshot import Snapshot
from referee.table.table import Seen, Table


class Servicer:
    """`RefereeService`; each method has the principal already. Errors are raised, the interceptor sends them."""

    def __init__(self, table: Table, journal: Journal | None = None, creations: Creations | None = None) -> None:
        self._table: Final = table
        self._creations: Final = creations or Creations(table)
        self._journal: Final = journal or Journal()
        self._moment: Final = table.time.moment
        self.presence: Final = table.presence

    async def list_rulesets(self, request: service_pb2.ListRulesetsRequest) -> service_pb2.ListRulesetsResponse:
        """Lists the rulesets."""
        rulesets = [responses.ruleset(game.spec) for game in self._table.games.values()]
        return service_pb2.ListRulesetsResponse(rulesets=rulesets)

    async def create_match(
        self, host: Principal, request: service_pb2.CreateMatchRequest
    ) -> service_pb2.CreateMatchResponse:
        """Creates a match."""
        request_id, creation = requests.request_id_of(request.request_id), requests.creation_of(request)
        async with self._creations.admitted(host, match_id_of(host, request_id)):
            snapshot = await self._table.create(host, request_id, creation)
        return service_pb2.CreateMatchResponse(match_id=snapshot.match_id, commitment=snapshot.head.commitment)

    async def join_match(
        self, principal: Principal, request: service_pb2.JoinMatchRequest
    ) -> service_pb2.JoinMatchResponse:
        """Takes an open seat."""
        answer = await self._table.join(
            principal,
            requests.match_id_of(request.match_id),
            requests.request_id_of(request.request_id),
            requests.seat_of(request),
            requests.display_name_of(request.display_name, "display_name", ""),
            requests.entrant_of(request, "entrant"),
        )
        return service_pb2.JoinMatchResponse(seat=answer.seat, version=answer.version)

    async def get_match(
        self, principal: Principal, request: service_pb2.GetMatchRequest
    ) -> service_pb2.GetMatchResponse:
        """Reads a match."""
        detail = requests.detail_of(request.detail)
        seen = await self._table.get(principal, requests.match_id_of(request.match_id), requests.seat_of(request))
        return service_pb2.GetMatchResponse(match=responses.introduced(seen, detail, await self._moment()))

    async def list_matches(
        self, principal: Principal, request: service_pb2.ListMatchesRequest
    ) -> service_pb2.ListMatchesResponse:
        """Lists matches."""
        status, ruleset = requests.status_of(request.status), requests.ruleset_of(request.ruleset)

        def wanted(snapshot: Snapshot) -> bool:
            right_status = not status or snapshot.course.status == responses.STATUSES.get(status)
            young = snapshot.header is None or snapshot.header.created_ms >= request.created_after_ms
            return right_status and young and ruleset in ("", snapshot.head.ruleset)

        found, following = await self._table.list_matches(
            principal,
            requests.place_of(request.page_token),
            requests.page_size_of(request.page_size),
            mine=request.mine,
            wanted=wanted,
        )
        moment = await self._moment()
        return service_pb2.ListMatchesResponse(
            matches=[responses.match(Seen(snapshot, None), match_pb2.DETAIL_NONE, moment) for snapshot in found],
            next_page_token=requests.token_of(following) if following else "",
        )

    async def submit_move(self, principal: Principal, request: service_pb2.SubmitMoveRequest) -> bytes:
        """Plays moves; packed."""
        detail = requests.detail_of(request.detail)
        answer, snapshot = await self._table.submit(principal, *requests.move_of(request))
        return responses.submitted(answer, snapshot, detail, await self._moment())

    async def resign(self, principal: Principal, request: service_pb2.ResignRequest) -> service_pb2.ResignResponse:
        """Gives up a seat."""
        answer = await self._table.resign(
            principal,
            requests.match_id_of(request.match_id),
            requests.request_id_of(request.request_id),
            requests.seat_of(request),
        )
        return service_pb2.ResignResponse(version=answer.version)

    async def watch_match(self, principal: Principal, request: service_pb2.WatchMatchRequest) -> AsyncIterator[bytes]:
        """Follows a match; packed, as one message may be for very many."""
        detail = requests.detail_of(request.detail)
        after = request.after_version if request.HasField("after_version") else None
        match_id, seat = requests.match_id_of(request.match_id), requests.seat_of(request)
        async for tidings in self._table.watch(principal, match_id, seat, after):
            if detail not in tidings.written:
                tidings.written[detail] = list(responses.watched(tidings, detail, await self._moment()))
            for written in tidings.written[detail]:
                yield written

    async def play(
        self, principal: Principal, incoming: AsyncIterator[service_pb2.PlayRequest], charge: Callable[[], None]
    ) -> AsyncIterator[bytes]:
        """Plays all seats of the caller; packed; `charge` counts each move, or raises RATE_LIMITED."""
        first = await anext(incoming, None)
        if first is None:
            return
        requests.check_played(first, first=True)  # before it ends an earlier stream
        detail, refusal = requests.detail_of(first.detail), partial(self._journal.refused_move, principal)
        async with session(self._table, principal, self._journal.span) as player:
            reader = asyncio.create_task(_take_moves(player, first, incoming, charge))
            try:
                while (news := await player.news()) is not None:
                    yield responses.played(news, detail, await self._moment(), refusal)
            except RefereeError as error:
                if error.reason is Reason.DRAINING:
                    yield service_pb2.PlayResponse(going_away=True).SerializeToString()
                raise
            finally:
                reader.cancel()
                await asyncio.gather(reader, return_exceptions=True)

    async def get_record(
        self, principal: Principal, request: service_pb2.GetRecordRequest
    ) -> service_pb2.GetRecordResponse:
        """Reads a record."""
        snapshot, log = await self._table.record(principal, requests.match_id_of(request.match_id))
        return service_pb2.GetRecordResponse(record=responses.record(snapshot, log, await self._moment()))

    async def release_records(
        self, principal: Principal, request: service_pb2.ReleaseRecordsRequest
    ) -> service_pb2.ReleaseRecordsResponse:
        """Releases records."""
        request_id = requests.request_id_of(request.request_id)
        match_ids = requests.release_ids_of(request)
        results = [await self._release(principal, match_id, request_id) for match_id in match_ids]
        return service_pb2.ReleaseRecordsResponse(results=results)

    async def _release(self, principal: Principal, match_id: MatchId, request_id: str) -> service_pb2.ReleaseResult:
        result = service_pb2.ReleaseResult(match_id=match_id)
        try:
            await self._table.release(principal, match_id, request_id)
        except RefereeError as error:
            if error.reason is Reason.STORE_UNAVAILABLE:
                raise
            self._journal.refusal(error)
            result.reason = error_pb2.ErrorReason.Value(f"ERROR_REASON_{error.reason.name}")
            result.text = str(error)
        return result


async def _take_moves(
    player: Session,
    request: service_pb2.PlayRequest,
    incoming: AsyncIterator[service_pb2.PlayRequest],
    charge: Callable[[], None],
) -> None:
    """Passes on what a player sends, until the player, or a fault of it, ends it."""
    try:
        await _take(player, request, charge, first=True)
        async for request in incoming:
            await _take(player, request, charge, first=False)
    except Exception as error:  # whatever it is, it ends the stream
        player.end(error)
    else:
        player.end(None)


async def _take(player: Session, request: service_pb2.PlayRequest, charge: Callable[[], None], *, first: bool) -> None:
    requests.check_played(request, first)
    if not request.moves and not first:  # the first one is paid for with the stream
        charge()
    await player.expect(requests.unfinished_of(request))
    for message in request.moves:
        try:
            charge()
            move = requests.move_of(message)
        except RefereeError as error:
            await player.refuse(message.match_id, message.request_id, error)
        else:
            await player.submit(move)
