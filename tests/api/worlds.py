"""Two worlds of a match that a viewer cannot tell apart, dealt naively by the rule text, to be planted.

What a game hides from a viewer each ruleset says for itself, by "What is public and what is hidden". The contract hides
besides: who holds a seat or hosts the match, what they asked before, and all that is for the record only.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from artreferee.v1 import match_pb2, ruleset_pb2
from referee.core.game import AnyGame, Options
from referee.table.snapshot import HOST as HOST_RING
from referee.table.snapshot import End, Entry, Receipt, Ring, SeatHead, Status, Step, pack, ring_field
from tests.api.harness import SEATS, SPECTATOR, Planted, Secret, planted
from tests.games.playouts import dealt

TAIL: Final = 24  # log entries that go with a position


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a match and the newest entries of its log."""

    state: Any
    entries: tuple[Entry, ...]


class Refused(NamedTuple):
    """A submission that is refused, and why."""

    why: str
    choice: match_pb2.MoveChoice
    decision: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """A viewer, and two worlds that differ only in what it may not know.

    Attributes:
        rules: what is played.
        viewer: a seat, or None for a spectator.
        states: the two positions.
        matches: the two matches.
        out: the seats that have resigned.
        log_length: the version of both.
    """

    rules: "Rules"
    viewer: int | None
    states: tuple[Any, Any]
    matches: tuple[Planted, Planted]
    out: frozenset[int]
    log_length: int

    @property
    def match_id(self) -> str:
        """The id of both."""
        return self.matches[0].match_id

    @property
    def secret(self) -> Secret:
        """The viewer's."""
        return SPECTATOR if self.viewer is None else SEATS[self.viewer]

    @property
    def phase(self) -> str:
        """The name of the step; the last is OVER."""
        return self.rules.phases(self.states[0].phase).name

    @property
    def due(self) -> list[int]:
        """The seats that must choose."""
        return self.rules.due(self.states[0])

    def holders(self, seat: int) -> tuple[Secret, Secret]:
        """Who holds a seat in each world."""
        return SEATS[seat], _second_holder(seat, self.viewer)


class Rules(ABC):
    """A ruleset as its text has it: what is hidden, who must choose, what is refused, what shows nothing new.

    Attributes:
        game: the rules object; its name and its seats.
        options: what is not left to defaults.
        phases: the steps.
        some_move: the id of any move.
        seals: whether there are choices in secret.
        illegal_rules: the rules by which a move of a seat that is to act is refused here.
        rare: what only a large sample must have shown.
    """

    game: ClassVar[AnyGame]
    options: ClassVar[Options]
    phases: ClassVar[type[IntEnum]]
    some_move: ClassVar[int]
    seals: ClassVar[bool] = True
    illegal_rules: ClassVar[frozenset[str]]
    rare: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def player(self, seats: int, rng: random.Random) -> Callable[[Any, int], int]:
        """Returns how the seats of a random match choose."""

    @abstractmethod
    def chance(self, state: Any) -> float:
        """Returns how likely a position is to be taken."""

    @abstractmethod
    def due(self, state: Any) -> list[int]:
        """Returns the seats that must choose."""

    @abstractmethod
    def redealt(self, state: Any, viewer: int | None, rng: random.Random) -> Any:
        """Returns the position in a world that the viewer cannot tell from this one, with a new seed."""

    @abstractmethod
    def retold(
        self, entries: Sequence[Entry], twin: Any, viewer: int | None, rng: random.Random
    ) -> list[tuple[int, list[Any]]]:
        """Returns the moves and events of the log in that world."""

    @abstractmethod
    def malformed(self) -> ruleset_pb2.Move:
        """Returns a move that is no move."""

    @abstractmethod
    def illegal(self, state: Any, viewer: int, rng: random.Random) -> Iterator[Refused]:
        """What a seat that is to act may not do."""

    @abstractmethod
    def quiet_move(self, case: Case, rng: random.Random) -> tuple[int, tuple[int, int]] | None:
        """Returns a seat and its legal move in each world that shows the viewer nothing new, if there is one."""

    @abstractmethod
    def quiet_phases(self, seats: int) -> set[str]:
        """Returns the steps in which there are such moves."""

    def sealed(self, state: Any) -> bool:
        """Returns whether something has been chosen in secret."""
        return False

    def positions(self, seats: int, number: int, often: float = 1) -> Iterator[Position]:
        """Some positions of a random match, the last one too."""
        rng = random.Random(f"{seats} {number}")
        state = dealt(self.game, seats, number, self.options)
        choose = self.player(seats, rng)
        entries = list[Entry]()
        while True:
            waiting = self.game.to_act(state)
            if not waiting or rng.random() < self.chance(state) * often:
                yield Position(self.game.copy(state), tuple(entries[-TAIL:]))
            if not waiting:
                return
            seat = rng.choice(waiting)
            move = choose(state, seat)
            events = self.game.encode_events(self.game.play(state, seat, move))
            entries.append(Entry(Step.MOVE, seat, ended=not self.game.to_act(state), events=events, move=move))


def case_of(rules: Rules, position: Position, viewer: int | None, number: int) -> Case:
    """A position in two worlds of a viewer; the number makes the second one, and the ids of the matches."""
    rng = random.Random(number)
    state = position.state
    twin = rules.redealt(state, viewer, rng)
    outcome = rules.game.result(state)
    end = End(outcome.reason, outcome.ranks, outcome.scores) if outcome else None
    out = _some_out(rules, state, rng)
    first = planted(
        f"match {number}",
        state,
        entries=position.entries,
        end=end,
        on_release=True,
        out=out,
        ruleset=rules.game.spec.name,
        options=rules.game.options(rules.options, state.seats),
        bot_seeds=[rng.randbytes(32) for _ in range(state.seats)],
    )
    return Case(
        rules,
        viewer,
        (state, twin),
        (first, _in_other_world(rules, first, twin, viewer, rng)),
        out,
        len(position.entries),
    )


def waiting(case: Case) -> Case:
    """The same with the last seat still open."""
    matches = [
        replace(
            match,
            head=msgspec.structs.replace(match.head, seats=(*match.head.seats[:-1], SeatHead(None, "Open", "", ""))),
            course=msgspec.structs.replace(match.course, status=Status.WAITING),
        )
        for match in case.matches
    ]
    return replace(case, matches=(matches[0], matches[1]))


def _some_out(rules: Rules, state: Any, rng: random.Random) -> frozenset[int]:
    """Sometimes one who has resigned, so that two stay; it is never the one that must choose."""
    due = rules.due(state)
    candidates = [seat for seat in range(state.seats) if seat not in due]
    if state.seats == 2 or not due or not candidates or rng.random() < 0.6:
        return frozenset()
    return frozenset((rng.choice(candidates),))


def _in_other_world(rules: Rules, match: Planted, twin: Any, viewer: int | None, rng: random.Random) -> Planted:
    ring = Ring().add(Receipt(rng.randbytes(16), 3, 1))
    asked = pack(msgspec.structs.replace(ring, refused={"STALE_DECISION": 7}))
    others = [seat for seat in range(twin.seats) if seat != viewer]
    told = rules.retold(match.entries, twin, viewer, rng)
    entries = [
        msgspec.structs.replace(
            entry, move=move, events=rules.game.encode_events(events), asked_ms=rng.randrange(1_000_000)
        )
        for entry, (move, events) in zip(match.entries, told, strict=True)
    ]
    return replace(
        match,
        head=msgspec.structs.replace(
            match.head,
            seats=tuple(
                msgspec.structs.replace(head, principal=_second_holder(seat, viewer).hash)
                for seat, head in enumerate(match.head.seats)
            ),
            seed=rng.randbytes(32),
            host=rng.randbytes(32),
            deal_group="another group of deals",
            request=rng.randbytes(16),
            bot_seeds=tuple(
                bot_seed if seat == viewer else rng.choice([b"", rng.randbytes(32)])
                for seat, bot_seed in enumerate(match.head.bot_seeds)
            ),
        ),
        course=msgspec.structs.replace(
            match.course,
            seats=tuple(
                fares if fares.asked_ms is None else msgspec.structs.replace(fares, asked_ms=rng.randrange(1_000_000))
                for fares in match.course.seats
            ),
            state=rules.game.encode(twin),
        ),
        entries=entries,
        rings={ring_field(seat): asked for seat in (HOST_RING, *others)},
        write_id=rng.randbytes(8),
    )


def _second_holder(seat: int, viewer: int | None) -> Secret:
    return SEATS[seat] if seat == viewer else Secret(f"another holder of seat {seat}")
