"""The rules object of ArtSee."""

from collections.abc import Sequence
from typing import Final

from referee.core.game import Options, Outcome, Spec
from referee.core.options import checked
from referee.core.seeding import Random
from referee.games.artsee import (
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
from referee.games.artsee.events import ArtSeeEvent
from referee.games.artsee.parts import Parts
from referee.games.artsee.state import Phase, State
from referee.games.artsee.view import View


class ArtSee:
    """ArtSee by the rules of its book, see `core.game.Game` for the contract of each method."""

    def __init__(self, components: Parts | None = None) -> None:
        self.parts: Final = components or parts.load()
        source = self.parts.components
        self.spec: Final = Spec(
            name="artsee",
            title="ArtSee",
            rules_version="1",
            data_version=source.version,
            data_digest=source.digest,
            seats=tuple(sorted(self.parts.tables)),
            num_actions=self.parts.num_actions,
            max_legal_moves=self.parts.max_legal_moves,
            sources=source.sources,
        )

    def options(self, given: Options, seats: int) -> Options:
        return checked(given, {"start_seat": range(seats)}, {})

    def setup(self, options: Options, seats: int, seed: bytes) -> State:
        return setup.deal(self.parts, seats, options.get("start_seat"), seed)

    def to_act(self, state: State) -> Sequence[int]:
        if state.phase == Phase.VISIT:
            return [seat for seat, asked in enumerate(state.asked) if len(state.choices[seat]) < asked]
        return (state.turn,) if state.turn >= 0 else ()

    def legal_moves(self, state: State, seat: int) -> Sequence[int]:
        return legal.legal_moves(self.parts, state, seat)

    def check(self, state: State, seat: int, move: int) -> None:
        check.check(self.parts, state, seat, move)

    def describe(self, move: int) -> str:
        return self.parts.descriptions[move]

    def play(self, state: State, seat: int, move: int) -> list[ArtSeeEvent]:
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

    def encode_events(self, events: Sequence[ArtSeeEvent]) -> bytes:
        return codec.encode_events(events)

    def decode_events(self, packed: bytes) -> list[ArtSeeEvent]:
        return codec.decode_events(packed)


_copy = state.copy
