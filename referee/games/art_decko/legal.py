"""The list of legal moves, ascending by id. It follows from what the mover may know."""

from operator import mul

from referee.games.art_decko.parts import Parts, Power
from referee.games.art_decko.payment import card_values, next_cards
from referee.games.art_decko.state import Phase, State
from referee.games.art_decko.view import View

_Hand = bytes | bytearray


def legal_moves(parts: Parts, state: State, seat: int) -> list[int]:
    """Returns the moves of a seat that is to act."""
    return moves_with(parts, state, seat, state.hands[seat * parts.kinds : (seat + 1) * parts.kinds])


def legal_in_view(parts: Parts, view: View) -> list[int]:
    """Returns the moves of the viewer's seat, which must be to act.

    Raises:
        ValueError: the view is a spectator's.
    """
    if view.seat is None:
        raise ValueError("a spectator has no moves")
    return moves_with(parts, view, view.seat, view.hand)


def moves_with(parts: Parts, table: State | View, seat: int, hand: _Hand) -> list[int]:
    """Returns the moves that a seat that is to act has, if this is its hand."""
    ids = parts.ids
    match table.phase:
        case Phase.PAYMENT:
            values = card_values(parts, table.market)
            return [ids.pay + kind for kind in next_cards(hand, values, table.due, table.least, table.floor)]
        case Phase.ACTION:
            return _actions(parts, table, seat, hand)
        case Phase.DISCARD:
            discards = [ids.discard + kind for kind, count in enumerate(hand) if count]
            return [*_powers(parts, table, hand), *discards, ids.done]
        case Phase.DISCARDING:
            discards = [ids.discard + kind for kind, count in enumerate(hand) if count and kind >= table.floor]
            return [*discards, ids.done]
        case Phase.INVITATION:
            return _invitations(parts, table, hand)
        case Phase.PROMOTE:
            return [ids.promote + rating for rating, value in enumerate(table.market) if value < parts.cap]
        case _:
            return [ids.deaccession + kind for kind, count in enumerate(hand) if count]


def _actions(parts: Parts, table: State | View, seat: int, hand: _Hand) -> list[int]:
    ids, values = parts.ids, card_values(parts, table.market)
    budget = sum(map(mul, hand, values)) + table.discounts * parts.discount
    moves = [ids.haggle + kind for kind, count in enumerate(hand) if count]
    open_galleries = [cost <= budget and not table.used >> place & 1 for place, cost in enumerate(table.costs)]
    if any(open_galleries):
        doors = open_galleries * parts.width
        moves += [ids.painting + place for place, count in enumerate(table.galleries) if count and doors[place]]
    if parts.three_cost <= budget:
        moves += [ids.three + power for power, count in enumerate(table.bank) if count]
    if parts.five_cost <= budget and table.fives:
        moves.append(ids.five)
    if table.ribbons[seat]:
        moves += [
            ids.exhibit + style
            for style in range(parts.width)
            if hand[style] and _is_invited(parts, table, style, budget - values[style])
        ]
    return moves + _powers(parts, table, hand)


def _is_invited(parts: Parts, table: State | View, style: int, budget: int) -> bool:
    """Returns whether some exhibition has a marker for a painting and costs no more than the budget."""
    markers = table.markers
    for cost, base in parts.by_cost:
        if cost > budget:
            return False
        if markers[base + style] or markers[base + parts.wild]:
            return True
        if table.invited and any(markers[base : base + parts.markers]):
            return True
    return False


def _invitations(parts: Parts, table: State | View, hand: _Hand) -> list[int]:
    budget = sum(map(mul, hand, card_values(parts, table.market))) + table.discounts * parts.discount
    usable = range(parts.markers) if table.invited else (table.painting, parts.wild)
    return [
        parts.ids.invite + place * parts.markers + marker
        for place, exhibition in enumerate(parts.exhibitions)
        if exhibition.cost <= budget
        for marker in usable
        if table.markers[place * parts.markers + marker]
    ]


def _powers(parts: Parts, table: State | View, hand: _Hand) -> list[int]:
    held = [power for power, count in enumerate(hand[parts.first_power :]) if count]
    return [parts.ids.power + power for power in held if _is_usable(parts, table, hand, power)]


def _is_usable(parts: Parts, table: State | View, hand: _Hand, power: int) -> bool:
    match power:
        case Power.DISCOUNT:
            return table.phase == Phase.ACTION
        case Power.OPEN_INVITATION:
            return table.phase == Phase.ACTION and not table.invited
        case Power.PROMOTE:
            return min(table.market) < parts.cap
        case Power.DEACCESSION:
            return sum(hand) > 1
        case _:
            return True
