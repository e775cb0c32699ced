"""Art Decko a second time, written from its rules alone, as slowly and plainly as they are told.

Cards are words in lists, payments are found by trying out all of them. Nothing is shared with the ruleset under
test but the conventions of dealing: what is shuffled lies in canonical order first, the last card is the topmost.
"""

from collections.abc import Iterator
from typing import Any

from referee.core.seeding import Stream
from tests.games.art_decko.moves import DONE, FIVE, GOLD, ONE, PLAIN, POWERS, TWO, WILD, Card, Move
from tests.games.art_decko.naive_table import BOX, NUMBERS, Exhibition, Gallery, Painting, Player, Turn


class NaiveGame:
    """A whole game of Art Decko."""

    def __init__(
        self, seats: int, seed: bytes, max_rounds: int = 60, start_seat: int | None = None, box: dict[str, Any] = BOX
    ) -> None:
        self.seats = seats
        self.seed = seed
        self.max_rounds = max_rounds
        self.box = box
        self.styles: list[str] = box["cards"]["styles"]
        self.kinds: list[Card] = [*self.styles, *PLAIN, *POWERS]
        self.players = [Player(ribbons=box["museum"]["ribbons"]) for _ in range(seats)]
        self.removed: list[Card] = []
        self.ratings = dict.fromkeys([*self.styles, GOLD], 0)
        self.first = Stream(seed, "start").randrange(seats) if start_seat is None else start_seat
        self.seat = self.first
        self.round = 1
        self.last_round = False
        self.reason = ""
        self.turn = Turn()
        self.deal_paintings()
        self.deal_tokens()
        self.deal_bank()
        self.deal_museum()
        for player in self.players:
            self.draw(player, 5)

    # Setup

    def deal_paintings(self) -> None:
        start = self.box["start"]
        self.paintings = [style for style in self.styles for _ in range(self.box["cards"]["paintings"])]
        Stream(self.seed, "paintings").shuffle(self.paintings)
        for player in self.players:
            paintings = [self.paintings.pop() for _ in range(start["paintings"])]
            self.make_deck(player, [*paintings, *[ONE] * start["ones"], *[TWO] * start["twos"]])
        (self.full,) = [full["paintings"] for full in self.box["galleries"]["full"] if full["seats"] == self.seats]
        self.galleries = {place: Gallery(rise) for place, rise in enumerate(self.box["galleries"]["rises"], start=1)}
        for gallery in self.galleries.values():
            gallery.paintings = [self.paintings.pop() for _ in range(self.full)]

    def deal_tokens(self) -> None:
        tokens = self.box["tokens"]
        orange = sorted(tokens["orange"])
        orange.remove(tokens["first"])
        Stream(self.seed, "tokens").shuffle(orange)
        drawn = sorted(orange.pop() for _ in range(len(self.galleries) - 1))
        for gallery, token in zip(self.galleries.values(), [tokens["first"], *drawn], strict=True):
            gallery.token = token
        self.supply = sorted([*orange, *tokens["yellow"]])

    def deal_bank(self) -> None:
        self.stack = [power for power in POWERS for _ in range(self.box["cards"]["threes"])]
        Stream(self.seed, "bank").shuffle(self.stack)
        self.face_up = [self.stack.pop() for _ in range(self.box["bank"]["face_up"])]
        self.fives = [FIVE] * self.box["cards"]["fives"]

    def deal_museum(self) -> None:
        museum = self.box["museum"]
        markers = [style for style in self.styles for _ in range(museum["style_markers"])]
        markers += [WILD] * museum["wild_markers"]
        Stream(self.seed, "markers").shuffle(markers)
        tiles: list[dict[str, Any]] = list(self.box["tiles"])
        Stream(self.seed, "tiles").shuffle(tiles)
        self.museum = {
            place: Exhibition(each["cost"], each["vp"], tiles.pop(0), [markers.pop() for _ in each["vp"]])
            for place, each in enumerate(self.box["exhibitions"], start=1)
        }

    # Piles

    def make_deck(self, player: Player, cards: list[Card]) -> None:
        """From now on all know the hand, and what the deck is made of, not its order."""
        player.kept = list(player.hand)
        player.pool = list(cards)
        player.deck = sorted(cards, key=self.kinds.index)
        Stream(self.seed, "deck", self.players.index(player), player.shuffles).shuffle(player.deck)
        player.shuffles += 1

    def draw(self, player: Player, count: int) -> None:
        for _ in range(count):
            if not player.deck and player.discard:
                cards, player.discard = player.discard, []
                self.make_deck(player, cards)
            if player.deck:
                player.hand.append(player.deck.pop())

    def leave_hand(self, card: Card) -> Card:
        player = self.players[self.seat]
        player.hand.remove(card)
        (player.kept if card in player.kept else player.pool).remove(card)
        return card

    # The market

    def at_rating(self, table: str, rating: str) -> int:
        """What a table of the market gives for a rating: the last step that it has reached."""
        reached = [value for threshold, value in self.box["market"][table] if threshold <= self.ratings[rating]]
        return int(reached[-1])

    def value(self, card: Card) -> int:
        return self.at_rating("gold_value", card) if card in self.styles else NUMBERS[card]

    def rise(self, rating: str, by: int) -> None:
        self.ratings[rating] = min(self.box["market"]["cap"], self.ratings[rating] + by)

    # What may be chosen

    def to_act(self) -> list[int]:
        return [] if self.reason else [self.seat]

    def legal(self) -> set[Move]:
        hand, turn = self.players[self.seat].hand, self.turn
        match turn.step:
            case "action":
                return self.legal_actions()
            case "invitation":
                return self.invitations(self.painting_on_its_way(), hand)
            case "payment":
                paid = len(turn.paid)
                return {("pay", payment[paid]) for payment in turn.payments if list(payment[:paid]) == turn.paid}
            case "promotion":
                return {
                    ("promote", name) for name, rating in self.ratings.items() if rating < self.box["market"]["cap"]
                }
            case "removal":
                return {("remove", card) for card in hand}
        moves: set[Move] = {DONE}
        for card in hand:
            if all(self.kinds.index(card) >= self.kinds.index(earlier) for earlier in turn.discarded):
                moves.add(("discard", card))
        return moves if turn.discarded else moves | self.powers()

    def legal_actions(self) -> set[Move]:
        hand, bank = self.players[self.seat].hand, self.box["bank"]
        moves: set[Move] = {("haggle", card) for card in hand}
        for place, gallery in self.galleries.items():
            if place not in self.turn.used and self.can_pay(gallery.token, hand):
                moves |= {("acquire", place, style) for style in gallery.paintings}
        if self.can_pay(bank["three_cost"], hand):
            moves |= {("buy", power) for power in self.face_up}
        if self.fives and self.can_pay(bank["five_cost"], hand):
            moves.add(("buy", FIVE))
        if self.players[self.seat].ribbons:
            for style in set(hand) & set(self.styles):
                others = list(hand)
                others.remove(style)
                if self.invitations(style, others):
                    moves.add(("exhibit", style))
        return moves | self.powers()

    def powers(self) -> set[Move]:
        hand, turn = self.players[self.seat].hand, self.turn
        held = set(hand) & set(POWERS)
        if not turn.actions:
            held -= {"DISCOUNT", "OPEN_INVITATION"}
        if turn.invited:
            held -= {"OPEN_INVITATION"}
        if all(rating == self.box["market"]["cap"] for rating in self.ratings.values()):
            held -= {"PROMOTE"}
        if len(hand) == 1:
            held -= {"DEACCESSION"}
        return {("power", power) for power in held}

    def painting_on_its_way(self) -> Card:
        assert self.turn.painting is not None
        return self.turn.painting

    def invitations(self, style: str, others: list[Card]) -> set[Move]:
        """Where a painting can go, paid with the other cards."""
        welcome = {*self.styles, WILD} if self.turn.invited else {style, WILD}
        return {
            ("invite", place, marker)
            for place, exhibition in self.museum.items()
            for marker in exhibition.markers
            if marker in welcome and self.can_pay(exhibition.cost, others)
        }

    def price(self, cost: int) -> int:
        discount: int = self.box["powers"]["discount"]
        return max(0, cost - discount * self.turn.discounts)

    def can_pay(self, cost: int, hand: list[Card]) -> bool:
        return sum(self.value(card) for card in hand) >= self.price(cost)

    # What is done

    def play(self, move: Move) -> None:
        player, turn = self.players[self.seat], self.turn
        match move:
            case ("haggle", card):
                turn.actions -= 1
                player.discard.append(self.leave_hand(card))
                self.draw(player, 2)
                self.go_on()
            case ("acquire", place, _):
                turn.actions -= 1
                self.begin_payment(move, self.galleries[place].token)
            case ("buy", card):
                turn.actions -= 1
                self.begin_payment(move, self.box["bank"]["five_cost" if card == FIVE else "three_cost"])
            case ("exhibit", style):
                turn.actions -= 1
                turn.painting = self.leave_hand(style)
                turn.step = "invitation"
            case ("invite", place, _):
                self.begin_payment(move, self.museum[place].cost)
            case ("pay", card):
                turn.aside.append(self.leave_hand(card))
                turn.paid.append(card)
                self.end_payment()
            case ("power", power):
                self.removed.append(self.leave_hand(power))
                self.use_power(power)
            case ("promote", rating):
                self.rise(rating, self.box["powers"]["promote"])
                self.go_on()
            case ("remove", card):
                self.removed.append(self.leave_hand(card))
                self.go_on()
            case ("discard", card):
                turn.aside.append(self.leave_hand(card))
                turn.discarded.append(card)
                if not player.hand:
                    self.end_turn()
            case _:
                self.end_turn()

    def go_on(self) -> None:
        if not self.players[self.seat].hand:
            self.end_turn()
        else:
            self.turn.step = "action" if self.turn.actions else "discard"

    def begin_payment(self, move: Move, cost: int) -> None:
        turn = self.turn
        turn.buying, turn.cost = move, self.price(cost)
        turn.discounts = 0
        turn.step = "payment"
        turn.paid = []
        turn.payments = self.payments(self.players[self.seat].hand, turn.cost)
        self.end_payment()

    def payments(self, hand: list[Card], cost: int) -> list[tuple[Card, ...]]:
        """All payments in which no card is needless, each in canonical order."""
        in_order = sorted(hand, key=self.kinds.index)
        return [cards for cards in self.ways_to_pay((), in_order, cost) if self.is_needed_throughout(cards, cost)]

    def ways_to_pay(self, paid: tuple[Card, ...], rest: list[Card], cost: int) -> Iterator[tuple[Card, ...]]:
        """Tries out every card, and after it every later one, until enough is paid; equal cards are the same."""
        if sum(self.value(card) for card in paid) >= cost:
            yield paid
            return
        for place, card in enumerate(rest):
            if card not in rest[:place]:
                yield from self.ways_to_pay((*paid, card), rest[place + 1 :], cost)

    def is_needed_throughout(self, cards: tuple[Card, ...], cost: int) -> bool:
        total = sum(self.value(card) for card in cards)
        return all(total - self.value(card) < cost for card in cards)

    def end_payment(self) -> None:
        """Carries out what was paid for, if it is paid."""
        turn = self.turn
        if tuple(turn.paid) not in turn.payments:
            return
        match turn.buying:
            case ("acquire", place, style):
                gallery = self.galleries[place]
                gallery.paintings.remove(style)
                turn.aside.append(style)
                turn.used.add(place)
                self.rise(style, gallery.rise)
            case ("buy", card) if card == FIVE:
                turn.aside.append(self.fives.pop())
                self.rise(GOLD, self.box["bank"]["five_rise"])
            case ("buy", power):
                self.face_up.remove(power)
                turn.aside.append(power)
                self.rise(GOLD, self.box["bank"]["three_rise"])
                if self.stack:
                    self.face_up.append(self.stack.pop())
            case ("invite", place, marker):
                self.hang(self.museum[place], marker)
        turn.buying = None
        self.go_on()

    def hang(self, exhibition: Exhibition, marker: str) -> None:
        player, style = self.players[self.seat], self.painting_on_its_way()
        exhibition.markers.remove(marker)
        player.vp += exhibition.spaces[len(exhibition.paintings)]
        exhibition.paintings.append(Painting(self.seat, style, marker))
        player.ribbons -= 1
        self.rise(style, self.box["museum"]["rise"])
        self.turn.painting = None
        self.turn.invited = False

    def use_power(self, power: str) -> None:
        turn = self.turn
        match power:
            case "DRAW_TWO":
                self.draw(self.players[self.seat], 2)
            case "EXTRA_ACTION":
                turn.actions += 1
            case "DISCOUNT":
                turn.discounts += 1
            case "OPEN_INVITATION":
                turn.invited = True
            case "PROMOTE":
                turn.step = "promotion"
                return
            case "DEACCESSION":
                turn.step = "removal"
                return
        self.go_on()

    # The end of a turn and of the game

    def end_turn(self) -> None:
        while True:
            player = self.players[self.seat]
            player.discard += self.turn.aside
            self.draw(player, max(0, 5 - len(player.hand)))
            self.fill_galleries()
            if self.has_ended():
                self.last_round = True
            self.turn = Turn()
            self.seat = (self.seat + 1) % self.seats
            if self.seat == self.first:
                if self.last_round or self.round == self.max_rounds:
                    self.turn.actions = 0
                    self.reason = "COMPLETED" if self.last_round else "ROUND_CAP"
                    return
                self.round += 1
            if self.players[self.seat].hand:
                return

    def fill_galleries(self) -> None:
        empty = [gallery for gallery in self.galleries.values() if not gallery.paintings]
        if not empty:
            return
        for gallery in self.galleries.values():
            while len(gallery.paintings) < self.full and self.paintings:
                gallery.paintings.append(self.paintings.pop())
        for gallery in empty:
            if gallery.paintings and self.supply:
                gallery.token = self.supply.pop(0)

    def has_ended(self) -> bool:
        hanging = sum(len(exhibition.paintings) for exhibition in self.museum.values())
        at_cap = any(rating == self.box["market"]["cap"] for rating in self.ratings.values())
        return hanging >= self.box["museum"]["end_at"] or not self.paintings or at_cap
