"""Learns the weights of the evaluations by self-play of greedy players: `python -m clients.bots.search.train`.

Each match is played by greedy players that now and then make any move, so that odd positions are seen too; some of its
positions are kept, with how the match ended. The same seed gives the same files, on however many processes.
"""

import json
import random
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from hashlib import sha256
from operator import mul
from pathlib import Path
from typing import Any, Final

from clients.bots.greedy_bot import RATINGS
from clients.bots.search.evaluation import Decided
from clients.bots.search.fitting import Sample, fitted, least_squares, loss
from clients.bots.search.knowing import evaluation_of
from clients.bots.search.knowledge import shares
from referee.games import registry

HERE: Final = Path(__file__).with_name("learned")
_ANY_MOVE: Final = 0.08  # how often a player makes any move
_KEPT: Final = 0.12  # of the positions
_RIDGE: Final = 1e-3
_FAITH: Final = {"art_decko": 20.0, "artsee": 0.01, "classic_art": 0.5}
"""In the guesses with which learning begins; much where the search plays better by the guesses."""
_LEAST: Final = 0.2  # of the log-odds of a point at the end, at the start
_HELD_OUT: Final = 5  # one match of so many is not learned from, to tell the loss


def played(ruleset: str, seats: int, seed: str, number: int) -> list[Sample]:
    """Plays a match and returns some of its positions."""
    game, evaluation = registry()[ruleset], evaluation_of(ruleset)
    name = f"{seed} {ruleset} {seats} {number}"
    rng = random.Random(name)
    state = game.setup(game.options({}, seats), seats, sha256(name.encode()).digest())
    kept = []
    while due := game.to_act(state):
        seat = rng.choice(due)
        if rng.random() < _KEPT:
            features = evaluation.features(state)
            if not isinstance(features, Decided):
                kept.append(features)
        game.play(state, seat, _move(game, state, seat, rng))
    result = game.result(state)
    if result is None:
        raise ValueError(f"{ruleset}: nobody is to act, and there is no result")
    won = shares(result)
    return [Sample(features, features.late, result.scores, won) for features in kept]


def _move(game: Any, state: Any, seat: int, rng: random.Random) -> int:
    moves: Sequence[int] = game.legal_moves(state, seat)
    if len(moves) == 1 or rng.random() < _ANY_MOVE:
        return rng.choice(moves)
    ratings = RATINGS[game.spec.name](game, game.view(state, seat), moves)
    best = max(ratings)
    return rng.choice([move for move, rating in zip(moves, ratings, strict=True) if rating == best])


def learned(ruleset: str, seats: int, seed: str, matches: int, pool: ProcessPoolExecutor) -> dict[str, Any]:
    """Returns the weights for one number of seats and how good they are."""
    guesses = evaluation_of(ruleset).guesses
    results = list(pool.map(partial(played, ruleset, seats, seed), range(matches), chunksize=4))
    known = [sample for number, match in enumerate(results) if number % _HELD_OUT for sample in match]
    held_out = [sample for match in results[::_HELD_OUT] for sample in match]
    points = [round(weight, 5) for weight in least_squares(known, guesses, _FAITH[ruleset])]
    start, end = (round(odds, 5) for odds in log_odds([in_points(sample, points) for sample in known]))
    told = [in_points(sample, points) for sample in held_out]
    return {
        "weights": {"points": points, "start": start, "end": end},
        "matches": matches,
        "positions": len(known),
        "loss_held_out": round(loss(told, [start, end]), 4),
        "loss_by_chance": round(loss(told, [0.0, 0.0]), 4),
    }


def in_points(sample: Sample, points: Sequence[float]) -> Sample:
    """Returns a sample with two features: what a seat will score, as far as it is early, and as far as it is late."""
    scores = [sum(map(mul, points, row)) for row in sample.rows]
    return replace(sample, rows=[[score * (1 - sample.late), score * sample.late] for score in scores])


def log_odds(samples: Sequence[Sample]) -> tuple[float, float]:
    """Returns the log-odds of a point at the start and at the end, from samples that are `in_points`.

    Those at the start are a part of those at the end at least, lest few matches say that points do harm.
    """
    start, end = fitted(samples, _RIDGE)
    if start >= _LEAST * end:
        return start, end
    bound = [replace(sample, rows=[[_LEAST * early + late] for early, late in sample.rows]) for sample in samples]
    (end,) = fitted(bound, _RIDGE)
    return _LEAST * end, end


def train(ruleset: str, seed: str, matches: int, processes: int, all_seats: Iterable[int]) -> None:
    """Writes the file of a ruleset."""
    runs = {}
    with ProcessPoolExecutor(processes) as pool:
        for seats in all_seats:
            runs[str(seats)] = learned(ruleset, seats, seed, matches, pool)
            told = {key: value for key, value in runs[str(seats)].items() if key != "weights"}
            sys.stdout.write(f"{ruleset}, {seats} seats: {told}\n")
            sys.stdout.flush()
    contents = {
        "command": f"python -m clients.bots.search.train --seed {seed} --matches {matches} {ruleset}",
        "players": "greedy, version 1",
        "data_digest": registry()[ruleset].spec.data_digest.hex(),
        "features": list(evaluation_of(ruleset).names),
        "weights": {seats: run.pop("weights") for seats, run in runs.items()},
        "runs": runs,
    }
    (HERE / f"{ruleset}.json").write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Runs the command."""
    parser = ArgumentParser(prog="clients.bots.search.train", description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--matches", type=int, default=800, help="of each ruleset and number of seats")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("rulesets", nargs="*", default=sorted(RATINGS), metavar="RULESET")
    wanted = parser.parse_args()
    for ruleset in wanted.rulesets:
        train(ruleset, wanted.seed, wanted.matches, wanted.processes, registry()[ruleset].spec.seats)


if __name__ == "__main__":
    main()
