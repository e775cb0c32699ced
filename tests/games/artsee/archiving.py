"""The archive of snapshots: what was once stored must be read for ever.

Lines are never changed, only added when the layout or the rules get a new version:
`python -m tests.games.artsee.archiving >> tests/games/artsee/archive/states.jsonl`. A line holds the history of a
match, its snapshot, the events of its last move, and what the snapshot shows.
"""

import json
import random
import sys
from pathlib import Path
from typing import TypedDict

from referee.games.artsee.game import ArtSee
from referee.games.artsee.state import Phase, State
from tests.games.artsee.playing import chosen
from tests.games.playouts import seed_of

ARCHIVE = Path(__file__).parent / "archive" / "states.jsonl"
LENGTHS = {2: (0, 40, 1_000), 3: (7, 90), 4: (30, 31, 180, 1_000), 5: (100, 222)}  # moves played at least, by seats


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


def shown(game: ArtSee, state: State) -> dict[str, object]:
    """What a snapshot holds, in numbers."""
    result = game.result(state)
    return {
        "first": state.first,
        "turn": state.turn,
        "column": state.column,
        "earned": state.earned,
        "to_act": list(game.to_act(state)),
        "legal": [list(game.legal_moves(state, seat)) for seat in game.to_act(state)],
        "hands": [list(game.view(state, seat).hand) for seat in range(state.seats)],
        "choices": [list(game.view(state, seat).choices) for seat in range(state.seats)],
        "piles": [list(pile) for pile in state.piles],
        "galleries": [[list(column) for column in gallery] for gallery in state.galleries],
        "visitors": [list(visitors) for visitors in state.visitors],
        "slots": [list(slots) for slots in state.slots],
        "supplies": list(state.supplies),
        "prestige": list(state.prestige),
        "scores": list(result.scores) if result else None,
        "ranks": list(result.ranks) if result else None,
    }


def made(game: ArtSee, seats: int, length: int, phase: Phase | None = None) -> Entry:
    """Plays so many moves of a match, and on to a step if one is named."""
    seed, rng = seed_of(length), random.Random(length)
    options = {"start_seat": length % seats}
    state = game.setup(options, seats, seed)
    moves: list[tuple[int, int]] = []
    events = game.encode_events([])
    while (waiting := game.to_act(state)) and (len(moves) < length or phase not in (None, _step(state))):
        seat = rng.choice(waiting)
        move = chosen(game, state, seat, rng)
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


def _step(state: State) -> int:
    """Returns the step; only the middle of sealed choices counts as VISIT."""
    return state.phase if state.phase != Phase.VISIT or any(state.choices) else Phase.OVER


if __name__ == "__main__":
    for seats, lengths in LENGTHS.items():
        for length in lengths:
            sys.stdout.write(json.dumps(made(ArtSee(), seats, length)) + "\n")
    for seats, phase in ((3, Phase.VISIT), (5, Phase.VISIT), (4, Phase.CLAIM), (2, Phase.DRAW)):
        sys.stdout.write(json.dumps(made(ArtSee(), seats, 60, phase)) + "\n")
