"""The archive of snapshots: what was once stored must be read for ever.

Lines are never changed, only added when the layout or the rules get a new version:
`python -m tests.games.classic_art.archiving >> tests/games/classic_art/archive/states.jsonl`. A line holds the history
of a match, its snapshot, the events of its last move, and what the snapshot shows.
"""

import json
import random
import sys
from pathlib import Path
from typing import TypedDict

from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.state import State
from tests.games.playouts import seed_of

ARCHIVE = Path(__file__).parent / "archive" / "states.jsonl"
LENGTHS = {2: (0, 9, 19), 3: (5, 29, 130), 4: (32, 60, 1_000), 5: (10, 27, 33)}  # moves played, by seats


class Entry(TypedDict):
    """An archived snapshot; `shows` tells it apart from the codec and from later rules."""

    rules_version: str
    seats: int
    options: dict[str, int]
    seed: str
    moves: list[tuple[int, int]]
    state: str
    events: str
    shows: dict[str, object]


def entries() -> list[Entry]:
    return [json.loads(line) for line in ARCHIVE.read_text().splitlines()]


def shown(game: ClassicArt, state: State) -> dict[str, object]:
    """What a snapshot holds, in numbers."""
    result = game.result(state)
    return {
        "season": state.season,
        "first": state.first,
        "to_act": list(game.to_act(state)),
        "hands": [list(game.view(state, seat).hand) for seat in range(state.seats)],
        "chosen": [game.view(state, seat).chosen for seat in range(state.seats)],
        "counts": list(state.net),
        "board": list(state.board),
        "available": list(state.available),
        "prestige": list(state.prestige),
        "scores": list(result.scores) if result else None,
    }


def made(game: ClassicArt, seats: int, length: int) -> Entry:
    """Plays so many random moves of a match of at most three seasons."""
    seed, rng = seed_of(length), random.Random(length)
    options = dict(game.options({"max_seasons": 3}, seats))
    state = game.setup(options, seats, seed)
    moves: list[tuple[int, int]] = []
    events = game.encode_events([])
    while len(moves) < length and (waiting := game.to_act(state)):
        seat = rng.choice(waiting)
        move = rng.choice(game.legal_moves(state, seat))
        moves.append((seat, move))
        events = game.encode_events(game.play(state, seat, move))
    return {
        "rules_version": game.spec.rules_version,
        "seats": seats,
        "options": options,
        "seed": seed.hex(),
        "moves": moves,
        "state": game.encode(state).hex(),
        "events": events.hex(),
        "shows": shown(game, state),
    }


if __name__ == "__main__":
    for seats, lengths in LENGTHS.items():
        for length in lengths:
            sys.stdout.write(json.dumps(made(ClassicArt(), seats, length)) + "\n")
