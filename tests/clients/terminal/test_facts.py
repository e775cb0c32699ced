"""What the rules show to all stands on the table: read back from its text and compared with the view, fact by fact."""

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from artreferee.v1 import art_decko_pb2, artsee_pb2, classic_art_pb2
from clients.terminal.drawing import Size, drawing_of
from clients.terminal.words import in_language
from tests.clients.terminal.playing import NAMES, Moment, moments

SMALL, LARGE = Size(80, 24), Size(120, 44)
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE])


def positions(ruleset: str, seats: int) -> Iterator[Moment]:
    """The first position, the last, and some between."""
    for count, moment in enumerate(moments(ruleset, seats, 5)):
        if not count % 11 or not moment.to_act:
            yield moment


def drawn(ruleset: str, moment: Moment, viewer: int | None, size: Size) -> list[str]:
    """The lines of a table, without frames and with single spaces."""
    table = drawing_of(ruleset, NAMES[: moment.seats], in_language("en")).table(moment.view(viewer), size)
    return [" ".join(line.replace("│", " ").split()) for line in table.plain.split("\n")]


def line_with(lines: Sequence[str], text: str) -> str:
    """The only line that has a text."""
    (line,) = [line for line in lines if text in line]
    return line


def chips(lines: Sequence[str]) -> list[str]:
    """The cards of the own hand."""
    return [word.strip("[]") for word in line_with(lines, "Your hand").split() if word.startswith("[")]


class TestClassicArt:
    KINDS = ("Et", "-Et", "SL", "-SL", "Sc", "-Sc", "Po", "-Po", "La", "-La")
    NAMES = ("Etching", "Still Life", "Sculpture", "Portrait", "Landscape")

    def counted(self, counts: Sequence[int]) -> str:
        kinds = [f"{count if count > 1 else ''}{kind}" for kind, count in zip(self.KINDS, counts, strict=True) if count]
        return " ".join(kinds)

    def board_row(self, view: classic_art_pb2.ClassicArtView, category: int) -> list[str]:
        """What the rules put there: the count, an artwork or loan each, and the eight spaces."""
        count, loans = view.counts[category], view.pending_loans[category]
        row = [f"-{loans}" if loans else f"{count}", "▮" * count + "▯" * loans]
        for space in range(1, 9):
            true = count <= space if space <= 4 else count >= space
            stakes = [each for each in view.predictions if (each.category, each.space) == (category + 1, space)]
            text = "".join(f"{'ABCDE'[s.seat]}{'2' * (s.tokens == 2)}{'!' * s.high_risk}" for s in stakes) or "·"
            row.append(text + "✓" * true)
        return [word for word in row if word]

    @SIZES
    @pytest.mark.parametrize("seats", [2, 3, 4, 5])
    def test_exhibitions(self, seats: int, size: Size) -> None:
        for moment in positions("classic_art", seats):
            view, lines = moment.view(None).classic_art, drawn("classic_art", moment, None, size)
            for category, name in enumerate(self.NAMES):
                words = line_with(lines, f"{self.KINDS[2 * category]} {name}").split(name)[1].split()
                wanted = self.board_row(view, category)
                assert words[: len(wanted)] == wanted
                assert ("★" in words) == any(seat.prestige[category] >= 5 for seat in view.seats)

    @SIZES
    @pytest.mark.parametrize("seats", [2, 3, 4, 5])
    def test_players(self, seats: int, size: Size) -> None:
        for moment in positions("classic_art", seats):
            view, lines = moment.view(None).classic_art, drawn("classic_art", moment, None, size)
            for name, seat in zip(NAMES, view.seats, strict=False):
                lost, free = seat.lost_tokens, seat.available_tokens
                hand = f"{seat.hand_size}{'✓' * seat.committed}"
                tokens = "●" * free + "◉" * (6 - free - lost) + "○" * lost
                marks = "!" * (not seat.high_risk_used) + "2" * (not seat.double_down_used)
                total = sum(marker for marker in seat.prestige if marker >= 5)
                wanted = [name, hand, tokens, marks, *map(str, seat.prestige), str(total)]
                assert " ".join(filter(None, wanted)) in " ".join(lines)

    @SIZES
    @pytest.mark.parametrize("seats", [2, 3, 4, 5])
    def test_cards(self, seats: int, size: Size) -> None:
        for moment in positions("classic_art", seats):
            view, lines = moment.view(0).classic_art, drawn("classic_art", moment, 0, size)
            assert chips(lines) == [self.KINDS[card - 1] for card in view.hand]
            seen = " ".join(lines)
            assert f"Seen {self.counted(view.tally) or '-'} turned up {self.counted(view.revealed) or '-'}" in seen
            for seat in view.seats:
                assert all(kind in seen for kind in self.counted(seat.played).split())


class TestArtSee:
    LETTERS = "ALPS"

    def card(self, card: artsee_pb2.ArtSeeCard) -> str:
        left, right = ("◄", "") if card.arrow == artsee_pb2.ART_SEE_SIDE_LEFT else ("", "►")
        pieces = "".join(self.LETTERS[piece - 1] for piece in card.pieces)
        return f"{left}{self.LETTERS[card.featured - 1]}:{pieces}{right}"

    def back(self, back: artsee_pb2.ArtSeeBack) -> str:
        start = back.deck == artsee_pb2.ART_SEE_DECK_STARTING
        return self.LETTERS[back.featured - 1] + "°" * start

    def fronts(self, seat: artsee_pb2.ArtSeeSeat) -> list[str]:
        """Slots and fronts with their visitors, from left to right."""
        slots = [
            f"{self.LETTERS[slot.masterpiece.category - 1]}{slot.masterpiece.requirement}"
            if slot.HasField("masterpiece")
            else "··"
            for slot in seat.slots
        ]
        columns = [
            f"{self.LETTERS[column.cards[-1].featured - 1]}{f'•{column.visitors}' if column.visitors else ''}"
            for column in seat.columns
        ]
        return [text for pair in zip(slots, columns, strict=False) for text in pair] + slots[-1:]

    def pieces(self, seat: artsee_pb2.ArtSeeSeat) -> list[str]:
        """Every column's number and how many pieces of each category all its cards show."""
        counts = [Counter[int](piece for card in column.cards for piece in card.pieces) for column in seat.columns]
        columns = ["".join(f"{count[piece]}" for piece in (1, 2, 3, 4)).replace("0", "·") for count in counts]
        return [text for number, column in enumerate(columns) for text in (f"{number}", column)]

    @SIZES
    @pytest.mark.parametrize("seats", [2, 3, 4, 5])
    def test_galleries(self, seats: int, size: Size) -> None:
        """The words of all galleries, one after the other, are those of the table in the same order."""
        for moment in positions("artsee", seats):
            view = moment.view(None).artsee
            words = " ".join(drawn("artsee", moment, None, size)).split()
            for seat in view.seats:
                if len(seat.columns) > 8:  # these go on in further lines
                    continue
                for wanted in (self.fronts(seat), self.pieces(seat)):
                    length = len(wanted)
                    assert any(words[start : start + length] == wanted for start in range(len(words))), wanted

    @SIZES
    @pytest.mark.parametrize("seats", [2, 3, 4, 5])
    def test_players_and_supplies(self, seats: int, size: Size) -> None:
        for moment in positions("artsee", seats):
            view, lines = moment.view(0).artsee, drawn("artsee", moment, 0, size)
            text = " ".join(lines)
            for number, seat in enumerate(view.seats):
                assert f"★{seat.prestige} •{seat.supply}" in text
                backs = " ".join(map(self.back, seat.backs)) or "-"
                assert f"hand {backs}" in text or f"{'ABCDE'[number]} {backs}" in line_with(lines, "Hands")
            for number, pile in enumerate(view.piles):
                assert f"{number}: {f'{pile.size} {self.back(pile.top)}' if pile.size else '-'}" in text
            assert chips(lines) == list(map(self.card, view.hand))

    @pytest.mark.parametrize("seats", [2, 3])
    def test_single_cards_where_there_is_room(self, seats: int) -> None:
        """The table of few players at this size has every card of every gallery."""
        for moment in positions("artsee", seats):
            view = moment.view(None).artsee
            text = " ".join(drawn("artsee", moment, None, Size(200, 60)))
            cards = [self.card(card) for seat in view.seats for column in seat.columns for card in column.cards]
            assert [card for card in cards if card not in text] == []

    def test_masterpieces_to_claim(self) -> None:
        """Each with its requirement and, small, its prestige."""
        for moment in positions("artsee", 2):
            left = moment.view(None).artsee.masterpieces
            line = line_with(drawn("artsee", moment, None, SMALL), "Masterpieces")
            groups = [
                "".join(f"{piece.requirement}{'₀₁₂₃₄'[piece.prestige]}" for piece in left if piece.category == category)
                for category in (1, 2, 3, 4)
            ]
            assert line.split()[1:] == [
                word for letter, group in zip("ALPS", groups, strict=True) for word in (letter, group) if word
            ]


class TestArtDecko:
    STYLES = "NRSPI"
    NAMES = ("Art Nouveau", "Renaissance", "Surrealism", "Pop Art", "Impressionism")
    CARDS = ("N", "R", "S", "P", "I", "$1", "$2", "$5", "$3d", "$3x", "$3c", "$3p", "$3r", "$3o")

    def counted(self, counts: Sequence[int]) -> str:
        cards = zip(self.CARDS, counts, strict=True)
        return " ".join(f"{count if count > 1 else ''}{card}" for card, count in cards if count) or "-"

    def space(self, vp: int, hung: art_decko_pb2.ArtDeckoHungPainting | None) -> str:
        if hung is None:
            return f"{vp}:·"
        other = f"{hung.marker}" != f"{hung.style}"
        return f"{vp}:{'ABCD'[hung.seat]}{self.STYLES[hung.style - 1]}{(self.STYLES + '*')[hung.marker - 1] * other}"

    @SIZES
    @pytest.mark.parametrize("seats", [2, 3, 4])
    def test_market_and_offers(self, seats: int, size: Size) -> None:
        for moment in positions("art_decko", seats):
            view, lines = moment.view(None).art_decko, drawn("art_decko", moment, None, size)
            rows = [
                next(line for line in lines if line.startswith(f"{letter} {name} "))
                for letter, name in zip(self.STYLES, self.NAMES, strict=True)
            ]
            for name, rating, line in zip(self.NAMES, view.market, rows, strict=False):
                assert f"{name} {rating.value} {rating.gold_value} {rating.painting_vp} " in line
            for number, gallery in enumerate(view.galleries):
                words = [self.STYLES[style - 1] for style in gallery.paintings] + ["✗"] * gallery.used
                offer = " ".join([f"{number + 1}", *words, f"{gallery.cost}", f"+{gallery.rise}"])
                assert f" {offer}" in rows[number]
            gold = view.market[5]
            fives = f"{view.bank.fives} $5 {view.bank.five_cost} +{view.bank.five_rise}"
            assert f"$ gold {gold.value} {gold.gold_per_vp}:1 $ {fives}" in " ".join(lines)
            threes = " ".join(self.CARDS[card - 1] for card in view.bank.face_up)
            three = " ".join(f"$ {threes} {view.bank.three_cost} +{view.bank.three_rise}".split())
            assert three in rows[4]

    @SIZES
    @pytest.mark.parametrize("seats", [2, 3, 4])
    def test_museum(self, seats: int, size: Size) -> None:
        for moment in positions("art_decko", seats):
            view, lines = moment.view(None).art_decko, drawn("art_decko", moment, None, size)
            for number, exhibition in enumerate(view.exhibitions, 1):
                hung = [*exhibition.paintings, *[None] * (len(exhibition.vp) - len(exhibition.paintings))]
                spaces = " ".join(self.space(vp, each) for vp, each in zip(exhibition.vp, hung, strict=True))
                markers = "".join((self.STYLES + "*")[marker - 1] for marker in exhibition.markers)
                wanted = " ".join(f"{number} ${exhibition.cost} {spaces} {markers}".split())
                assert any(line.startswith(wanted) for line in lines), wanted

    @SIZES
    @pytest.mark.parametrize("seats", [2, 3, 4])
    def test_players_and_cards(self, seats: int, size: Size) -> None:
        for moment in positions("art_decko", seats):
            view, lines = moment.view(0).art_decko, drawn("art_decko", moment, 0, size)
            text = " ".join(lines)
            for number, seat in enumerate(view.seats):
                assert f"{NAMES[number]} {seat.vp} {seat.ribbons} {seat.hand_size} {seat.deck_size}" in text
                held, pool, discards = map(self.counted, (seat.kept, seat.pool, seat.discards))
                wanted = f"{'ABCD'[number]} held {held} hand or deck {pool} discards {discards}"
                if any(view.aside) and view.turn_seat == number:
                    wanted += f" aside {self.counted(view.aside)}"
                assert wanted in text
            assert f"tokens to come {' '.join(map(str, view.supply)) or '-'}" in text
            assert f"paintings left {view.paintings_left}" in text
            assert f"$3 face down {view.bank.stack_size} removed {self.counted(view.removed)}" in text
            assert chips(lines) == [self.CARDS[card - 1] for card in view.hand]
