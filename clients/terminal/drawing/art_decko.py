"""The table of Art Decko."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final

from rich.text import Text

from artreferee.v1 import art_decko_pb2 as pb
from clients.terminal.drawing.drawing import LegalMove, Size, View
from clients.terminal.drawing.lines import FAINT, STRONG, beside, flowed, framed, row, spaced, stacked, titled
from clients.terminal.drawing.pen import Pen
from clients.terminal.drawing.seats import LETTERS, colour, label
from clients.terminal.drawing.told.art_decko import PLAIN_GOLD, STYLES
from clients.terminal.drawing.told.art_decko_log import ArtDeckoLog
from clients.terminal.words import Words

_TITLE: Final = 12
_ROOMY: Final = 86  # from this width on blocks are framed, where there is room
_MARKET: Final = 26
_OFFERS: Final = 18
_SPACE: Final = 7
_MUSEUM: Final = 7
_FREE: Final = 7
_TILE: Final = 34
_PLAYER: Final = (-3, -4, -5, -5)  # the columns after the name
_GOLD: Final = "#e0c050"
_COLOURS: Final = ("#2fbf8f", "#e69f00", "#cc79a7", "#d8c820", "#56b4e9")


class ArtDeckoDrawing(ArtDeckoLog):
    """See `Drawing`."""

    def __init__(self, names: Sequence[str], words: Words) -> None:
        super().__init__(names, words)
        pgettext = words.pgettext
        self._style_letters: Final = (
            pgettext("style of Art Decko", "N"),
            pgettext("style of Art Decko", "R"),
            pgettext("style of Art Decko", "S"),
            pgettext("style of Art Decko", "P"),
            pgettext("style of Art Decko", "I"),
        )
        self._power_letters: Final = (
            pgettext("power of Art Decko", "d"),
            pgettext("power of Art Decko", "x"),
            pgettext("power of Art Decko", "c"),
            pgettext("power of Art Decko", "p"),
            pgettext("power of Art Decko", "r"),
            pgettext("power of Art Decko", "o"),
        )

    def _lines(self, view: View, size: Size, pen: Pen) -> list[Text]:
        own, told = view.art_decko, self._words.told
        head = [*self._head(own, pen), *self._hand(own, pen, size.width)]
        roomy = [*head, *self._roomy(own, pen, size.width)] if size.width >= _ROOMY else []
        if roomy and len(roomy) <= size.height:
            return spaced([roomy], framed(told("Signs"), self._signs(size.width - 4), size.width), size.height)
        width = size.width - _MARKET - _OFFERS - 4
        offers = beside(
            ([self._market_heads(told("Market")), *self._ratings(own, pen)], _MARKET),
            ([self._offer_heads(told("Offers")), *self._offers_drawn(own, pen)], _OFFERS),
            ([self._player_heads(told("Players"), width), *self._players(own, width, pen)], width),
        )
        museum = [self._museum_heads(told("Museum")), *self._exhibitions(own, pen)]
        return spaced([head, offers, museum, self._piles(own, pen, size.width)], self._signs(size.width), size.height)

    def _roomy(self, own: pb.ArtDeckoView, pen: Pen, width: int) -> list[Text]:
        """Draws the table in frames."""
        told, names = self._words.told, width - _MARKET - _OFFERS - 12
        ratings = [self._market_heads(""), *self._ratings(own, pen)]
        offers = [self._offer_heads(""), *self._offers_drawn(own, pen)]
        players = [self._player_heads("", names), *self._players(own, names, pen)]
        players += [Text()] * (len(offers) - len(players))
        upper = beside(
            (framed(told("Market"), ratings, _MARKET + 4), _MARKET + 4),
            (framed(told("Offers"), offers, _OFFERS + 4), _OFFERS + 4),
            (framed(told("Players"), players, names + 4), names + 4),
            gap="",
        )
        museum = [self._museum_heads(""), *self._exhibitions(own, pen)]
        return [*upper, *stacked([(told("Museum"), museum), (told("Decks"), self._piles(own, pen, width - 4))], width)]

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

    def _short(self, card: int) -> str:
        if card <= STYLES:
            return self._style_letters[card - 1]
        if card <= STYLES + len(PLAIN_GOLD):
            return f"${PLAIN_GOLD[card - STYLES - 1]}"
        return f"$3{self._power_letters[card - STYLES - len(PLAIN_GOLD) - 1]}"

    def _tint(self, card: int) -> str:
        return f"bold {_COLOURS[card - 1] if card <= STYLES else _GOLD}"

    def _mark(self, marker: int) -> str:
        return self._style_letters[marker - 1] if marker <= STYLES else "*"

    def _head(self, own: pb.ArtDeckoView, pen: Pen) -> list[Text]:
        told = self._words.told
        facts = [
            Text(self.title, STRONG),
            pen.write("round", told("Round {round} of {rounds}", round=own.round, rounds=own.max_rounds)),
            pen.write("actions", told("actions left {actions}", actions=own.actions)),
            *(pen.write(("pending", text), text, STRONG) for text in self._pending(own)),
        ]
        return [Text(" · ").join(facts), pen.write("status", f"▶ {self._status(own)}", STRONG)]

    def _hand(self, own: pb.ArtDeckoView, pen: Pen, width: int) -> list[Text]:
        if not own.HasField("seat"):
            return []
        copies, cards = Counter[int](), list[Text]()
        for card in own.hand:
            cards.append(
                pen.write(("hand", card, copies[card]), f"[{self._short(card)}]", self._tint(card), ("hand", card))
            )
            copies[card] += 1
        mine = Text.assemble(self._words.told("Your hand"), " ", (LETTERS[own.seat], colour(own.seat)))
        return titled(mine, flowed(cards, width - _TITLE, gap=" ") or [Text()], _TITLE)

    def _market_heads(self, title: str) -> Text:
        pgettext = self._words.pgettext
        return row(
            (Text(title, STRONG), 15),
            (Text(pgettext("column of Art Decko", "at"), FAINT), -3),
            (Text(pgettext("column of Art Decko", "pay"), FAINT), -4),
            (Text(pgettext("column of Art Decko", "VP"), FAINT), -4),
        )

    def _ratings(self, own: pb.ArtDeckoView, pen: Pen) -> list[Text]:
        return [self._rating_row(rating, pen) for rating in own.market]

    def _rating_row(self, rating: pb.ArtDeckoRatingValue, pen: Pen) -> Text:
        name = self._rating(rating.rating)
        style = rating.rating <= STYLES
        letter = self._style_letters[rating.rating - 1] if style else "$"
        vp = f"{rating.painting_vp}" if style else f"{rating.gold_per_vp}:1"
        return row(
            (Text.assemble((letter, self._tint(rating.rating)), f" {name}"), 15),
            (pen.write(("rating", rating.rating), f"{rating.value}", STRONG), -3),
            (pen.write(("pays", rating.rating), f"{rating.gold_value}" if style else ""), -4),
            (pen.write(("scores", rating.rating), vp), -4),
        )

    def _offer_heads(self, title: str) -> Text:
        pgettext = self._words.pgettext
        return row(
            (Text(title, STRONG), 9),
            (Text(pgettext("column of Art Decko", "cost"), FAINT), -5),
            (Text(pgettext("column of Art Decko", "up"), FAINT), -4),
        )

    def _offers_drawn(self, own: pb.ArtDeckoView, pen: Pen) -> list[Text]:
        bank = own.bank
        threes = [
            pen.write(("bank", card, copy), self._short(card), self._tint(card), ("bank", card))
            for copy, card in enumerate(bank.face_up)
        ]
        fives = pen.write(
            ("bank", pb.ART_DECKO_CARD_GOLD_5),
            f"{bank.fives} {self._short(pb.ART_DECKO_CARD_GOLD_5)}",
            self._tint(STYLES + 1),
        )
        return [
            *(self._gallery(number, gallery, pen) for number, gallery in enumerate(own.galleries, 1)),
            _offer("$", Text(" ").join(threes), Text(f"{bank.three_cost}"), bank.three_rise),
            _offer("$", fives, Text(f"{bank.five_cost}"), bank.five_rise),
        ]

    def _gallery(self, number: int, gallery: pb.ArtDeckoGallery, pen: Pen) -> Text:
        copies, paintings = Counter[int](), list[Text]()
        for style in gallery.paintings:
            fact = ("gallery", number, style, copies[style])
            paintings.append(
                pen.write(fact, self._style_letters[style - 1], self._tint(style), ("gallery", number, style))
            )
            copies[style] += 1
        used = pen.write(("used", number), "✗" if gallery.used else "")
        shown = Text.assemble(Text(" ").join(paintings), " ", used)
        return _offer(f"{number}", shown, pen.write(("cost", number), f"{gallery.cost}"), gallery.rise)

    def _player_heads(self, title: str, width: int) -> Text:
        pgettext = self._words.pgettext
        columns = (
            pgettext("column of Art Decko", "VP"),
            pgettext("column of Art Decko", "rib"),
            pgettext("column of Art Decko", "hand"),
            pgettext("column of Art Decko", "deck"),
        )
        heads = ((Text(column, FAINT), size) for column, size in zip(columns, _PLAYER, strict=True))
        return row((Text(title, STRONG), width + sum(_PLAYER)), *heads)

    def _players(self, own: pb.ArtDeckoView, width: int, pen: Pen) -> list[Text]:
        return [self._player(own, seat, width + sum(_PLAYER), pen) for seat in range(len(own.seats))]

    def _player(self, own: pb.ArtDeckoView, seat: int, width: int, pen: Pen) -> Text:
        state, due = own.seats[seat], own.HasField("turn_seat") and own.turn_seat == seat
        facts = (
            pen.write(("vp", seat), f"{state.vp}", STRONG),
            pen.write(("ribbons", seat), f"{state.ribbons}"),
            pen.write(("hand size", seat), f"{state.hand_size}"),
            pen.write(("deck size", seat), f"{state.deck_size}"),
        )
        return row(
            (label(self._name(seat), seat, due, own.first_seat == seat, pen), width - 1),
            ("", 1),
            *zip(facts, _PLAYER, strict=True),
        )

    def _museum_heads(self, title: str) -> Text:
        told, pgettext = self._words.told, self._words.pgettext
        return row(
            (Text(title, STRONG) if title else Text(pgettext("column of Art Decko", "cost"), FAINT), _MUSEUM),
            (Text(told("VP and paintings"), FAINT), 4 * _SPACE),
            (Text(told("free"), FAINT), _FREE),
            (Text(told("bonus"), FAINT), _TILE),
        )

    def _exhibitions(self, own: pb.ArtDeckoView, pen: Pen) -> list[Text]:
        return [self._exhibition(number, exhibition, pen) for number, exhibition in enumerate(own.exhibitions, 1)]

    def _exhibition(self, number: int, exhibition: pb.ArtDeckoExhibition, pen: Pen) -> Text:
        hung: list[pb.ArtDeckoHungPainting | None] = list(exhibition.paintings)
        hung += [None] * (len(exhibition.vp) - len(hung))
        spaces = [self._space(number, vp, painting, pen) for vp, painting in zip(exhibition.vp, hung, strict=True)]
        markers = [
            pen.write(("marker", number, marker, copy), self._mark(marker), "", ("marker", number, marker))
            for copy, marker in enumerate(exhibition.markers)
        ]
        return row(
            (f"{number}", 2),
            (f"${exhibition.cost}", 2 - _MUSEUM + 1),
            ("", 1),
            *((space, _SPACE) for space in spaces),
            (Text().join(markers), _FREE),
            (self._tile(exhibition.tile), _TILE),
        )

    def _space(self, number: int, vp: int, painting: pb.ArtDeckoHungPainting | None, pen: Pen) -> Text:
        fact = ("space", number, vp)
        if painting is None:
            return Text.assemble((f"{vp}:", FAINT), pen.write(fact, "·"))
        by = "" if self._marker(painting.marker) == self._style(painting.style) else self._mark(painting.marker)
        text = f"{LETTERS[painting.seat]}{self._style_letters[painting.style - 1]}{by}"
        return Text.assemble((f"{vp}:", FAINT), pen.write(fact, text, colour(painting.seat)))

    def _piles(self, own: pb.ArtDeckoView, pen: Pen, width: int) -> list[Text]:
        """Draws what everybody knows of the cards of each player, and what is out of sight."""
        told = self._words.told
        lines = list[Text]()
        for seat, state in enumerate(own.seats):
            parts = [
                Text.assemble((told("held"), FAINT), " ", self._kinds(state.kept, ("kept", seat), pen)),
                Text.assemble((told("hand or deck"), FAINT), " ", self._kinds(state.pool, ("pool", seat), pen)),
                Text.assemble((told("discards"), FAINT), " ", self._kinds(state.discards, ("discards", seat), pen)),
            ]
            if any(own.aside) and own.turn_seat == seat:
                parts.append(Text.assemble((told("aside"), FAINT), " ", self._kinds(own.aside, "aside", pen)))
            lines += titled(Text(f"{LETTERS[seat]}", colour(seat)), flowed(parts, width - 2), 2)
        return [*lines, *self._out_of_sight(own, pen, width)]

    def _out_of_sight(self, own: pb.ArtDeckoView, pen: Pen, width: int) -> Iterator[Text]:
        told = self._words.told
        supply = " ".join(map(str, own.supply)) or "-"
        parts = [
            Text.assemble((told("tokens to come"), FAINT), " ", pen.write("supply", supply)),
            Text.assemble((told("paintings left"), FAINT), " ", pen.write("left", f"{own.paintings_left}")),
            Text.assemble((told("$3 face down"), FAINT), " ", pen.write("stack", f"{own.bank.stack_size}")),
            Text.assemble((told("removed"), FAINT), " ", self._kinds(own.removed, "removed", pen)),
        ]
        yield from flowed(parts, width)

    def _kinds(self, counts: Sequence[int], fact: Hashable, pen: Pen) -> Text:
        kinds = [
            pen.write((fact, card), f"{count if count > 1 else ''}{self._short(card)}", self._tint(card))
            for card, count in enumerate(counts, 1)
            if count
        ]
        return Text(" ").join(kinds) if kinds else Text("-")

    def _signs(self, width: int) -> list[Text]:
        told = self._words.told
        powers = [f"$3{letter} {name}" for letter, name in zip(self._power_letters, self._powers, strict=True)]
        signs = (
            told("$1 1-gold"),
            *powers,
            told("5:AN space of 5 VP, with a painting of A"),
            told("* any style"),
            told("✗ used this turn"),
            told("◆ first player"),
        )
        return flowed([Text(sign, FAINT) for sign in signs], width, gap=" · ")


def _offer(name: str, cards: Text, cost: Text, rise: int) -> Text:
    return row((name, 2), (cards, 8), (cost, -4), (f"+{rise}", -4))
