"""The table of Classic Art."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Final

from rich.text import Text

from artreferee.v1 import classic_art_pb2 as pb
from clients.terminal.drawing.drawing import LegalMove, Size, View
from clients.terminal.drawing.lines import FAINT, STRONG, Cell, flowed, framed, row, spaced, stacked, titled
from clients.terminal.drawing.pen import Pen
from clients.terminal.drawing.seats import LETTERS, colour, label
from clients.terminal.drawing.told.classic_art import ClassicArtTold, placed, played
from clients.terminal.words import Words

_Stakes = dict[tuple[int, int], pb.ClassicArtPrediction]

_BAR: Final = 11  # Artworks of a category
_NAME: Final = 12
_TITLE: Final = 12
_ROOMY: Final = 80  # from this width on blocks are framed, where there is room
_WIDE: Final = 110  # from here on the markers stand beside the exhibitions too


class ClassicArtDrawing(ClassicArtTold):
    """See `Drawing`."""

    def __init__(self, names: Sequence[str], words: Words) -> None:
        super().__init__(names, words)
        pgettext = words.pgettext
        self._short: Final = (
            pgettext("card of Classic Art", "Et"),
            pgettext("card of Classic Art", "SL"),
            pgettext("card of Classic Art", "Sc"),
            pgettext("card of Classic Art", "Po"),
            pgettext("card of Classic Art", "La"),
        )
        self._label: Final = max(map(len, self._categories)) + 3

    def _lines(self, view: View, size: Size, pen: Pen) -> list[Text]:
        own, told = view.classic_art, self._words.told
        head = [*self._head(view, pen), *self._hand(own, pen, size.width)]
        roomy = [*head, *self._roomy(own, pen, size.width)] if size.width >= _ROOMY else []
        if roomy and len(roomy) <= size.height:
            return spaced([roomy], framed(told("Signs"), self._signs(size.width - 4), size.width), size.height)
        board = self._board(own, told("Exhibitions"), pen, size.width)
        seats = self._players(own, told("Players"), pen, size.width)
        return spaced(
            [head, board, seats, self._seen_cards(own, pen, size.width)], self._signs(size.width), size.height
        )

    def _roomy(self, own: pb.ClassicArtView, pen: Pen, width: int) -> list[Text]:
        """Draws the table in frames."""
        told, inner = self._words.told, width - 4
        blocks = [
            (told("Exhibitions"), self._board(own, "", pen, inner)),
            (told("Players"), self._players(own, "", pen, inner)),
            (told("Cards"), self._seen_cards(own, pen, inner)),
        ]
        return stacked(blocks, width)

    def _head(self, view: View, pen: Pen) -> list[Text]:
        own, told = view.classic_art, self._words.told
        facts = [
            pen.write("season", told("Season {season} of {seasons}", season=own.season, seasons=own.max_seasons)),
            pen.write("turns", self._words.counted("{count} turn left", "{count} turns left", own.turns_left)),
            pen.write("house", told("House {cards}", cards=own.house_size)) if own.house_size else Text(),
            Text(told("out of play {cards}", cards=own.deck_size)),
        ]
        title = Text(self.title, STRONG)
        return [Text(" · ").join([title, *filter(None, facts)]), pen.write("status", f"▶ {self._status(view)}", STRONG)]

    def _signs(self, width: int) -> list[Text]:
        told = self._words.told
        signs = (
            told("A2! two tokens of A, at high risk"),
            told("✓ true as it stands"),
            told("▮ Artwork"),
            told("▯ Loan that waits"),
            told("-{card} Loan", card=self._short[0]),
            told("★ somebody has {count}", count=self._parts.counts_from),
            told("● token"),
            told("◉ on the board"),
            told("○ lost"),
            told("! High-Risk to use"),
            told("2 Double Down to use"),
            told("◆ first player"),
        )
        return flowed([Text(sign, FAINT) for sign in signs], width, gap=" · ")

    def _facts(self, move: LegalMove) -> Iterable[Hashable]:
        own = move.move.classic_art
        if own.HasField("play_cards"):
            return [("hand", card) for card in played(move)]
        if own.HasField("place_prediction"):
            return [("space", placed(move).category, placed(move).space)]
        return []

    def _board(self, own: pb.ClassicArtView, title: str, pen: Pen, width: int) -> list[Text]:
        wide = width >= _WIDE
        space = 7 if wide else 5
        stakes: _Stakes = {(stake.category, stake.space): stake for stake in own.predictions}
        artworks, prestige = self._words.told("Artworks"), self._words.told("Prestige")
        heads: list[Cell] = [
            (Text(title, STRONG), self._label),
            (Text(artworks, FAINT), _BAR + 4),
            *((Text(f"{each.name}:{each.prestige}", FAINT), space) for each in self._parts.spaces),
            (Text(f"★ {prestige}" if wide else "★", FAINT), 12 if wide else 1),
        ]
        rows = [self._exhibition_row(own, category, stakes, pen, wide) for category in range(1, len(own.counts) + 1)]
        return [row(*heads), *rows]

    def _exhibition_row(self, own: pb.ClassicArtView, category: int, stakes: _Stakes, pen: Pen, wide: bool) -> Text:
        count, loans = own.counts[category - 1], own.pending_loans[category - 1]
        reached = any(seat.prestige[category - 1] >= self._parts.counts_from for seat in own.seats)
        spaces = [
            self._space_cell(stakes.get((category, space)), (category, space), state.holds(count), pen)
            for space, state in enumerate(self._parts.spaces, 1)
        ]
        return row(
            (f"{self._short[category - 1]} {self._category(category)}", self._label),
            (pen.write(("count", category), f"-{loans}" if loans else f"{count}", STRONG), -3),
            (f" {'▮' * count}{'▯' * loans}", _BAR + 1),
            *((space, 7 if wide else 5) for space in spaces),
            (pen.write(("reached", category), "★" if reached else " "), 2 if wide else 1),
            *([(self._markers(own, category), 24)] if wide else []),
        )

    def _markers(self, own: pb.ClassicArtView, category: int) -> Text:
        """Tells all markers of a category, the highest first."""
        markers = sorted(((state.prestige[category - 1], -seat) for seat, state in enumerate(own.seats)), reverse=True)
        return Text(" ").join(Text(f"{LETTERS[-seat]}{marker}", colour(-seat)) for marker, seat in markers)

    def _space_cell(self, stake: pb.ClassicArtPrediction | None, space: tuple[int, int], holds: bool, pen: Pen) -> Text:
        mark = "✓" if holds else ""
        if stake is None:
            return Text.assemble(pen.write(("space", *space), "·"), (mark, FAINT))
        text = f"{LETTERS[stake.seat]}{'2' if stake.tokens > 1 else ''}{'!' if stake.high_risk else ''}"
        return Text.assemble(pen.write(("space", *space), text, colour(stake.seat)), mark)

    def _players(self, own: pb.ClassicArtView, title: str, pen: Pen, width: int) -> list[Text]:
        told = self._words.told
        heads: list[Cell] = [
            (Text(title, STRONG), 4 + _NAME),
            (Text(told("Hand"), FAINT), 5),
            (Text(told("Tokens"), FAINT), 12),
            *((Text(short, FAINT), -3) for short in self._short),
            (Text(told("Sum"), FAINT), -5),
            ("", 2),
            (Text(self._words.pgettext("column of Classic Art", "Played"), FAINT), width - 43 - _NAME),
        ]
        lines = (line for seat in range(len(own.seats)) for line in self._player(own, seat, pen, width))
        return [row(*heads), *lines]

    def _player(self, own: pb.ClassicArtView, seat: int, pen: Pen, width: int) -> list[Text]:
        state = own.seats[seat]
        due = own.turn_seat == seat if own.HasField("turn_seat") else own.phase == pb.CLASSIC_ART_PHASE_FINAL
        on_board = self._parts.predictions - state.available_tokens - state.lost_tokens
        tokens = "●" * state.available_tokens + "◉" * on_board + "○" * state.lost_tokens
        marks = f"{' ' if state.high_risk_used else '!'}{' ' if state.double_down_used else '2'}"
        cells: list[Cell] = [
            (label(self._name(seat), seat, due and not state.committed, own.first_seat == seat, pen), 3 + _NAME),
            ("", 1),
            (pen.write(("hand size", seat), f"{state.hand_size}{'✓' if state.committed else ''}"), 5),
            (pen.write(("tokens", seat), tokens), 8),
            (pen.write(("marks", seat), marks), 4),
            *((self._marker(seat, category, marker, pen), -3) for category, marker in enumerate(state.prestige)),
            (pen.write(("total", seat), f"{self._total(state)}", STRONG), -5),
            ("", 2),
        ]
        left = sum(abs(width) for _, width in cells)
        played = self._listed_kinds(state.played, ("played", seat), pen)
        first, *more = flowed(played, width - left, gap=" ") or [Text()]
        return [row(*cells, (first, width - left)), *(row(("", left), (line, width - left)) for line in more)]

    def _marker(self, seat: int, category: int, marker: int, pen: Pen) -> Text:
        return pen.write(("marker", seat, category), f"{marker}", STRONG if marker >= self._parts.counts_from else "")

    def _kinds(self, counts: Sequence[int], fact: Hashable, pen: Pen) -> Text:
        """Tells how many cards there are of each kind, of those of which there are any."""
        return Text(" ").join(self._listed_kinds(counts, fact, pen)) if any(counts) else Text("-")

    def _listed_kinds(self, counts: Sequence[int], fact: Hashable, pen: Pen) -> list[Text]:
        return [
            pen.write((fact, card), f"{count if count > 1 else ''}{self._short_card(card)}")
            for card, count in enumerate(counts, 1)
            if count
        ]

    def _short_card(self, card: int) -> str:
        category, loan = divmod(card - 1, 2)
        return f"{'-' if loan else ''}{self._short[category]}"

    def _seen_cards(self, own: pb.ClassicArtView, pen: Pen, width: int) -> list[Text]:
        told = self._words.told
        parts = [
            Text.assemble((told("Seen"), FAINT), " ", self._kinds(own.tally, "tally", pen)),
            Text.assemble((told("turned up"), FAINT), " ", self._kinds(own.revealed, "revealed", pen)),
        ]
        return flowed(parts, width)

    def _hand(self, own: pb.ClassicArtView, pen: Pen, width: int) -> list[Text]:
        if not own.HasField("seat"):
            return []
        told, copies, cards = self._words.told, Counter[int](), list[Text]()
        for card in own.hand:
            cards.append(pen.write(("hand", card, copies[card]), f"[{self._short_card(card)}]", "", ("hand", card)))
            copies[card] += 1
        if own.chosen:
            chosen = " ".join(map(self._short_card, own.chosen))
            cards.append(pen.write("chosen", told("you play {cards}", cards=chosen)))
        mine = Text.assemble(told("Your hand"), " ", (LETTERS[own.seat], colour(own.seat)))
        return titled(mine, flowed(cards, width - _TITLE, gap=" ") or [Text()], _TITLE)
