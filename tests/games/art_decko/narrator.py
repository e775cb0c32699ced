"""Views and events of Art Decko in words."""

from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from referee.core.game import Options
from referee.games.art_decko.events import (
    ArtDeckoEvent,
    BankRefilled,
    CardAcquired,
    CardDiscarded,
    CardHaggled,
    CardPaid,
    CardRemoved,
    CardsDrawn,
    CardsSeen,
    DeckShuffled,
    GalleriesFilled,
    GameScored,
    LastRoundBegun,
    PaintingChosen,
    PaintingExhibited,
    PowerPlayed,
    PurchaseBegun,
    RatingRaised,
    TurnBegun,
)
from referee.games.art_decko.state import Phase
from referee.games.art_decko.view import View
from tests.games.playthrough import Words

STYLES: Final = ("ART_NOUVEAU", "RENAISSANCE", "SURREALISM", "POP_ART", "IMPRESSIONISM")
POWERS: Final = ("DRAW_TWO", "EXTRA_ACTION", "DISCOUNT", "PROMOTE", "DEACCESSION", "OPEN_INVITATION")
KINDS: Final = (*STYLES, "1-gold", "2-gold", "5-gold", *POWERS)
RATINGS: Final = (*STYLES, "GOLD")
MARKERS: Final = (*STYLES, "WILD")
TRIGGERS: Final = {1: "12 paintings hang", 2: "the painting deck is empty", 3: "a rating is at its cap"}


class ArtDeckoNarrator:
    """Tells playthroughs of a few rounds."""

    options: Final[Options] = {"max_rounds": 5}

    def public(self, view: View) -> Words:
        words = {"the turn": _turn(view), "the step": _step(view), "the market": _by_name(RATINGS, view.market)}
        words["cost tokens to come"] = _listed(view.supply)
        for gallery, cost in enumerate(view.costs):
            words[f"gallery {gallery + 1}, cost {cost}"] = _counted(view.galleries[gallery::4])
        words["the bank"] = f"{_counted(bytes(8) + view.bank)}, {view.stack_size} face down, {view.fives} 5-gold"
        for exhibition in range(5):
            words[f"exhibition {exhibition + 1}"] = _exhibition(view, exhibition)
        for seat in range(view.seats):
            words[f"seat {seat}"] = _seat(view, seat)
            mine = slice(14 * seat, 14 * seat + 14)
            words[f"seat {seat}'s known hand"] = _counted(view.kept[mine])
            words[f"seat {seat}'s other hand and deck"] = _counted(view.pool[mine])
            words[f"seat {seat}'s discard pile"] = _counted(view.discards[mine])
        words["cards set aside"] = _counted(view.aside)
        words["cards out of the game"] = _counted(view.removed)
        words["the painting deck"] = f"{view.paintings_left} cards"
        return words

    def private(self, view: View) -> Words:
        return {"in its hand": _counted(view.hand)}

    def event(self, event: ArtDeckoEvent) -> str:
        match event:
            case TurnBegun():
                return f"seat {event.seat} begins its turn of round {event.round}"
            case CardHaggled():
                return f"seat {event.seat} haggles with {KINDS[event.kind]}"
            case CardsDrawn():
                return f"seat {event.seat} draws {event.cards}"
            case CardsSeen():
                return f"seat {event.audience} draws {_listed(KINDS[kind] for kind in event.kinds)}"
            case DeckShuffled():
                return f"seat {event.seat} shuffles its discard pile of {event.cards}"
            case PaintingChosen():
                return f"seat {event.seat} lays out {STYLES[event.style]}"
            case PurchaseBegun():
                return f"seat {event.seat} is to pay {event.cost}"
            case CardPaid():
                return f"seat {event.seat} pays {event.value} with {KINDS[event.kind]}"
            case CardAcquired():
                source = "the bank" if event.gallery < 0 else f"gallery {event.gallery + 1}"
                return f"seat {event.seat} acquires {KINDS[event.kind]} of {source}"
            case BankRefilled():
                return f"the bank turns up {KINDS[event.kind]}"
            case PaintingExhibited():
                place = f"space {event.space + 1} of exhibition {event.exhibition + 1}"
                what = f"{STYLES[event.style]} on a {MARKERS[event.marker]} marker"
                return f"seat {event.seat} exhibits {what}, {place}, and takes {event.vp} VP"
            case RatingRaised():
                return f"{RATINGS[event.rating]} rises to {event.value}"
            case PowerPlayed():
                return f"seat {event.seat} plays {POWERS[event.power]}"
            case CardRemoved():
                return f"seat {event.seat} removes {KINDS[event.kind]}"
            case CardDiscarded():
                return f"seat {event.seat} discards {KINDS[event.kind]}"
            case GalleriesFilled():
                added = ((STYLES[style] for style in styles) for styles in event.added)
                filled = "; ".join(map(_listed, added))
                return f"galleries get {filled}; they cost {_listed(event.costs)}"
            case LastRoundBegun():
                return f"the last round: {_listed(TRIGGERS[trigger] for trigger in event.triggers)}"
            case GameScored():
                each = ("{} taken, {} of paintings, {} of gold, {} of tiles".format(*points) for points in event.points)
                return f"the game is scored: {'; '.join(each)}"
        assert_never(event)


def _listed(items: Iterable[object]) -> str:
    return ", ".join(str(item) for item in items) or "none"


def _counted(counts: bytes) -> str:
    return _listed(f"{count} {KINDS[kind]}" for kind, count in enumerate(counts) if count)


def _by_name(names: Sequence[str], numbers: Sequence[int]) -> str:
    return _listed(f"{name} {number}" for name, number in zip(names, numbers, strict=True) if number)


def _exhibition(view: View, exhibition: int) -> str:
    free = _by_name(MARKERS, view.markers[6 * exhibition : 6 * exhibition + 6])
    codes = [code - 1 for code in view.museum[4 * exhibition : 4 * exhibition + 4] if code]
    hung = _listed(f"{STYLES[code // 6 % 5]} of seat {code // 30} on {MARKERS[code % 6]}" for code in codes)
    return f"tile {view.tiles[exhibition] + 1}, free markers {free}, paintings {hung}"


def _seat(view: View, seat: int) -> str:
    cards = f"{view.hand_sizes[seat]} cards in hand, {view.deck_sizes[seat]} in the deck"
    return f"{cards}, {view.vp[seat]} VP, {view.ribbons[seat]} ribbons, {view.shuffles[seat]} shuffles"


def _turn(view: View) -> str:
    if view.turn < 0:
        return f"over after round {view.round}{', at the cap' if view.capped else ''}"
    last = ", the last round" if view.last_round else ""
    return f"round {view.round} of at most {view.max_rounds}{last}, seat {view.turn}, first is seat {view.first}"


def _step(view: View) -> str:
    words = [Phase(view.phase).name, f"{view.actions} actions left"]
    used = [gallery + 1 for gallery in range(4) if view.used >> gallery & 1]
    words += [f"galleries used {_listed(used)}"] if used else []
    words += [f"{view.discounts} discounts"] if view.discounts else []
    words += ["any marker"] if view.invited else []
    words += [f"{STYLES[view.painting]} laid out"] if view.painting >= 0 else []
    words += [f"{view.due} due for move {view.buying}"] if view.buying >= 0 else []
    words += [f"least card {view.least}, on from {KINDS[view.floor]}"] if view.least < 255 else []
    return ", ".join(words)


NARRATOR = ArtDeckoNarrator()
