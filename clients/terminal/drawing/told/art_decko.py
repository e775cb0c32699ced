"""Art Decko in words."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from artreferee.v1 import art_decko_pb2 as pb
from clients.terminal.drawing.drawing import Choice, LegalMove, View
from clients.terminal.drawing.pen import Penned
from clients.terminal.words import Words, marked

STYLES: Final = 5
PLAIN_GOLD: Final = (1, 2, 5)
_ACTIONS: Final = ("haggle", "acquire_painting", "acquire_gold", "exhibit", "play_power")


class ArtDeckoTold(Penned):
    """The part of a drawing that is words. Styles, cards, ratings and markers are told by their numbers on the wire."""

    def __init__(self, names: Sequence[str], words: Words) -> None:
        super().__init__(names, words)
        told = words.told
        self.title: Final = told("Art Decko")
        self._styles: Final = (
            told("Art Nouveau"),
            told("Renaissance"),
            told("Surrealism"),
            told("Pop Art"),
            told("Impressionism"),
        )
        self._short_styles: Final = (
            words.pgettext("style of Art Decko, short", "Nouveau"),
            words.pgettext("style of Art Decko, short", "Renaiss."),
            words.pgettext("style of Art Decko, short", "Surreal."),
            words.pgettext("style of Art Decko, short", "Pop Art"),
            words.pgettext("style of Art Decko, short", "Impress."),
        )
        self._style_letters: Final = (
            words.pgettext("style of Art Decko", "N"),
            words.pgettext("style of Art Decko", "R"),
            words.pgettext("style of Art Decko", "S"),
            words.pgettext("style of Art Decko", "P"),
            words.pgettext("style of Art Decko", "I"),
        )
        self._powers: Final = (
            told("draw two"),
            told("extra action"),
            told("discount"),
            told("promotion"),
            told("deaccession"),
            told("open invitation"),
        )

    def _style(self, style: int) -> str:
        return self._styles[style - 1]

    def _power(self, power: int) -> str:
        return self._powers[power - 1]

    def _card(self, card: int) -> str:
        if card <= STYLES:
            return self._style(card)
        if card <= STYLES + len(PLAIN_GOLD):
            return self._words.told("{number}-gold", number=PLAIN_GOLD[card - STYLES - 1])
        return self._words.told("3-gold ({power})", power=self._power(card - STYLES - len(PLAIN_GOLD)))

    def _rating(self, rating: int) -> str:
        return self._style(rating) if rating <= STYLES else self._words.told("gold")

    def _marker(self, marker: int) -> str:
        return self._style(marker) if marker <= STYLES else self._words.told("wild")

    def _listed(self, cards: Iterable[int]) -> str:
        """Tells cards; nothing in particular if there are none."""
        return ", ".join(map(self._card, cards)) or self._words.told("nothing")

    def _counted(self, counts: Sequence[int]) -> str:
        """Tells how many cards there are of each kind."""
        kinds = (f"{count} {self._card(card)}" for card, count in enumerate(counts, 1) if count)
        return ", ".join(kinds) or self._words.told("nothing")

    def _tile(self, tile: pb.ArtDeckoTile) -> str:
        what = self._words.told(_COUNTS[tile.counts], style=self._style(tile.style) if tile.style else "")
        vp = "/".join(map(str, tile.vp))
        return self._words.told(_SCORINGS[tile.scoring], what=what, vp=vp)

    def _short_tile(self, tile: pb.ArtDeckoTile) -> str:
        """Tells a bonus where there is little room."""
        what = self._words.told(
            _SHORT_COUNTS[tile.counts], style=self._style_letters[tile.style - 1] if tile.style else ""
        )
        return self._words.told(_SHORT_SCORINGS[tile.scoring], what=what, vp="/".join(map(str, tile.vp)))

    def question(self, view: View, moves: Sequence[LegalMove]) -> str:
        told, own = self._words.told, view.art_decko
        match own.phase:
            case pb.ART_DECKO_PHASE_ACTION:
                return self._words.counted("Take your last action.", "Take one of {count} actions.", own.actions)
            case pb.ART_DECKO_PHASE_INVITATION:
                return told("Which invitation does {style} accept?", style=self._style(own.painting))
            case pb.ART_DECKO_PHASE_PAYMENT:
                return told("Pay {due} more: the next card.", due=own.due)
            case pb.ART_DECKO_PHASE_PROMOTE:
                return told("Which rating do you raise?")
            case pb.ART_DECKO_PHASE_DEACCESSION:
                return told("Which card do you remove from the game?")
            case _:
                return told("Do you discard cards before you draw?")

    def menu(self, view: View, moves: Sequence[LegalMove]) -> tuple[Choice, ...]:
        match view.art_decko.phase:
            case pb.ART_DECKO_PHASE_ACTION:
                return tuple(self._actions(view.art_decko, moves))
            case pb.ART_DECKO_PHASE_INVITATION:
                return tuple(Choice(self._entry(view.art_decko, move), (move,)) for move in moves)
            case _:
                return tuple(Choice(self.move(move), (move,)) for move in moves)

    def _actions(self, own: pb.ArtDeckoView, moves: Sequence[LegalMove]) -> Iterator[Choice]:
        """First what is done, then with what."""
        for action, title in zip(_ACTIONS, self._action_titles(), strict=True):
            group = tuple(move for move in moves if move.move.art_decko.WhichOneof("move") == action)
            if len(group) == 1:
                yield Choice(self.move(group[0]), group)
            elif group:
                yield Choice(title, group, tuple(Choice(self._entry(own, move), (move,)) for move in group))

    def _action_titles(self) -> Sequence[str]:
        told = self._words.told
        return (
            told("haggle: discard a card, draw two"),
            told("acquire a painting"),
            told("acquire gold"),
            told("exhibit a painting"),
            told("play a power"),
        )

    def _entry(self, own: pb.ArtDeckoView, move: LegalMove) -> str:
        """Tells a move among others of its kind, with what it costs."""
        told, mine = self._words.told, move.move.art_decko
        match mine.WhichOneof("move"):
            case "haggle":
                return self._card(mine.haggle.card)
            case "acquire_painting":
                gallery = mine.acquire_painting.gallery
                text = told(
                    "{style}, gallery {gallery}", style=self._style(mine.acquire_painting.style), gallery=gallery
                )
                return told("{what} for {cost}", what=text, cost=own.galleries[gallery - 1].cost)
            case "acquire_gold":
                card = mine.acquire_gold.card
                cost = own.bank.five_cost if card == pb.ART_DECKO_CARD_GOLD_5 else own.bank.three_cost
                return told("{what} for {cost}", what=self._card(card), cost=cost)
            case "exhibit":
                return self._style(mine.exhibit.style)
            case "accept_invitation":
                number = mine.accept_invitation.exhibition
                cost = own.exhibitions[number - 1].cost
                return told("{what} for {cost}", what=self._invitation(mine.accept_invitation), cost=cost)
            case "play_power":
                return self._power(mine.play_power.power)
            case _:
                return self.move(move)

    def _invitation(self, accepted: pb.ArtDeckoAcceptInvitation) -> str:
        return self._words.told(
            "exhibition {number}, marker {marker}", number=accepted.exhibition, marker=self._marker(accepted.marker)
        )

    def move(self, move: LegalMove) -> str:
        return self._moved(move.move.art_decko)

    def _moved(self, own: pb.ArtDeckoMove) -> str:
        told = self._words.told
        match own.WhichOneof("move"):
            case "haggle":
                return told("haggle for {card}", card=self._card(own.haggle.card))
            case "acquire_painting":
                painting = own.acquire_painting
                return told(
                    "acquire {style} of gallery {gallery}", style=self._style(painting.style), gallery=painting.gallery
                )
            case "acquire_gold":
                return told("acquire {card}", card=self._card(own.acquire_gold.card))
            case "exhibit":
                return told("exhibit {style}", style=self._style(own.exhibit.style))
            case "accept_invitation":
                return told("accept {invitation}", invitation=self._invitation(own.accept_invitation))
            case "pay":
                return told("pay {card}", card=self._card(own.pay.card))
            case "play_power":
                return told("play {power}", power=self._power(own.play_power.power))
            case "promote":
                return told("promote {rating}", rating=self._rating(own.promote.rating))
            case "deaccession":
                return told("remove {card} from the game", card=self._card(own.deaccession.card))
            case "discard":
                return told("discard {card}", card=self._card(own.discard.card))
            case _:
                return told("discard no more")

    def _status(self, own: pb.ArtDeckoView) -> str:
        """Tells who must choose what now."""
        if own.phase == pb.ART_DECKO_PHASE_OVER:
            return self._words.told("The game is over")
        seat = self._name(own.turn_seat)
        if own.phase == pb.ART_DECKO_PHASE_PAYMENT:
            what = self._moved(own.purchase)
            return self._words.told("{seat} has {due} to pay: {what}", seat=seat, due=own.due, what=what)
        return self._words.told(_STATUS[own.phase], seat=seat)


_STATUS: Final = {
    pb.ART_DECKO_PHASE_ACTION: marked("{seat} takes an action"),
    pb.ART_DECKO_PHASE_INVITATION: marked("{seat} accepts an invitation"),
    pb.ART_DECKO_PHASE_PROMOTE: marked("{seat} raises a rating"),
    pb.ART_DECKO_PHASE_DEACCESSION: marked("{seat} removes a card"),
    pb.ART_DECKO_PHASE_DISCARD: marked("{seat} may discard"),
    pb.ART_DECKO_PHASE_DISCARDING: marked("{seat} may discard more"),
}
_COUNTS: Final = {
    pb.ART_DECKO_COUNT_OWN_PAINTINGS: marked("own {style}"),
    pb.ART_DECKO_COUNT_OWN_GOLD_CARDS: marked("own gold cards"),
    pb.ART_DECKO_COUNT_OWN_GOLD: marked("sum of own gold"),
    pb.ART_DECKO_COUNT_OWN_CARDS: marked("own cards"),
    pb.ART_DECKO_COUNT_OWN_SETS: marked("own sets of all styles"),
    pb.ART_DECKO_COUNT_MUSEUM_PAINTINGS: marked("paintings in the museum"),
    pb.ART_DECKO_COUNT_MUSEUM_STYLES: marked("styles in the museum"),
    pb.ART_DECKO_COUNT_EXHIBITION_PAINTINGS: marked("paintings here"),
    pb.ART_DECKO_COUNT_FIRST_SPACES: marked("first spaces"),
}
_SCORINGS: Final = {
    pb.ART_DECKO_SCORING_MOST: marked("{what}, most {vp}"),
    pb.ART_DECKO_SCORING_FEWEST: marked("{what}, fewest {vp}"),
    pb.ART_DECKO_SCORING_EACH: marked("{what}, {vp} each"),
}
_SHORT_COUNTS: Final = {
    pb.ART_DECKO_COUNT_OWN_PAINTINGS: marked("{style} owned"),
    pb.ART_DECKO_COUNT_OWN_GOLD_CARDS: marked("gold cards"),
    pb.ART_DECKO_COUNT_OWN_GOLD: marked("gold"),
    pb.ART_DECKO_COUNT_OWN_CARDS: marked("cards"),
    pb.ART_DECKO_COUNT_OWN_SETS: marked("sets"),
    pb.ART_DECKO_COUNT_MUSEUM_PAINTINGS: marked("in museum"),
    pb.ART_DECKO_COUNT_MUSEUM_STYLES: marked("styles hung"),
    pb.ART_DECKO_COUNT_EXHIBITION_PAINTINGS: marked("here"),
    pb.ART_DECKO_COUNT_FIRST_SPACES: marked("top spaces"),
}
_SHORT_SCORINGS: Final = {
    pb.ART_DECKO_SCORING_MOST: marked("{what} ▲{vp}"),
    pb.ART_DECKO_SCORING_FEWEST: marked("{what} ▼{vp}"),
    pb.ART_DECKO_SCORING_EACH: marked("{what} {vp} each"),
}
