"""Readable playthroughs of every ruleset. `python -m tests.games.playthrough --write` makes their files anew.

A ruleset's module `narrator` holds its `NARRATOR`; its folder `playthroughs` has a file for each number of seats.
"""

import random
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from referee.core.game import AnyGame, Options
from referee.games import registry
from tests.games.playouts import seed_of

NUMBER = 2026
HERE = Path(__file__).parent
Words = Mapping[str, str]


class Narrator(Protocol):
    """Puts the views and events of a ruleset into words."""

    @property
    def options(self) -> Options:
        """Options that keep a playthrough short."""
        ...

    def public(self, view: Any) -> Words:
        """What the view shows to all, by topic."""
        ...

    def private(self, view: Any) -> Words:
        """What it shows to its viewer alone, by topic."""
        ...

    def event(self, event: Any) -> str:
        """What happened."""
        ...


def narrator(ruleset: str) -> Narrator:
    found: Narrator = import_module(f"tests.games.{ruleset}.narrator").NARRATOR
    return found


def path_of(ruleset: str, seats: int) -> Path:
    return HERE / ruleset / "playthroughs" / f"{seats}.txt"


class _Sight:
    """What each viewer sees, told only where it has changed."""

    def __init__(self, game: AnyGame, teller: Narrator) -> None:
        self._game = game
        self._teller = teller
        self._told: dict[str, str] = {}

    def news(self, state: Any, seats: int) -> Iterator[str]:
        for topic, words in self._teller.public(self._game.view(state, None)).items():
            yield from self._changed(f"all see {topic}", words)
        for seat in range(seats):
            for topic, words in self._teller.private(self._game.view(state, seat)).items():
                yield from self._changed(f"seat {seat} sees {topic}", words)

    def _changed(self, topic: str, words: str) -> Iterator[str]:
        if self._told.get(topic) != words:
            self._told[topic] = words
            yield f"    {topic}: {words}"


def transcript(game: AnyGame, seats: int) -> str:
    """Returns a match of random moves in words; what is not told again is as it was."""
    return "\n".join(_lines(game, seats, narrator(game.spec.name))) + "\n"


def _lines(game: AnyGame, seats: int, teller: Narrator) -> Iterator[str]:
    seed, rng, sight = seed_of(NUMBER), random.Random(NUMBER), _Sight(game, teller)
    options = game.options(teller.options, seats)
    yield f"{game.spec.title}, {seats} seats, {', '.join(f'{name} {value}' for name, value in options.items())}"
    yield f"seed {seed.hex()}"
    state, number = game.setup(options, seats, seed), 0
    while waiting := game.to_act(state):
        number += 1
        yield f"\n{number}. {_seats(waiting)} to choose"
        yield from sight.news(state, seats)
        seat = rng.choice(waiting)
        legal = game.legal_moves(state, seat)
        move = rng.choice(legal)
        yield f"  seat {seat} has {len(legal)} legal moves and makes {move}, {game.describe(move)}"
        for event in game.play(state, seat, move):
            audience = "" if event.audience is None else f" (to seat {event.audience} alone)"
            yield f"  > {teller.event(event)}{audience}"
    yield "\nThe end"
    yield from sight.news(state, seats)
    yield from _result(game, state)


def _seats(seats: Any) -> str:
    named = ", ".join(str(seat) for seat in seats)
    return f"seat {named} is" if len(seats) == 1 else f"seats {named} are"


def _result(game: AnyGame, state: Any) -> Iterator[str]:
    result = game.result(state)
    if result is None:
        raise ValueError("nobody is to act, but there is no result")
    for seat, (score, rank) in enumerate(zip(result.scores, result.ranks, strict=True)):
        yield f"  seat {seat} has {score} and place {rank}"
    yield f"  {result.reason}"


def write_all() -> None:
    """Writes the files of all rulesets."""
    for ruleset, game in registry().items():
        for seats in game.spec.seats:
            path = path_of(ruleset, seats)
            path.parent.mkdir(exist_ok=True)
            path.write_text(transcript(game, seats))


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.games.playthrough --write")
    write_all()
