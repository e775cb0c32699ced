"""Lines of text of a fixed width: cut, filled up, put side by side and framed."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from clients.terminal.drawing.drawing import Size

CHANGED: Final = Style(reverse=True)
STRONG: Final = Style(bold=True)
FAINT: Final = Style(dim=True)

Cell = tuple[Text | str, int]
"""A text and its width; a negative one puts the text to the right."""


def fit(line: Text | str, width: int) -> Text:
    """Returns a line of exactly a width: cut with an ellipsis, or filled up with spaces."""
    fitted = Text(line) if isinstance(line, str) else line.copy()
    fitted.rstrip()
    fitted.truncate(abs(width), overflow="ellipsis" if width else "crop")
    missing = abs(width) - cell_len(fitted.plain)
    return Text.assemble(" " * missing, fitted) if width < 0 else Text.assemble(fitted, " " * missing)


def row(*cells: Cell) -> Text:
    """Returns cells as one line."""
    return Text().join(fit(text, width) for text, width in cells)


def beside(*blocks: tuple[Sequence[Text], int], gap: str = "  ") -> list[Text]:
    """Puts blocks of given widths side by side; shorter ones are filled up with empty lines."""
    height = max(len(lines) for lines, _ in blocks)
    filled = [[fit(line, width) for line in [*lines, *[Text()] * (height - len(lines))]] for lines, width in blocks]
    return [Text(gap).join(parts) for parts in zip(*filled, strict=True)]


def framed(title: Text | str, lines: Sequence[Text], width: int) -> list[Text]:
    """Puts lines into a frame with a title."""
    inner = width - 4
    named = Text(title, STRONG) if isinstance(title, str) else title
    head = fit(named, min(cell_len(named.plain), inner - 2))
    rule = "─" * (inner - 1 - cell_len(head.plain))
    top = Text.assemble(("╭─ ", FAINT), head, (f" {rule}╮", FAINT))
    sides = [Text.assemble(("│ ", FAINT), fit(line, inner), (" │", FAINT)) for line in lines]
    return [top, *sides, Text(f"╰{'─' * (inner + 2)}╯", FAINT)]


def spaced(blocks: Sequence[Sequence[Text]], last: Sequence[Text], height: int) -> list[Text]:
    """Puts blocks one below the other, with empty lines between them and a last block below if there is room."""
    lines = [line for block in blocks for line in block]
    gaps = len(blocks) - 1
    if len(lines) + gaps <= height:
        lines = [line for block in blocks for line in [Text(), *block]][1:]
    return [*lines, *last] if len(lines) + len(last) <= height else lines


def stacked(blocks: Sequence[tuple[str, Sequence[Text]]], width: int) -> list[Text]:
    """Puts blocks with titles into frames, one below the other."""
    return [line for title, lines in blocks for line in framed(title, lines, width)]


def titled(title: Text | str, lines: Sequence[Text], width: int) -> list[Text]:
    """Puts a title of a width before the first of some lines, and as much space before the others."""
    return [Text.assemble(fit(title if not number else "", width), line) for number, line in enumerate(lines)]


def flowed(parts: Iterable[Text], width: int, gap: str = "  ") -> list[Text]:
    """Puts parts one after the other into as many lines as they need; none is parted."""
    lines = list[Text]()
    for part in parts:
        if lines and cell_len(lines[-1].plain) + len(gap) + cell_len(part.plain) <= width:
            lines[-1] = Text.assemble(lines[-1], gap, part)
        else:
            lines.append(part)
    return lines


def sheet(lines: Sequence[Text], size: Size) -> Text:
    """Returns lines as one text that fills a size exactly; where some do not fit, its last line is an ellipsis."""
    shown = [*lines[: size.height - 1], Text("…")][: size.height] if len(lines) > size.height else lines
    fitted = [fit(line, size.width) for line in shown]
    fitted += [fit("", size.width)] * (size.height - len(fitted))
    text = Text("\n").join(fitted)
    text.no_wrap, text.overflow = True, "crop"
    return text
