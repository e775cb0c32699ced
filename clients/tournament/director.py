"""The director: a client that creates the matches, hands out the seats, and keeps account of all in a journal."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final, assert_never

import msgspec

from artreferee.v1 import error_pb2, match_pb2, record_pb2, service_pb2
from clients.sdk import CallError, MatchAbortedError, RefereeClient
from clients.tournament import entries, orders
from clients.tournament.formats.order import playing_order
from clients.tournament.keys import Keys
from clients.tournament.ledger import Ledger, now_ms
from clients.tournament.pairing import Pairing, Round
from clients.tournament.plan import Clocks, Entrant, Kind
from clients.tournament.players import NoBotError, Players, ReplacementError, describe
from clients.tournament.records import Records
from clients.tournament.results import SeatResult
from clients.tournament.rulings import OrderRefusedError, pairing_for, require_active, require_newcomer
from clients.tournament.state import by_deal, pairings_of
from referee.wire import wires

_ATTEMPTS: Final = 3
_ORDERS_EVERY_S: Final = 0.5
_AT_ONCE: Final = 100  # matches in one call
_GONE: Final = frozenset(
    {
        error_pb2.ERROR_REASON_MATCH_NOT_FOUND,
        error_pb2.ERROR_REASON_MATCH_NOT_OVER,
        error_pb2.ERROR_REASON_NOT_PERMITTED,
    }
)


class DirectorError(Exception):
    """A tournament that cannot go on; the text says why. It may be resumed."""


class Director:
    """Plays a tournament from where its journal ends.

    Args:
        folder: where orders are looked for.
        ledger: what has happened.
        keys: seeds.
        client: the host's connection to the referee.
        players: what plays for the entrants that are not remote.
        records: the records file.
    """

    def __init__(
        self,
        folder: Path,
        ledger: Ledger,
        keys: Keys,
        client: RefereeClient,
        players: Players,
        records: Records,
    ) -> None:
        self._folder: Final = folder
        self._enter: Final = ledger.enter
        self._state: Final = ledger.state
        self._keys: Final = keys
        self._client: Final = client
        self._players: Final = players
        self._records: Final = records
        self._unpaused: Final = asyncio.Event()
        self._live: Final = dict[str, _Live]()
        self._voided: Final = Counter[str]()
        self._recording: Final = asyncio.Lock()
        self._ordering: Final = asyncio.Lock()

    async def run(self) -> None:
        """Plays all that is left.

        Raises:
            CallError: the referee refuses for good.
            DirectorError: the tournament cannot go on.
            OrdersError: the file of orders is damaged.
        """
        await self._heed_orders()
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(self._listen())
            while (drawn := self._state.under_way() or self._draw()) is not None:
                await self._play_round(drawn)
                await self._heed_orders()
            listening.cancel()
        if not self._state.closed:
            self._enter(entries.Closed(now_ms()))

    def _draw(self) -> Round | None:
        drawn = self._state.next_round()
        if drawn is not None:
            self._enter(entries.Drawn(drawn))
        return drawn

    async def _play_round(self, drawn: Round) -> None:
        pending = iter([pairing for pairing in playing_order(drawn) if not self._state.settled(pairing)])
        deals = by_deal(pairings_of(drawn))
        async with asyncio.TaskGroup() as group:
            for _ in range(self._state.plan.concurrency):
                group.create_task(self._play_each(drawn, deals, pending))
        for deal in deals.values():
            await self._record(drawn, deal)

    async def _play_each(self, drawn: Round, deals: Mapping[str, list[Pairing]], pending: Iterator[Pairing]) -> None:
        for pairing in pending:
            await self._unpaused.wait()
            await self._settle(pairing)
            await self._record(drawn, deals[pairing.deal.name])

    async def _settle(self, pairing: Pairing) -> None:
        while not self._state.settled(pairing):
            if gone := self._absent(pairing):
                self._enter(entries.Cancelled(pairing.name, f"{gone} has withdrawn"))
            else:
                await self._attempt(pairing)

    def _absent(self, pairing: Pairing) -> str | None:
        return next((name for name in pairing.entrants if self._state.roster[name].withdrawn), None)

    async def _attempt(self, pairing: Pairing) -> None:
        live = self._live[pairing.name] = _Live(pairing, asyncio.create_task(self._play(pairing)))
        try:
            await asyncio.wait([live.task])
            if not live.task.cancelled():
                live.task.result()
        finally:
            del self._live[pairing.name]
            live.task.cancel()

    async def _play(self, pairing: Pairing) -> None:
        began, match_id = now_ms(), ""
        try:
            match_id = (await self._client.create_match(self._creation(pairing))).match_id
            self._live[pairing.name].match_id = match_id
            async with self._players.seated(pairing, match_id):
                result = await self._client.result_of(match_id)
        except MatchAbortedError:
            self._void(pairing, match_id, "an operator ended it")
        except CallError as error:
            if error.reason == error_pb2.ERROR_REASON_REQUEST_ID_REUSED:
                self._void(pairing, match_id, "it was created for what an entrant has replaced since")
            elif error.reason in _GONE:
                self._void(pairing, match_id, "the referee has lost it")
            else:
                raise
        else:
            seats = tuple(_seat(seat) for seat in result.seats)
            self._enter(entries.Ended(pairing.name, match_id, seats, result.reason, began, now_ms()))

    def _void(self, pairing: Pairing, match_id: str, why: str) -> None:
        self._enter(entries.Voided(pairing.name, match_id, why))
        self._voided[pairing.name] += 1
        if self._voided[pairing.name] == _ATTEMPTS:
            raise DirectorError(f"{pairing.name} came to nothing {_ATTEMPTS} times, at last because {why}")

    def _creation(self, pairing: Pairing) -> service_pb2.CreateMatchRequest:
        plan, game = self._state.plan, pairing.deal.game
        return service_pb2.CreateMatchRequest(
            request_id=self._request_id(pairing),
            ruleset=game.ruleset,
            options=wires()[game.ruleset].options(json.loads(game.options)) if game.options else None,
            seats=[self._seat_request(pairing, seat, name) for seat, name in enumerate(pairing.entrants)],
            disclosure=match_pb2.DISCLOSURE_AT_END if plan.independent_deals else match_pb2.DISCLOSURE_ON_RELEASE,
            seed=self._keys.deal_seed(pairing, independent=plan.independent_deals),
            deal_group=pairing.deal.name,
            time_control=time_control(plan.clocks),
            fault_policy=match_pb2.FaultPolicy(
                illegal_moves=plan.clocks.illegal_moves, disconnect_grace_ms=plan.clocks.disconnect_grace_ms
            ),
        )

    def _seat_request(self, pairing: Pairing, seat: int, name: str) -> service_pb2.SeatRequest:
        return service_pb2.SeatRequest(
            principal_hash=self._players.principal_hash(pairing, seat),
            display_name=name,
            entrant=match_pb2.Entrant(name=name, version=self._state.roster[name].entrant.version),
            bot_seed=self._keys.bot_seed(pairing, seat),
        )

    def _request_id(self, pairing: Pairing) -> str:
        digest = sha256(pairing.name.encode()).hexdigest()[:32]
        return f"{self._state.tournament}.{digest}.{self._state.voided[pairing.name]}"

    async def _record(self, drawn: Round, deal: list[Pairing]) -> None:
        """Writes the records of a deal, once all its matches are settled; what is lost is played again."""
        async with self._recording:
            key = (drawn.number, deal[0].deal.name)
            if key in self._state.recorded or not all(self._state.settled(pairing) for pairing in deal):
                return
            played = [self._state.played[pairing.name] for pairing in deal if pairing.name in self._state.played]
            if not self._state.plan.independent_deals:
                await self._release([match.match_id for match in played if match.match_id])
            records = {match: await self._record_of(match.match_id) for match in played if match.match_id}
            lost = [match for match, record in records.items() if record is None and not match.adjudication]
            for match in lost:
                self._void(match.pairing, match.match_id, "the referee has lost it")
            if not lost:
                size = self._records.add(record for record in records.values() if record is not None)
                self._enter(entries.Recorded(*key, size))

    async def _release(self, match_ids: list[str]) -> None:
        for _ in range(_ATTEMPTS):
            results = [
                result
                for start in range(0, len(match_ids), _AT_ONCE)
                for result in await self._client.release_records(match_ids[start : start + _AT_ONCE])
            ]
            busy = [result.match_id for result in results if result.reason == error_pb2.ERROR_REASON_CONTENTION]
            if not busy:
                return
            match_ids = busy
        raise DirectorError(f"the record of match {match_ids[0]} was not released: others kept changing it")

    async def _record_of(self, match_id: str) -> record_pb2.MatchRecord | None:
        try:
            return await self._client.get_record(match_id)
        except CallError as error:
            if error.reason not in _GONE:
                raise
            return None

    async def _listen(self) -> None:
        while True:
            await asyncio.sleep(_ORDERS_EVERY_S)
            await self._heed_orders()

    async def _heed_orders(self) -> None:
        async with self._ordering:
            for order in orders.read(self._folder, self._state.ordered):
                try:
                    await self._heed(order)
                except (NoBotError, OrderRefusedError, ReplacementError) as refused:
                    self._enter(entries.Ordered(order, str(refused)))
        if self._state.paused:
            self._unpaused.clear()
        else:
            self._unpaused.set()

    async def _heed(self, order: orders.Order) -> None:
        match order:
            case orders.Enter(entrant=entrant):
                require_newcomer(self._state, entrant.name)
                entrant = await described(entrant)
                self._players.enter(entrant)
                self._enter(entries.Ordered(msgspec.structs.replace(order, entrant=entrant)))
            case orders.Replace(entrant=entrant):
                require_active(self._state, entrant.name)
                entrant = await described(entrant)
                await self._players.replace(entrant)
                self._enter(entries.Ordered(msgspec.structs.replace(order, entrant=entrant)))
            case orders.Withdraw(entrant=name):
                require_active(self._state, name)
                self._enter(entries.Ordered(order))
            case orders.Adjudicate():
                self._adjudicate(order)
            case orders.Pause() | orders.Resume():
                self._enter(entries.Ordered(order))
            case _:
                assert_never(order)

    def _adjudicate(self, order: orders.Adjudicate) -> None:
        named = {live.match_id: live.pairing.name for live in self._live.values()}
        pairing = pairing_for(self._state, named.get(order.match, order.match), order.ranks)
        live = self._live.get(pairing.name)
        order = msgspec.structs.replace(order, match=pairing.name)
        self._enter(entries.Ordered(order, match_id=live.match_id if live else ""))
        if live:
            live.task.cancel()


@dataclass(slots=True)
class _Live:
    """A match that is being played; its id is empty until the referee has told it."""

    pairing: Pairing
    task: asyncio.Task[None]
    match_id: str = ""


async def described(entrant: Entrant) -> Entrant:
    """Returns an entrant with the version of its bot.

    Raises:
        NoBotError: it is none.
    """
    if entrant.kind is not Kind.BOT or entrant.version:
        return entrant
    return replace(entrant, version=(await describe(entrant.bot)).version)


def time_control(clocks: Clocks) -> match_pb2.TimeControl | None:
    """Returns the limits of time; None if there is none."""
    control = match_pb2.TimeControl(
        move_limit_ms=clocks.move_limit_ms,
        bank_ms=clocks.bank_ms,
        increment_ms=clocks.increment_ms,
        margin_ms=clocks.margin_ms,
    )
    return control if clocks.move_limit_ms or clocks.bank_ms else None


def _seat(seat: match_pb2.SeatResult) -> SeatResult:
    return SeatResult(
        rank=seat.rank,
        score=seat.score if seat.HasField("score") else None,
        cause=match_pb2.Cause.Name(seat.cause).removeprefix("CAUSE_") if seat.cause else "",
    )
