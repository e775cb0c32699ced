"""The line above the table: who plays, whose turn it is, and the clocks."""

from typing import Final

from rich.text import Text

from clients.terminal.scene import Scene
from clients.terminal.times import clock

_SHORTEST: Final = 6  # what is left of a name, however many there are


def header(scene: Scene, now: float, width: int) -> Text:
    """Returns the header at the time `now` by `time.monotonic`."""
    line = Text(no_wrap=True, overflow="ellipsis")
    if not scene.connected and not scene.closed:
        told = scene.words.told
        words = told("no connection, trying again") if scene.match.match_id else told("connecting")
        line.append(words, "reverse").append(" ")
    seats = len(scene.match.seats)
    for seat in range(seats):
        line.append_text(_seat(scene, seat, now, (width - len(line)) // (seats - seat)))
    return line


def _seat(scene: Scene, seat: int, now: float, width: int) -> Text:
    told = scene.match.seats[seat]
    after = ""
    if scene.match.HasField("viewer_seat") and scene.match.viewer_seat == seat:
        you = scene.words.told("you")
        after += f" ({you})"
    if told.cause:
        after += " ✗"
    if (left := scene.left_ms(seat, now)) is not None:
        after += f" {clock(left)}"
    name = Text(scene.names[seat])
    name.truncate(max(_SHORTEST, width - len(after) - 4), overflow="ellipsis")
    style = "bold" if told.to_act else ""
    return Text.assemble(("▶ " if told.to_act else "  ", style), (name.plain, style), after, "  ")
