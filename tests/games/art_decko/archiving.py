"""The archive of snapshots: what was once stored must be read for ever.

Lines are never changed, only added when the layout or the rules get a new version:
`python -m tests.games.art_decko.archiving >> tests/games/art_decko/archive/states.jsonl`. A line holds the history of a
match, its snapshot, the events of its last move, and what the snapshot shows.
"""

import json
import random
import sys
from pathlib import Path
from typing import TypedDict

from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.state import State
from tests.games.art_decko.moves import IDS, MOVES
from tests.games.art_decko.policy import Character
from tests.games.playouts import seed_of

ARCHIVE = Path(__file__).parent / "archive" / "states.jsonl"
MATCHES = (  # seats, number of the match, moves played
    (2, 0, 0),
    (2, 0, 160),
    (2, 1, 67),
    (2, 4, 163),
    (3, 1, 67),
    (3, 2, 8),
    (3, 7, 142),
    (3, 12, 126),
    (4, 1, 90),
    (4, 13, 205),
    (4, 15, 124),
    (4, 1, 224),
)


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


def shown(game: ArtDecko, state: State) -> dict[str, object]:
    """What a snapshot holds, in numbers."""
    result, view = game.result(state), game.view(state, None)
    return {
        "round": view.round,
        "first": view.first,
        "to_act": list(game.to_act(state)),
        "legal": [list(game.legal_moves(state, seat)) for seat in game.to_act(state)],
        "hands": [list(game.view(state, seat).hand) for seat in range(state.seats)],
        "decks": [list(deck) for deck in state.decks],
        "paintings": list(state.paintings),
        "stack": list(state.stack),
        "kept": list(view.kept),
        "pool": list(view.pool),
        "discards": list(view.discards),
        "aside": list(view.aside),
        "removed": list(view.removed),
        "galleries": list(view.galleries),
        "costs": list(view.costs),
        "supply": list(view.supply),
        "bank": list(view.bank),
        "market": list(view.market),
        "museum": list(view.museum),
        "markers": list(view.markers),
        "tiles": list(view.tiles),
        "vp": view.vp,
        "scores": list(result.scores) if result else None,
    }


def made(game: ArtDecko, seats: int, number: int, length: int) -> Entry:
    """Plays so many moves of a random character, in a match of at most twelve rounds."""
    seed, character = seed_of(number), Character(random.Random(number))
    options = dict(game.options({"max_rounds": 12}, seats))
    state = game.setup(options, seats, seed)
    moves: list[tuple[int, int]] = []
    events = game.encode_events([])
    while len(moves) < length and (waiting := game.to_act(state)):
        move = IDS[character.choose([MOVES[move] for move in game.legal_moves(state, waiting[0])])]
        moves.append((waiting[0], move))
        events = game.encode_events(game.play(state, waiting[0], move))
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
    for match in MATCHES:
        sys.stdout.write(json.dumps(made(ArtDecko(), *match)) + "\n")
