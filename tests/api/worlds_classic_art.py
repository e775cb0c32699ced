"""Worlds of Classic Art.

Hidden from a viewer are the other hands, the order and content of House and deck, the third cards that others
discarded, what others have chosen until the reveal, and the seed.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Final

from artreferee.v1 import classic_art_pb2 as pb
from artreferee.v1 import match_pb2, ruleset_pb2
from referee.core.game import Options
from referee.games.classic_art.events import CardsChosen
from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.state import Phase, State
from referee.table.snapshot import Entry
from tests.api.worlds import Case, Position, Refused, Rules
from tests.games.classic_art.moves import IDS, KINDS, MOVES, PASS

GAME: Final = ClassicArt()


class ClassicArtRules(Rules):
    """Positions where choices are or will be sealed come more often."""

    game = GAME
    options: ClassVar[Options] = {"max_seasons": 3}
    phases = Phase
    some_move = PASS
    illegal_rules = frozenset({"WRONG_STEP", "CARDS_NOT_HELD", "SPACE_OCCUPIED"})

    def player(self, seats: int, rng: random.Random) -> Callable[[Any, int], int]:
        return lambda state, seat: rng.choice(GAME.legal_moves(state, seat))

    def chance(self, state: State) -> float:
        sealing = state.phase == Phase.FINAL or (state.phase == Phase.PREDICT and state.turns_left == 1)
        return 0.2 if sealing else 0.12 if state.phase == Phase.SETUP else 0.06

    def due(self, state: State) -> list[int]:
        return due(state)

    def sealed(self, state: State) -> bool:
        return any(state.chosen)

    def redealt(self, state: State, viewer: int | None, rng: random.Random) -> State:
        return redealt(state, viewer, rng)

    def retold(
        self, entries: Sequence[Entry], twin: State, viewer: int | None, rng: random.Random
    ) -> list[tuple[int, list[Any]]]:
        return retold(entries, twin, viewer, rng)

    def malformed(self) -> ruleset_pb2.Move:
        placed = pb.ClassicArtPlacePrediction(
            category=pb.CLASSIC_ART_CATEGORY_PORTRAIT, space=pb.CLASSIC_ART_SPACE_AT_LEAST_8, tokens=3
        )
        return ruleset_pb2.Move(classic_art=pb.ClassicArtMove(place_prediction=placed))

    def illegal(self, state: State, viewer: int, rng: random.Random) -> Iterator[Refused]:
        if state.phase in (Phase.PLAY, Phase.FINAL):
            yield Refused("WRONG_STEP", match_pb2.MoveChoice(id=PASS))
            hand = hand_of(state, viewer)
            missing = rng.choice([kind for kind in range(10) if kind not in hand])
            yield Refused("CARDS_NOT_HELD", match_pb2.MoveChoice(id=pair_id([missing, rng.choice(hand)])))
            return
        yield Refused("WRONG_STEP", match_pb2.MoveChoice(id=pair_id([0, 2])))
        occupied = [space for space in range(40) if state.board[space]]
        if occupied:
            yield Refused("SPACE_OCCUPIED", match_pb2.MoveChoice(id=PASS + 1 + 2 * rng.choice(occupied)))

    def quiet_move(self, case: Case, rng: random.Random) -> tuple[int, tuple[int, int]] | None:
        return quiet_move(case, rng)

    def quiet_phases(self, seats: int) -> set[str]:
        return {"SETUP", "PREDICT", "FINAL"} | ({"PLAY"} if seats > 2 else set())


def positions(seats: int, number: int, often: float = 1) -> Iterator[Position]:
    """Some positions of a random match."""
    return ClassicArtRules().positions(seats, number, often)


def due(state: State) -> list[int]:
    """The seats that must choose."""
    if state.phase == Phase.FINAL:
        return [seat for seat in range(state.seats) if not state.chosen[seat]]
    return [] if state.phase == Phase.OVER else [state.turn]


def hand_of(state: State, seat: int) -> list[int]:
    """The kinds of a hand, each as often as it is held, in canonical order."""
    return [kind for kind in range(10) for _ in range(state.hands[seat * 10 + kind])]


def pair_id(cards: Sequence[int]) -> int:
    """The id of playing two cards."""
    first, second = sorted(cards)
    return IDS[("play", KINDS[first], KINDS[second])]


def redealt(state: State, viewer: int | None, rng: random.Random) -> State:
    """The position in a world that the viewer cannot tell from this one, with a new seed."""
    others = [seat for seat in range(state.seats) if seat != viewer]
    unseen = [kind for kind in range(10) for _ in range(state.deck[kind])] + list(state.house)
    for seat in others:
        unseen += hand_of(state, seat)
    rng.shuffle(unseen)
    twin = GAME.copy(state)
    for seat in others:
        hand = [unseen.pop() for _ in hand_of(state, seat)]
        twin.hands[seat * 10 : seat * 10 + 10] = bytes(hand.count(kind) for kind in range(10))
        if state.chosen[seat]:
            twin.chosen[seat] = pair_id(rng.sample(hand, 2)) + 1
    twin.house = bytes(unseen.pop() for _ in state.house)
    twin.deck = bytearray(unseen.count(kind) for kind in range(10))
    twin.seed = rng.randbytes(32)
    return twin


def retold(
    entries: Sequence[Entry], twin: State, viewer: int | None, rng: random.Random
) -> list[tuple[int, list[Any]]]:
    """The log in that world: others discarded other cards, and chose others where the choice is still sealed."""
    sealed = {seat for seat, chosen in enumerate(twin.chosen) if chosen and seat != viewer}
    told = []
    for entry in reversed(entries):  # a seat's newest choice is the one that is sealed
        if entry.seat in sealed:
            pair, discarded = twin.chosen[entry.seat] - 1, _left_over(twin, entry.seat)
            sealed.remove(entry.seat)
        else:
            pair, discarded = entry.move, rng.randrange(10)
        events: list[Any] = [*GAME.decode_events(entry.events)]
        if entry.seat != viewer:
            events = [
                CardsChosen(entry.seat, pair, discarded) if isinstance(event, CardsChosen) else event
                for event in events
            ]
        told.append((entry.move if entry.seat == viewer else pair, events))
    return told[::-1]


def quiet_move(case: Case, rng: random.Random) -> tuple[int, tuple[int, int]] | None:
    """A seat and its legal move in each world that shows the viewer nothing new, if there is one."""
    state, twin = case.states
    movers = [seat for seat in due(state) if seat not in case.out]
    if not movers or (state.phase == Phase.FINAL and len(movers) < 2):
        return None
    seat = rng.choice(movers)
    if state.phase == Phase.FINAL:
        if seat == case.viewer:
            chosen = pair_id(rng.sample(hand_of(state, seat), 2))
            return seat, (chosen, chosen)
        return seat, (pair_id(rng.sample(hand_of(state, seat), 2)), pair_id(rng.sample(hand_of(twin, seat), 2)))
    if _brings_out_cards(case, seat):
        return None
    if state.phase == Phase.PLAY:
        held = [kind for kind in range(10) for _ in range(min(_held(state, seat, kind), _held(twin, seat, kind)))]
        if state.house or len(held) < 2:
            return None
        move = pair_id(rng.sample(held, 2))
    else:
        move = rng.choice([PASS, *_single_predictions(state, seat)])
    return seat, (move, move)


def _brings_out_cards(case: Case, seat: int) -> bool:
    """Whether the autopilot, which draws from the seed, would show the viewer a choice of cards after this move."""
    state = case.states[0]
    if state.phase == Phase.PLAY and state.available[seat]:
        return False
    following = (seat + 1) % state.seats
    if state.phase == Phase.SETUP:
        while following != state.first and following in case.out:
            following = (following + 1) % state.seats
        return following == state.first and following in case.out
    return case.viewer in case.out if state.turns_left == 1 else following in case.out


def _single_predictions(state: State, seat: int) -> list[int]:
    if not state.available[seat]:
        return []
    return [PASS + 1 + 2 * space for space in range(40) if not state.board[space]]


def _left_over(state: State, seat: int) -> int:
    left = hand_of(state, seat)
    for card in MOVES[state.chosen[seat] - 1][1:]:
        left.remove(KINDS.index(card))
    return left[0]


def _held(state: State, seat: int, kind: int) -> int:
    return state.hands[seat * 10 + kind]
