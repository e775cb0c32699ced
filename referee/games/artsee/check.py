"""The independent legality check: each rule by itself, from the move outwards."""

from referee.core.errors import IllegalMoveError
from referee.games.artsee.parts import Parts
from referee.games.artsee.state import Phase, State

_STEPS = {
    Phase.PLAY: "a card must be played now",
    Phase.VISIT: "a visitor must be placed or not now",
    Phase.CLAIM: "a masterpiece must be claimed or declined now",
    Phase.DRAW: "a pile to draw from must be chosen now",
}


def check(parts: Parts, state: State, seat: int, move: int) -> None:
    """Checks a move of a seat that is to act.

    Raises:
        IllegalMoveError: with the rule WRONG_STEP, CARD_NOT_HELD, NO_SUCH_COLUMN, WRONG_CATEGORY, REQUIREMENT_NOT_MET,
            CATEGORY_HELD, MASTERPIECE_TAKEN, NO_SUCH_SLOT, SLOT_OCCUPIED, SUPPLY_USED_UP or PILE_EMPTY.
    """
    if move < parts.claims:
        _check_step(state, Phase.PLAY)
        _check_play(parts, state, seat, *divmod(move, parts.spots))
    elif move <= parts.decline_id:
        _check_step(state, Phase.CLAIM)
        if move != parts.decline_id:
            _check_claim(parts, state, seat, *divmod(move - parts.claims, parts.slots))
    elif move <= parts.skip_id:
        _check_step(state, Phase.VISIT)
        if move == parts.place_id and state.choices[seat].count(1) == state.supplies[seat]:
            raise IllegalMoveError("SUPPLY_USED_UP", f"all {state.supplies[seat]} visitors in supply are placed")
    else:
        _check_step(state, Phase.DRAW)
        if state.piles[move - parts.pile_ids[0]] == b"":
            raise IllegalMoveError("PILE_EMPTY", "there is no card in this pile")


def _check_step(state: State, step: Phase) -> None:
    if state.phase != step:
        raise IllegalMoveError("WRONG_STEP", _STEPS[Phase(state.phase)])


def _check_play(parts: Parts, state: State, seat: int, card: int, spot: int) -> None:
    if card not in state.hands[seat]:
        raise IllegalMoveError("CARD_NOT_HELD", f"the hand does not hold the {parts.card_names[card]}")
    if len(state.galleries[seat]) <= spot < parts.new_left:
        problem = f"there is no column {spot}, the last is {len(state.galleries[seat]) - 1}"
        raise IllegalMoveError("NO_SUCH_COLUMN", problem)


def _check_claim(parts: Parts, state: State, seat: int, number: int, slot: int) -> None:
    masterpiece = parts.masterpieces[number]
    category = parts.cards[state.galleries[seat][state.column][-1]].featured
    if masterpiece.category != category:
        problem = f"the card played features {parts.categories[category]}"
        raise IllegalMoveError("WRONG_CATEGORY", problem)
    if masterpiece.requirement > state.earned:
        problem = f"it takes {masterpiece.requirement} prestige, {state.earned} were earned this turn"
        raise IllegalMoveError("REQUIREMENT_NOT_MET", problem)
    for holder, gallery in enumerate(state.slots):
        for code in gallery:
            if holder == seat and code and parts.masterpieces[code - 1].category == category:
                raise IllegalMoveError("CATEGORY_HELD", "the gallery has a masterpiece of this category already")
            if code == number + 1:
                raise IllegalMoveError("MASTERPIECE_TAKEN", f"seat {holder} has claimed it already")
    if slot > len(state.galleries[seat]):
        raise IllegalMoveError("NO_SUCH_SLOT", f"there is no slot {slot}, the last is {len(state.galleries[seat])}")
    if state.slots[seat][slot] != 0:
        raise IllegalMoveError("SLOT_OCCUPIED", f"there is a masterpiece in slot {slot} already")
