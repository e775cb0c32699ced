"""The end of a turn and what follows from it [AD-R7]."""

from enum import IntEnum

from referee.games.art_decko.events import ArtDeckoEvent, GalleriesFilled, GameScored, LastRoundBegun, TurnBegun
from referee.games.art_decko.parts import ACTIONS, HAND, Parts
from referee.games.art_decko.piles import draw
from referee.games.art_decko.scoring import score
from referee.games.art_decko.state import NONE, UNPAID, Phase, State


class Trigger(IntEnum):
    """Why a game ends [AD-R8]."""

    MUSEUM = 1
    PAINTING_DECK = 2
    RATING = 3


def end_turn(parts: Parts, state: State, events: list[ArtDeckoEvent]) -> None:
    """Ends a turn after its discards, and every turn after it that begins with an empty hand [AD-R3]."""
    while True:
        _clean_up(parts, state, events)
        _fill_galleries(parts, state, events)
        _test_end(parts, state, events)
        _pass_on(parts, state, events)
        if state.phase == Phase.OVER or _hand_size(parts, state, state.turn):
            return


def _hand_size(parts: Parts, state: State, seat: int) -> int:
    return sum(state.hands[seat * parts.kinds : (seat + 1) * parts.kinds])


def _clean_up(parts: Parts, state: State, events: list[ArtDeckoEvent]) -> None:
    seat = state.turn
    for kind, count in enumerate(state.aside):
        state.discards[seat * parts.kinds + kind] += count
    state.aside = bytearray(parts.kinds)
    draw(parts, state, seat, HAND - _hand_size(parts, state, seat), events)


def _fill_galleries(parts: Parts, state: State, events: list[ArtDeckoEvent]) -> None:
    """Fills all galleries if one is empty; each that was and got a painting takes the next cost token."""
    width = parts.galleries
    sizes = [sum(state.galleries[gallery::width]) for gallery in range(width)]
    if all(sizes) or not state.paintings:
        return
    added = []
    for gallery, size in enumerate(sizes):
        wanted = max(0, parts.full[state.seats] - size)
        drawn = state.paintings[len(state.paintings) - min(wanted, len(state.paintings)) :]
        state.paintings = state.paintings[: len(state.paintings) - len(drawn)]
        for style in drawn:
            state.galleries[style * width + gallery] += 1
        if drawn and not size and state.supply:
            state.costs[gallery], state.supply = state.supply[0], state.supply[1:]
        added.append(drawn[::-1])
    events.append(GalleriesFilled(added, bytes(state.costs)))


def _test_end(parts: Parts, state: State, events: list[ArtDeckoEvent]) -> None:
    if state.last_round:
        return
    hanging = len(state.museum) - state.museum.count(0)
    triggers = {
        Trigger.MUSEUM: hanging >= parts.end_at,
        Trigger.PAINTING_DECK: not state.paintings,
        Trigger.RATING: max(state.market) >= parts.cap,
    }
    if any(triggers.values()):
        state.last_round = True
        events.append(LastRoundBegun([trigger for trigger, holds in triggers.items() if holds]))


def _pass_on(parts: Parts, state: State, events: list[ArtDeckoEvent]) -> None:
    state.turn = (state.turn + 1) % state.seats
    state.used = state.discounts = state.floor = 0
    state.invited = False
    state.least = UNPAID
    if state.turn == state.first:
        if state.last_round or state.round >= state.max_rounds:
            _end_game(parts, state, events)
            return
        state.round += 1
    state.phase = Phase.ACTION
    state.actions = ACTIONS
    events.append(TurnBegun(state.turn, state.round))


def _end_game(parts: Parts, state: State, events: list[ArtDeckoEvent]) -> None:
    state.phase = Phase.OVER
    state.turn = NONE
    state.actions = 0
    state.capped = not state.last_round  # [AD-R9]
    events.append(GameScored(list(score(parts, state))))
