"""The entries of a tournament's journal."""

import msgspec

from clients.tournament.orders import Order
from clients.tournament.pairing import Round
from clients.tournament.plan import Plan
from clients.tournament.results import SeatResult


class Begun(msgspec.Struct, frozen=True, tag="begun"):
    """The tournament has begun: always the first entry.

    Attributes:
        tournament: 16 characters that keep its matches apart from those of all others.
        plan: what is wanted.
        time_ms: when, in ms since 1970 by the director's clock, as all times here.
        processes: how many processes share the matches of an entrant.
    """

    tournament: str
    plan: Plan
    time_ms: int
    processes: int = 1


class Resumed(msgspec.Struct, frozen=True, tag="resumed"):
    """A director has taken over."""

    time_ms: int


class Drawn(msgspec.Struct, frozen=True, tag="drawn"):
    """It is decided who meets whom in the next round."""

    round: Round


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """A match has ended; fields as in `Played`."""

    pairing: str
    match_id: str
    seats: tuple[SeatResult, ...]
    reason: str
    began_ms: int
    ended_ms: int


class Voided(msgspec.Struct, frozen=True, tag="voided"):
    """A match came to nothing through no fault of its players; it is played again as another."""

    pairing: str
    match_id: str
    why: str


class Cancelled(msgspec.Struct, frozen=True, tag="cancelled"):
    """A pairing will not be played; its group does not count."""

    pairing: str
    why: str


class Recorded(msgspec.Struct, frozen=True, tag="recorded"):
    """The records of a deal are in the records file.

    Attributes:
        round: the number of the round.
        deal: the name of the deal.
        size: how long the file is with them, in bytes.
    """

    round: int
    deal: str
    size: int


class Ordered(msgspec.Struct, frozen=True, tag="ordered"):
    """An order of the organisers was heeded.

    Attributes:
        order: which.
        refusal: why it was not; empty if it was.
        match_id: of an adjudicated match that had begun and not ended.
    """

    order: Order
    refusal: str = ""
    match_id: str = ""


class Crashed(msgspec.Struct, frozen=True, tag="crashed"):
    """The process of an entrant ended before its time."""

    entrant: str
    text: str
    time_ms: int


class Closed(msgspec.Struct, frozen=True, tag="closed"):
    """Nothing is left to be played."""

    time_ms: int


Entry = Begun | Resumed | Drawn | Ended | Voided | Cancelled | Recorded | Ordered | Crashed | Closed
