"""Worlds of ArtSee.

Hidden from a viewer are the fronts of the other hands, the piles below the backs of their tops, the cards removed, what
others have chosen until all visitors are placed, and the seed.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Final

from artreferee.v1 import artsee_pb2 as pb
from artreferee.v1 import match_pb2, ruleset_pb2
from referee.core.game import Options
from referee.games.artsee.events import CardSeen, VisitorChosen
from referee.games.artsee.game import ArtSee
from referee.games.artsee.state import Phase, State
from referee.table.snapshot import Entry
from tests.api.worlds import Case, Refused, Rules
from tests.games.artsee.moves import DECLINE, IDS, KINDS, LEFT, MAIN, MOVES, PLACE, RIGHT, SKIP, Spot
from tests.games.artsee.playing import chosen
from tests.games.artsee.redeal import redealt

GAME: Final = ArtSee()


class ArtSeeRules(Rules):
    """Positions in the middle of sealed choices come more often, and those where a masterpiece may be claimed."""

    game = GAME
    options: ClassVar[Options] = {}
    phases = Phase
    some_move = SKIP
    illegal_rules = frozenset({"WRONG_STEP", "CARD_NOT_HELD", "NO_SUCH_COLUMN", "WRONG_CATEGORY"})
    rare = frozenset({"SUPPLY_USED_UP"})

    def player(self, seats: int, rng: random.Random) -> Callable[[Any, int], int]:
        return lambda state, seat: _visit(state, seat, rng) if state.choices[seat] else chosen(GAME, state, seat, rng)

    def chance(self, state: State) -> float:
        if state.phase == Phase.VISIT:
            used_up = any(sum(state.choices[seat]) == state.supplies[seat] for seat in self.due(state))
            return (0.8 if used_up else 0.06) * 2 / state.seats
        return {Phase.PLAY: 0.08, Phase.CLAIM: 0.4}.get(Phase(state.phase), 0.04) * 2 / state.seats

    def due(self, state: State) -> list[int]:
        if state.phase == Phase.VISIT:
            return [seat for seat in range(state.seats) if len(state.choices[seat]) < state.asked[seat]]
        return [] if state.phase == Phase.OVER else [state.turn]

    def sealed(self, state: State) -> bool:
        return any(state.choices)

    def redealt(self, state: State, viewer: int | None, rng: random.Random) -> State:
        return redealt(GAME, state, viewer, rng)

    def retold(
        self, entries: Sequence[Entry], twin: State, viewer: int | None, rng: random.Random
    ) -> list[tuple[int, list[Any]]]:
        """Others drew other cards with the same backs, and chose otherwise where the choice is still sealed."""
        sealed = {seat: list(choices) for seat, choices in enumerate(twin.choices) if seat != viewer}
        told = []
        for entry in reversed(entries):  # a seat's newest choices are the sealed ones
            move, events = entry.move, list[Any]()
            for event in GAME.decode_events(entry.events):
                if isinstance(event, VisitorChosen) and sealed.get(event.audience):
                    placed = sealed[event.audience].pop() == 1
                    move = PLACE if placed else SKIP
                    events.append(VisitorChosen(event.audience, event.column, placed))
                elif isinstance(event, CardSeen) and event.audience != viewer:
                    events.append(CardSeen(event.audience, rng.choice(_with_back_of(event.card))))
                else:
                    events.append(event)
            told.append((move, events))
        return told[::-1]

    def malformed(self) -> ruleset_pb2.Move:
        card = pb.ArtSeeCard(deck=pb.ART_SEE_DECK_MAIN, featured=pb.ART_SEE_CATEGORY_PORTRAIT)
        return ruleset_pb2.Move(artsee=pb.ArtSeeMove(play_card=pb.ArtSeePlayCard(card=card, cover_column=0)))

    def illegal(self, state: State, viewer: int, rng: random.Random) -> Iterator[Refused]:
        yield Refused("WRONG_STEP", match_pb2.MoveChoice(id=DECLINE if state.phase == Phase.VISIT else SKIP))
        hand = state.hands[viewer]
        match state.phase:
            case Phase.PLAY:
                missing = KINDS[rng.choice([card for card in range(len(KINDS)) if card not in hand])]
                yield Refused("CARD_NOT_HELD", match_pb2.MoveChoice(id=IDS[("play", missing, 0)]))
                beyond = IDS[("play", KINDS[rng.choice(hand)], len(state.galleries[viewer]))]
                yield Refused("NO_SUCH_COLUMN", match_pb2.MoveChoice(id=beyond))
            case Phase.VISIT if sum(state.choices[viewer]) == state.supplies[viewer]:
                yield Refused("SUPPLY_USED_UP", match_pb2.MoveChoice(id=PLACE))
            case Phase.CLAIM:
                featured = KINDS[state.galleries[viewer][state.column][-1]].featured
                claims = [IDS[move] for move in MOVES if move[0] == "claim" and move[1].category != featured]
                yield Refused("WRONG_CATEGORY", match_pb2.MoveChoice(id=rng.choice(claims)))

    def quiet_move(self, case: Case, rng: random.Random) -> tuple[int, tuple[int, int]] | None:
        state, twin = case.states
        movers = [seat for seat in self.due(state) if seat not in case.out]
        if not movers:
            return None
        seat = rng.choice(movers)
        match state.phase:
            case Phase.VISIT:
                if sum(state.asked) - sum(map(len, state.choices)) < 2:
                    return None
                first, second = (_visit(world, seat, rng) for world in case.states)
                return seat, (first, first if seat == case.viewer else second)
            case Phase.PLAY:
                common = sorted(set(state.hands[seat]) & set(twin.hands[seat]))
                if not common:
                    return None
                card = rng.choice(common)
                spots: list[Spot] = [*range(len(state.galleries[seat])), LEFT, RIGHT]
                if not _stays_quiet(case, _asked(state, KINDS[card].featured)):
                    return None
                move = IDS[("play", KINDS[card], rng.choice(spots))]
                return seat, (move, move)
            case Phase.CLAIM if _stays_quiet(case, []):
                move = rng.choice(GAME.legal_moves(state, seat))
                return seat, (move, move)
        return None

    def quiet_phases(self, seats: int) -> set[str]:
        return {"PLAY", "VISIT", "CLAIM"}


def _with_back_of(card: int) -> list[int]:
    return [other for other in range(len(KINDS)) if KINDS[other].back == (MAIN, KINDS[card].featured)]


def _asked(state: State, featured: str) -> list[int]:
    """The seats that may send visitors to a card."""
    return [
        seat
        for seat in range(state.seats)
        if seat != state.turn and state.supplies[seat]
        if any(KINDS[column[-1]].featured == featured for column in state.galleries[seat])
    ]


def _stays_quiet(case: Case, asked: Sequence[int]) -> bool:
    """Whether nothing is turned up if these seats are asked; the autopilot draws from the seed what it chooses."""
    state = case.states[0]
    if asked:
        return any(seat not in case.out for seat in asked) and (case.viewer not in asked or case.viewer not in case.out)
    if any(state.piles):
        return all(state.piles)
    return (state.turn + 1) % state.seats not in case.out


def _visit(state: State, seat: int, rng: random.Random) -> int:
    return rng.choice([PLACE, PLACE, PLACE, SKIP]) if sum(state.choices[seat]) < state.supplies[seat] else SKIP
