"""Two worlds of Classic Art that a viewer cannot tell apart, dealt naively by the rule text, as matches to be planted.

Hidden from a viewer are, by "What is public and what is hidden": the other hands, the order and content of House and
deck, the third cards that others discarded, what others have chosen until the reveal, and the seed. The contract hides
besides: who holds a seat or hosts the match, what they asked before, and all that is for the record only.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from referee.games.classic_art.events import CardsChosen
from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.state import Phase, State
from referee.table.snapshot import HOST as HOST_RING
from referee.table.snapshot import End, Entry, Receipt, Ring, SeatHead, Status, Step, pack, ring_field
from tests.api.harness import SEATS, SPECTATOR, Planted, Secret, planted
from tests.games.classic_art.moves import IDS, KINDS, MOVES, PASS
from tests.games.playouts import seed_of

GAME: Final = ClassicArt()
TAIL: Final = 24  # log entries that go with a position


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a match and the newest entries of its log."""

    state: State
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A viewer, and two worlds that differ only in what it may not know.

    Attributes:
        viewer: a seat, or None for a spectator.
        states: the two positions.
        matches: the two matches.
        out: the seats that have resigned.
        log_length: the version of both.
    """

    viewer: int | None
    states: tuple[State, State]
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

    def holders(self, seat: int) -> tuple[Secret, Secret]:
        """Who holds a seat in each world."""
        return SEATS[seat], _second_holder(seat, self.viewer)


def positions(seats: int, number: int, often: float = 1) -> Iterator[Position]:
    """Some positions of a random match: more of those where choices are or will be sealed, and the last."""
    rng = random.Random(f"{seats} {number}")
    state = GAME.setup(GAME.options({"max_seasons": 3}, seats), seats, seed_of(number))
    entries = list[Entry]()
    while True:
        waiting = GAME.to_act(state)
        sealing = state.phase == Phase.FINAL or (state.phase == Phase.PREDICT and state.turns_left == 1)
        chance = 0.2 if sealing else 0.12 if state.phase == Phase.SETUP else 0.06
        if not waiting or rng.random() < chance * often:
            yield Position(GAME.copy(state), tuple(entries[-TAIL:]))
        if not waiting:
            return
        seat = rng.choice(waiting)
        move = rng.choice(GAME.legal_moves(state, seat))
        events = GAME.encode_events(GAME.play(state, seat, move))
        entries.append(Entry(Step.MOVE, seat, ended=not GAME.to_act(state), events=events, move=move))


def due(state: State) -> list[int]:
    """The seats that must choose."""
    if state.phase == Phase.FINAL:
        return [seat for seat in range(state.seats) if not state.chosen[seat]]
    return [] if state.phase == Phase.OVER else [state.turn]


def hand_of(state: State, seat: int) -> list[int]:
    """The kinds of a hand, each as often as it is held, in canonical order."""
    return [kind for kind in range(10) for _ in range(state.hands[seat * 10 + kind])]


def pair_id(cards: Sequence[int]) -> int:
    """The id of playing two cards."""
    first, second = sorted(cards)
    return IDS[("play", KINDS[first], KINDS[second])]


def redealt(state: State, viewer: int | None, rng: random.Random) -> State:
    """The position in a world that the viewer cannot tell from this one, with a new seed."""
    others = [seat for seat in range(state.seats) if seat != viewer]
    unseen = [kind for kind in range(10) for _ in range(state.deck[kind])] + list(state.house)
    for seat in others:
        unseen += hand_of(state, seat)
    rng.shuffle(unseen)
    twin = GAME.copy(state)
    for seat in others:
        hand = [unseen.pop() for _ in hand_of(state, seat)]
        twin.hands[seat * 10 : seat * 10 + 10] = bytes(hand.count(kind) for kind in range(10))
        if state.chosen[seat]:
            twin.chosen[seat] = pair_id(rng.sample(hand, 2)) + 1
    twin.house = bytes(unseen.pop() for _ in state.house)
    twin.deck = bytearray(unseen.count(kind) for kind in range(10))
    twin.seed = rng.randbytes(32)
    return twin


def retold(entries: Sequence[Entry], twin: State, viewer: int | None, rng: random.Random) -> list[Entry]:
    """The log in that world: others discarded other cards, and chose others where the choice is still sealed."""
    sealed = {seat for seat, chosen in enumerate(twin.chosen) if chosen and seat != viewer}
    told = []
    for entry in reversed(entries):  # a seat's newest choice is the one that is sealed
        if entry.seat in sealed:
            pair, discarded = twin.chosen[entry.seat] - 1, _left_over(twin, entry.seat)
            sealed.remove(entry.seat)
        else:
            pair, discarded = entry.move, rng.randrange(10)
        events = GAME.decode_events(entry.events)
        if entry.seat != viewer:
            events = [
                CardsChosen(entry.seat, pair, discarded) if isinstance(event, CardsChosen) else event
                for event in events
            ]
        move = entry.move if entry.seat == viewer else pair
        other = msgspec.structs.replace(
            entry, move=move, events=GAME.encode_events(events), asked_ms=rng.randrange(1_000_000)
        )
        told.append(other)
    return told[::-1]


def case_of(position: Position, viewer: int | None, number: int) -> Case:
    """A position in two worlds of a viewer; the number makes the second one, and the ids of the matches."""
    rng = random.Random(number)
    state = position.state
    twin = redealt(state, viewer, rng)
    outcome = GAME.result(state)
    end = End(outcome.reason, outcome.ranks, outcome.scores) if outcome else None
    out = _some_out(state, rng)
    first = planted(f"match {number}", state, entries=position.entries, end=end, on_release=True, out=out)
    return Case(
        viewer,
        (state, twin),
        (first, _in_other_world(first, state, twin, viewer, rng)),
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


def quiet_move(case: Case, rng: random.Random) -> tuple[int, tuple[int, int]] | None:
    """A seat and its legal move in each world that shows the viewer nothing new, if there is one."""
    state, twin = case.states
    movers = [seat for seat in due(state) if seat not in case.out]
    if not movers or (state.phase == Phase.FINAL and len(movers) < 2):
        return None
    seat = rng.choice(movers)
    if state.phase == Phase.FINAL:
        if seat == case.viewer:
            chosen = pair_id(rng.sample(hand_of(state, seat), 2))
            return seat, (chosen, chosen)
        return seat, (pair_id(rng.sample(hand_of(state, seat), 2)), pair_id(rng.sample(hand_of(twin, seat), 2)))
    if _brings_out_cards(case, seat):
        return None
    if state.phase == Phase.PLAY:
        held = [kind for kind in range(10) for _ in range(min(_held(state, seat, kind), _held(twin, seat, kind)))]
        if state.house or len(held) < 2:
            return None
        move = pair_id(rng.sample(held, 2))
    else:
        move = rng.choice([PASS, *_single_predictions(state, seat)])
    return seat, (move, move)


def _brings_out_cards(case: Case, seat: int) -> bool:
    """Whether the autopilot, which draws from the seed, would show the viewer a choice of cards after this move."""
    state = case.states[0]
    if state.phase == Phase.PLAY and state.available[seat]:
        return False
    following = (seat + 1) % state.seats
    if state.phase == Phase.SETUP:
        while following != state.first and following in case.out:
            following = (following + 1) % state.seats
        return following == state.first and following in case.out
    return case.viewer in case.out if state.turns_left == 1 else following in case.out


def _single_predictions(state: State, seat: int) -> list[int]:
    if not state.available[seat]:
        return []
    return [PASS + 1 + 2 * space for space in range(40) if not state.board[space]]


def _some_out(state: State, rng: random.Random) -> frozenset[int]:
    """Sometimes one who has resigned, so that two stay; it is never the one that must choose."""
    candidates = [seat for seat in range(state.seats) if seat not in due(state)]
    if state.seats == 2 or state.phase == Phase.OVER or not candidates or rng.random() < 0.6:
        return frozenset()
    return frozenset((rng.choice(candidates),))


def _in_other_world(match: Planted, state: State, twin: State, viewer: int | None, rng: random.Random) -> Planted:
    asked = pack(Ring((Receipt("asked before", rng.randbytes(16), 3, 1),), {"STALE_DECISION": 7}))
    others = [seat for seat in range(state.seats) if seat != viewer]
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
        ),
        course=msgspec.structs.replace(
            match.course,
            seats=tuple(
                fares if fares.asked_ms is None else msgspec.structs.replace(fares, asked_ms=rng.randrange(1_000_000))
                for fares in match.course.seats
            ),
            state=GAME.encode(twin),
        ),
        entries=retold(match.entries, twin, viewer, rng),
        rings={ring_field(seat): asked for seat in (HOST_RING, *others)},
        write_id=rng.randbytes(8),
    )


def _second_holder(seat: int, viewer: int | None) -> Secret:
    return SEATS[seat] if seat == viewer else Secret(f"another holder of seat {seat}")


def _left_over(state: State, seat: int) -> int:
    left = hand_of(state, seat)
    for card in MOVES[state.chosen[seat] - 1][1:]:
        left.remove(KINDS.index(card))
    return left[0]


def _held(state: State, seat: int, kind: int) -> int:
    return state.hands[seat * 10 + kind]
