"""The table of Art Decko, put together for as much room as there is."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final

from rich.text import Text

from artreferee.v1 import art_decko_pb2 as pb
from clients.terminal.drawing.art_decko_parts import DENSE, FULL, PLAYER, TITLE, ArtDeckoParts, Offer
from clients.terminal.drawing.drawing import LegalMove, Size, View
from clients.terminal.drawing.lines import FAINT, STRONG, beside, flowed, framed, spaced, stacked, titled
from clients.terminal.drawing.pen import Pen
from clients.terminal.drawing.told.art_decko import PLAIN_GOLD, STYLES

_ROOMY: Final = 86  # from this width on blocks are framed, where there is room
_VALUES: Final = 11  # the columns of the market after the name
_MARKET: Final = FULL.style + _VALUES
_OFFERS: Final = 18
_NAMED: Final = 11  # the column of the name where there is little room
_BAR: Final = " │ "
_ALL_LINES: Final = 99


class ArtDeckoDrawing(ArtDeckoParts):
    """See `Drawing`."""

    def _lines(self, view: View, size: Size, pen: Pen) -> list[Text]:
        own, width = view.art_decko, size.width
        if width >= _ROOMY:
            roomy = [*self._head(own, pen), *self._hand(own, pen, width), *self._roomy(own, pen, width)]
            if len(roomy) <= size.height:
                signs = framed(self._words.told("Signs"), self._signs(width - 4), width)
                return spaced([roomy], signs, size.height)
        for blocks in self._layouts(own, pen, width):
            if sum(map(len, blocks)) <= size.height:
                break
        return spaced(blocks, self._signs(width), size.height)

    def _layouts(self, own: pb.ArtDeckoView, pen: Pen, width: int) -> Iterator[Sequence[Sequence[Text]]]:
        """Draws the table without frames in fewer and fewer lines."""
        told, names = self._words.told, width - _MARKET - _OFFERS - 4
        head, hand = self._head(own, pen), self._hand(own, pen, width)
        offers = beside(
            (self._ratings(own, told("Market"), FULL, pen), _MARKET),
            ([self._offer_heads(told("Offers")), *self._offers_drawn(own, pen)], _OFFERS),
            ([self._player_heads(told("Players"), names), *self._players(own, names, pen)], names),
        )
        yield [[*head, *hand], offers, self._exhibitions(own, told("Museum"), FULL, pen), self._piles(own, pen, width)]
        upper, middle = self._offers_in_rows(own, pen, width), self._museum_and_market(own, pen, width)
        yield [[*head, *hand], upper, middle, self._players_and_piles(own, pen, width, _ALL_LINES)]
        players = self._players_and_piles(own, pen, width, 1)
        yield [[*head, *hand], upper, middle, players]
        yield [[*flowed(head, width), *hand], upper, middle, players]

    def _roomy(self, own: pb.ArtDeckoView, pen: Pen, width: int) -> list[Text]:
        """Draws the table in frames."""
        told, names = self._words.told, width - _MARKET - _OFFERS - 12
        ratings = self._ratings(own, "", FULL, pen)
        offers = [self._offer_heads(""), *self._offers_drawn(own, pen)]
        players = [self._player_heads("", names), *self._players(own, names, pen)]
        players += [Text()] * (len(offers) - len(players))
        upper = beside(
            (framed(told("Market"), ratings, _MARKET + 4), _MARKET + 4),
            (framed(told("Offers"), offers, _OFFERS + 4), _OFFERS + 4),
            (framed(told("Players"), players, names + 4), names + 4),
            gap="",
        )
        museum = self._exhibitions(own, "", FULL, pen)
        return [*upper, *stacked([(told("Museum"), museum), (told("Decks"), self._piles(own, pen, width - 4))], width)]

    def _offers_in_rows(self, own: pb.ArtDeckoView, pen: Pen, width: int) -> list[Text]:
        told, left = self._words.told, self._out_of_sight(own, pen)[1:3]
        *galleries, threes, fives = self._on_offer(own, pen)
        numbered = [Text.assemble(f"{offer.name} ", _in_a_row(offer)) for offer in galleries]
        bank = [_in_a_row(threes), _in_a_row(fives), *left]
        return [
            *titled(Text(told("Galleries"), STRONG), flowed(numbered, width - TITLE, gap="   "), TITLE),
            *titled(Text(told("Bank"), STRONG), flowed(bank, width - TITLE, gap="   "), TITLE),
        ]

    def _museum_and_market(self, own: pb.ArtDeckoView, pen: Pen, width: int) -> list[Text]:
        told, market = self._words.told, DENSE.style + _VALUES
        tokens, *_, removed = self._out_of_sight(own, pen)
        below = flowed([tokens, *([removed] if any(own.removed) else [])], width - market - 2)
        museum = [*self._exhibitions(own, told("Museum"), DENSE, pen), *below]
        return beside((museum, width - market - 2), (self._ratings(own, told("Market"), DENSE, pen), market))

    def _players_and_piles(self, own: pb.ArtDeckoView, pen: Pen, width: int, most: int) -> list[Text]:
        """Draws players with what everybody knows of their cards, each in so many lines at most."""
        told, left = self._words.told, _NAMED - sum(PLAYER)
        piles = _BAR.join((told("held"), told("hand or deck"), told("discards")))
        lines = [Text.assemble(self._player_heads(told("Players"), left), "  ", (piles, FAINT))]
        for seat in range(len(own.seats)):
            player = self._player(own, seat, _NAMED, pen)
            lines += titled(player, self._piles_in_lines(own, seat, width - left - 2, most, pen), left + 2)
        return lines

    def _piles_in_lines(self, own: pb.ArtDeckoView, seat: int, width: int, most: int, pen: Pen) -> list[Text]:
        """Tells the piles of a player; of the longest only the first kinds, and how many cards more, if need be."""
        piles, aside = self._piles_of(own, seat, pen), self._words.told("aside")
        names = (Text(), Text(), Text(), Text(f"{aside} ", FAINT))
        shown = [len(pile.kinds) for pile in piles]
        while True:
            told = [pile.told(first) for pile, first in zip(piles, shown, strict=True)]
            lines = flowed(map(Text.assemble, names, told), width, gap=_BAR)
            if len(lines) <= most or max(shown) <= 1:
                return lines
            shown[shown.index(max(shown))] -= 1

    def _facts(self, move: LegalMove) -> Iterable[Hashable]:
        own = move.move.art_decko
        match own.WhichOneof("move"):
            case "haggle" | "pay" | "deaccession" | "discard" as kind:
                return [("hand", getattr(own, kind).card)]
            case "acquire_painting":
                painting = own.acquire_painting
                return [("gallery", painting.gallery, painting.style)]
            case "acquire_gold":
                return [("bank", own.acquire_gold.card)]
            case "exhibit":
                return [("hand", own.exhibit.style)]
            case "accept_invitation":
                accepted = own.accept_invitation
                return [("marker", accepted.exhibition, accepted.marker)]
            case "play_power":
                return [("hand", own.play_power.power + STYLES + len(PLAIN_GOLD))]
            case "promote":
                return [("rating", own.promote.rating)]
            case _:
                return []


def _in_a_row(offer: Offer) -> Text:
    return Text.assemble(offer.cards, (":", FAINT), offer.cost, f" +{offer.rise}")
