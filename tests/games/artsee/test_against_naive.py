"""The ruleset and a naive second implementation of the same rules agree after every move of random matches."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from referee.games.artsee.game import ArtSee
from referee.games.artsee.state import Phase, State
from tests.games.artsee.components import TINY_TEXT, tiny
from tests.games.artsee.moves import Card, Masterpiece, Move
from tests.games.artsee.naive import PRINTED, Box, NaiveGame
from tests.games.artsee.playing import chosen
from tests.games.playouts import seed_of

STEPS = {Phase.PLAY: "play", Phase.VISIT: "visit", Phase.CLAIM: "claim", Phase.DRAW: "draw", Phase.OVER: "over"}
SEATS = [2, 3, 4, 5]
TINY_MATCHES = {2: 4, 3: 1, 4: 2}


class Reader:
    """Reads states of a game into the words of the naive implementation."""

    def __init__(self, game: ArtSee, box: Box) -> None:
        self.game = game
        self.box = box
        self.moves = box.moves()
        self.ids = {move: number for number, move in enumerate(self.moves)}
        self.kinds = list(dict.fromkeys([*box.starting, *box.main]))
        self.tokens = list(box.worth)
        self.backs = [(deck, category) for deck in ("STARTING", "MAIN") for category in box.categories]

    def cards(self, kinds: bytes) -> list[Card]:
        return [self.kinds[kind] for kind in kinds]

    def slots(self, codes: bytes) -> list[Masterpiece | None]:
        return [self.tokens[code - 1] if code else None for code in codes]

    def legal(self, state: State) -> dict[int, set[Move]]:
        return {seat: {self.moves[move] for move in self.game.legal_moves(state, seat)} for seat in self.waiting(state)}

    def waiting(self, state: State) -> list[int]:
        return list(self.game.to_act(state))

    def picture(self, state: State) -> dict[str, object]:
        result, view = self.game.result(state), self.game.view(state, None)
        slots = [self.slots(codes) for codes in state.slots]
        return {
            "step": STEPS[Phase(state.phase)],
            "turn": state.turn,
            "first": state.first,
            "place": state.column,
            "earned": state.earned,
            "to act": self.waiting(state),
            "legal": self.legal(state),
            "hands": [Counter(self.cards(hand)) for hand in state.hands],
            "piles": [self.cards(pile) for pile in state.piles],
            "galleries": [[self.cards(column) for column in gallery] for gallery in state.galleries],
            "visitors": [list(visitors) for visitors in state.visitors],
            "slots": slots,
            "tokens left": {token for token in self.tokens if not any(token in row for row in slots)},
            "supplies": list(state.supplies),
            "prestige": state.prestige,
            "asked": list(state.asked),
            "sealed": [[choice == 1 for choice in choices] for choices in state.choices],
            "backs": [Counter(self.backs[back] for back in backs) for backs in view.backs],
            "pile sizes": list(view.pile_sizes),
            "tops": [self.box.categories[top] if top >= 0 else None for top in view.tops],
            "committed": [committed == 1 for committed in view.committed],
            "result": result and (list(result.scores), list(result.ranks)),
        }


READER = Reader(ArtSee(), PRINTED)


def lockstep(reader: Reader, seats: int, number: int) -> Iterator[tuple[State, NaiveGame]]:
    """Plays a match move by move in both; every other match is random, the rest is played to earn."""
    given = {"start_seat": number % seats} if number % 3 else {}
    game, rng = reader.game, random.Random(number)
    state = game.setup(game.options(given, seats), seats, seed_of(number))
    naive = NaiveGame(reader.box, seats, seed_of(number), given.get("start_seat"))
    assert reader.picture(state) == naive.picture()
    yield state, naive
    while waiting := naive.to_act():
        seat = rng.choice(waiting)
        if number % 2:
            move = chosen(game, state, seat, rng)
        else:
            move = reader.ids[rng.choice(sorted(naive.legal(seat), key=reader.ids.__getitem__))]
        game.play(state, seat, move)
        naive.play(seat, reader.moves[move])
        assert reader.picture(state) == naive.picture()
        yield state, naive


@pytest.mark.parametrize("seats", SEATS)
def test_both_implementations_agree(seats: int) -> None:
    for number in range(20):
        for _ in lockstep(READER, seats, number):
            pass


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATS)
def test_both_implementations_agree_for_long(seats: int) -> None:
    for number in range(20, 500):
        for _ in lockstep(READER, seats, number):
            pass


def test_much_happens_in_the_matches_that_are_compared() -> None:
    """Claims are asked and made, visitors placed and refused for want of supply, piles refilled and emptied."""
    seen = set[str]()
    for seats in SEATS:
        for _, naive in (moment for number in (1, 3, 5, 7) for moment in lockstep(READER, seats, number)):
            seen.add(naive.step)
            seen |= {"claimed" for player in naive.players if any(player.slots)}
            seen |= {"used up" for seat in naive.to_act() if naive.legal(seat) == {("skip",)}}
            seen.add(f"piles {sorted(map(len, naive.piles))}")
    assert seen >= {
        "visit",
        "claim",
        "claimed",
        "used up",
        "draw",
        "over",
        "piles [1, 1]",
        "piles [0, 1]",
        "piles [0, 0]",
    }


@pytest.mark.parametrize("seats", SEATS)
def test_cards_and_visitors_are_conserved(seats: int) -> None:
    """At every position each card is in one place at most, and a player's visitors are in supply or in the gallery."""
    visitors = {2: 5, 3: 7, 4: 8, 5: 9}[seats]
    main = {2: 48 - 16, 3: 48 - 12, 4: 48, 5: 48 - 3}[seats]
    for number in range(5):
        for state, _ in lockstep(READER, seats, number):
            columns = [column for gallery in state.galleries for column in gallery]
            cards = b"".join([*state.piles, *state.hands, *columns])
            assert len(set(cards)) == len(cards) == 5 * seats + main
            for supply, placed in zip(state.supplies, state.visitors, strict=True):
                assert supply + sum(placed) == visitors


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_both_agree_in_all_that_can_happen_in_a_tiny_game(seats: int) -> None:
    """At every position that some moves lead to."""
    reader = Reader(ArtSee(tiny()), Box(TINY_TEXT))
    state = reader.game.setup({}, seats, seed_of(TINY_MATCHES[seats]))
    open_positions = [(state, NaiveGame(reader.box, seats, seed_of(TINY_MATCHES[seats])))]
    seen = {reader.game.encode(state)}
    while open_positions:
        state, naive = open_positions.pop()
        assert reader.picture(state) == naive.picture()
        for seat in naive.to_act():
            for move in naive.legal(seat):
                after = reader.game.copy(state)
                reader.game.play(after, seat, reader.ids[move])
                if (packed := reader.game.encode(after)) not in seen:
                    seen.add(packed)
                    open_positions.append((after, naive.after(seat, move)))
    assert len(seen) > 1_000
