"""ArtSee a second time, written from its rules alone, as slowly and plainly as they are told.

Cards are named tuples of words in lists. Nothing is shared with the ruleset under test but the convention of dealing:
both decks, in the order of kinds, are shuffled by the streams "starting deck" and "main deck"; the seats get their
galleries and hands one after the other; of the main deck the first cards of each category, then the first of all, are
removed, and the rest is cut into the piles, whose last cards are the tops.
"""

import tomllib
from collections import Counter
from copy import copy
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any

from referee.core.seeding import Stream
from tests.games.artsee.moves import LEFT, MAIN, RIGHT, STARTING, Card, Claim, Masterpiece, Move, Spot, layout


class Box:
    """What lies in the box, as its components file tells."""

    def __init__(self, text: str) -> None:
        tables: dict[str, Any] = tomllib.loads(text)
        self.categories: list[str] = tables["cards"]["categories"]
        self.gallery: int = tables["cards"]["gallery"]
        self.hand: int = tables["cards"]["hand"]
        self.starting = self._deck(STARTING, tables["decks"]["starting"])
        self.main = self._deck(MAIN, tables["decks"]["main"])
        self.worth: dict[Masterpiece, int] = {
            Masterpiece(category, level["requirement"]): level["prestige"]
            for category in self.categories
            for level in sorted(tables["masterpieces"], key=lambda level: int(level["requirement"]))
        }
        self.bonus: list[int] = tables["bonus"]["categories"]
        self.players: dict[int, dict[str, int]] = {table["seats"]: table for table in tables["players"]}

    def _deck(self, deck: str, rows: list[dict[str, Any]]) -> list[Card]:
        cards = []
        for row in rows:
            pieces = tuple(category for category in self.categories if category in row["pieces"])
            cards += [Card(deck, row["featured"], pieces, LEFT)] * row["left"]
            cards += [Card(deck, row["featured"], pieces, RIGHT)] * row["right"]
        return sorted(cards, key=self._rank)

    def _rank(self, card: Card) -> list[int]:
        return [*map(self.categories.index, (card.featured, *card.pieces)), [LEFT, RIGHT].index(card.arrow)]

    def turns(self, seats: int) -> int:
        """How often each player is on turn: once for each card that comes into its hand."""
        table = self.players[seats]
        removed = table["removed_of_each"] * len(self.categories) + table["removed_of_all"]
        return self.hand + (len(self.main) - removed) // seats

    def moves(self) -> list[Move]:
        """All moves in the order of their ids."""
        columns = self.gallery + max(map(self.turns, self.players))
        kinds = list(dict.fromkeys([*self.starting, *self.main]))
        return layout(kinds, columns - 1, list(self.worth), columns + 1)


PRINTED = Box(files("referee.games.artsee").joinpath("components.toml").read_text())


@dataclass
class Exhibit:
    """A card in a gallery and the visitors on it."""

    card: Card
    visitors: int = 0


@dataclass
class Player:
    """What lies before a player; the front of a column is its last exhibit."""

    columns: list[list[Exhibit]]
    hand: list[Card]
    slots: list[Masterpiece | None]
    supply: int
    prestige: int = 0
    asked_about: list[int] = field(default_factory=list)
    sealed: list[bool] = field(default_factory=list)

    def copy(self) -> "Player":
        return replace(
            self,
            columns=[[copy(exhibit) for exhibit in column] for column in self.columns],
            hand=list(self.hand),
            slots=list(self.slots),
            asked_about=list(self.asked_about),
            sealed=list(self.sealed),
        )


class NaiveGame:
    """A whole game of ArtSee."""

    def __init__(self, box: Box, seats: int, seed: bytes, start_seat: int | None = None) -> None:
        self.box = box
        self.seats = seats
        self.first = Stream(seed, "start").randrange(seats) if start_seat is None else start_seat
        starting = list(box.starting)
        Stream(seed, "starting deck").shuffle(starting)
        self.players = [self.dealt(starting) for _ in range(seats)]
        self.piles = self.dealt_piles(seed)
        self.tokens = list(box.worth)
        self.turn = self.first
        self.step = "play"
        self.place = -1
        self.earned = 0

    def dealt(self, starting: list[Card]) -> Player:
        return Player(
            columns=[[Exhibit(starting.pop(0))] for _ in range(self.box.gallery)],
            hand=[starting.pop(0) for _ in range(self.box.hand)],
            slots=[None] * (self.box.gallery + 1),
            supply=self.box.players[self.seats]["visitors"],
        )

    def dealt_piles(self, seed: bytes) -> list[list[Card]]:
        main, table = list(self.box.main), self.box.players[self.seats]
        Stream(seed, "main deck").shuffle(main)
        for category in self.box.categories:
            for _ in range(table["removed_of_each"]):
                main.pop([card.featured for card in main].index(category))
        for _ in range(table["removed_of_all"]):
            main.pop(0)
        cut = len(main) - len(main) // 2
        return [main[:cut], main[cut:]]

    def after(self, seat: int, move: Move) -> "NaiveGame":
        """Returns the game after a move; this one stays as it is."""
        twin = copy(self)
        twin.players = [player.copy() for player in self.players]
        twin.piles = [list(pile) for pile in self.piles]
        twin.tokens = list(self.tokens)
        twin.play(seat, move)
        return twin

    def clockwise(self) -> list[int]:
        """The seats from the one after the active player round to itself."""
        return [(self.turn + step) % self.seats for step in range(1, self.seats + 1)]

    def to_act(self) -> list[int]:
        if self.step == "over":
            return []
        if self.step == "visit":
            return [seat for seat in range(self.seats) if self.is_undecided(self.players[seat])]
        return [self.turn]

    def is_undecided(self, player: Player) -> bool:
        return len(player.sealed) < len(player.asked_about)

    def legal(self, seat: int) -> set[Move]:
        player = self.players[seat]
        moves: set[Move] = set()
        if self.step == "play":
            spots: list[Spot] = [*range(len(player.columns)), LEFT, RIGHT]
            moves |= {("play", card, spot) for card in player.hand for spot in spots}
        elif self.step == "visit":
            moves.add(("skip",))
            if sum(player.sealed) < player.supply:
                moves.add(("place",))
        elif self.step == "claim":
            moves |= {("decline",), *self.claims()}
        else:
            moves |= {("draw", pile) for pile in (0, 1) if self.piles[pile]}
        return moves

    def claims(self) -> list[Claim]:
        """What the active player may claim now."""
        player = self.players[self.turn]
        category = player.columns[self.place][-1].card.featured
        if any(token is not None and token.category == category for token in player.slots):
            return []
        return [
            ("claim", token, slot)
            for token in self.tokens
            if token.category == category and token.requirement <= self.earned
            for slot, content in enumerate(player.slots)
            if content is None
        ]

    def play(self, seat: int, move: Move) -> None:
        match move:
            case ("play", card, spot):
                self.put_into_gallery(self.players[seat], card, spot)
                self.ask_for_visitors(card.featured)
            case ("claim", token, slot):
                self.tokens.remove(token)
                self.players[seat].slots[slot] = token
                self.go_on_to_draw()
            case ("draw", pile):
                self.draw(pile)
            case ("decline",):
                self.go_on_to_draw()
            case (choice,):
                self.players[seat].sealed.append(choice == "place")
                self.go_on_when_all_have_chosen()

    def put_into_gallery(self, player: Player, card: Card, spot: Spot) -> None:
        player.hand.remove(card)
        if spot == LEFT:
            self.place = 0
            player.columns.insert(0, [])
            player.slots.insert(0, None)
        elif spot == RIGHT:
            self.place = len(player.columns)
            player.columns.append([])
            player.slots.append(None)
        else:
            self.place = int(spot)
        player.columns[self.place].append(Exhibit(card))

    def ask_for_visitors(self, category: str) -> None:
        for seat in range(self.seats):
            player = self.players[seat]
            if seat != self.turn and player.supply > 0:
                fronts = [column[-1].card.featured for column in player.columns]
                player.asked_about = [place for place, front in enumerate(fronts) if front == category]
        self.step = "visit"
        self.go_on_when_all_have_chosen()

    def go_on_when_all_have_chosen(self) -> None:
        if any(self.is_undecided(player) for player in self.players):
            return
        for player in self.players:
            for place, placed in zip(player.asked_about, player.sealed, strict=True):
                if placed:
                    player.columns[place][-1].visitors += 1
                    player.supply -= 1
            player.asked_about, player.sealed = [], []
        self.earn()

    def earn(self) -> None:
        player = self.players[self.turn]
        column = player.columns[self.place]
        card = column[-1].card
        self.earned = self.pieces_in_sight(card) + self.tokens_in_sight(card)
        if len(column) > 1:
            covered = column[-2]
            self.earned += covered.visitors
            player.supply += covered.visitors
            covered.visitors = 0
        player.prestige += self.earned
        if self.claims():
            self.step = "claim"
        else:
            self.go_on_to_draw()

    def neighbour(self, arrow: str) -> Player:
        """The player on that side of the active one, who sits at the left of the seat before."""
        return self.players[(self.turn + (1 if arrow == LEFT else -1)) % self.seats]

    def is_at_the_end(self, arrow: str) -> bool:
        return self.place == (0 if arrow == LEFT else len(self.players[self.turn].columns) - 1)

    def pieces_in_sight(self, card: Card) -> int:
        if self.is_at_the_end(card.arrow):
            column = self.neighbour(card.arrow).columns[-1 if card.arrow == LEFT else 0]
        else:
            column = self.players[self.turn].columns[self.place + (-1 if card.arrow == LEFT else 1)]
        return [piece for exhibit in column for piece in exhibit.card.pieces].count(card.featured)

    def tokens_in_sight(self, card: Card) -> int:
        slots = self.players[self.turn].slots
        seen = [slots[self.place] if card.arrow == LEFT else slots[self.place + 1]]
        if self.is_at_the_end(card.arrow):
            seen.append(self.neighbour(card.arrow).slots[-1 if card.arrow == LEFT else 0])
        return len([token for token in seen if token is not None and token.category == card.featured])

    def go_on_to_draw(self) -> None:
        filled = [pile for pile in (0, 1) if self.piles[pile]]
        if len(filled) == 2:
            self.step = "draw"
        elif len(filled) == 1:
            self.draw(filled[0])
        else:
            self.end_turn()

    def draw(self, pile: int) -> None:
        self.players[self.turn].hand.append(self.piles[pile].pop())
        for empty, other in ((0, 1), (1, 0)):
            if not self.piles[empty] and len(self.piles[other]) >= 2:
                self.piles[empty].append(self.piles[other].pop())
        self.end_turn()

    def end_turn(self) -> None:
        self.place, self.earned = -1, 0
        with_cards = [seat for seat in self.clockwise() if self.players[seat].hand]
        if with_cards:
            self.turn, self.step = with_cards[0], "play"
        else:
            self.turn, self.step = -1, "over"

    def total(self, player: Player) -> int:
        owned = [token for token in player.slots if token is not None]
        categories = {token.category for token in owned}
        return player.prestige + sum(self.box.worth[token] for token in owned) + self.box.bonus[len(categories)]

    def result(self) -> tuple[list[int], list[int]]:
        """Totals and places."""
        totals = [self.total(player) for player in self.players]
        visitors = [sum(row[-1].visitors for row in player.columns) for player in self.players]
        standings = list(zip(totals, visitors, strict=True))
        return totals, [1 + len([other for other in standings if other > mine]) for mine in standings]

    def picture(self) -> dict[str, object]:
        """All there is to see and not to see, in words."""
        return {
            "step": self.step,
            "turn": self.turn,
            "first": self.first,
            "place": self.place,
            "earned": self.earned,
            "to act": self.to_act(),
            "legal": {seat: self.legal(seat) for seat in self.to_act()},
            "hands": [Counter(player.hand) for player in self.players],
            "piles": self.piles,
            "galleries": [[[show.card for show in row] for row in player.columns] for player in self.players],
            "visitors": [[sum(show.visitors for show in row) for row in player.columns] for player in self.players],
            "slots": [player.slots for player in self.players],
            "tokens left": set(self.tokens),
            "supplies": [player.supply for player in self.players],
            "prestige": [player.prestige for player in self.players],
            "asked": [len(player.asked_about) for player in self.players],
            "sealed": [player.sealed for player in self.players],
            "backs": [Counter(card.back for card in player.hand) for player in self.players],
            "pile sizes": [len(pile) for pile in self.piles],
            "tops": [pile[-1].featured if pile else None for pile in self.piles],
            "committed": [bool(player.asked_about) and not self.is_undecided(player) for player in self.players],
            "result": self.result() if self.step == "over" else None,
        }
