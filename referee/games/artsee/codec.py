"""States and events as bytes: one positional MessagePack tuple, headed by the version of its layout."""

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter

import msgspec

from referee.games.artsee.events import ArtSeeEvent
from referee.games.artsee.state import State

_LAYOUT = 1
_fields = attrgetter(*(field.name for field in fields(State)))
_Packed = tuple[
    int,  # layout
    bytes,  # seed
    int,  # seats
    int,  # first
    int,  # phase
    int,  # turn
    int,  # column
    int,  # earned
    list[bytes],  # piles
    list[bytes],  # hands
    list[tuple[bytes, ...]],  # galleries
    list[bytes],  # visitors
    list[bytes],  # slots
    bytearray,  # supplies
    list[int],  # prestige
    bytes,  # asked
    list[bytes],  # choices
]

_encoder = msgspec.msgpack.Encoder()
_states = msgspec.msgpack.Decoder(_Packed)
_events = msgspec.msgpack.Decoder(list[ArtSeeEvent])


def encode(state: State) -> bytes:
    """Packs a state."""
    return _encoder.encode((_LAYOUT, *_fields(state)))


def decode(packed: bytes) -> State:
    """Unpacks a state.

    Raises:
        ValueError: not a state of this layout.
    """
    values = _states.decode(packed)
    if values[0] != _LAYOUT:
        raise ValueError(f"an ArtSee state of layout {values[0]}, expected {_LAYOUT}")
    return State(*values[1:])


def encode_events(events: Sequence[ArtSeeEvent]) -> bytes:
    """Packs events."""
    return _encoder.encode(events)


def decode_events(packed: bytes) -> list[ArtSeeEvent]:
    """Unpacks events.

    Raises:
        ValueError: not events of this ruleset.
    """
    return _events.decode(packed)
