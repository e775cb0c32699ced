"""States and events as bytes: one positional MessagePack tuple, headed by the version of its layout."""

from dataclasses import fields
from typing import Any, get_type_hints

import msgspec

from referee.games.classic_art.events import ClassicArtEvent
from referee.games.classic_art.state import State

_LAYOUT = 1
_NAMES = tuple(field.name for field in fields(State))
_TYPES = tuple(get_type_hints(State)[name] for name in _NAMES)

_encoder = msgspec.msgpack.Encoder()
_states: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(tuple[(int, *_TYPES)])  # type: ignore[misc]
_events = msgspec.msgpack.Decoder(list[ClassicArtEvent])


def encode(state: State) -> bytes:
    """Packs a state."""
    return _encoder.encode((_LAYOUT, *(getattr(state, name) for name in _NAMES)))


def decode(packed: bytes) -> State:
    """Unpacks a state.

    Raises:
        ValueError: not a state of this layout.
    """
    layout, *values = _states.decode(packed)
    if layout != _LAYOUT:
        raise ValueError(f"a Classic Art state of layout {layout}, expected {_LAYOUT}")
    return State(*values)


def encode_events(events: list[ClassicArtEvent]) -> bytes:
    """Packs events."""
    return _encoder.encode(events)


def decode_events(packed: bytes) -> list[ClassicArtEvent]:
    """Unpacks events.

    Raises:
        ValueError: not events of this ruleset.
    """
    return _events.decode(packed)
