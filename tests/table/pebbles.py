"""A ruleset for tests of the table, with one of everything: turns of several steps, a reveal, a sealed choice.

A round: seat by seat takes 0 to 2 pebbles, then keeps them or draws one more unseen; who draws sees it and puts it low
(worth nothing) or high (worth its value). Then all seats bid 0 to 2 at the same time, sealed until the last has bid.
After the last round the greatest total wins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from referee.core.errors import IllegalMoveError, InvalidOptionError
from referee.core.game import Options, Outcome, Spec
from referee.core.ranking import ranks
from referee.core.seeding import Random, Stream

TAKE_0, TAKE_1, TAKE_2, KEEP, DRAW, PUT_LOW, PUT_HIGH, BID_0, BID_1, BID_2 = range(10)
NUM_ACTIONS: Final = 10
NONE: Final = -1
TAKE, LOOK, PUT, BID, OVER = range(5)
STEPS: Final = {
    TAKE: (TAKE_0, TAKE_1, TAKE_2),
    LOOK: (KEEP, DRAW),
    PUT: (PUT_LOW, PUT_HIGH),
    BID: (BID_0, BID_1, BID_2),
    OVER: (),
}


class Happened(msgspec.Struct, array_like=True, frozen=True):
    """An event: what a seat did, who may know of it, and whether somebody may learn something hidden from it."""

    what: str
    seat: int
    value: int
    audience: int | None = None
    reveals: bool = False


class State(msgspec.Struct, array_like=True):
    """A position; `bids` are `NONE` until they are made, `drawn` is what the seat on turn has drawn."""

    seed: bytes
    rounds: int
    round: int
    step: int
    turn: int
    drawn: int
    totals: list[int]
    bids: list[int]


@dataclass(frozen=True)
class View:
    """What a seat may know; `drawn` and `bid` are its own."""

    viewer: int | None
    step: int
    turn: int
    totals: tuple[int, ...]
    drawn: int
    bid: int


_encoder = msgspec.msgpack.Encoder()
_states = msgspec.msgpack.Decoder(State)
_events = msgspec.msgpack.Decoder(list[Happened])


class Pebbles:
    """See `core.game.Game`."""

    def __init__(self, rules_version: str = "1") -> None:
        self.spec: Final = Spec(
            name="pebbles",
            title="Pebbles",
            rules_version=rules_version,
            data_version="1",
            data_digest=bytes(32),
            seats=(2, 3, 4),
            num_actions=NUM_ACTIONS,
            max_legal_moves=3,
            sources=(),
        )

    def options(self, given: Options, seats: int) -> Options:
        options = {"rounds": 2, **given}
        for option, value in options.items():
            if option != "rounds":
                raise InvalidOptionError(option, "is unknown")
            if not 1 <= value <= 100:
                raise InvalidOptionError(option, f"is {value}, expected 1 to 100")
        return options

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        return State(seed, options["rounds"], 1, TAKE, 0, NONE, [0] * seats, [NONE] * seats)

    def to_act(self, state: State) -> Sequence[int]:
        if state.step == BID:
            return [seat for seat, bid in enumerate(state.bids) if bid == NONE]
        return [] if state.step == OVER else [state.turn]

    def legal_moves(self, state: State, seat: int) -> Sequence[int]:
        return STEPS[state.step]

    def check(self, state: State, seat: int, move: int) -> None:
        if move not in STEPS[state.step]:
            raise IllegalMoveError("WRONG_STEP", f"step {state.step} does not ask for it")

    def describe(self, move: int) -> str:
        return f"move {move}"

    def play(self, state: State, seat: int, move: int) -> list[Happened]:
        if state.step == TAKE:
            state.totals[seat] += move
            state.step = LOOK
            return [Happened("took", seat, move)]
        if state.step == BID:
            return self._bid(state, seat, move - BID_0)
        if move == DRAW:
            state.drawn = Stream(state.seed, "draw", state.round, seat).randrange(10)
            state.step = PUT
            return [Happened("drew", seat, 0), Happened("saw", seat, state.drawn, seat, reveals=True)]
        if move == PUT_HIGH:
            state.totals[seat] += state.drawn
        state.drawn = NONE
        state.turn = (seat + 1) % len(state.totals)
        state.step = TAKE if state.turn else BID
        return [Happened("ended", seat, move)]

    def _bid(self, state: State, seat: int, bid: int) -> list[Happened]:
        state.bids[seat] = bid
        events = [Happened("committed", seat, 0), Happened("chose", seat, bid, seat)]
        if NONE in state.bids:
            return events
        for bidder, pebbles in enumerate(state.bids):
            state.totals[bidder] += pebbles
            events.append(Happened("bid", bidder, pebbles, reveals=True))
        state.bids = [NONE] * len(state.totals)
        state.round += 1
        state.step = TAKE if state.round <= state.rounds else OVER
        return events

    def result(self, state: State) -> Outcome | None:
        if state.step != OVER:
            return None
        return Outcome(tuple(state.totals), ranks(state.totals), "COMPLETED")

    def view(self, state: State, viewer: int | None) -> View:
        drawn = state.drawn if viewer == state.turn else NONE
        bid = NONE if viewer is None else state.bids[viewer]
        return View(viewer, state.step, state.turn, tuple(state.totals), drawn, bid)

    def determinize(self, view: View, rng: Random) -> State:
        raise AssertionError("the table never asks for it")

    def autopilot(self, view: View, rng: Random) -> int:
        passive = {TAKE: TAKE_0 + rng.randrange(3), LOOK: KEEP, PUT: PUT_LOW, BID: BID_0 + rng.randrange(3)}
        return passive[view.step]

    def copy(self, state: State) -> State:
        return self.decode(self.encode(state))

    def encode(self, state: State) -> bytes:
        return _encoder.encode(state)

    def decode(self, packed: bytes) -> State:
        return _states.decode(packed)

    def encode_events(self, events: Sequence[Happened]) -> bytes:
        return _encoder.encode(events)

    def decode_events(self, packed: bytes) -> list[Happened]:
        return _events.decode(packed)
