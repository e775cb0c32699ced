"""Playing a move: everything it brings about happens at once, to the next decision."""

from referee.games.artsee import scoring
from referee.games.artsee.events import (
    ArtSeeEvent,
    CardDrawn,
    CardMoved,
    CardPlayed,
    CardSeen,
    ClaimDeclined,
    MasterpieceClaimed,
    PrestigeEarned,
    VisitorChosen,
    VisitorsCommitted,
    VisitorsPlaced,
)
from referee.games.artsee.legal import claims_of
from referee.games.artsee.parts import Parts
from referee.games.artsee.state import Phase, State


def play(parts: Parts, state: State, seat: int, move: int) -> list[ArtSeeEvent]:
    """Plays a legal move in place and returns what happened, in order."""
    if state.phase == Phase.PLAY:
        return _play_card(parts, state, seat, move)
    if state.phase == Phase.VISIT:
        return _choose_visitor(parts, state, seat, placed=move == parts.place_id)
    if state.phase == Phase.CLAIM:
        return _claim(parts, state, seat, move)
    return _draw(parts, state, move - parts.pile_ids[0])


def _play_card(parts: Parts, state: State, seat: int, move: int) -> list[ArtSeeEvent]:
    card, spot = divmod(move, parts.spots)
    played = bytes((card,))
    state.hands[seat] = state.hands[seat].replace(played, b"", 1)
    gallery = state.galleries[seat]
    if spot < parts.new_left:
        state.column = spot
        state.galleries[seat] = (*gallery[:spot], gallery[spot] + played, *gallery[spot + 1 :])
    elif spot == parts.new_left:
        state.column = 0
        state.galleries[seat] = (played, *gallery)
        state.visitors[seat] = b"\0" + state.visitors[seat]
        state.slots[seat] = b"\0" + state.slots[seat]  # [AS-R7]
    else:
        state.column = len(gallery)
        state.galleries[seat] = (*gallery, played)
        state.visitors[seat] += b"\0"
        state.slots[seat] += b"\0"
    events: list[ArtSeeEvent] = [CardPlayed(seat, card, spot, state.column)]
    state.asked = bytes(_columns_to_visit(parts, state, other) for other in range(state.seats))
    if any(state.asked):
        state.phase = Phase.VISIT
        return events
    return events + _earn(parts, state)


def _columns_to_visit(parts: Parts, state: State, seat: int) -> int:
    if seat == state.turn or not state.supplies[seat]:
        return 0
    return len(parts.matching(state.galleries[seat], _featured(parts, state)))


def _featured(parts: Parts, state: State) -> int:
    return parts.featured[state.galleries[state.turn][state.column][-1]]


def _choose_visitor(parts: Parts, state: State, seat: int, *, placed: bool) -> list[ArtSeeEvent]:
    columns = parts.matching(state.galleries[seat], _featured(parts, state))
    events: list[ArtSeeEvent] = [VisitorChosen(seat, columns[len(state.choices[seat])], placed)]
    state.choices[seat] += b"\1" if placed else b"\0"
    if len(state.choices[seat]) < state.asked[seat]:
        return events
    events.append(VisitorsCommitted(seat))
    if all(len(chosen) == asked for chosen, asked in zip(state.choices, state.asked, strict=True)):
        events += _place_visitors(parts, state)
        events += _earn(parts, state)
    return events


def _place_visitors(parts: Parts, state: State) -> list[ArtSeeEvent]:
    """Reveals all choices, clockwise from the active player [AS-R5]."""
    events: list[ArtSeeEvent] = []
    for step in range(1, state.seats):
        seat = (state.turn + step) % state.seats
        if not state.asked[seat]:
            continue
        columns = parts.matching(state.galleries[seat], _featured(parts, state))
        chosen = [column for column, placed in zip(columns, state.choices[seat], strict=True) if placed]
        visitors = bytearray(state.visitors[seat])
        for column in chosen:
            visitors[column] += 1
        state.visitors[seat] = bytes(visitors)
        state.supplies[seat] -= len(chosen)
        events.append(VisitorsPlaced(seat, chosen))
    state.asked = bytes(state.seats)
    state.choices = [b""] * state.seats
    return events


def _earn(parts: Parts, state: State) -> list[ArtSeeEvent]:
    seat, column = state.turn, state.column
    visitors = state.visitors[seat][column]
    if visitors:
        state.visitors[seat] = state.visitors[seat][:column] + b"\0" + state.visitors[seat][column + 1 :]
        state.supplies[seat] += visitors
    gallery, target, pieces, masterpieces = scoring.sight(parts, state.galleries, state.slots, seat, column)
    state.earned = visitors + pieces + masterpieces
    state.prestige[seat] += state.earned
    events: list[ArtSeeEvent] = [PrestigeEarned(seat, visitors, pieces, masterpieces, gallery, target)]
    if state.earned >= parts.easiest and claims_of(parts, state.slots, seat, _featured(parts, state), state.earned):
        state.phase = Phase.CLAIM
        return events
    return events + _go_on_to_draw(parts, state)


def _claim(parts: Parts, state: State, seat: int, move: int) -> list[ArtSeeEvent]:
    if move == parts.decline_id:
        return [ClaimDeclined(seat), *_go_on_to_draw(parts, state)]
    masterpiece, slot = divmod(move - parts.claims, parts.slots)
    slots = bytearray(state.slots[seat])
    slots[slot] = masterpiece + 1
    state.slots[seat] = bytes(slots)
    return [MasterpieceClaimed(seat, masterpiece, slot), *_go_on_to_draw(parts, state)]


def _go_on_to_draw(parts: Parts, state: State) -> list[ArtSeeEvent]:
    """Asks for a pile if both hold cards; else what is left to draw is drawn at once."""
    first, second = state.piles
    if first and second:
        state.phase = Phase.DRAW
        return []
    if first or second:
        return _draw(parts, state, 0 if first else 1)
    return _end_turn(parts, state)


def _draw(parts: Parts, state: State, pile: int) -> list[ArtSeeEvent]:
    seat, card = state.turn, _take(state, pile)
    state.hands[seat] = bytes(sorted((*state.hands[seat], card)))
    events: list[ArtSeeEvent] = [CardDrawn(seat, pile, parts.featured[card]), CardSeen(seat, card)]
    if not state.piles[pile] and len(state.piles[1 - pile]) > 1:  # [AS-R8]
        moved = _take(state, 1 - pile)
        state.piles[pile] = bytes((moved,))
        events.append(CardMoved(1 - pile, parts.featured[moved]))
    return events + _end_turn(parts, state)


def _take(state: State, pile: int) -> int:
    card = state.piles[pile][-1]
    state.piles[pile] = state.piles[pile][:-1]
    return card


def _end_turn(parts: Parts, state: State) -> list[ArtSeeEvent]:
    """Gives the turn to the next seat clockwise that has a card [AS-R9]; with none left the game is over."""
    state.column = -1
    state.earned = 0
    for step in range(1, state.seats + 1):
        seat = (state.turn + step) % state.seats
        if state.hands[seat]:
            state.turn = seat
            state.phase = Phase.PLAY
            return []
    state.turn = -1
    state.phase = Phase.OVER
    return [scoring.final(parts, state)]
