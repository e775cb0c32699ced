"""Nothing may depend on the order of a set: one match of each ruleset and seat count, under several hash seeds."""

import os
import subprocess
import sys
from hashlib import sha256
from random import Random

from referee.games import registry
from referee.wire import wires
from tests.games.playouts import seed_of


def digest() -> str:
    """Returns a digest of all states, lists, events, views and messages of some random matches."""
    told = sha256()
    for name, game in registry().items():
        for seats in game.spec.seats:
            state, rng = game.setup(game.options({}, seats), seats, seed_of(seats)), Random(seats)
            while due := game.to_act(state):
                seat = rng.choice(list(due))
                legal = game.legal_moves(state, seat)
                told.update(bytes(due) + repr(list(legal)).encode() + game.encode(state))
                for viewer in (None, *range(seats)):
                    told.update(wires()[name].view(game.view(state, viewer)).SerializeToString(deterministic=True))
                told.update(repr(game.determinize(game.view(state, seat), Random(1))).encode())
                told.update(game.encode_events(game.play(state, seat, rng.choice(legal))))
    return told.hexdigest()


def test_play_is_the_same_under_every_hash_seed() -> None:
    """Three processes with different PYTHONHASHSEED see the same matches, byte for byte."""
    command = [sys.executable, "-c", "from tests.games.test_hash_seed import digest; print(digest())"]
    runs = [
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True, timeout=120
        )
        for seed in ("0", "1", "4242")
    ]
    assert len({run.stdout for run in runs}) == 1
