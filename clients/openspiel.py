"""Every ruleset as a game of OpenSpiel, for its algorithms.

Once this is imported, `pyspiel.load_game("artreferee_classic_art(players=3)")` is Classic Art for three.

A deal is 32 chance nodes of one byte each, which together are the seed of a match; what chance decides later follows
from it too. An action is a move's id. Seats that choose at the same time choose one after the other, the lowest first,
and see of each other what their views show, which is not what was chosen. Who wins has the winners' part of 1, shared
among equals, less the fair part of a seat, so that the returns of all add up to 0.
"""

from collections.abc import Callable
from random import Random
from typing import Any, Final

import pyspiel

from referee.core.game import AnyGame
from referee.core.seeding import SEED_BYTES
from referee.games import registry

PREFIX: Final = "artreferee_"
"""What the short name of each game begins with; the name of the ruleset follows."""

_BYTES: Final = 256
_LONGEST: Final = 10_000  # decisions; by their default options all rulesets end long before


class Position:
    """Where a match is, which OpenSpiel copies with the state that holds it.

    Attributes:
        rules: the ruleset.
        seats: how many play.
        dealt: the bytes of the seed that are drawn.
    """

    __slots__ = ("_state", "dealt", "rules", "seats")

    def __init__(self, rules: AnyGame, seats: int, dealt: bytes = b"", state: Any = None) -> None:
        self.rules, self.seats, self.dealt, self._state = rules, seats, dealt, state

    def __deepcopy__(self, _: dict[int, Any]) -> "Position":
        return self if self._state is None else self.at(self.rules.copy(self._state))

    def at(self, state: Any) -> "Position":
        """Returns the same match at another state."""
        return Position(self.rules, self.seats, self.dealt, state)

    def draw(self, byte: int) -> "Position":
        """Returns the match with one more byte of its seed; it is dealt with the last."""
        dealt = self.dealt + bytes([byte])
        if len(dealt) < SEED_BYTES:
            return Position(self.rules, self.seats, dealt)
        state = self.rules.setup(self.rules.options({}, self.seats), self.seats, dealt)
        return Position(self.rules, self.seats, dealt, state)

    @property
    def is_dealt(self) -> bool:
        """Whether the deal is over."""
        return self._state is not None

    @property
    def state(self) -> Any:
        """The state of the ruleset.

        Raises:
            ValueError: the deal is under way.
        """
        if self._state is None:
            raise ValueError(f"{len(self.dealt)} of the {SEED_BYTES} bytes of the seed are drawn: nothing is dealt yet")
        return self._state


class RulesetState(pyspiel.State):
    """A state of a match.

    It has an observation for each player, what that player may know, but no information state: OpenSpiel's searches
    take `use_observation_string=True`.
    """

    def __init__(self, game: "RulesetGame") -> None:
        super().__init__(game)
        self._at = Position(game.rules, game.num_players())

    @property
    def position(self) -> Any:
        """The state of the ruleset, which is not to be changed.

        Raises:
            ValueError: the deal is under way.
        """
        return self._at.state

    def current_player(self) -> int:
        if not self._at.is_dealt:
            return int(pyspiel.PlayerId.CHANCE)
        to_act = self._at.rules.to_act(self._at.state)
        return to_act[0] if to_act else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        return self._at.is_dealt and not self._at.rules.to_act(self._at.state)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(byte, 1 / _BYTES) for byte in range(_BYTES)]

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self._at.rules.legal_moves(self._at.state, player))

    def _apply_action(self, action: int) -> None:
        if self._at.is_dealt:
            self._at.rules.play(self._at.state, self.current_player(), action)
        else:
            self._at = self._at.draw(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"byte {action}" if player == pyspiel.PlayerId.CHANCE else self._at.rules.describe(action)

    def observation_string(self, player: int | None = None) -> str:
        """Returns what a player, or without one the player to act, may know."""
        if not self._at.is_dealt:
            return ""
        viewer = self.current_player() if player is None else player
        return repr(self._at.rules.view(self._at.state, viewer))

    def returns(self) -> list[float]:
        """Returns for each player the part of the win less the fair part; 0 while the match goes on."""
        outcome = self._at.rules.result(self._at.state) if self._at.is_dealt else None
        if outcome is None:
            return [0.0] * self._at.seats
        won, fair = 1 / outcome.ranks.count(1), 1 / self._at.seats
        return [won * (rank == 1) - fair for rank in outcome.ranks]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "RulesetState":
        """Returns a state that a player cannot rule out, with another future.

        Its history tells what was played, but no longer the deal.

        Args:
            player: whose view is kept.
            sampler: gives numbers from [0, 1).
        """
        world: RulesetState = self.clone()
        view = self._at.rules.view(self._at.state, player)
        world._at = self._at.at(self._at.rules.determinize(view, Random(sampler())))
        return world

    def __str__(self) -> str:
        return repr(self._at.state) if self._at.is_dealt else f"deal {self._at.dealt.hex()}"


class Observer:
    """What OpenSpiel asks for views: text only.

    Attributes:
        tensor: None, and `dict` is empty, for there is none.
    """

    tensor: None = None

    def __init__(self) -> None:
        self.dict: Final = dict[str, Any]()

    def set_from(self, state: RulesetState, player: int) -> None:
        """Does nothing."""

    def string_from(self, state: RulesetState, player: int) -> str:
        """Returns what a player may know."""
        return state.observation_string(player)


class RulesetGame(pyspiel.Game):
    """A ruleset for a number of players, by its default options; `game_of` makes a class for each ruleset.

    Attributes:
        rules: the ruleset.
        game_type: what OpenSpiel knows it by.
    """

    rules: AnyGame
    game_type: pyspiel.GameType

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        spec, given = self.rules.spec, params or {}
        players = given.get("players", spec.seats[0])
        if players not in spec.seats:
            raise ValueError(f"players is {players}, {spec.title} is for {', '.join(map(str, spec.seats))}")
        info = pyspiel.GameInfo(
            num_distinct_actions=spec.num_actions,
            max_chance_outcomes=_BYTES,
            num_players=players,
            min_utility=-1 / players,
            max_utility=1 - 1 / players,
            utility_sum=0.0,
            max_game_length=_LONGEST,
        )
        super().__init__(self.game_type, info, given)

    def new_initial_state(self) -> RulesetState:
        """Returns a match that is still to be dealt."""
        return RulesetState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Returns the number of nodes of a deal."""
        return SEED_BYTES

    def make_py_observer(self, _type: Any = None, _params: Any = None) -> Observer:
        """Returns what tells of a state in words."""
        return Observer()


def game_of(rules: AnyGame) -> type[RulesetGame]:
    """Returns the class of a ruleset's games; it is a class, as OpenSpiel still has it when Python has ended."""
    spec = rules.spec
    game_type = pyspiel.GameType(
        short_name=PREFIX + spec.name,
        long_name=spec.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=spec.seats[-1],
        min_num_players=spec.seats[0],
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
        parameter_specification={"players": spec.seats[0]},
    )
    return type(spec.name, (RulesetGame,), {"rules": rules, "game_type": game_type})


GAMES: Final = tuple(map(game_of, registry().values()))
"""A class for each ruleset, in the order of their names."""

for _game in GAMES:
    pyspiel.register_game(_game.game_type, _game)
