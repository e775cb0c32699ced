"""One recorded match as a page: one file that needs nothing else, stepped through by its own script, whole without it.

Every name comes into the page through the template, which escapes it: there is no other way in.
"""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from typing import Final, NamedTuple

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from clients.terminal.drawing import Size
from clients.terminal.drawing.seats import LETTERS
from clients.terminal.recording import Recording
from clients.terminal.words import Words
from clients.terminal.words.pages import templates

_CONSOLE: Final = Console(color_system="truecolor", force_terminal=True)
_SPARE: Final = 6  # lines more than a table needs where there is little room
_SCRIPT: Final = (files(__package__) / "templates" / "match.js").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Eyes:
    """From whose eyes a match is shown.

    Attributes:
        seat: those of a seat; None for what everybody saw.
        all_seeing: what each seat saw besides is told below that.
    """

    seat: int | None = None
    all_seeing: bool = False


class Run(NamedTuple):
    """A part of a table that looks alike: its classes in the page, and its text."""

    classes: str
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """A step as the page shows it: how it is called, what happened, the table after it, and what is told below."""

    title: str
    told: list[str]
    table: list[Run]
    hidden: list[str]


def shared_page(recording: Recording, eyes: Eyes, words: Words) -> str:
    """Returns a match as HTML, in the language that the recording was made for."""
    record = recording.record
    steps = [_step(recording, place, eyes, words) for place in range(recording.last + 1)]
    return (
        templates("clients.terminal", words)
        .get_template("match.html")
        .render(
            recording=recording,
            record=record,
            letters=LETTERS,
            language=words.language,
            whose=_whose(recording, eyes, words),
            ended=datetime.fromtimestamp(record.end_time_ms / 1000, UTC) if record.end_time_ms else None,
            steps=steps,
            colours=sorted({name for step in steps for run in step.table for name in _colours(run)}),
            script=_SCRIPT,
            script_digest=b64encode(sha256(_SCRIPT.encode()).digest()).decode(),
        )
    )


def _step(recording: Recording, place: int, eyes: Eyes, words: Words) -> Step:
    view = recording.view(place, eyes.seat)
    before = recording.view(place - 1, eyes.seat) if place else None
    drawing = recording.drawing
    return Step(
        words.told("step {step} of {steps}", step=place, steps=recording.last),
        recording.events(place, eyes.seat, all_seeing=eyes.all_seeing),
        list(_runs(drawing.table(view, _roomy(drawing.smallest(view)), before))),
        recording.hidden(place) if eyes.all_seeing else [],
    )


def _roomy(smallest: Size) -> Size:
    """Returns a size in which nothing has to be told in short."""
    return Size(smallest.width, smallest.height + _SPARE)


def _whose(recording: Recording, eyes: Eyes, words: Words) -> str:
    if eyes.seat is not None:
        return recording.names[eyes.seat]
    return words.told("all seats") if eyes.all_seeing else words.told("spectators")


def _runs(table: Text) -> Iterator[Run]:
    lines = table.split("\n")
    for line in lines:
        line.rstrip()
    while len(lines) > 1 and not lines[-1].plain:
        lines.pop()
    for classes, alike in groupby(Text("\n").join(lines).render(_CONSOLE), _classes):
        yield Run(classes, "".join(segment.text for segment in alike))


def _classes(segment: Segment) -> str:
    style = segment.style or Style.null()
    marks = (("b", style.bold), ("d", style.dim), ("i", style.italic), ("r", style.reverse), ("u", style.underline))
    colour = [f"c{style.color.get_truecolor().hex[1:]}"] if style.color and not style.color.is_default else []
    return " ".join([*colour, *(name for name, on in marks if on)])


def _colours(run: Run) -> list[str]:
    return [name[1:] for name in run.classes.split() if name.startswith("c")]
