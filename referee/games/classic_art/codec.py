"""States and events as bytes: one positional MessagePack tuple, headed by the version of its layout."""

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter

import msgspec

from referee.games.classic_art.events import ClassicArtEvent
from referee.games.classic_art.state import State

_LAYOUT = 1
_fields = attrgetter(*(field.name for field in fields(State)))
_Packed = tuple[
    int,  # layout
    bytes,  # seed
    int,  # seats
    int,  # max_seasons
    bool,  # capped
    int,  # season
    int,  # first
    int,  # phase
    int,  # turn
    int,  # turns_left
    bytearray,  # hands
    bytearray,  # deck
    bytes,  # house
    bytearray,  # played
    list[int],  # net
    bytearray,  # board
    bytearray,  # available
    bytearray,  # lost
    bytearray,  # doubled
    bytearray,  # prestige
    bytearray,  # chosen
]

_encoder = msgspec.msgpack.Encoder()
_states = msgspec.msgpack.Decoder(_Packed)
_events = msgspec.msgpack.Decoder(list[ClassicArtEvent])


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
        raise ValueError(f"a Classic Art state of layout {values[0]}, expected {_LAYOUT}")
    return State(*values[1:])


def encode_events(events: Sequence[ClassicArtEvent]) -> bytes:
    """Packs events."""
    return _encoder.encode(events)


def decode_events(packed: bytes) -> list[ClassicArtEvent]:
    """Unpacks events.

    Raises:
        ValueError: not events of this ruleset.
    """
    return _events.decode(packed)
