"""Blocks of text of a fixed width: cut, filled up, put side by side and framed."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from artreferee.v1 import match_pb2

CHANGED: Final = Style(reverse=True)
STRONG: Final = Style(bold=True)
FAINT: Final = Style(dim=True)


def open_to(moves: Sequence[match_pb2.LegalMove]) -> Style:
    """Returns the style of what legal moves concern: underlined, with their ids for whoever clicks there."""
    return Style(underline=True, bold=True, meta={"moves": tuple(move.id for move in moves)})


def fit(line: Text | str, width: int) -> Text:
    """Returns a line of exactly a width: cut with an ellipsis, or filled up with spaces."""
    fitted = Text(line) if isinstance(line, str) else line.copy()
    fitted.truncate(width, overflow="ellipsis", pad=True)
    return fitted


def beside(*blocks: tuple[Sequence[Text], int], gap: str = "  ") -> list[Text]:
    """Puts blocks of given widths side by side; shorter ones are filled up with empty lines."""
    height = max(len(lines) for lines, _ in blocks)
    filled = [[fit(line, width) for line in [*lines, *[Text()] * (height - len(lines))]] for lines, width in blocks]
    return [Text(gap).join(row) for row in zip(*filled, strict=True)]


def sheet(lines: Iterable[Text], width: int, height: int) -> Text:
    """Returns lines as one text of exactly a width and a height."""
    fitted = [fit(line, width) for line in lines][:height]
    fitted += [fit("", width)] * (height - len(fitted))
    text = Text("\n").join(fitted)
    text.no_wrap, text.overflow = True, "crop"
    return text


def flowed(parts: Iterable[Text], width: int, gap: str = "  ") -> list[Text]:
    """Puts parts one after the other into as many lines as they need; none is parted."""
    lines = list[Text]()
    for part in parts:
        if lines and cell_len(lines[-1].plain) + len(gap) + cell_len(part.plain) <= width:
            lines[-1] = Text.assemble(lines[-1], gap, part)
        else:
            lines.append(part)
    return lines
