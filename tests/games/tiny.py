"""Games small enough to go through all that can happen, and ways of doing so.

A ruleset's folder holds their components in `tiny.toml`. To count the tree of the match with some number:
`python -m tests.games.tiny RULESET SEATS NUMBER [OPTION=VALUE ...]`
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from referee.core.components import parse
from referee.core.game import AnyGame, Outcome
from referee.games import registry
from tests.games.laws import allowed
from tests.games.playouts import dealt

HERE = Path(__file__).parent
Moves = Callable[[AnyGame, Any, int], Sequence[int]]
Copy = Callable[[AnyGame, Any], Any]


@dataclass(frozen=True, slots=True)
class Tree:
    """All that can happen from a position on.

    Attributes:
        nodes: by the number of moves, in how many ways they can be made.
        positions: by the number of moves, to how many different positions they lead.
        results: in how many ways the game ends how.
    """

    nodes: tuple[int, ...]
    positions: tuple[int, ...]
    results: Counter[Outcome]

    @property
    def leaves(self) -> int:
        """How many ways through the game there are."""
        return self.results.total()

    def firsts(self, seat: int) -> int:
        """In how many of them a seat is first, alone or with others."""
        return sum(count for outcome, count in self.results.items() if outcome.ranks[seat] == 1)

    def scored(self, seat: int) -> int:
        """What a seat scores in all of them together."""
        return sum(count * outcome.scores[seat] for outcome, count in self.results.items())


def path_of(ruleset: str) -> Path:
    return HERE / ruleset / "tiny.toml"


def built_in() -> list[str]:
    """The rulesets that come with the referee."""
    return [ruleset for ruleset, game in registry().items() if type(game).__module__.startswith("referee.games.")]


def found() -> list[str]:
    """The rulesets that have tiny components."""
    return [ruleset for ruleset in built_in() if path_of(ruleset).exists()]


def tiny_game(ruleset: str) -> AnyGame:
    """Returns the rules with their tiny components."""
    rules: Any = type(registry()[ruleset])
    path = path_of(ruleset)
    parts = import_module(f"referee.games.{ruleset}.parts").Parts(parse(f"{ruleset}/{path.name}", path.read_bytes()))
    game: AnyGame = rules(parts)
    return game


def listed(game: AnyGame, state: Any, seat: int) -> Sequence[int]:
    """The moves that the list names."""
    return game.legal_moves(state, seat)


def passed(game: AnyGame, state: Any, seat: int) -> Sequence[int]:
    """All conceivable moves, less those that the check refuses."""
    return [move for move in range(game.spec.num_actions) if allowed(game, state, seat, move)]


def copied(game: AnyGame, state: Any) -> Any:
    return game.copy(state)


def stored(game: AnyGame, state: Any) -> Any:
    """Returns a position as it is read back from its snapshot."""
    return game.decode(game.encode(state))


def tree(game: AnyGame, root: Any, moves_of: Moves = listed, copy_of: Copy = copied) -> Tree:
    """Goes through all that can happen: every move of every seat that is to act, in any order of sealed choices.

    Positions with equal snapshots are gone through once and count in as many ways as they were reached.
    """
    nodes, positions, results = list[int](), list[int](), Counter[Outcome]()
    layer = {game.encode(root): root}
    ways = Counter(layer.keys())
    while layer:
        nodes.append(ways.total())
        positions.append(len(layer))
        following, ways_on = dict[bytes, Any](), Counter[bytes]()
        for packed, state in layer.items():
            _count_result(game, state, ways[packed], results)
            for after in _after(game, state, moves_of, copy_of):
                key = game.encode(after)
                following[key] = after
                ways_on[key] += ways[packed]
        layer, ways = following, ways_on
    return Tree(tuple(nodes), tuple(positions), results)


def _count_result(game: AnyGame, state: Any, ways: int, results: Counter[Outcome]) -> None:
    result = game.result(state)
    assert (result is None) == bool(game.to_act(state))
    if result is not None:
        results[result] += ways


def _after(game: AnyGame, state: Any, moves_of: Moves, copy_of: Copy) -> Iterator[Any]:
    for seat in game.to_act(state):
        moves = moves_of(game, state, seat)
        assert moves
        for move in moves:
            after = copy_of(game, state)
            game.play(after, seat, move)
            yield after


def start(ruleset: str, seats: str, number: str, *options: str) -> tuple[AnyGame, Any]:
    """Returns the tiny rules and the first position of the match with this number; options are such as "rounds=2"."""
    game = tiny_game(ruleset)
    given = {name: int(value) for name, value in (option.split("=") for option in options)}
    return game, dealt(game, int(seats), int(number), given)


def _main(*match: str) -> None:
    counted = tree(*start(*match))
    sys.stdout.write(f"nodes {counted.nodes}, {sum(counted.nodes)} in all, {counted.leaves} leaves\n")
    sys.stdout.write(f"positions {counted.positions}, {sum(counted.positions)} in all\n")
    for seat in range(int(match[1])):
        sys.stdout.write(f"seat {seat} is first in {counted.firsts(seat)} and scores {counted.scored(seat)} in all\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
