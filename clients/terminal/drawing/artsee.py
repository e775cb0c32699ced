"""The table of ArtSee."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from artreferee.v1 import artsee_pb2 as pb
from clients.terminal.drawing.drawing import LegalMove, Size, View
from clients.terminal.drawing.lines import FAINT, STRONG, fit, flowed, framed, spaced, titled
from clients.terminal.drawing.pen import Pen
from clients.terminal.drawing.seats import LETTERS, colour, label
from clients.terminal.drawing.told.artsee import ArtSeeTold
from clients.terminal.words import Words

_LABEL: Final = 12
_TITLE: Final = 15
_SLOT: Final = 2
_ENDS: Final = 2  # where new columns go
_PITCHES: Final = (10, 8, 7)  # cells of a slot and its column; the first that lets all galleries stand in one row
_CARDS_PITCH: Final = 8  # from here on single cards find room
_LINES: Final = 6  # besides galleries
_FRAMED: Final = 4  # of a gallery in its frame, without single cards
_AIRY: Final = 100  # from this width on there are more gaps
_COUNTS: Final = "·123456789⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳㉑"
_SMALL: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_COLOURS: Final = ("#e69f00", "#2fbf8f", "#56b4e9", "#cc79a7")


@dataclass(frozen=True, slots=True)
class _Grid:
    """How galleries are laid out.

    Attributes:
        width: of a line.
        framed: whether each stands in a frame.
        pitch: the cells that a slot and the column right of it take.
        in_a_row: how many columns stand in one row.
        cards: the lines of single cards below the columns, at most.
    """

    width: int
    framed: bool
    pitch: int
    in_a_row: int
    cards: int


class ArtSeeDrawing(ArtSeeTold):
    """See `Drawing`."""

    def __init__(self, names: Sequence[str], words: Words) -> None:
        super().__init__(names, words)
        pgettext = words.pgettext
        self._letters: Final = (
            pgettext("category of ArtSee", "A"),
            pgettext("category of ArtSee", "L"),
            pgettext("category of ArtSee", "P"),
            pgettext("category of ArtSee", "S"),
        )

    def _lines(self, view: View, size: Size, pen: Pen) -> list[Text]:
        own = view.artsee
        grid = _grid(own, size)
        head = [*self._head(own, pen), *self._hand(own, pen)]
        blocks = [head, list(self._galleries(own, grid, pen)), list(self._supplies(own, grid, pen))]
        return spaced(blocks, self._signs(size.width), size.height)

    def _facts(self, move: LegalMove) -> Iterable[Hashable]:
        own = move.move.artsee
        match own.WhichOneof("move"):
            case "play_card":
                played = own.play_card
                spot = ("cover", played.cover_column) if played.HasField("cover_column") else ("new", played.new_column)
                return [("hand", played.card.SerializeToString()), spot]
            case "claim_masterpiece":
                claimed = own.claim_masterpiece
                return [("masterpiece", claimed.category, claimed.requirement), ("slot", claimed.slot)]
            case "draw_card":
                return [("pile", own.draw_card.pile)]
            case "decline_masterpiece":
                return []
            case _:
                return ["visit"]

    def _head(self, own: pb.ArtSeeView, pen: Pen) -> list[Text]:
        told = self._words.told
        facts = [
            Text(self.title, STRONG),
            pen.write("round", told("Round {round} of {rounds}", round=own.round, rounds=own.rounds)),
        ]
        if own.HasField("column"):
            card = own.seats[own.turn_seat].columns[own.column].cards[-1]
            facts.append(Text.assemble(told("played"), " ", self._chip(card)))
            facts.append(pen.write("earned", told("earned {prestige}", prestige=own.earned)))
        return [Text(" · ").join(facts), pen.write("status", f"▶ {self._status(own)}", STRONG)]

    def _tint(self, category: int) -> str:
        return f"bold {_COLOURS[category - 1]}"

    def _letter(self, category: int) -> str:
        return self._letters[category - 1]

    def _short_card(self, card: pb.ArtSeeCard) -> str:
        left, right = ("◄", "") if card.arrow == pb.ART_SEE_SIDE_LEFT else ("", "►")
        return f"{left}{self._letter(card.featured)}:{''.join(map(self._letter, card.pieces))}{right}"

    def _chip(self, card: pb.ArtSeeCard) -> Text:
        return Text(self._short_card(card), self._tint(card.featured))

    def _galleries(self, own: pb.ArtSeeView, grid: _Grid, pen: Pen) -> Iterator[Text]:
        for seat, state in enumerate(own.seats):
            due = state.asked and not state.committed if own.phase == pb.ART_SEE_PHASE_VISIT else own.turn_seat == seat
            due = bool(due) and own.phase != pb.ART_SEE_PHASE_OVER
            facts = self._standing(own, seat, pen)
            columns = list(self._columns(own, seat, grid, pen))
            name = label(self._name(seat), seat, due, own.first_seat == seat, pen)
            if grid.framed:
                backs = Text.assemble(self._words.told("hand"), " ", self._backs(own, seat, pen))
                yield from framed(Text("  ").join([name, facts, backs]), columns, grid.width)
            else:
                titles = [name, facts, *[Text()] * (len(columns) - 2)]
                for title, line in zip(titles, columns, strict=True):
                    yield Text.assemble(fit(title, _LABEL - 1), " ", line)

    def _standing(self, own: pb.ArtSeeView, seat: int, pen: Pen) -> Text:
        state = own.seats[seat]
        neighbour = ""
        if own.HasField("seat") and seat != own.seat:
            neighbour += "←" if seat == (own.seat + 1) % len(own.seats) else ""
            neighbour += "→" if own.seat == (seat + 1) % len(own.seats) else ""
        return Text.assemble(
            pen.write(("prestige", seat), f"★{state.prestige}", STRONG),
            " ",
            pen.write(("supply", seat), f"•{state.supply}"),
            f" {neighbour}",
            pen.write(("committed", seat), "✓" if state.committed else ""),
        )

    def _columns(self, own: pb.ArtSeeView, seat: int, grid: _Grid, pen: Pen) -> Iterator[Text]:
        """Draws a gallery in one or more rows, each of two lines and those of single cards."""
        state = own.seats[seat]
        for start in range(0, len(state.columns), grid.in_a_row):
            row = range(start, min(start + grid.in_a_row, len(state.columns)))
            cells = [self._column(own, seat, number, grid, pen) for number in row]
            ends = row.stop == len(state.columns)
            last = self._slot_cell(own, seat, row.stop, pen) if ends else Text()
            new = [self._new_column(own, seat, side, pen) for side in (pb.ART_SEE_SIDE_LEFT, pb.ART_SEE_SIDE_RIGHT)]
            fronts, *others = zip(*cells, strict=True)
            yield Text.assemble(new[0] if not start else " ", *fronts, fit(last, _SLOT), new[1] if ends else "")
            for line in others:
                yield Text.assemble(" ", *line)

    def _new_column(self, own: pb.ArtSeeView, seat: int, side: pb.ArtSeeSide.ValueType, pen: Pen) -> Text:
        mine = own.HasField("seat") and own.seat == seat
        return pen.write(("new", side), "+", FAINT) if mine else Text(" ")

    def _column(self, own: pb.ArtSeeView, seat: int, number: int, grid: _Grid, pen: Pen) -> list[Text]:
        """Draws a column and the slot left of it: front and visitors, pieces of all cards, and single cards."""
        column = own.seats[seat].columns[number]
        deepest = max(len(each.cards) for each in own.seats[seat].columns)
        fact = ("column", seat, column.cards[0].SerializeToString())
        mine = own.HasField("seat") and own.seat == seat
        front = pen.write(
            fact,
            f"{self._letter(column.cards[-1].featured)}{f'•{column.visitors}' if column.visitors else ''}",
            self._tint(column.cards[-1].featured),
            concerned=("cover", number) if mine else ("other", seat, number),
        )
        if mine:
            front.append_text(self._choice(own, number, pen))
        pieces = Counter(piece for card in column.cards for piece in card.pieces)
        counts = "".join(_COUNTS[pieces[category]] for category in pb.ArtSeeCategory.values()[1:])
        told = pen.write((*fact, "pieces"), counts)
        for category in range(len(counts)):
            told.stylize(self._tint(category + 1), category, category + 1)
        cells = [
            Text.assemble(fit(self._slot_cell(own, seat, number, pen), _SLOT), " ", front),
            Text.assemble((f"{number:{_SLOT}} ", FAINT), told),
            *self._cards(column, seat, min(grid.cards, deepest), pen),
        ]
        return [fit(cell, grid.pitch) for cell in cells]

    def _choice(self, own: pb.ArtSeeView, number: int, pen: Pen) -> Text:
        """Tells what the viewer has chosen about a column in secret, or that it is asked."""
        if own.HasField("visit_column") and own.visit_column == number:
            return pen.write("visit", "?", STRONG)
        return Text("".join("+" if choice.placed else "-" for choice in own.choices if choice.column == number))

    def _cards(self, column: pb.ArtSeeColumn, seat: int, lines: int, pen: Pen) -> list[Text]:
        """Draws the cards of a column from front to back in so many lines."""
        cards = [
            pen.write(("card", seat, card.SerializeToString()), self._short_card(card), self._tint(card.featured))
            for card in reversed(column.cards)
        ]
        if len(cards) > lines > 0:
            cards[lines - 1 :] = [Text(f"+{len(cards) - lines + 1}", FAINT)]
        shown = cards[:lines] + [Text()] * (lines - len(cards))
        return [Text.assemble(" " * _SLOT, card) for card in shown]

    def _slot_cell(self, own: pb.ArtSeeView, seat: int, number: int, pen: Pen) -> Text:
        slot, mine = own.seats[seat].slots[number], own.HasField("seat") and own.seat == seat
        if not slot.HasField("masterpiece"):
            return pen.write(("empty", seat), "··", FAINT, concerned=("slot", number) if mine else None)
        piece = slot.masterpiece
        text = f"{self._letter(piece.category)}{piece.requirement}"
        return pen.write(("piece", seat, text), text, f"{self._tint(piece.category)} italic")

    def _backs(self, own: pb.ArtSeeView, seat: int, pen: Pen) -> Text:
        return pen.write(("backs", seat), " ".join(map(self._short_back, own.seats[seat].backs)) or "-")

    def _short_back(self, back: pb.ArtSeeBack) -> str:
        return f"{self._letter(back.featured)}{'°' if back.deck == pb.ART_SEE_DECK_STARTING else ''}"

    def _supplies(self, own: pb.ArtSeeView, grid: _Grid, pen: Pen) -> Iterator[Text]:
        told = self._words.told
        gap = " " if grid.width >= _AIRY else ""
        names = [
            Text(f"{letter} {name}", self._tint(number))
            for number, (letter, name) in enumerate(zip(self._letters, self._categories, strict=True), 1)
        ]
        yield Text.assemble(fit(Text(told("Pieces"), FAINT), _TITLE), Text(" · ").join(names))
        pieces = [
            Text.assemble(
                (self._letter(category), self._tint(category)), " ", *self._claimable(own, category, gap, pen)
            )
            for category in pb.ArtSeeCategory.values()[1:]
        ]
        yield from titled(Text(told("Masterpieces"), FAINT), flowed(pieces, grid.width - _TITLE), _TITLE)
        piles = [pen.write(("pile", number), self._pile_text(number, pile)) for number, pile in enumerate(own.piles)]
        removed = told("removed {each} of each, {all} more", each=own.removed_of_each, all=own.removed_of_all)
        yield Text.assemble(fit(Text(told("Piles"), FAINT), _TITLE), Text(" · ").join([*piles, Text(removed, FAINT)]))
        if not grid.framed:
            hands = [
                Text.assemble((f"{LETTERS[seat]} ", colour(seat)), self._backs(own, seat, pen))
                for seat in range(len(own.seats))
            ]
            yield Text.assemble(fit(Text(told("Hands"), FAINT), _TITLE), Text("  ").join(hands))

    def _claimable(self, own: pb.ArtSeeView, category: int, gap: str, pen: Pen) -> Iterator[Text]:
        for piece in own.masterpieces:
            if piece.category == category:
                text = f"{piece.requirement}{str(piece.prestige).translate(_SMALL)}"
                yield pen.write(("masterpiece", category, piece.requirement), text)
                yield Text(gap)

    def _pile_text(self, number: int, pile: pb.ArtSeePile) -> str:
        return f"{number}: {pile.size} {self._short_back(pile.top)}" if pile.size else f"{number}: -"

    def _hand(self, own: pb.ArtSeeView, pen: Pen) -> list[Text]:
        if not own.HasField("seat"):
            return []
        mine = Text.assemble(self._words.told("Your hand"), " ", (LETTERS[own.seat], colour(own.seat)))
        cards = [
            pen.write(("hand", card.SerializeToString()), f"[{self._short_card(card)}]", self._tint(card.featured))
            for card in own.hand
        ]
        return [Text.assemble(fit(mine, _LABEL), Text(" ").join(cards))]

    def _signs(self, width: int) -> list[Text]:
        told = self._words.told
        piece = f"{self._letters[0]}5"
        signs = (
            told("1·21 pieces of {categories}", categories=", ".join(self._letters)),
            told("★ prestige"),
            told("• visitors"),
            told("·· empty slot"),
            told("{card} masterpiece with its requirement", card=piece),
            told("5₀ requirement and worth"),
            told("+ new column"),
            told("° starting deck"),
            told("← → your neighbours"),
            told("◆ start player"),
        )
        return flowed([Text(sign, FAINT) for sign in signs], width, gap=" · ")


def _grid(own: pb.ArtSeeView, size: Size) -> _Grid:
    seats, most = len(own.seats), max(len(seat.columns) for seat in own.seats)
    spare = size.height - _LINES - _FRAMED * seats
    framed = spare >= 0
    room = size.width - (4 if framed else _LABEL) - _ENDS - _SLOT
    pitch = next((pitch for pitch in _PITCHES if most * pitch <= room), _PITCHES[-1])
    in_a_row = max(1, room // pitch)
    deepest = max(len(column.cards) for seat in own.seats for column in seat.columns)
    single = framed and pitch >= _CARDS_PITCH
    return _Grid(size.width, framed, pitch, in_a_row, min(deepest, spare // seats) if single else 0)
