"""Playing a move: everything it brings about happens at once, to the next decision."""

from referee.games.classic_art.events import (
    CardsChosen,
    CardsCommitted,
    CardsPlayed,
    ClassicArtEvent,
    HouseRevealed,
    Passed,
    PredictionPlaced,
    SeasonDealt,
    SeasonScored,
)
from referee.games.classic_art.parts import Parts
from referee.games.classic_art.scoring import every_category_counts, score_season
from referee.games.classic_art.setup import deal_season, resolve, reveal
from referee.games.classic_art.state import Phase, State


def play(parts: Parts, state: State, seat: int, move: int) -> list[ClassicArtEvent]:
    """Plays a legal move in place and returns what happened, in order."""
    if state.phase == Phase.PLAY:
        return _play_turn(parts, state, seat, move)
    if state.phase == Phase.FINAL:
        return _commit(parts, state, seat, move)
    event = _predict(parts, state, seat, move)
    if state.phase == Phase.PREDICT:
        _end_turn(state)
    else:
        state.turn = (seat + 1) % state.seats
        if state.turn == state.first:
            state.phase = Phase.PLAY
    return [event]


def _play_turn(parts: Parts, state: State, seat: int, pair: int) -> list[ClassicArtEvent]:
    events: list[ClassicArtEvent] = [_play_pair(parts, state, seat, pair)]
    if state.house:
        events.append(_reveal_house(parts, state))  # [CA-R2]
    if state.available[seat]:
        state.phase = Phase.PREDICT
    else:
        _end_turn(state)
    return events


def _end_turn(state: State) -> None:
    state.turns_left -= 1
    if state.turns_left:
        state.phase = Phase.PLAY
        state.turn = (state.turn + 1) % state.seats
    else:
        state.phase = Phase.FINAL
        state.turn = -1


def _predict(parts: Parts, state: State, seat: int, move: int) -> ClassicArtEvent:
    if move == parts.pass_id:
        return Passed(seat)
    space, tokens = parts.prediction(move)
    code = 1 + seat * 4 + (tokens - 1) * 2 + (state.phase == Phase.SETUP)
    state.board[space] = code
    state.available[seat] -= tokens
    if tokens == 2:
        state.doubled[seat] = 1
    return PredictionPlaced(space, code)


def _commit(parts: Parts, state: State, seat: int, pair: int) -> list[ClassicArtEvent]:
    state.chosen[seat] = pair + 1
    left = state.hands[seat * parts.kinds : (seat + 1) * parts.kinds]
    for kind in parts.pairs[pair]:
        left[kind] -= 1
    events: list[ClassicArtEvent] = [CardsCommitted(seat), CardsChosen(seat, pair, left.index(1))]
    if all(state.chosen):
        events += _end_season(parts, state)
    return events


def _end_season(parts: Parts, state: State) -> list[ClassicArtEvent]:
    events: list[ClassicArtEvent] = []
    for turn in range(state.seats):
        seat = (state.first + turn) % state.seats
        events.append(_play_pair(parts, state, seat, state.chosen[seat] - 1))
    while state.house:
        events.append(_reveal_house(parts, state))
    _discard_hands(parts, state)
    events.append(SeasonScored(state.season, [max(0, net) for net in state.net], score_season(parts, state)))
    finished = every_category_counts(parts, state)
    if finished or state.season >= state.max_seasons:
        state.phase = Phase.OVER
        state.capped = not finished  # [CA-R6]
        return events
    state.first = (state.first + 1) % state.seats
    revealed = deal_season(parts, state)
    events.append(SeasonDealt(state.season, state.first, revealed))
    return events


def _discard_hands(parts: Parts, state: State) -> None:
    for place, cards in enumerate(state.hands):
        state.deck[place % parts.kinds] += cards
    state.hands = bytearray(len(state.hands))
    state.chosen = bytearray(state.seats)


def _play_pair(parts: Parts, state: State, seat: int, pair: int) -> CardsPlayed:
    for kind in parts.pairs[pair]:
        state.hands[seat * parts.kinds + kind] -= 1
        resolve(parts, state, seat, kind)
    return CardsPlayed(seat, pair)


def _reveal_house(parts: Parts, state: State) -> HouseRevealed:
    kind = state.house[-1]
    state.house = state.house[:-1]
    reveal(parts, state, kind)
    return HouseRevealed(kind)
