"""Reading what is played."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clients.tournament.pairing import Game
from clients.tournament.planning import values
from clients.tournament.planning.positions import Path
from clients.tournament.planning.reading import Reading, suggestion
from clients.tournament.planning.values import Check, shown
from referee.core.errors import InvalidOptionError
from referee.core.game import AnyGame
from referee.games import registry

_KEYS: Final[Mapping[str, Check]] = {
    "ruleset": values.text(64),
    "seats": values.one_or_several(values.whole(1, 16)),
    "options": values.table,
}
_OPTION: Final = values.whole(0, 2**32 - 1)


def games_of(reading: Reading, path: Path, tables: Sequence[Mapping[str, Any]]) -> list[Game]:
    """Returns the games that are right; a ruleset without seats is played with all numbers that it is for."""
    games = list[Game]()
    for number, table in enumerate(tables):
        place = (*path, number)
        for game in _games(reading, place, table):
            if game in games:
                reading.fault(place, f"{game.ruleset} with {game.seats} seats and these options is played already")
            games.append(game)
    return games


def _games(reading: Reading, place: Path, table: Mapping[str, Any]) -> Iterator[Game]:
    read = reading.table(place, table, _KEYS, "a game")
    if "ruleset" not in table:
        reading.fault(place, f"the game has no ruleset; known are {', '.join(registry())}")
    if "ruleset" not in read:
        return
    ruleset = registry().get(read["ruleset"])
    if ruleset is None:
        problem = f"there is no ruleset {shown(read['ruleset'])}; {suggestion(read['ruleset'], list(registry()))}"
        reading.fault((*place, "ruleset"), problem)
        return
    stated = read.get("options", {})
    options = reading.table((*place, "options"), stated, dict.fromkeys(stated, _OPTION), "the options")
    if "seats" in table and "seats" not in read:
        return
    for seats in _seats(reading, place, ruleset, read.get("seats", ruleset.spec.seats)):
        if _right(reading, (*place, "options"), ruleset, seats, options):
            yield Game(ruleset.spec.name, seats, _canonical(options))


def _seats(reading: Reading, place: Path, ruleset: AnyGame, stated: Sequence[int]) -> Iterator[int]:
    possible = ruleset.spec.seats
    for seats in stated:
        if seats in possible:
            yield seats
        else:
            problem = f"{ruleset.spec.name} is for {min(possible)} to {max(possible)} seats, not {seats}"
            reading.fault((*place, "seats"), problem)


def _right(reading: Reading, path: Path, ruleset: AnyGame, seats: int, options: Mapping[str, int]) -> bool:
    wrong = 0
    for given in (*({option: value} for option, value in options.items()), options):  # one fault is told at a time
        try:
            ruleset.options(given, seats)
        except InvalidOptionError as error:
            reading.fault((*path, error.option), f"option {error.option} {error.problem}, with {seats} seats")
            wrong += 1
    return not wrong


def _canonical(options: Mapping[str, int]) -> str:
    return json.dumps(options, sort_keys=True, separators=(",", ":")) if options else ""
