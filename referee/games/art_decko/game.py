"""The rules object of Art Decko."""

from collections.abc import Sequence
from typing import Final

from referee.core.game import Options, Outcome, Spec
from referee.core.options import checked
from referee.core.seeding import Random
from referee.games.art_decko import (
    autopilot,
    check,
    codec,
    determinize,
    legal,
    parts,
    scoring,
    setup,
    state,
    transition,
    view,
)
from referee.games.art_decko.events import ArtDeckoEvent
from referee.games.art_decko.parts import Parts
from referee.games.art_decko.state import NONE, State
from referee.games.art_decko.view import View

_DEFAULT_MAX_ROUNDS = 60
_HIGHEST_MAX_ROUNDS = 1000


class ArtDecko:
    """Art Decko by the rules of its book and by rulings, see `core.game.Game` for the contract of each method."""

    def __init__(self, components: Parts | None = None) -> None:
        self.parts: Final = components or parts.load()
        source = self.parts.components
        self.spec: Final = Spec(
            name="art_decko",
            title="Art Decko",
            rules_version="1",
            data_version=source.version,
            data_digest=source.digest,
            seats=tuple(sorted(self.parts.full)),
            num_actions=self.parts.num_actions,
            max_legal_moves=self.parts.max_legal_moves,
            sources=source.sources,
        )

    def options(self, given: Options, seats: int) -> Options:
        allowed = {"max_rounds": range(1, _HIGHEST_MAX_ROUNDS + 1), "start_seat": range(seats)}
        return checked(given, allowed, {"max_rounds": _DEFAULT_MAX_ROUNDS})

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        return setup.new_game(self.parts, seats, options["max_rounds"], options.get("start_seat"), seed)

    def to_act(self, state: State) -> Sequence[int]:
        return () if state.turn == NONE else (state.turn,)

    def legal_moves(self, state: State, seat: int) -> Sequence[int]:
        return legal.legal_moves(self.parts, state, seat)

    def check(self, state: State, seat: int, move: int) -> None:
        check.check(self.parts, state, seat, move)

    def describe(self, move: int) -> str:
        return self.parts.descriptions[move]

    def play(self, state: State, seat: int, move: int) -> list[ArtDeckoEvent]:
        return transition.play(self.parts, state, seat, move)

    def result(self, state: State) -> Outcome | None:
        return scoring.result(self.parts, state)

    def view(self, state: State, viewer: int | None) -> View:
        return view.view(self.parts, state, viewer)

    def determinize(self, view: View, rng: Random) -> State:
        return determinize.determinize(self.parts, view, rng)

    def autopilot(self, view: View, rng: Random) -> int:
        return autopilot.autopilot(self.parts, view, rng)

    def copy(self, state: State) -> State:
        return _copy(state)

    def encode(self, state: State) -> bytes:
        return codec.encode(state)

    def decode(self, packed: bytes) -> State:
        return codec.decode(packed)

    def encode_events(self, events: Sequence[ArtDeckoEvent]) -> bytes:
        return codec.encode_events(events)

    def decode_events(self, packed: bytes) -> list[ArtDeckoEvent]:
        return codec.decode_events(packed)


_copy = state.copy
