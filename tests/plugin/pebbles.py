"""Pebbles, a ruleset that the project knows nothing of: its own module, its messages well-known types in `Any`.

Each seat hides 1 to 3 pebbles. In turn they take 1 to 3 from a pile of 9. When it is empty, the hidden pebbles count
with the taken ones, and most pebbles win.
"""

import json
from dataclasses import astuple, dataclass
from typing import Any, ClassVar

from google.protobuf import any_pb2, wrappers_pb2
from google.protobuf.message import DecodeError, Message

from artreferee.v1 import ruleset_pb2
from referee.core.errors import IllegalMoveError, InvalidOptionError, MalformedMoveError
from referee.core.game import AnyGame, Options, Outcome, Spec
from referee.core.ranking import ranks
from referee.core.seeding import Random, Stream

PILE = 9


@dataclass
class Pile:
    seed: str
    hidden: list[int]
    taken: list[int]
    left: int
    turn: int


@dataclass
class Taken:
    audience: ClassVar[None] = None
    reveals: ClassVar[bool] = False
    seat: int
    pebbles: int


class Pebbles:
    spec = Spec("pebbles", "Pebbles", "1", "1", bytes(32), (2, 3), 3, 3, ())

    def options(self, given: Options, seats: int) -> Options:
        for option in given:
            raise InvalidOptionError(option, "is unknown; there are no options")
        return given

    def setup(self, options: Options, seats: int, seed: bytes) -> Pile:
        stream = Stream(seed, "hide")
        return Pile(seed.hex(), [stream.randrange(3) + 1 for _ in range(seats)], [0] * seats, PILE, 0)

    def to_act(self, state: Pile) -> list[int]:
        return [state.turn] if state.left else []

    def legal_moves(self, state: Pile, seat: int) -> list[int]:
        return list(range(min(3, state.left)))

    def check(self, state: Pile, seat: int, move: int) -> None:
        if move + 1 > state.left:
            raise IllegalMoveError("PILE_TOO_SMALL", f"{state.left} pebbles are left, not {move + 1}")

    def describe(self, move: int) -> str:
        return f"take {move + 1}"

    def play(self, state: Pile, seat: int, move: int) -> list[Taken]:
        state.left -= move + 1
        state.taken[seat] += move + 1
        state.turn = (seat + 1) % len(state.taken)
        return [Taken(seat, move + 1)]

    def result(self, state: Pile) -> Outcome | None:
        if state.left:
            return None
        scores = tuple(hidden + taken for hidden, taken in zip(state.hidden, state.taken, strict=True))
        return Outcome(scores, ranks(scores), "COMPLETED")

    def view(self, state: Pile, viewer: int | None) -> dict[str, Any]:
        own = None if viewer is None else state.hidden[viewer]
        return {"seat": viewer, "own": own, "taken": state.taken[:], "left": state.left, "turn": state.turn}

    def determinize(self, view: dict[str, Any], rng: Random) -> Pile:
        hidden = [rng.randrange(3) + 1 for _ in view["taken"]]
        if view["seat"] is not None:
            hidden[view["seat"]] = view["own"]
        return Pile(rng.randbytes(32).hex(), hidden, view["taken"][:], view["left"], view["turn"])

    def autopilot(self, view: dict[str, Any], rng: Random) -> int:
        return 0

    def copy(self, state: Pile) -> Pile:
        return self.decode(self.encode(state))

    def encode(self, state: Pile) -> bytes:
        return json.dumps(astuple(state)).encode()

    def decode(self, packed: bytes) -> Pile:
        return Pile(*json.loads(packed))

    def encode_events(self, events: list[Taken]) -> bytes:
        return json.dumps([astuple(event) for event in events]).encode()

    def decode_events(self, packed: bytes) -> list[Taken]:
        return [Taken(*fields) for fields in json.loads(packed)]


class PebblesWire:
    plugin_move = wrappers_pb2.UInt32Value.DESCRIPTOR.full_name

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def options_from(self, message: ruleset_pb2.Options) -> Options:
        if message.WhichOneof("ruleset") is not None:
            raise InvalidOptionError("options", "are not for pebbles, which has none")
        return {}

    def options(self, options: Options) -> ruleset_pb2.Options:
        return ruleset_pb2.Options()

    def move_from(self, message: ruleset_pb2.Move) -> int:
        pebbles = wrappers_pb2.UInt32Value()
        try:
            read = message.plugin.Unpack(pebbles)
        except DecodeError:
            read = False
        if not read or not 1 <= pebbles.value <= 3:
            raise MalformedMoveError("does not take 1 to 3 pebbles")
        return pebbles.value - 1

    def move(self, move: int) -> ruleset_pb2.Move:
        return ruleset_pb2.Move(plugin=_packed(wrappers_pb2.UInt32Value(value=move + 1)))

    def event(self, event: Taken) -> ruleset_pb2.GameEvent:
        text = f"seat {event.seat} takes {event.pebbles}"
        return ruleset_pb2.GameEvent(plugin=_packed(wrappers_pb2.StringValue(value=text)))

    def view(self, view: dict[str, Any]) -> ruleset_pb2.View:
        text = json.dumps(view, sort_keys=True)
        return ruleset_pb2.View(plugin=_packed(wrappers_pb2.StringValue(value=text)))

    def packed_view(self, view: dict[str, Any]) -> bytes:
        return self.view(view).SerializeToString()

    def view_from(self, message: ruleset_pb2.View) -> dict[str, Any]:
        text = wrappers_pb2.StringValue()
        message.plugin.Unpack(text)
        view: dict[str, Any] = json.loads(text.value)
        return view


def _packed(message: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed
