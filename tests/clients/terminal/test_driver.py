"""What is typed into the whole screen, apart from what is pasted."""

import pytest

from clients.terminal.driver import Unpasted

BEGIN, END = "\x1b[200~", "\x1b[201~"
UP = "\x1b[A"


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("12\r", "12\r"),
        (f"1{BEGIN}{UP}\r\x1b[99~{END}2", "12"),
        (f"{BEGIN}\r{END}{UP}{BEGIN}\x1b{END}\r", f"{UP}\r"),
        (f"{BEGIN}{BEGIN}{END}{END}x", f"{END}x"),
        (f"x{BEGIN}\x1b[20\r", "x"),
    ],
)
def test_what_is_pasted_is_left_out_however_it_is_cut_into_portions(text: str, typed: str) -> None:
    """In one piece, in two at every place, and letter by letter."""
    cuts = [[text], list(text), *([text[:place], text[place:]] for place in range(1, len(text)))]
    for portions in cuts:
        unpasted = Unpasted()
        assert typed == "".join(map(unpasted.feed, portions))


def test_a_mark_that_does_not_become_one_was_typed() -> None:
    """Escape is a key too: after a while in which nothing follows it is let through."""
    unpasted = Unpasted()
    assert (unpasted.feed("1\x1b"), unpasted.flush(), unpasted.flush()) == ("1", "\x1b", "")
    assert unpasted.feed("[A") == "[A"


def test_nothing_is_let_through_while_a_paste_goes_on() -> None:
    unpasted = Unpasted()
    assert (unpasted.feed(f"{BEGIN}\x1b[2"), unpasted.flush(), unpasted.feed(f"01~{UP}")) == ("", "", UP)
