"""States and events as bytes: one positional MessagePack tuple, headed by the version of its layout."""

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter

import msgspec

from referee.games.art_decko.events import ArtDeckoEvent
from referee.games.art_decko.state import State

_LAYOUT = 1
_values = attrgetter(*(field.name for field in fields(State)))
_Packed = tuple[
    int,  # layout
    bytes,  # seed
    int,  # seats
    int,  # max_rounds
    bool,  # capped
    bool,  # last_round
    int,  # round
    int,  # first
    int,  # phase
    int,  # turn
    int,  # actions
    int,  # used
    int,  # discounts
    bool,  # invited
    int,  # buying
    int,  # painting
    int,  # due
    int,  # least
    int,  # floor
    bytearray,  # hands
    bytearray,  # kept
    bytearray,  # pool
    list[bytes],  # decks
    bytearray,  # discards
    list[int],  # shuffles
    bytearray,  # aside
    bytearray,  # removed
    bytearray,  # galleries
    bytearray,  # costs
    bytes,  # supply
    bytes,  # paintings
    bytearray,  # bank
    bytes,  # stack
    int,  # fives
    bytearray,  # market
    bytearray,  # museum
    bytearray,  # markers
    bytes,  # tiles
    list[int],  # vp
    bytearray,  # ribbons
]

_encoder = msgspec.msgpack.Encoder()
_states = msgspec.msgpack.Decoder(_Packed)
_events = msgspec.msgpack.Decoder(list[ArtDeckoEvent])


def encode(state: State) -> bytes:
    """Packs a state."""
    return _encoder.encode((_LAYOUT, *_values(state)))


def decode(packed: bytes) -> State:
    """Unpacks a state.

    Raises:
        ValueError: not a state of this layout.
    """
    values = _states.decode(packed)
    if values[0] != _LAYOUT:
        raise ValueError(f"an Art Decko state of layout {values[0]}, expected {_LAYOUT}")
    return State(*values[1:])


def encode_events(events: Sequence[ArtDeckoEvent]) -> bytes:
    """Packs events."""
    return _encoder.encode(events)


def decode_events(packed: bytes) -> list[ArtDeckoEvent]:
    """Unpacks events.

    Raises:
        ValueError: not events of this ruleset.
    """
    return _events.decode(packed)
