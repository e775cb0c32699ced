"""The drawing of a ruleset that has none of its own."""

from collections.abc import Sequence
from typing import cast

import pytest
from google.protobuf import any_pb2, wrappers_pb2
from rich.cells import cell_len

from artreferee.v1 import match_pb2, ruleset_pb2
from clients.terminal.drawing import Choice, Size, drawing_of
from clients.terminal.drawing.plain import PlainDrawing
from clients.terminal.words import LANGUAGES, in_language
from referee.core.game import AnyGame
from tests.clients.terminal.playing import NAMES, moments
from tests.plugin.pebbles import Pebbles, PebblesWire

DRAWING = drawing_of("pebbles", NAMES[:2], in_language("en"))


def pebbles(hidden: int) -> ruleset_pb2.View:
    game = cast(AnyGame, Pebbles())
    state = game.setup({}, 2, bytes(32))
    state.hidden[1] = hidden
    return PebblesWire(game).view(game.view(state, 0))


def legal(count: int) -> list[match_pb2.LegalMove]:
    return [match_pb2.LegalMove(index=index, id=index, text=f"take {index + 1}") for index in range(count)]


def leaves(menu: Sequence[Choice]) -> list[str]:
    return [text for choice in menu for text in (leaves(choice.then) if choice.then else [choice.text])]


def test_a_view_is_told_field_by_field() -> None:
    """A type that is known here, as those of the package that brings the ruleset are."""
    assert DRAWING.summary(pebbles(2)) == [
        "@type: type.googleapis.com/google.protobuf.StringValue",
        'value: {"left": 9, "own": 1, "seat": 0, "taken": [0, 0], "turn": 0}',
    ]


def test_fields_in_fields_are_indented() -> None:
    """Lists of messages are numbered, others stand in one line."""
    moment = next(moments("classic_art", 2, 0))
    lines = drawing_of("unheard_of", NAMES[:2], in_language("en")).summary(moment.view(None))
    at = lines.index("seats 1:")
    assert lines[at + 1 : at + 4] == ["  hand_size: 11", "  available_tokens: 6", "  prestige: 0, 0, 0, 0, 0"]


def test_a_message_of_an_unknown_type_is_told_by_its_type_and_size() -> None:
    view = ruleset_pb2.View(plugin=any_pb2.Any(type_url="type.googleapis.com/elsewhere.View", value=b"abc"))
    assert DRAWING.summary(view) == ["@type: type.googleapis.com/elsewhere.View", "bytes: 3"]


def test_worlds_that_differ_in_what_is_hidden_are_drawn_alike() -> None:
    assert DRAWING.table(pebbles(1), Size(80, 24)) == DRAWING.table(pebbles(3), Size(80, 24))


@pytest.mark.parametrize(("size", "cut"), [(Size(80, 50), False), (Size(80, 12), True), (Size(20, 3), True)])
def test_a_table_fills_its_size(size: Size, cut: bool) -> None:
    """What does not fit is cut off, and an ellipsis tells so."""
    moment = next(moments("classic_art", 2, 0))
    table = drawing_of("unheard_of", NAMES[:2], in_language("en")).table(moment.view(None), size).plain
    assert [cell_len(line) for line in table.split("\n")] == [size.width] * size.height
    assert ("…" in table) == cut


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", [1, 20, 128])
def test_menus_of_many_moves_have_pages(count: int, language: str) -> None:
    """Moves are told as the referee tells them."""
    drawing = drawing_of("pebbles", NAMES[:2], in_language(language))
    menu = drawing.menu(pebbles(1), legal(count))
    assert len(menu) <= 20
    assert leaves(menu) == [f"take {number + 1}" for number in range(count)]
    assert drawing.question(pebbles(1), legal(count))


def test_its_title_is_that_of_the_ruleset_if_it_is_installed() -> None:
    plain = PlainDrawing("classic_art", NAMES[:2], in_language("en"))
    assert (plain.title, DRAWING.title) == ("Classic Art", "pebbles")


def test_an_event_is_told_in_one_line() -> None:
    plugin = any_pb2.Any()
    plugin.Pack(wrappers_pb2.UInt32Value(value=3))
    event = match_pb2.Event(game=ruleset_pb2.GameEvent(plugin=plugin))
    assert DRAWING.events([event]) == ["@type: type.googleapis.com/google.protobuf.UInt32Value value: 3"]


def test_what_has_changed_is_marked() -> None:
    table = DRAWING.table(pebbles(1), Size(80, 24), ruleset_pb2.View())
    assert any(not isinstance(span.style, str) and span.style.reverse for span in table.spans)
