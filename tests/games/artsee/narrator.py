"""Views and events of ArtSee in words."""

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Final, assert_never

from referee.core.game import Options
from referee.games.artsee.events import (
    ArtSeeEvent,
    CardDrawn,
    CardMoved,
    CardPlayed,
    CardSeen,
    ClaimDeclined,
    GameScored,
    MasterpieceClaimed,
    PrestigeEarned,
    VisitorChosen,
    VisitorsCommitted,
    VisitorsPlaced,
)
from referee.games.artsee.state import Phase
from referee.games.artsee.view import View
from tests.games.playthrough import Words

LETTERS: Final = "ALPS"
KINDS: Final = [
    f"{featured}:{''.join(pieces)}{arrow}"
    for size in (3, 2)
    for featured, pieces, arrow in product(LETTERS, combinations(LETTERS, size), "<>")
]
NOTATION: Final = (
    "A ABSTRACT, L LANDSCAPE, P PORTRAIT, S STILL_LIFE; P:AL> is a card that features PORTRAIT with two pieces and "
    "arrow RIGHT; a column has its front last, with *2 visitors on it; [P7] is a masterpiece in its slot; a back P* is "
    "of the starting deck"
)


class ArtSeeNarrator:
    """Tells playthroughs."""

    options: Final[Options] = {"start_seat": 1}

    def public(self, view: View) -> Words:
        words = {"the notation": NOTATION, "the step": _step(view)}
        for seat in range(view.seats):
            words[f"seat {seat}'s gallery"] = _gallery(view.galleries[seat], view.visitors[seat], view.slots[seat])
            words[f"seat {seat}'s supply and prestige"] = f"{view.supplies[seat]} and {view.prestige[seat]}"
            words[f"seat {seat}'s hand"] = _listed(_back(back) for back in view.backs[seat])
        piles = zip(view.pile_sizes, view.tops, strict=True)
        words["the piles"] = _listed(f"{size} under {LETTERS[top]}" if size else "empty" for size, top in piles)
        return words

    def private(self, view: View) -> Words:
        chosen = _listed(("skip", "place")[choice] for choice in view.choices)
        return {"in its hand": _listed(KINDS[card] for card in view.hand), "its sealed choices": chosen}

    def event(self, event: ArtSeeEvent) -> str:
        match event:
            case CardPlayed():
                return f"seat {event.seat} plays {KINDS[event.card]}, now in column {event.column}"
            case VisitorChosen():
                return f"a visitor for column {event.column}: {'yes' if event.placed else 'no'}"
            case VisitorsCommitted():
                return f"seat {event.seat} has chosen"
            case VisitorsPlaced():
                return f"seat {event.seat} places visitors on columns: {_listed(event.columns)}"
            case PrestigeEarned():
                gains = f"{event.visitors} by visitors, {event.pieces} by pieces, {event.masterpieces} by masterpieces"
                return f"seat {event.seat} earns {gains}: column {event.column} of seat {event.gallery}"
            case MasterpieceClaimed():
                return f"seat {event.seat} claims {_masterpiece(event.masterpiece)} for slot {event.slot}"
            case ClaimDeclined():
                return f"seat {event.seat} claims nothing"
            case CardDrawn():
                return f"seat {event.seat} draws {LETTERS[event.featured]} from pile {event.pile}"
            case CardSeen():
                return f"it is {KINDS[event.card]}"
            case CardMoved():
                return f"{LETTERS[event.featured]} moves from pile {event.pile} to the other"
            case GameScored():
                totals = zip(event.prestige, event.masterpieces, event.bonus, event.visitors, strict=True)
                return "scored are " + _listed(
                    f"{earned} + {value} + {bonus} with {visitors} visitors"
                    for earned, value, bonus, visitors in totals
                )
        assert_never(event)


def _listed(items: Iterable[object]) -> str:
    return ", ".join(str(item) for item in items) or "none"


def _masterpiece(number: int) -> str:
    category, level = divmod(number, 5)
    return f"{LETTERS[category]}{level + 5}"


def _back(back: int) -> str:
    deck, featured = divmod(back, 4)
    return LETTERS[featured] + "*" * (deck == 0)


def _gallery(columns: Sequence[bytes], visitors: bytes, slots: bytes) -> str:
    words = []
    for column, slot in zip((*columns, b""), slots, strict=True):
        words.append(f"[{_masterpiece(slot - 1) if slot else ''}]")
        words.append("/".join(KINDS[card] for card in column))
    for place, number in enumerate(visitors):
        words[2 * place + 1] += f"*{number}" if number else ""
    return " ".join(words).rstrip()


def _step(view: View) -> str:
    match Phase(view.phase):
        case Phase.PLAY:
            return f"seat {view.turn} plays a card"
        case Phase.VISIT:
            seats = _listed(
                f"seat {seat} about {asked}{' (done)' if view.committed[seat] else ''}"
                for seat, asked in enumerate(view.asked)
                if asked
            )
            return f"visitors after column {view.column} of seat {view.turn}: {seats}"
        case Phase.CLAIM:
            return f"seat {view.turn} may claim with {view.earned} earned in column {view.column}"
        case Phase.DRAW:
            return f"seat {view.turn} draws, having earned {view.earned} in column {view.column}"
        case Phase.OVER:
            return "over"


NARRATOR = ArtSeeNarrator()
