"""The independent legality check: each rule by itself, from the move outwards."""

from referee.core.errors import IllegalMoveError
from referee.games.art_decko.parts import PLAIN_GOLD, THREE, Parts, Power
from referee.games.art_decko.state import NONE, Phase, State

_STEPS = {
    "haggle": (Phase.ACTION,),
    "painting": (Phase.ACTION,),
    "three": (Phase.ACTION,),
    "five": (Phase.ACTION,),
    "exhibit": (Phase.ACTION,),
    "invite": (Phase.INVITATION,),
    "pay": (Phase.PAYMENT,),
    "power": (Phase.ACTION, Phase.DISCARD),
    "promote": (Phase.PROMOTE,),
    "deaccession": (Phase.DEACCESSION,),
    "discard": (Phase.DISCARD, Phase.DISCARDING),
    "done": (Phase.DISCARD, Phase.DISCARDING),
}
_EXPECTED = {
    Phase.ACTION: "an action or a power",
    Phase.INVITATION: "an exhibition and a marker for the painting",
    Phase.PAYMENT: "a card of the payment",
    Phase.PROMOTE: "a rating to be promoted",
    Phase.DEACCESSION: "a card to be removed",
    Phase.DISCARD: "a discard, a power, or no discard",
    Phase.DISCARDING: "a discard, or no more",
    Phase.OVER: "nothing",
}


def check(parts: Parts, state: State, seat: int, move: int) -> None:
    """Checks a move of a seat that is to act.

    Raises:
        IllegalMoveError: with the rule WRONG_STEP, CARD_NOT_HELD, NOT_ON_OFFER, GALLERY_USED, TOO_EXPENSIVE,
            NO_RIBBON, NO_MARKER, MARKER_OF_ANOTHER_STYLE, CANONICAL_ORDER, NEEDLESS_CARD, POWER_NEEDS_ACTION,
            INVITATION_PENDING, RATING_AT_CAP or NO_OTHER_CARD.
    """
    group, place = parts.groups[move]
    if state.phase not in _STEPS[group]:
        raise IllegalMoveError("WRONG_STEP", f"now {_EXPECTED[Phase(state.phase)]} is expected")
    match group:
        case "pay":
            _check_payment(parts, state, seat, place)
        case "haggle" | "deaccession":
            _check_held(parts, state, seat, place)
        case "discard":
            _check_held(parts, state, seat, place)
            _check_order(parts, state, place)
        case "painting":
            _check_painting(parts, state, seat, place)
        case "three":
            _check_offer(parts, state.bank[place], parts.first_power + place)
            _check_price(parts, state, seat, parts.three_cost, NONE)
        case "five":
            _check_offer(parts, state.fives, parts.five_gold)
            _check_price(parts, state, seat, parts.five_cost, NONE)
        case "exhibit":
            _check_exhibit(parts, state, seat, place)
        case "invite":
            _check_invitation(parts, state, seat, *divmod(place, parts.markers))
        case "power":
            _check_power(parts, state, seat, place)
        case "promote" if state.market[place] >= parts.cap:
            raise IllegalMoveError("RATING_AT_CAP", f"the rating of {parts.rating_name(place)} is {parts.cap} already")


def _check_held(parts: Parts, state: State, seat: int, kind: int) -> None:
    if state.hands[seat * parts.kinds + kind] == 0:
        raise IllegalMoveError("CARD_NOT_HELD", f"the hand holds no {parts.kind_name(kind)}")


def _check_order(parts: Parts, state: State, kind: int) -> None:
    if kind < state.floor:
        problem = f"cards go from {parts.kind_name(state.floor)} on in canonical order, not back"
        raise IllegalMoveError("CANONICAL_ORDER", problem)


def _check_offer(parts: Parts, cards: int, kind: int) -> None:
    if cards == 0:
        raise IllegalMoveError("NOT_ON_OFFER", f"the bank offers no {parts.kind_name(kind)}")


def _check_painting(parts: Parts, state: State, seat: int, place: int) -> None:
    style, gallery = divmod(place, parts.galleries)
    if state.galleries[place] == 0:
        raise IllegalMoveError("NOT_ON_OFFER", f"there is no {parts.styles[style]} in gallery {gallery + 1}")
    if state.used & 1 << gallery:
        problem = f"gallery {gallery + 1} was used this turn already"
        raise IllegalMoveError("GALLERY_USED", problem)  # [AD-R5]
    _check_price(parts, state, seat, state.costs[gallery], NONE)


def _check_price(parts: Parts, state: State, seat: int, cost: int, without: int) -> None:
    """Checks that all cards of a hand, but for one that is not to be paid with, pay a cost after discounts."""
    price = max(0, cost - parts.discount * state.discounts)
    worths = _worths(parts, state)
    purse = -worths[without] if without != NONE else 0
    for kind, worth in enumerate(worths):
        purse += state.hands[seat * parts.kinds + kind] * worth
    if purse < price:
        raise IllegalMoveError("TOO_EXPENSIVE", f"it costs {price}, the hand is worth {purse}")


def _check_exhibit(parts: Parts, state: State, seat: int, style: int) -> None:
    _check_held(parts, state, seat, style)
    if state.ribbons[seat] == 0:
        raise IllegalMoveError("NO_RIBBON", "the seat has no ribbon left")
    welcome = set(range(parts.markers)) if state.invited else {style, parts.wild}
    prices = []
    for place, exhibition in enumerate(parts.exhibitions):
        lying = state.markers[place * parts.markers : (place + 1) * parts.markers]
        if any(lying[marker] for marker in welcome):
            prices.append(exhibition.cost)
    if not prices:
        raise IllegalMoveError("NO_MARKER", f"no exhibition has a marker for {parts.styles[style]}")
    _check_price(parts, state, seat, min(prices), style)


def _check_invitation(parts: Parts, state: State, seat: int, exhibition: int, marker: int) -> None:
    if state.markers[exhibition * parts.markers + marker] == 0:
        problem = f"exhibition {exhibition + 1} has no free {parts.marker_name(marker)} marker"
        raise IllegalMoveError("NO_MARKER", problem)
    if marker not in (parts.wild, state.painting) and not state.invited:
        problem = f"a {parts.styles[state.painting]} does not answer a {parts.marker_name(marker)} marker"
        raise IllegalMoveError("MARKER_OF_ANOTHER_STYLE", problem)
    _check_price(parts, state, seat, parts.exhibitions[exhibition].cost, NONE)


def _check_payment(parts: Parts, state: State, seat: int, kind: int) -> None:
    _check_held(parts, state, seat, kind)
    _check_order(parts, state, kind)
    worths, base = _worths(parts, state), seat * parts.kinds
    value = worths[kind]
    later = [value] * (state.hands[base + kind] - 1)
    for other in range(kind + 1, parts.kinds):
        later += [worths[other]] * state.hands[base + other]
    later.sort(reverse=True)
    if not _leads_on(later, state.due - value, min(state.least, value)):
        problem = f"with {parts.kind_name(kind)} no payment of {state.due} without a needless card can be completed"
        raise IllegalMoveError("NEEDLESS_CARD", problem)


def _leads_on(later: list[int], short: int, least: int) -> bool:
    """Tries out all ways to complete a payment with cards of these values, given from the dearest down.

    It is complete when nothing is short, and good if it would be short again without its least card.
    """
    if short <= 0:
        return short + least > 0
    tried = 0
    for place, value in enumerate(later):
        if value != tried and _leads_on(later[place + 1 :], short - value, min(least, value)):
            return True
        tried = value
    return False


def _check_power(parts: Parts, state: State, seat: int, power: int) -> None:
    _check_held(parts, state, seat, parts.first_power + power)
    if power in (Power.DISCOUNT, Power.OPEN_INVITATION) and state.actions == 0:
        raise IllegalMoveError("POWER_NEEDS_ACTION", "there is no action left to use it for")
    if power == Power.OPEN_INVITATION and state.invited:
        raise IllegalMoveError("INVITATION_PENDING", "an OPEN_INVITATION is pending already")
    if power == Power.PROMOTE and all(rating == parts.cap for rating in state.market):
        raise IllegalMoveError("RATING_AT_CAP", f"every rating is {parts.cap} already")
    if power == Power.DEACCESSION and sum(state.hands[seat * parts.kinds : (seat + 1) * parts.kinds]) < 2:
        raise IllegalMoveError("NO_OTHER_CARD", "there is no other card in the hand")


def _worths(parts: Parts, state: State) -> list[int]:
    """Returns what a card of each kind pays: styles by the market, gold its number."""
    return [parts.gold_value[rating] for rating in state.market[: parts.gold]] + [*PLAIN_GOLD, *[THREE] * len(Power)]
