"""What holds of every drawing, over whole random matches of every ruleset and number of seats."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import pytest
from rich.cells import cell_len
from rich.text import Text

from artreferee.v1 import match_pb2
from clients.terminal.chooser import Chooser
from clients.terminal.drawing import DRAWINGS, Choice, Drawing, Size, drawing_of
from clients.terminal.menu import Menu, Row
from clients.terminal.words import LANGUAGES, in_language
from referee.core.game import AnyGame
from referee.wire import wires
from tests.clients.terminal.catalogues import strict
from tests.clients.terminal.playing import NAMES, Moment, moments
from tests.games.art_decko.redeal import redealt as redealt_art_decko
from tests.games.artsee.redeal import redealt as redealt_artsee
from tests.games.classic_art.redeal import redealt as redealt_classic_art

TABLES = [(ruleset, seats) for ruleset in sorted(DRAWINGS) for seats in wires()[ruleset].game.spec.seats]
SIZES = (Size(80, 24), Size(84, 30), Size(120, 40), Size(200, 60))
MOST_ENTRIES = 30
ONE_IN = 37  # positions are looked at, where not all are
NOTHING_DONE = {"place no prediction", "claim no masterpiece", "discard no more"}

Redealt = Callable[[Any, Any, int | None, random.Random], Any]
REDEALT: dict[str, Redealt] = {
    "art_decko": redealt_art_decko,
    "artsee": redealt_artsee,
    "classic_art": redealt_classic_art,
}

of_all_tables = pytest.mark.parametrize(("ruleset", "seats"), TABLES)


def _drawings(ruleset: str, seats: int) -> list[Drawing]:
    return [drawing_of(ruleset, NAMES[:seats], strict(language)) for language in LANGUAGES]


def _some(ruleset: str, seats: int, number: int = 0) -> Iterator[Moment]:
    """Some positions of a match, the first and the last among them."""
    for count, moment in enumerate(moments(ruleset, seats, number)):
        if not moment.to_act or count % ONE_IN == 0:
            yield moment


def _assert_fills(table: Text, size: Size) -> None:
    lines = table.plain.split("\n")
    assert [cell_len(line) for line in lines] == [size.width] * size.height


def _leaves(menu: Sequence[Choice]) -> Iterator[Choice]:
    for choice in menu:
        yield from _leaves(choice.then) if choice.then else (choice,)


def _levels(menu: Sequence[Choice]) -> Iterator[Sequence[Choice]]:
    yield menu
    for choice in menu:
        if choice.then:
            yield from _levels(choice.then)


@of_all_tables
def test_tables_fill_their_size_exactly(ruleset: str, seats: int) -> None:
    english, *_ = _drawings(ruleset, seats)
    before = None
    for moment in _some(ruleset, seats):
        view = moment.view(0)
        smallest = english.smallest(view)
        for size in SIZES:
            table = english.table(view, size, before, moment.legal_moves(0))
            _assert_fills(table, size)
            assert "…" not in table.plain or size.height < smallest.height
        before = view


@pytest.mark.parametrize("ruleset", sorted(DRAWINGS))
@pytest.mark.parametrize("width", [0, 1, 2, 7, 40, 79, 81, 300])
def test_no_size_and_no_name_is_too_much(ruleset: str, width: int) -> None:
    """A terminal may be resized to anything, and names may be long or of wide letters."""
    *_, moment = moments(ruleset, 3, 0)
    drawing = drawing_of(ruleset, ("名" * 32, "x" * 32, "e\u0301"), in_language("es"))
    for height in (1, 2, 9, 17, 30, 100):
        table = drawing.table(moment.view(1), Size(width, height), moment.view(1))
        _assert_fills(table, Size(width, height))
    assert drawing.table(moment.view(1), Size(width, 0)).plain == ""


@of_all_tables
def test_nothing_is_cut_off_at_the_smallest_size(ruleset: str, seats: int) -> None:
    """An ellipsis tells what is cut off. Names are short here; of long ones the end is cut."""
    for number, drawing in enumerate(_drawings(ruleset, seats)):
        for moment in _some(ruleset, seats, number):
            for viewer in (seats - 1, None):
                view = moment.view(viewer)
                smallest = drawing.smallest(view)
                _assert_fills(drawing.table(view, smallest), smallest)
                assert "…" not in drawing.table(view, smallest).plain
                assert "…" in drawing.table(view, smallest._replace(height=smallest.height - 1)).plain


@of_all_tables
def test_a_table_has_room_in_a_terminal_of_80_columns_and_24_lines(ruleset: str, seats: int) -> None:
    """With a scroll bar, and some lines for the menu."""
    for number, drawing in enumerate(_drawings(ruleset, seats)):
        for moment in _some(ruleset, seats, number):
            width, height = drawing.smallest(moment.view(0))
            assert width <= 76
            assert height <= 19


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_table_of_art_decko_stands_whole_above_its_menu(seats: int) -> None:
    """In 80 by 24, with lines for the question, the keys, and up to five of the menu, in every language."""
    for number, language in enumerate(LANGUAGES):
        words = in_language(language)
        drawing = drawing_of("art_decko", NAMES[:seats], words)
        for moment in islice(moments("art_decko", seats, number), 0, None, 5):
            for seat in moment.to_act:
                match = match_pb2.Match(ruleset="art_decko", viewer_seat=seat, view=moment.view(seat))
                match.prompt.legal_moves.extend(moment.legal_moves(seat))
                menu = Menu()
                menu.rows = tuple(
                    Row(place, entry) for place, entry in enumerate(Chooser(match, drawing, words).entries)
                )
                needed = drawing.smallest(match.view).height
                assert needed + min(5, menu.lines_needed(78)) + 2 <= 24


@of_all_tables
def test_all_is_told_in_words_of_the_language(ruleset: str, seats: int) -> None:
    """Events of whole matches, and views, for every viewer; nothing falls back to English, nothing is left out."""
    for drawing in _drawings(ruleset, seats):
        for moment in moments(ruleset, seats, 1):
            for viewer in moment.viewers:
                assert all(all(drawing.events([event])) and drawing.events([event]) for event in moment.events(viewer))
        for moment in _some(ruleset, seats):
            assert all(all(drawing.summary(moment.view(viewer))) for viewer in moment.viewers)


@of_all_tables
def test_menus_lead_to_every_legal_move(ruleset: str, seats: int) -> None:
    """Each leaf is a legal move, each legal move a leaf; no level is long, and no two entries of one read alike."""
    for drawing in _drawings(ruleset, seats):
        for moment in moments(ruleset, seats, 2):
            for seat in moment.to_act:
                view, moves = moment.view(seat), moment.legal_moves(seat)
                menu = drawing.menu(view, moves)
                assert {leaf.moves[0].id for leaf in _leaves(menu)} == {move.id for move in moves}
                assert all(len(leaf.moves) == 1 for leaf in _leaves(menu))
                for level in _levels(menu):
                    assert len({choice.text for choice in level}) == len(level) <= MOST_ENTRIES
                assert len({drawing.move(move) for move in moves}) == len(moves)
                assert drawing.question(view, moves)


@of_all_tables
def test_worlds_that_differ_in_what_is_hidden_are_drawn_alike(ruleset: str, seats: int) -> None:
    """Whatever a viewer may not know is dealt again: table and summary stay the same, letter for letter and style."""
    rng = random.Random(seats)
    drawing = drawing_of(ruleset, NAMES[:seats], in_language("en"))
    game: AnyGame = wires()[ruleset].game
    for moment in _some(ruleset, seats):
        for viewer in moment.viewers:
            twin = Moment(moment.wire, seats, REDEALT[ruleset](game, moment.state, viewer, rng))
            here, there = moment.view(viewer), twin.view(viewer)
            assert drawing.table(there, Size(120, 40)) == drawing.table(here, Size(120, 40))
            assert drawing.summary(there) == drawing.summary(here)


@of_all_tables
def test_what_a_move_concerns_can_be_clicked(ruleset: str, seats: int) -> None:
    """The ids of all moves that do something lie under the text, which reads the same with and without them."""
    drawing = drawing_of(ruleset, NAMES[:seats], in_language("en"))
    for moment in islice(moments(ruleset, seats, 3), 60):
        for seat in moment.to_act:
            view, moves = moment.view(seat), moment.legal_moves(seat)
            table = drawing.table(view, Size(80, 24), None, moves)
            metas = [span.style.meta for span in table.spans if not isinstance(span.style, str) and span.style.meta]
            wanted = {move.id for move in moves if move.text not in NOTHING_DONE}
            assert wanted <= {move for meta in metas for move in meta["moves"]} <= {move.id for move in moves}
            assert table.plain == drawing.table(view, Size(80, 24)).plain


@of_all_tables
def test_what_has_not_changed_is_not_marked(ruleset: str, seats: int) -> None:
    drawing = drawing_of(ruleset, NAMES[:seats], in_language("en"))
    for moment in islice(moments(ruleset, seats, 0), 12):
        view = moment.view(0)
        assert drawing.table(view, SIZES[0], view) == drawing.table(view, SIZES[0])


@of_all_tables
def test_what_has_changed_is_marked(ruleset: str, seats: int) -> None:
    """After every move that changes the view something stands out by more than its colour."""
    drawing = drawing_of(ruleset, NAMES[:seats], in_language("en"))
    before = None
    for moment in islice(moments(ruleset, seats, 0), 40):
        view = moment.view(None)
        if before is not None and drawing.summary(view) != drawing.summary(before):
            spans = drawing.table(view, Size(80, 24), before).spans
            assert any(not isinstance(span.style, str) and span.style.reverse for span in spans)
        before = view


@pytest.mark.parametrize("language", LANGUAGES)
def test_loans_that_wait_stand_apart_from_the_name_of_their_category(language: str) -> None:
    """They are told as a negative number."""
    drawing = drawing_of("classic_art", NAMES[:3], strict(language))
    counts = set[str]()
    for moment in moments("classic_art", 3, 1):
        view = moment.view(0)
        if any(view.classic_art.pending_loans):
            counts.update(re.findall(r"\S*-\d ▯", drawing.table(view, Size(76, 14)).plain))
    assert counts
    assert counts <= {f"-{number} ▯" for number in range(1, 10)}


def test_the_end_of_a_match_is_told_place_by_place() -> None:
    result = match_pb2.Result(
        reason="SEASON_CAP",
        seats=[
            match_pb2.SeatResult(rank=2, score=3),
            match_pb2.SeatResult(rank=3, score=9, cause=match_pb2.CAUSE_RESIGNED),
            match_pb2.SeatResult(rank=1, score=5),
        ],
    )
    drawing = drawing_of("classic_art", NAMES[:3], in_language("en"))
    assert drawing.standings(match_pb2.Match(result=result)) == [
        "1. Cleo: 5",
        "2. Ada: 3",
        "3. Ben: 9 (resigned)",
        "The limit of seasons ended the game.",
    ]
    assert drawing.standings(match_pb2.Match()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_happens_in_a_match_of_any_ruleset_has_words(language: str) -> None:
    drawing = drawing_of("classic_art", NAMES[:3], strict(language))
    events = [
        match_pb2.Event(seat_joined=match_pb2.SeatJoined(seat=1)),
        match_pb2.Event(match_started=match_pb2.MatchStarted()),
        match_pb2.Event(seat_resigned=match_pb2.SeatResigned(seat=1)),
        *(
            match_pb2.Event(seat_out=match_pb2.SeatOut(seat=1, cause=cause))
            for cause in match_pb2.Cause.values()
            if cause != match_pb2.CAUSE_UNSPECIFIED
        ),
        match_pb2.Event(match_finished=match_pb2.MatchFinished()),
        match_pb2.Event(match_aborted=match_pb2.MatchAborted()),
    ]
    assert len(drawing.events(events)) == len(events)
