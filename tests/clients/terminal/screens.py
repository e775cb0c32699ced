"""`python -m tests.clients.terminal.screens` takes pictures of matches that are played on the screen, for guides.

They are written to `clients/terminal/pictures/`, as SVG that needs no font or address from elsewhere. Each is of a
match of its own against bots, at a referee of the terminal's own.
"""

import asyncio
import random
import re
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from artreferee.v1 import service_pb2
from clients import terminal
from clients.bots.load import load_bot
from clients.sdk import Budget
from clients.terminal.opening import NewMatch, Table, begun
from clients.terminal.saved import Folder
from clients.terminal.words import in_language
from tests.clients.terminal.latency import Timed, is_asked, take_last

FOLDER: Final = Path(terminal.__file__).parent / "pictures"
_OPPONENTS: Final = ("greedy", "mcts")
_FONTS: Final = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


class Picture(NamedTuple):
    """What is taken: of what, in which language and size, after how many moves of whoever looks and one more."""

    file: str
    ruleset: str
    language: str
    size: tuple[int, int]
    moves: int


PICTURES: Final = (
    Picture("artsee.svg", "artsee", "en", (80, 24), 8),
    Picture("artsee.es.svg", "artsee", "es", (120, 40), 12),
    Picture("classic_art.svg", "classic_art", "en", (120, 40), 12),
    Picture("art_decko.svg", "art_decko", "en", (120, 40), 24),
)


async def taken(picture: Picture) -> str:
    """Plays a match up to a picture, and returns that; what has changed since the last move stands out on it."""
    with tempfile.TemporaryDirectory() as home, Folder(Path(home) / "match") as folder:
        async with begun(NewMatch(picture.ruleset, "Ada", _OPPONENTS), folder) as table:
            await _play(table, picture.moves)
            app = Timed(table.client, table.match.match_id, 0, in_language(picture.language), table)
            async with app.run_test(size=picture.size) as pilot:
                if not (await is_asked(app, pilot) and await take_last(app, pilot) and await is_asked(app, pilot)):
                    raise ValueError(f"the match of {picture.ruleset} is over before {picture.moves + 1} moves")
                await pilot.pause()
                return freed(app.export_screenshot(title=f"curator play {picture.ruleset} --lang {picture.language}"))


async def _play(table: Table, moves: int) -> None:
    """Has a greedy bot make the first moves of whoever looks."""
    bot, rng = load_bot("greedy")(), random.Random(1)
    while moves:
        match = await table.client.get_match(table.match.match_id, 0)
        if not match.HasField("prompt"):
            continue
        move = bot.choose(match.view, match.prompt.legal_moves, Budget(), rng)
        request = service_pb2.SubmitMoveRequest(
            match_id=match.match_id, seat=0, decision_number=match.prompt.decision_number
        )
        request.moves.add(id=move.id)
        await table.client.submit_move(request)
        moves -= 1


def freed(svg: str) -> str:
    """Returns a picture without what it would load, in whatever font of even width there is."""
    svg = re.sub(r"\s*(@font-face \{.*?\}|<!--.*?-->)", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code, monospace", _FONTS)


async def main() -> None:
    """Takes all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for picture in PICTURES:
        (FOLDER / picture.file).write_text(await taken(picture), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
