"""Worlds of Art Decko.

Hidden from a viewer are the other hands but for what is known to be kept, the order of every deck, its own too, the
order of the paintings and of the 3-gold stack, and the seed.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Final

from artreferee.v1 import art_decko_pb2 as pb
from artreferee.v1 import match_pb2, ruleset_pb2
from referee.core.game import Options
from referee.games.art_decko.events import BankRefilled, CardsSeen, DeckShuffled, GalleriesFilled
from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.state import Phase, State
from referee.table.snapshot import Entry
from tests.api.worlds import Case, Refused, Rules
from tests.games.art_decko.moves import DONE, IDS, KINDS, MOVES
from tests.games.art_decko.policy import Character
from tests.games.art_decko.redeal import redealt

GAME: Final = ArtDecko()
CHANCES: Final = {
    Phase.ACTION: 0.03,
    Phase.INVITATION: 0.3,
    Phase.PAYMENT: 0.06,
    Phase.PROMOTE: 0.9,
    Phase.DEACCESSION: 0.9,
    Phase.DISCARD: 0.03,
    Phase.DISCARDING: 0.03,
    Phase.OVER: 0.0,
}
_WORDS: Final = {Phase.ACTION: "haggle", Phase.PAYMENT: "pay", Phase.DEACCESSION: "remove"}


class ArtDeckoRules(Rules):
    """The rarer steps of a turn come more often."""

    game = GAME
    options: ClassVar[Options] = {"max_rounds": 20}
    phases = Phase
    some_move = IDS[DONE]
    seals = False
    illegal_rules = frozenset({"WRONG_STEP", "CARD_NOT_HELD"})
    rare = frozenset(
        f"quiet {phase} of {whose}"
        for phase in ("INVITATION", "PROMOTE", "DEACCESSION")
        for whose in ("the viewer", "another")
    )

    def player(self, seats: int, rng: random.Random) -> Callable[[Any, int], int]:
        characters = [Character(rng) for _ in range(seats)]

        def choose(state: State, seat: int) -> int:
            return IDS[characters[seat].choose([MOVES[move] for move in GAME.legal_moves(state, seat)])]

        return choose

    def chance(self, state: State) -> float:
        return CHANCES[Phase(state.phase)] * 2 / state.seats

    def due(self, state: State) -> list[int]:
        return [] if state.phase == Phase.OVER else [state.turn]

    def redealt(self, state: State, viewer: int | None, rng: random.Random) -> State:
        return redealt(GAME, state, viewer, rng)

    def retold(
        self, entries: Sequence[Entry], twin: State, viewer: int | None, rng: random.Random
    ) -> list[tuple[int, list[Any]]]:
        """Others drew other cards."""
        told = []
        for entry in entries:
            events = list[Any]()
            for event in GAME.decode_events(entry.events):
                if isinstance(event, CardsSeen) and event.audience != viewer:
                    drawn = sorted(rng.randrange(len(KINDS)) for _ in event.kinds)
                    events.append(CardsSeen(event.audience, bytes(drawn)))
                else:
                    events.append(event)
            told.append((entry.move, events))
        return told

    def malformed(self) -> ruleset_pb2.Move:
        return ruleset_pb2.Move(art_decko=pb.ArtDeckoMove(haggle=pb.ArtDeckoHaggle()))

    def illegal(self, state: State, viewer: int, rng: random.Random) -> Iterator[Refused]:
        discarding = state.phase in (Phase.DISCARD, Phase.DISCARDING)
        other_step = IDS[("promote", "GOLD")] if discarding else IDS[DONE]
        yield Refused("WRONG_STEP", match_pb2.MoveChoice(id=other_step))
        word = "discard" if discarding else _WORDS.get(Phase(state.phase))
        if word:
            hand = state.hands[viewer * len(KINDS) : (viewer + 1) * len(KINDS)]
            missing = rng.choice([card for card, held in zip(KINDS, hand, strict=True) if not held])
            move = next(number for number, move in enumerate(MOVES) if move == (word, missing))
            yield Refused("CARD_NOT_HELD", match_pb2.MoveChoice(id=move))

    def quiet_move(self, case: Case, rng: random.Random) -> tuple[int, tuple[int, int]] | None:
        state, twin = case.states
        if state.phase == Phase.OVER:
            return None
        seat = state.turn
        common = sorted(set(GAME.legal_moves(state, seat)) & set(GAME.legal_moves(twin, seat)))
        for move in rng.sample(common, min(len(common), 5)):
            if all(_stays_quiet(world, case, move) for world in case.states):
                return seat, (move, move)
        return None

    def quiet_phases(self, seats: int) -> set[str]:
        return {"ACTION", "PAYMENT", "DISCARD", "DISCARDING"}


def _stays_quiet(state: State, case: Case, move: int) -> bool:
    """Whether the viewer sees no hidden card; the autopilot draws from the seed what it chooses."""
    after = GAME.copy(state)
    for event in GAME.play(after, state.turn, move):
        if isinstance(event, BankRefilled | GalleriesFilled | DeckShuffled):
            return False
        if isinstance(event, CardsSeen) and event.audience == case.viewer:
            return False
    return after.turn not in case.out
