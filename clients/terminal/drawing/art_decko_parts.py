"""The parts of a table of Art Decko: its rows, as wide as they need to be."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

from rich.text import Text

from artreferee.v1 import art_decko_pb2 as pb
from clients.terminal.drawing.lines import FAINT, STRONG, flowed, row, titled
from clients.terminal.drawing.pen import Pen
from clients.terminal.drawing.seats import LETTERS, colour, label
from clients.terminal.drawing.told.art_decko import PLAIN_GOLD, STYLES
from clients.terminal.drawing.told.art_decko_log import ArtDeckoLog
from clients.terminal.words import Words

TITLE: Final = 12
PLAYER: Final = (-3, -4, -5, -5)  # the columns after the name
_GOLD: Final = "#e0c050"
_COLOURS: Final = ("#2fbf8f", "#e69f00", "#cc79a7", "#d8c820", "#56b4e9")


class Columns(NamedTuple):
    """How wide the columns of museum and market are.

    Attributes:
        cost: with the number before it.
        space: of the first space, and of each of the others.
        free: of the markers.
        tile: of the bonus.
        style: the name of a rating.
    """

    cost: int
    space: tuple[int, int]
    free: int
    tile: int
    style: int


FULL: Final = Columns(cost=7, space=(7, 7), free=7, tile=34, style=15)
DENSE: Final = Columns(cost=7, space=(7, 6), free=5, tile=16, style=10)


class Offer(NamedTuple):
    """What can be acquired: of which gallery or of the bank, for what, and by how much it raises a rating."""

    name: str
    cards: Text
    cost: Text
    rise: int


class Pile(NamedTuple):
    """Cards of somebody: what they are called, and each kind with how many there are."""

    name: str
    kinds: Sequence[Text]
    counts: Sequence[int]

    def told(self, first: int | None = None) -> Text:
        """Tells the first kinds, or all, and how many cards there are besides."""
        more = sum(self.counts[len(self.kinds) if first is None else first :])
        shown = [*self.kinds[:first], *([Text(f"+{more}", FAINT)] if more else [])]
        return Text(" ").join(shown) if shown else Text("-")


class ArtDeckoParts(ArtDeckoLog):
    """What a drawing is put together from."""

    def __init__(self, names: Sequence[str], words: Words) -> None:
        super().__init__(names, words)
        pgettext = words.pgettext
        self._power_letters: Final = (
            pgettext("power of Art Decko", "d"),
            pgettext("power of Art Decko", "x"),
            pgettext("power of Art Decko", "c"),
            pgettext("power of Art Decko", "p"),
            pgettext("power of Art Decko", "r"),
            pgettext("power of Art Decko", "o"),
        )

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
        return titled(mine, flowed(cards, width - TITLE, gap=" ") or [Text()], TITLE)

    def _ratings(self, own: pb.ArtDeckoView, title: str, columns: Columns, pen: Pen) -> list[Text]:
        pgettext = self._words.pgettext
        heads = row(
            (Text(title, STRONG), columns.style),
            (Text(pgettext("column of Art Decko", "at"), FAINT), -3),
            (Text(pgettext("column of Art Decko", "pay"), FAINT), -4),
            (Text(pgettext("column of Art Decko", "VP"), FAINT), -4),
        )
        return [heads, *(self._rating_row(rating, columns, pen) for rating in own.market)]

    def _rating_row(self, rating: pb.ArtDeckoRatingValue, columns: Columns, pen: Pen) -> Text:
        style, number = rating.rating <= STYLES, rating.rating
        names = self._short_styles if style and columns is DENSE else self._styles
        name = names[number - 1] if style else self._rating(number)
        letter = self._style_letters[number - 1] if style else "$"
        vp = f"{rating.painting_vp}" if style else f"{rating.gold_per_vp}:1"
        return row(
            (Text.assemble((letter, self._tint(number)), f" {name}"), columns.style),
            (pen.write(("rating", number), f"{rating.value}", STRONG), -3),
            (pen.write(("pays", number), f"{rating.gold_value}" if style else ""), -4),
            (pen.write(("scores", number), vp), -4),
        )

    def _offer_heads(self, title: str) -> Text:
        pgettext = self._words.pgettext
        return row(
            (Text(title, STRONG), 9),
            (Text(pgettext("column of Art Decko", "cost"), FAINT), -5),
            (Text(pgettext("column of Art Decko", "up"), FAINT), -4),
        )

    def _offers_drawn(self, own: pb.ArtDeckoView, pen: Pen) -> list[Text]:
        return [
            row((offer.name, 2), (offer.cards, 8), (offer.cost, -4), (f"+{offer.rise}", -4))
            for offer in self._on_offer(own, pen)
        ]

    def _on_offer(self, own: pb.ArtDeckoView, pen: Pen) -> list[Offer]:
        """Tells the galleries, and then both kinds of gold."""
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
            Offer("$", Text(" ").join(threes), Text(f"{bank.three_cost}"), bank.three_rise),
            Offer("$", fives, Text(f"{bank.five_cost}"), bank.five_rise),
        ]

    def _gallery(self, number: int, gallery: pb.ArtDeckoGallery, pen: Pen) -> Offer:
        copies, paintings = Counter[int](), list[Text]()
        for style in gallery.paintings:
            fact = ("gallery", number, style, copies[style])
            paintings.append(
                pen.write(fact, self._style_letters[style - 1], self._tint(style), ("gallery", number, style))
            )
            copies[style] += 1
        used = pen.write(("used", number), "✗" if gallery.used else "")
        shown = Text(" ").join([*paintings, *filter(None, [used])])
        return Offer(f"{number}", shown, pen.write(("cost", number), f"{gallery.cost}"), gallery.rise)

    def _player_heads(self, title: str, width: int) -> Text:
        pgettext = self._words.pgettext
        columns = (
            pgettext("column of Art Decko", "VP"),
            pgettext("column of Art Decko", "rib"),
            pgettext("column of Art Decko", "hand"),
            pgettext("column of Art Decko", "deck"),
        )
        heads = ((Text(column, FAINT), size) for column, size in zip(columns, PLAYER, strict=True))
        return row((Text(title, STRONG), width + sum(PLAYER)), *heads)

    def _players(self, own: pb.ArtDeckoView, width: int, pen: Pen) -> list[Text]:
        return [self._player(own, seat, width + sum(PLAYER), pen) for seat in range(len(own.seats))]

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
            *zip(facts, PLAYER, strict=True),
        )

    def _exhibitions(self, own: pb.ArtDeckoView, title: str, columns: Columns, pen: Pen) -> list[Text]:
        told, pgettext = self._words.told, self._words.pgettext
        heads = row(
            (Text(title, STRONG) if title else Text(pgettext("column of Art Decko", "cost"), FAINT), columns.cost),
            (Text(told("VP and paintings"), FAINT), sum(columns.space) + 2 * columns.space[1]),
            (Text(pgettext("column of Art Decko", "free"), FAINT), columns.free),
            (Text(told("bonus ▲most ▼few") if columns is DENSE else told("bonus"), FAINT), columns.tile),
        )
        rows = (self._exhibition(number, each, columns, pen) for number, each in enumerate(own.exhibitions, 1))
        return [heads, *rows]

    def _exhibition(self, number: int, exhibition: pb.ArtDeckoExhibition, columns: Columns, pen: Pen) -> Text:
        hung: list[pb.ArtDeckoHungPainting | None] = list(exhibition.paintings)
        hung += [None] * (len(exhibition.vp) - len(hung))
        spaces = [self._space(number, vp, painting, pen) for vp, painting in zip(exhibition.vp, hung, strict=True)]
        markers = [
            pen.write(("marker", number, marker, copy), self._mark(marker), "", ("marker", number, marker))
            for copy, marker in enumerate(exhibition.markers)
        ]
        first, others = columns.space
        return row(
            (f"{number}", 2),
            (f"${exhibition.cost}", 3 - columns.cost),
            ("", 1),
            (spaces[0], first),
            *((space, others) for space in spaces[1:]),
            (Text().join(markers), columns.free),
            (self._short_tile(exhibition.tile) if columns is DENSE else self._tile(exhibition.tile), columns.tile),
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
        lines = list[Text]()
        for seat in range(len(own.seats)):
            piles = [Text.assemble((pile.name, FAINT), " ", pile.told()) for pile in self._piles_of(own, seat, pen)]
            lines += titled(Text(f"{LETTERS[seat]}", colour(seat)), flowed(piles, width - 2), 2)
        return [*lines, *flowed(self._out_of_sight(own, pen), width)]

    def _piles_of(self, own: pb.ArtDeckoView, seat: int, pen: Pen) -> list[Pile]:
        told, state = self._words.told, own.seats[seat]
        piles = [
            self._pile(told("held"), state.kept, ("kept", seat), pen),
            self._pile(told("hand or deck"), state.pool, ("pool", seat), pen),
            self._pile(told("discards"), state.discards, ("discards", seat), pen),
        ]
        if any(own.aside) and own.turn_seat == seat:
            piles.append(self._pile(told("aside"), own.aside, "aside", pen))
        return piles

    def _out_of_sight(self, own: pb.ArtDeckoView, pen: Pen) -> list[Text]:
        told = self._words.told
        supply = " ".join(map(str, own.supply)) or "-"
        return [
            Text.assemble((told("tokens to come"), FAINT), " ", pen.write("supply", supply)),
            Text.assemble((told("paintings left"), FAINT), " ", pen.write("left", f"{own.paintings_left}")),
            Text.assemble((told("$3 face down"), FAINT), " ", pen.write("stack", f"{own.bank.stack_size}")),
            Text.assemble((told("removed"), FAINT), " ", self._pile("", own.removed, "removed", pen).told()),
        ]

    def _pile(self, name: str, counts: Sequence[int], fact: Hashable, pen: Pen) -> Pile:
        kinds = [
            pen.write((fact, card), f"{count if count > 1 else ''}{self._short(card)}", self._tint(card))
            for card, count in enumerate(counts, 1)
            if count
        ]
        return Pile(name, kinds, list(filter(None, counts)))

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
