"""Playing a move: everything it brings about happens at once, to the next decision."""

from referee.games.art_decko.events import (
    ArtDeckoEvent,
    BankRefilled,
    CardAcquired,
    CardDiscarded,
    CardHaggled,
    CardPaid,
    CardRemoved,
    PaintingChosen,
    PaintingExhibited,
    PowerPlayed,
    PurchaseBegun,
    RatingRaised,
)
from referee.games.art_decko.parts import DRAWN, Parts, Power
from referee.games.art_decko.payment import card_values
from referee.games.art_decko.piles import draw, leave_hand
from referee.games.art_decko.state import NONE, UNPAID, Phase, State
from referee.games.art_decko.turn import end_turn

_Events = list[ArtDeckoEvent]


def play(parts: Parts, state: State, seat: int, move: int) -> _Events:
    """Plays a legal move in place and returns what happened, in order."""
    events: _Events = []
    group, place = parts.groups[move]
    match group:
        case "pay":
            _pay(parts, state, seat, place, events)
        case "haggle":
            _haggle(parts, state, seat, place, events)
        case "discard":
            _discard(parts, state, seat, place, events)
        case "done":
            end_turn(parts, state, events)
        case "painting":
            _begin_purchase(parts, state, move, state.costs[place % parts.galleries], events)
        case "three":
            _begin_purchase(parts, state, move, parts.three_cost, events)
        case "five":
            _begin_purchase(parts, state, move, parts.five_cost, events)
        case "exhibit":
            _choose_painting(parts, state, seat, place, events)
        case "invite":
            _begin_purchase(parts, state, move, parts.exhibitions[place // parts.markers].cost, events)
        case "power":
            _play_power(parts, state, seat, place, events)
        case "promote":
            _raise(parts, state, place, parts.promotion, events)
            _go_on(parts, state, events)
        case "deaccession":
            _remove(parts, state, seat, place, events)
    return events


def _go_on(parts: Parts, state: State, events: _Events) -> None:
    """Asks for the next action or discard; an empty hand ends the turn [AD-R3]."""
    base = state.turn * parts.kinds
    if not any(state.hands[base : base + parts.kinds]):
        end_turn(parts, state, events)
    elif state.actions:
        state.phase = Phase.ACTION
    else:
        state.phase = Phase.DISCARD


def _haggle(parts: Parts, state: State, seat: int, kind: int, events: _Events) -> None:
    state.actions -= 1
    leave_hand(parts, state, seat, kind)
    state.discards[seat * parts.kinds + kind] += 1  # [AD-R4]
    events.append(CardHaggled(seat, kind))
    draw(parts, state, seat, DRAWN, events)
    _go_on(parts, state, events)


def _choose_painting(parts: Parts, state: State, seat: int, style: int, events: _Events) -> None:
    state.actions -= 1
    leave_hand(parts, state, seat, style)
    state.painting = style
    state.phase = Phase.INVITATION
    events.append(PaintingChosen(seat, style))


def _begin_purchase(parts: Parts, state: State, move: int, cost: int, events: _Events) -> None:
    """Uses up all discounts together and asks for the payment, unless nothing is due."""
    if state.painting == NONE:
        state.actions -= 1
    state.due = max(0, cost - parts.discount * state.discounts)
    state.discounts = 0
    state.buying = move
    events.append(PurchaseBegun(state.turn, move, state.due))
    if state.due:
        state.phase = Phase.PAYMENT
    else:
        _complete_purchase(parts, state, events)


def _pay(parts: Parts, state: State, seat: int, kind: int, events: _Events) -> None:
    value = card_values(parts, state.market)[kind]
    leave_hand(parts, state, seat, kind)
    state.aside[kind] += 1
    state.due = max(0, state.due - value)
    state.least = min(state.least, value)
    state.floor = kind
    events.append(CardPaid(seat, kind, value))
    if not state.due:
        _complete_purchase(parts, state, events)


def _complete_purchase(parts: Parts, state: State, events: _Events) -> None:
    group, place = parts.groups[state.buying]
    state.buying = NONE
    state.least = UNPAID
    state.floor = 0
    match group:
        case "painting":
            _acquire_painting(parts, state, place, events)
        case "three":
            _acquire_three(parts, state, place, events)
        case "five":
            state.fives -= 1
            _acquire_gold(parts, state, parts.five_gold, parts.five_rise, events)
        case _:
            _exhibit(parts, state, place, events)
    _go_on(parts, state, events)


def _acquire_painting(parts: Parts, state: State, place: int, events: _Events) -> None:
    style, gallery = divmod(place, parts.galleries)
    state.galleries[place] -= 1
    state.used |= 1 << gallery
    state.aside[style] += 1
    events.append(CardAcquired(state.turn, style, gallery))
    _raise(parts, state, style, parts.rises[gallery], events)


def _acquire_three(parts: Parts, state: State, power: int, events: _Events) -> None:
    state.bank[power] -= 1
    _acquire_gold(parts, state, parts.first_power + power, parts.three_rise, events)
    if state.stack:
        kind, state.stack = state.stack[-1], state.stack[:-1]
        state.bank[kind - parts.first_power] += 1
        events.append(BankRefilled(kind))


def _acquire_gold(parts: Parts, state: State, kind: int, rise: int, events: _Events) -> None:
    state.aside[kind] += 1
    events.append(CardAcquired(state.turn, kind, NONE))
    _raise(parts, state, parts.gold, rise, events)


def _exhibit(parts: Parts, state: State, place: int, events: _Events) -> None:
    seat, style = state.turn, state.painting
    exhibition, marker = divmod(place, parts.markers)
    space = state.museum.index(0, exhibition * parts.spaces)
    vp = parts.exhibitions[exhibition].vp[space % parts.spaces]
    state.museum[space] = parts.hung(seat, style, marker)
    state.markers[place] -= 1
    state.ribbons[seat] -= 1
    state.vp[seat] += vp
    state.painting = NONE
    state.invited = False
    events.append(PaintingExhibited(seat, style, exhibition, marker, space % parts.spaces, vp))
    _raise(parts, state, style, parts.exhibit_rise, events)


def _raise(parts: Parts, state: State, rating: int, rise: int, events: _Events) -> None:
    value = min(parts.cap, state.market[rating] + rise)
    if value != state.market[rating]:
        state.market[rating] = value
        events.append(RatingRaised(rating, value))


def _play_power(parts: Parts, state: State, seat: int, power: int, events: _Events) -> None:
    kind = parts.first_power + power
    leave_hand(parts, state, seat, kind)
    state.removed[kind] += 1
    events.append(PowerPlayed(seat, power))
    match power:
        case Power.PROMOTE:
            state.phase = Phase.PROMOTE
            return
        case Power.DEACCESSION:
            state.phase = Phase.DEACCESSION
            return
        case Power.DRAW_TWO:
            draw(parts, state, seat, DRAWN, events)
        case Power.EXTRA_ACTION:
            state.actions += 1
        case Power.DISCOUNT:
            state.discounts += 1
        case Power.OPEN_INVITATION:
            state.invited = True
    _go_on(parts, state, events)


def _remove(parts: Parts, state: State, seat: int, kind: int, events: _Events) -> None:
    leave_hand(parts, state, seat, kind)
    state.removed[kind] += 1
    events.append(CardRemoved(seat, kind))
    _go_on(parts, state, events)


def _discard(parts: Parts, state: State, seat: int, kind: int, events: _Events) -> None:
    leave_hand(parts, state, seat, kind)
    state.aside[kind] += 1
    state.floor = kind
    events.append(CardDiscarded(seat, kind))
    if any(state.hands[seat * parts.kinds : (seat + 1) * parts.kinds]):
        state.phase = Phase.DISCARDING
    else:
        end_turn(parts, state, events)
