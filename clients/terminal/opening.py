"""How a match comes onto the table: a referee, a seat at it, and bots at others."""

import getpass
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final
from unicodedata import normalize

import msgspec

from artreferee.v1 import error_pb2, match_pb2, ruleset_pb2, service_pb2
from clients.local import local_referee
from clients.sdk import CallError, Principal, RefereeClient, Tls
from clients.terminal.opponents import opponents_at
from clients.terminal.saved import Folder, Opponent, SavedMatch
from referee.wire import wires

_ANY_PORT: Final = "127.0.0.1:0"
_LONGEST_NAME: Final = 32
_WITHIN_S: Final = 10.0  # somebody waits for it; what is sent in a match is repeated until it arrives


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match to be created, with the first seat for whoever creates it.

    Attributes:
        ruleset: what is played.
        name: whoever creates it.
        opponents: the bots that this machine plays.
        open_seats: how many seats others are to take.
        options: those of the ruleset that are not left as usual.
        private: whether it is hidden from all who do not play.
        time_control: how long seats may think.
        fault_policy: what is borne of seats.
        address: HOST:PORT of the referee; None for one of the terminal's own.
        tls: how TLS is spoken with it.
        principal: who creates it.
    """

    ruleset: str
    name: str
    opponents: Sequence[str] = ()
    open_seats: int = 0
    options: Mapping[str, int] = field(default_factory=dict)
    private: bool = False
    time_control: match_pb2.TimeControl | None = None
    fault_policy: match_pb2.FaultPolicy | None = None
    address: str | None = None
    tls: Tls | None = None
    principal: Principal = field(default_factory=Principal.new)


class Table:
    """What is open while a terminal plays: the referee, the connection of the player, and bots.

    Attributes:
        client: the connection.
        match: the match that is played now.
    """

    def __init__(self, client: RefereeClient, match: SavedMatch, folder: Folder) -> None:
        self.client: Final = client
        self.match = match
        self._folder: Final = folder

    @property
    def invitation(self) -> str:
        """The command by which others sit down."""
        return f"curator play --match {self.match.match_id} --referee {self.match.address}"

    async def play_again(self) -> None:
        """Creates another match of the same kind, which takes the place of this one; only for whoever created this one.

        Raises:
            CallError: the referee refuses.
        """
        before = await self.client.get_match(self.match.match_id, self.match.seat, match_pb2.DETAIL_NONE)
        request = service_pb2.CreateMatchRequest(
            ruleset=before.ruleset,
            seats=[
                service_pb2.SeatRequest(display_name=seat.display_name, entrant=_entrant(seat), principal_hash=holder)
                for seat, holder in zip_longest(before.seats, self._holders())
            ],
            options=_options(before.ruleset, self.match.options),
            visibility=before.visibility,
            time_control=before.time_control if before.HasField("time_control") else None,
            fault_policy=before.fault_policy if before.HasField("fault_policy") else None,
        )
        created = await self.client.create_match(request)
        self.match = msgspec.structs.replace(self.match, match_id=created.match_id)
        self._folder.save(self.match)

    def _holders(self) -> list[bytes]:
        """Who holds the first seats; the others are open."""
        return [self.client.principal.hash, *(each.principal.hash for each in self.match.opponents)]


def _entrant(seat: match_pb2.Seat) -> match_pb2.Entrant | None:
    return seat.entrant if seat.HasField("entrant") else None


@asynccontextmanager
async def begun(new: NewMatch, folder: Folder) -> AsyncIterator[Table]:
    """Creates a match, and has it on the table for a block.

    Raises:
        CallError: the referee refuses.
        LocalRefereeError: there is none.
        OpponentError: a bot does not play.
    """
    opponents = tuple(Opponent(bot, Principal.new()) for bot in new.opponents)
    async with AsyncExitStack() as stack:
        address = new.address
        if address is None:
            address = await stack.enter_async_context(_own_referee(folder, _ANY_PORT))
        client = await stack.enter_async_context(
            RefereeClient(address, new.principal, timeout_s=_WITHIN_S, tls=new.tls)
        )
        created = await client.create_match(_request(new, opponents))
        match = SavedMatch(
            ruleset=new.ruleset,
            match_id=created.match_id,
            seat=0,
            principal=new.principal,
            address=address,
            own=new.address is None,
            opponents=opponents,
            hosted=True,
            tls=new.tls,
            options=dict(new.options),
        )
        folder.save(match)
        await stack.enter_async_context(opponents_at(address, new.tls, opponents, folder.path / "bots.log"))
        yield Table(client, match, folder)


@asynccontextmanager
async def resumed(match: SavedMatch, folder: Folder) -> AsyncIterator[Table]:
    """Has a match on the table again for a block.

    Raises:
        LocalRefereeError: its referee does not start.
        OpponentError: a bot does not play.
    """
    async with AsyncExitStack() as stack:
        if match.own:
            address = await stack.enter_async_context(_own_referee(folder, _if_free(match.address)))
            match = msgspec.structs.replace(match, address=address)
            folder.save(match)
        client = await stack.enter_async_context(
            RefereeClient(match.address, match.principal, timeout_s=_WITHIN_S, tls=match.tls)
        )
        bots = opponents_at(match.address, match.tls, match.opponents, folder.path / "bots.log")
        await stack.enter_async_context(bots)
        yield Table(client, match, folder)


@asynccontextmanager
async def joined(
    match_id: str, seat: int | None, name: str, address: str, tls: Tls | None, principal: Principal, folder: Folder
) -> AsyncIterator[Table]:
    """Takes a seat of a match, or the one that the principal holds, and has the match on the table for a block.

    Raises:
        CallError: there is no seat to be had.
    """
    async with RefereeClient(address, principal, timeout_s=_WITHIN_S, tls=tls) as client:
        found = await _seat_of(client, match_id, seat)
        if found is None:
            request = service_pb2.JoinMatchRequest(match_id=match_id, seat=seat, display_name=name)
            found = (await client.join_match(request)).seat
        ruleset = (await client.get_match(match_id, found, match_pb2.DETAIL_NONE)).ruleset
        match = SavedMatch(ruleset, match_id, found, principal, address, own=False, tls=tls)
        folder.save(match)
        yield Table(client, match, folder)


async def _seat_of(client: RefereeClient, match_id: str, seat: int | None) -> int | None:
    """Returns the seat that the caller holds already, if it holds one."""
    try:
        match = await client.get_match(match_id, seat, match_pb2.DETAIL_NONE)
    except CallError as error:
        if error.reason == error_pb2.ERROR_REASON_NOT_PERMITTED and seat is not None:
            return None  # somebody else's, or open
        raise
    return match.viewer_seat if match.HasField("viewer_seat") else None


def usual_name() -> str:
    """Returns what a player is called who does not say so: the name of the account, as far as a referee takes it."""
    try:
        account = getpass.getuser()
    except OSError:
        account = ""
    return "".join(filter(str.isprintable, normalize("NFC", account)))[:_LONGEST_NAME]


def _request(new: NewMatch, opponents: Sequence[Opponent]) -> service_pb2.CreateMatchRequest:
    return service_pb2.CreateMatchRequest(
        ruleset=new.ruleset,
        seats=[
            service_pb2.SeatRequest(principal_hash=new.principal.hash, display_name=new.name),
            *(
                service_pb2.SeatRequest(principal_hash=each.principal.hash, display_name=name)
                for each, name in zip(opponents, _names(new.opponents), strict=True)
            ),
            *(service_pb2.SeatRequest() for _ in range(new.open_seats)),
        ],
        options=_options(new.ruleset, new.options),
        visibility=match_pb2.VISIBILITY_PRIVATE if new.private else match_pb2.VISIBILITY_UNLISTED,
        time_control=new.time_control,
        fault_policy=new.fault_policy,
    )


def _options(ruleset: str, stated: Mapping[str, int]) -> ruleset_pb2.Options | None:
    return wires()[ruleset].options(stated) if stated else None


def _names(bots: Sequence[str]) -> list[str]:
    """What bots are called: several of one name bear a number too."""
    short = [bot.rpartition(":")[2][: _LONGEST_NAME - 3] for bot in bots]
    return [
        f"{name} {short[: place + 1].count(name)}" if short.count(name) > 1 else name
        for place, name in enumerate(short)
    ]


@asynccontextmanager
async def _own_referee(folder: Folder, listen: str) -> AsyncIterator[str]:
    async with local_referee(folder.path / "data", folder.path / "referee.log", listen) as address:
        yield address


def _if_free(address: str) -> str:
    """Returns an address at which others may still look for the referee; with any port if it is taken now."""
    host, _, port = address.rpartition(":")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, int(port)))
        except OSError:
            return _ANY_PORT
    return address
