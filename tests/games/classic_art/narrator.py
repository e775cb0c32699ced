"""Views and events of Classic Art in words."""

from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from referee.core.game import Options
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
from referee.games.classic_art.state import Phase
from referee.games.classic_art.view import View
from tests.games.classic_art.moves import CATEGORIES, KINDS, LOAN, SPACES, Card, cards_of_play
from tests.games.playthrough import Words


class ClassicArtNarrator:
    """Tells playthroughs of two seasons."""

    options: Final[Options] = {"max_seasons": 2}

    def public(self, view: View) -> Words:
        words = {"the step": _step(view)}
        for place, category in enumerate(CATEGORIES):
            count, pending = max(0, view.net[place]), max(0, -view.net[place])
            words[category] = f"{count} Artworks, {pending} pending Loans"
            spaces = range(8 * place, 8 * place + 8)
            words[f"{category} predictions"] = _listed(
                _prediction(space, view.board[space]) for space in spaces if view.board[space]
            )
        words["revealed cards"] = _counted(view.played[10 * view.seats :])
        for seat in range(view.seats):
            words[f"seat {seat}'s face-up cards"] = _counted(view.played[10 * seat : 10 * seat + 10])
            words[f"seat {seat}'s tokens"] = _tokens(view, seat)
            words[f"seat {seat}'s prestige"] = _by_category(view.prestige[5 * seat : 5 * seat + 5])
            words[f"seat {seat}'s hand"] = f"{view.hand_sizes[seat]} cards{', committed' * view.committed[seat]}"
        words["House and cards out of play"] = f"{view.house_size} and {view.deck_size}"
        return words

    def private(self, view: View) -> Words:
        chosen = _cards(cards_of_play(view.chosen)) if view.chosen >= 0 else "none"
        return {"in its hand": _counted(view.hand), "its sealed choice": chosen}

    def event(self, event: ClassicArtEvent) -> str:
        match event:
            case SeasonDealt():
                shown = _cards([KINDS[kind] for kind in event.revealed])
                return f"season {event.season} is dealt, seat {event.first} is first, revealed are {shown}"
            case PredictionPlaced():
                return f"placed {_prediction(event.space, event.code)}"
            case Passed():
                return f"seat {event.seat} predicts nothing"
            case CardsPlayed():
                return f"seat {event.seat} plays {_cards(cards_of_play(event.pair))}"
            case HouseRevealed():
                return f"the House reveals {_cards([KINDS[event.kind]])}"
            case CardsCommitted():
                return f"seat {event.seat} has committed"
            case CardsChosen():
                third = _cards([KINDS[event.discarded]])
                return f"chosen are {_cards(cards_of_play(event.pair))}, to be discarded is {third}"
            case SeasonScored():
                earned = _listed(f"{_prediction(space, code)} +{gain}" for space, code, gain in event.predictions)
                return f"season {event.season} ends with {_by_category(event.counts)}: {earned}"
        assert_never(event)


def _listed(items: Iterable[object]) -> str:
    return ", ".join(str(item) for item in items) or "none"


def _by_category(numbers: Sequence[int]) -> str:
    return _listed(f"{name} {number}" for name, number in zip(CATEGORIES, numbers, strict=True) if number)


def _cards(cards: Sequence[Card]) -> str:
    return " and ".join(" ".join(card) for card in cards)


def _counted(counts: bytes) -> str:
    cards = zip(KINDS, counts, strict=True)
    return _listed(f"{count} {name}{' Loan' * (sort == LOAN)}" for (name, sort), count in cards if count)


def _prediction(space: int, code: int) -> str:
    owner, rest = divmod(code - 1, 4)
    tokens = ("1 token", "1 token with High-Risk", "2 tokens", "2 tokens with High-Risk")[rest]
    return f"{tokens} of seat {owner} on {SPACES[space % 8]} of {CATEGORIES[space // 8]}"


def _tokens(view: View, seat: int) -> str:
    doubled = ", doubled down" if view.doubled[seat] else ""
    return f"{view.available[seat]} available, {view.lost[seat]} lost{doubled}"


def _step(view: View) -> str:
    season = f"season {view.season}, first is seat {view.first}"
    match Phase(view.phase):
        case Phase.SETUP:
            return f"{season}: seat {view.turn} may predict before {view.turns_left} turns"
        case Phase.PLAY:
            return f"{season}: seat {view.turn} plays cards, turns left {view.turns_left}"
        case Phase.PREDICT:
            return f"{season}: seat {view.turn} may predict, turns left {view.turns_left}"
        case Phase.FINAL:
            return f"{season}: the final turn"
        case Phase.OVER:
            return f"{season}: over{', at the cap' if view.capped else ''}"


NARRATOR = ClassicArtNarrator()
