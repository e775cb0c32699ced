"""Classic Art a second time, written from its rules alone, as slowly and plainly as they are told.

Cards are pairs of words in lists. Nothing is shared with the ruleset under test but the convention of dealing:
all in the order of kinds, shuffled by the stream ("deal", season), they go to the seats, the House, the reveal.
"""

from collections import Counter
from dataclasses import dataclass, field

from referee.core.seeding import Stream
from tests.games.classic_art.moves import ARTWORK, CATEGORIES, KINDS, LOAN, SPACES, Card, Move

HAND = {2: 11, 3: 11, 4: 9, 5: 7}
VALUE = {"1-": 5, "2-": 3, "3-": 2, "4-": 1, "5+": 1, "6+": 2, "7+": 3, "8+": 5}
MULTIPLIER = {(1, False): 1, (2, False): 2, (1, True): 2, (2, True): 3}


@dataclass
class Player:
    """What lies before a player."""

    hand: list[Card] = field(default_factory=list)
    tokens: int = 6
    lost: int = 0
    has_doubled: bool = False
    markers: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CATEGORIES, 0))
    chosen: list[Card] = field(default_factory=list)


@dataclass
class Exhibition:
    """The cards that lie at an exhibition: Artworks, and Loans that wait for one."""

    artworks: list[Card] = field(default_factory=list)
    pending: list[Card] = field(default_factory=list)


@dataclass
class Prediction:
    """The tokens on a space."""

    owner: int
    tokens: int
    high_risk: bool


class NaiveGame:
    """A whole game of Classic Art."""

    def __init__(self, seats: int, seed: bytes, max_seasons: int = 30, start_seat: int | None = None) -> None:
        self.seats = seats
        self.seed = seed
        self.max_seasons = max_seasons
        self.players = [Player() for _ in range(seats)]
        self.first = Stream(seed, "start").randrange(seats) if start_seat is None else start_seat
        self.season = 0
        self.reason = ""
        self.start_season()

    def start_season(self) -> None:
        self.season += 1
        cards = [kind for kind in KINDS for _ in range(11 if kind[1] == ARTWORK else 2)]
        Stream(self.seed, "deal", self.season).shuffle(cards)
        for player in self.players:
            player.hand = [cards.pop(0) for _ in range(HAND[self.seats])]
            player.has_doubled = False
            player.chosen = []
        self.house = [cards.pop(0) for _ in range(10 if self.seats == 2 else 0)]
        self.exhibitions = {category: Exhibition() for category in CATEGORIES}
        self.face_up: list[tuple[int | None, Card]] = []
        for _ in range(2):
            self.put(None, cards.pop(0))
        self.out_of_play = cards
        self.board: dict[tuple[str, str], Prediction] = {}
        self.step = "setup"
        self.turn = self.first
        self.has_set_up = 0

    def clockwise(self) -> list[int]:
        return [*range(self.first, self.seats), *range(self.first)]

    def put(self, who: int | None, card: Card) -> None:
        """Places a card at its exhibition; `who` is None for the deck and the House."""
        self.face_up.append((who, card))
        exhibition = self.exhibitions[card[0]]
        if card[1] == LOAN:
            if exhibition.artworks:
                exhibition.artworks.pop()
            else:
                exhibition.pending.append(card)
        elif exhibition.pending:
            exhibition.pending.pop()
        else:
            exhibition.artworks.append(card)

    def to_act(self) -> list[int]:
        if self.step == "over":
            return []
        if self.step == "final":
            return [seat for seat in range(self.seats) if not self.players[seat].chosen]
        return [self.turn]

    def legal(self, seat: int) -> set[Move]:
        player = self.players[seat]
        moves: set[Move] = set()
        if self.step in ("play", "final"):
            for place, first in enumerate(player.hand):
                for second in player.hand[place + 1 :]:
                    one, other = sorted((first, second), key=KINDS.index)
                    moves.add(("play", one, other))
            return moves
        moves.add(("pass",))
        for category in CATEGORIES:
            for space in SPACES:
                if (category, space) in self.board:
                    continue
                if player.tokens >= 1:
                    moves.add(("predict", category, space, 1))
                if player.tokens >= 2 and not player.has_doubled:
                    moves.add(("predict", category, space, 2))
        return moves

    def play(self, seat: int, move: Move) -> None:
        match move:
            case ("play", first, second) if self.step == "play":
                self.play_turn(seat, [first, second])
            case ("play", first, second):
                self.players[seat].chosen = [first, second]
                if all(player.chosen for player in self.players):
                    self.end_season()
            case ("predict", category, space, tokens):
                self.players[seat].tokens -= tokens
                if tokens == 2:
                    self.players[seat].has_doubled = True
                self.board[category, space] = Prediction(seat, tokens, high_risk=self.step == "setup")
                self.after_prediction()
            case _:
                self.after_prediction()

    def play_turn(self, seat: int, cards: list[Card]) -> None:
        for card in cards:
            self.players[seat].hand.remove(card)
            self.put(seat, card)
        if self.seats == 2:
            self.put(None, self.house.pop())
        if self.players[seat].tokens > 0:
            self.step = "predict"
        else:
            self.next_turn()

    def after_prediction(self) -> None:
        if self.step == "predict":
            self.next_turn()
            return
        self.has_set_up += 1
        self.turn = self.clockwise()[self.has_set_up % self.seats]
        if self.has_set_up == self.seats:
            self.step = "play"

    def next_turn(self) -> None:
        order = self.clockwise()
        self.turn = order[(order.index(self.turn) + 1) % self.seats]
        self.step = "final" if all(len(player.hand) == 3 for player in self.players) else "play"

    def end_season(self) -> None:
        for seat in self.clockwise():
            for card in self.players[seat].chosen:
                self.players[seat].hand.remove(card)
                self.put(seat, card)
        while self.house:
            self.put(None, self.house.pop())
        for player in self.players:
            self.out_of_play.append(player.hand.pop())
            player.chosen = []
        self.score()
        if all(any(player.markers[category] >= 5 for player in self.players) for category in CATEGORIES):
            self.step, self.reason = "over", "COMPLETED"
        elif self.season == self.max_seasons:
            self.step, self.reason = "over", "SEASON_CAP"
        else:
            self.first = self.clockwise()[1]
            self.start_season()

    def score(self) -> None:
        for (category, space), prediction in self.board.items():
            player = self.players[prediction.owner]
            count, bound = len(self.exhibitions[category].artworks), int(space[0])
            success = count <= bound if space[1] == "-" else count >= bound
            if success:
                earned = VALUE[space] * MULTIPLIER[prediction.tokens, prediction.high_risk]
                player.markers[category] = min(10, player.markers[category] + earned)
                player.tokens += prediction.tokens
            else:
                player.lost += prediction.tokens
        self.board = {}
        for player in self.players:
            if player.tokens <= 1:
                player.tokens, player.lost = player.tokens + player.lost, 0

    def totals(self) -> list[int]:
        return [sum(height for height in player.markers.values() if height >= 5) for player in self.players]

    def places(self) -> list[int]:
        totals = self.totals()
        return [1 + len([other for other in totals if other > total]) for total in totals]

    def picture(self) -> dict[str, object]:
        """All there is to see and not to see, in words."""
        return {
            "season": self.season,
            "step": self.step,
            "first": self.first,
            "to act": self.to_act(),
            "legal": {seat: self.legal(seat) for seat in self.to_act()},
            "hands": [Counter(player.hand) for player in self.players],
            "chosen": [Counter(player.chosen) for player in self.players],
            "house": self.house,
            "out of play": Counter(self.out_of_play),
            "face up": Counter(self.face_up),
            "counts": {category: len(cards.artworks) for category, cards in self.exhibitions.items()},
            "pending": {category: len(cards.pending) for category, cards in self.exhibitions.items()},
            "board": {space: (what.owner, what.tokens, what.high_risk) for space, what in self.board.items()},
            "tokens": [player.tokens for player in self.players],
            "lost": [player.lost for player in self.players],
            "doubled": [player.has_doubled for player in self.players],
            "markers": [player.markers for player in self.players],
            "result": (self.totals(), self.places(), self.reason) if self.step == "over" else None,
        }
