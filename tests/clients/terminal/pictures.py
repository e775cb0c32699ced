"""`python -m tests.clients.terminal.pictures RULESET` prints a table of a random match, or keeps it as SVG."""

from pathlib import Path

import click
from rich.console import Console

from artreferee.v1 import ruleset_pb2
from clients.terminal.drawing import Size, drawing_of
from clients.terminal.words import LANGUAGES, in_language
from tests.clients.terminal.playing import moments

NAMES = ("Ada", "Ben", "Cleopatra of Thebes", "Dov", "Eli")


@click.command()
@click.argument("ruleset")
@click.option("--seats", default=3)
@click.option("--size", default="80x24")
@click.option("--lang", default="en", type=click.Choice(LANGUAGES))
@click.option("--move", "moves", default=30, help="So many moves are played before, or all.")
@click.option("--number", default=0, help="The number of the match.")
@click.option("--svg", type=click.Path(path_type=Path), help="Where the picture is kept.")
def main(ruleset: str, seats: int, size: str, lang: str, moves: int, number: int, svg: Path | None) -> None:
    """Draws what the seat to act sees, what it may choose, and what has changed since it saw the table last."""
    seen = dict[int, ruleset_pb2.View]()
    for made, moment in enumerate(moments(ruleset, seats, number)):
        viewer = (moment.to_act or [0])[0]
        before, seen[viewer] = seen.get(viewer), moment.view(viewer)
        if made == moves:
            break
    width, height = map(int, size.split("x"))
    drawing = drawing_of(ruleset, NAMES[:seats], in_language(lang))
    console = Console(width=width, record=svg is not None, force_terminal=True, color_system="truecolor")
    console.print(drawing.table(seen[viewer], Size(width, height), before, moment.legal_moves(viewer)))
    if svg is not None:
        console.save_svg(str(svg), title=drawing.title)


if __name__ == "__main__":
    main()
