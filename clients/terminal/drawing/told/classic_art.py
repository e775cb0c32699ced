"""Classic Art in words."""

from collections.abc import Iterable, Sequence
from typing import Final, cast

from artreferee.v1 import classic_art_pb2 as pb
from artreferee.v1 import ruleset_pb2
from clients.terminal.drawing.drawing import Choice, LegalMove, View
from clients.terminal.drawing.pen import Penned
from clients.terminal.words import Words, marked
from referee.games import registry
from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.parts import Parts


class ClassicArtTold(Penned):
    """The part of a drawing that is words. Cards, categories and spaces are told by their numbers on the wire."""

    def __init__(self, names: Sequence[str], words: Words) -> None:
        super().__init__(names, words)
        told = words.told
        self.title: Final = told("Classic Art")
        self._parts: Final[Parts] = cast(ClassicArt, registry()["classic_art"]).parts
        self._categories: Final = (
            told("Etching"),
            told("Still Life"),
            told("Sculpture"),
            told("Portrait"),
            told("Landscape"),
        )

    def _category(self, category: int) -> str:
        return self._categories[category - 1]

    def _card(self, card: int) -> str:
        category, loan = divmod(card - 1, 2)
        name = self._categories[category]
        return self._words.told("{category} Loan", category=name) if loan else name

    def _cards(self, cards: Iterable[int]) -> str:
        *others, last = map(self._card, cards)
        return self._words.told("{cards} and {card}", cards=", ".join(others), card=last) if others else last

    def _counted(self, counts: Sequence[int]) -> str:
        """Tells how many cards there are of each kind."""
        return ", ".join(f"{count} {self._card(card)}" for card, count in enumerate(counts, 1) if count)

    def _space(self, space: int) -> str:
        return self._parts.spaces[space - 1].name

    def _prestige(self, space: int, tokens: int, high_risk: bool) -> int:
        """Returns what a prediction earns if it comes true."""
        return self._parts.spaces[space - 1].prestige * (tokens + high_risk)

    def question(self, view: View, moves: Sequence[LegalMove]) -> str:
        told = self._words.told
        match view.classic_art.phase:
            case pb.CLASSIC_ART_PHASE_SETUP:
                return told("Place a prediction with your High-Risk token, or none.")
            case pb.CLASSIC_ART_PHASE_PLAY:
                return told("Play two cards.")
            case pb.CLASSIC_ART_PHASE_PREDICT:
                return told("Place a prediction, or none.")
            case _:
                return told("Choose in secret two of your last three cards to play.")

    def menu(self, view: View, moves: Sequence[LegalMove]) -> tuple[Choice, ...]:
        if view.classic_art.phase in (pb.CLASSIC_ART_PHASE_PLAY, pb.CLASSIC_ART_PHASE_FINAL):
            return self._card_menu(moves)
        high_risk = view.classic_art.phase == pb.CLASSIC_ART_PHASE_SETUP
        return tuple(self._prediction_menu(moves, high_risk))

    def _card_menu(self, moves: Sequence[LegalMove]) -> tuple[Choice, ...]:
        """First one card, then the other."""
        cards = sorted({card for move in moves for card in played(move)})
        return tuple(self._other_cards(card, [move for move in moves if card in played(move)]) for card in cards)

    def _other_cards(self, card: int, moves: Sequence[LegalMove]) -> Choice:
        others = tuple(Choice(self._card(_other(move, card)), (move,)) for move in moves)
        return Choice(self._card(card), tuple(moves), others)

    def _prediction_menu(self, moves: Sequence[LegalMove], high_risk: bool) -> Iterable[Choice]:
        """None, or first an exhibition, then a space and the tokens."""
        for category, name in enumerate(self._categories, 1):
            here = [move for move in moves if placed(move).category == category]
            spaces = tuple(Choice(self._stake(placed(move), high_risk), (move,)) for move in here)
            if spaces:
                yield Choice(name, tuple(here), spaces)
        for move in moves:
            if move.move.classic_art.HasField("pass_prediction"):
                yield Choice(self.move(move), (move,))

    def _stake(self, placed: pb.ClassicArtPlacePrediction, high_risk: bool) -> str:
        prestige = self._prestige(placed.space, placed.tokens, high_risk)
        space = self._space(placed.space)
        if placed.tokens > 1:
            return self._words.told("{space} for {prestige}, doubling down", space=space, prestige=prestige)
        return self._words.told("{space} for {prestige}", space=space, prestige=prestige)

    def _status(self, view: View) -> str:
        """Tells who must choose what now."""
        told, own = self._words.told, view.classic_art
        seat = self._name(own.turn_seat)
        match own.phase:
            case pb.CLASSIC_ART_PHASE_SETUP:
                return told("{seat} may predict at high risk", seat=seat)
            case pb.CLASSIC_ART_PHASE_PLAY:
                return told("{seat} plays two cards", seat=seat)
            case pb.CLASSIC_ART_PHASE_PREDICT:
                return told("{seat} may predict", seat=seat)
            case pb.CLASSIC_ART_PHASE_FINAL:
                waiting = [self._name(seat) for seat, state in enumerate(own.seats) if not state.committed]
                return told("Last cards, in secret: {seats} to choose", seats=", ".join(waiting))
            case _:
                return told("The game is over")

    def summary(self, view: View) -> list[str]:
        own = view.classic_art
        return [
            *self._season(own),
            *(self._exhibition(own, category) for category in range(1, len(self._categories) + 1)),
            *map(self._placed, own.predictions),
            *(self._seat(own, seat) for seat in range(len(own.seats))),
            *self._seen(own),
            *self._own_cards(own),
        ]

    def _season(self, own: pb.ClassicArtView) -> list[str]:
        told, counted = self._words.told, self._words.counted
        return [
            told(
                "Season {season} of {seasons}; {seat} is first.",
                season=own.season,
                seasons=own.max_seasons,
                seat=self._name(own.first_seat),
            ),
            f"{self._status(ruleset_pb2.View(classic_art=own))}.",
            counted(
                "{count} turn is left before the last cards.",
                "{count} turns are left before the last cards.",
                own.turns_left,
            ),
            told("Out of play: {deck}; in the House: {house}.", deck=own.deck_size, house=own.house_size),
        ]

    def _exhibition(self, own: pb.ClassicArtView, category: int) -> str:
        counted, loans = self._words.counted, own.pending_loans[category - 1]
        if loans:
            return counted(
                "{category}: {count} Loan waits.",
                "{category}: {count} Loans wait.",
                loans,
                category=self._category(category),
            )
        return counted(
            "{category}: {count} Artwork.",
            "{category}: {count} Artworks.",
            own.counts[category - 1],
            category=self._category(category),
        )

    def _seat(self, own: pb.ClassicArtView, seat: int) -> str:
        told, state = self._words.told, own.seats[seat]
        markers = ", ".join(f"{name} {marker}" for name, marker in zip(self._categories, state.prestige, strict=True))
        facts = [
            told("{seat}: {markers}, total {total}", seat=self._name(seat), markers=markers, total=self._total(state)),
            told(
                "cards {cards}, tokens {tokens}, lost {lost}",
                cards=state.hand_size,
                tokens=state.available_tokens,
                lost=state.lost_tokens,
            ),
        ]
        if state.high_risk_used:
            facts.append(told("High-Risk used"))
        if state.double_down_used:
            facts.append(told("has doubled down"))
        if state.committed:
            facts.append(told("has chosen"))
        if any(state.played):
            facts.append(told("played {cards}", cards=self._counted(state.played)))
        return f"{'; '.join(facts)}."

    def _total(self, state: pb.ClassicArtSeat) -> int:
        """Returns the score that a seat would have if the game ended now."""
        return sum(marker for marker in state.prestige if marker >= self._parts.counts_from)

    def _seen(self, own: pb.ClassicArtView) -> list[str]:
        told = self._words.told
        lines = list[str]()
        if any(own.revealed):
            lines.append(told("Turned up: {cards}.", cards=self._counted(own.revealed)))
        if any(own.tally):
            lines.append(told("Seen this season: {cards}.", cards=self._counted(own.tally)))
        return lines

    def _own_cards(self, own: pb.ClassicArtView) -> list[str]:
        told = self._words.told
        lines = list[str]()
        if own.hand:
            lines.append(told("Your hand: {cards}.", cards=self._cards(own.hand)))
        if own.chosen:
            lines.append(told("You have chosen {cards}.", cards=self._cards(own.chosen)))
        return lines

    def move(self, move: LegalMove) -> str:
        told, own = self._words.told, move.move.classic_art
        match own.WhichOneof("move"):
            case "play_cards":
                return told("play {cards}", cards=self._cards(sorted(own.play_cards.cards)))
            case "place_prediction":
                placed = own.place_prediction
                space, category = self._space(placed.space), self._category(placed.category)
                if placed.tokens > 1:
                    return told("double down on {space} of {category}", space=space, category=category)
                return told("predict {space} of {category}", space=space, category=category)
            case _:
                return told("place no prediction")

    def _happened(self, event: ruleset_pb2.GameEvent) -> list[str]:
        told, own = self._words.told, event.classic_art
        match own.WhichOneof("event"):
            case "season_dealt":
                dealt = own.season_dealt
                begins = told(
                    "Season {season} begins with {seat}.", season=dealt.season, seat=self._name(dealt.first_seat)
                )
                return [begins, told("The deck shows {cards}.", cards=self._cards(dealt.revealed))]
            case "prediction_placed":
                return [self._placed(own.prediction_placed)]
            case "passed":
                return [told("{seat} places no prediction.", seat=self._name(own.passed.seat))]
            case "cards_played":
                played = own.cards_played
                return [told("{seat} plays {cards}.", seat=self._name(played.seat), cards=self._cards(played.cards))]
            case "house_revealed":
                return [told("The House plays {card}.", card=self._card(own.house_revealed.card))]
            case "cards_committed":
                return [told("{seat} has chosen the last cards.", seat=self._name(own.cards_committed.seat))]
            case "cards_chosen":
                chosen = own.cards_chosen
                card, cards = self._card(chosen.discarded), self._cards(chosen.cards)
                return [told("You will play {cards} and discard {card}.", cards=cards, card=card)]
            case _:
                return self._scored(own.season_scored)

    def _placed(self, placed: pb.ClassicArtPrediction) -> str:
        text = {
            (1, False): marked("{seat} predicts {space} of {category}."),
            (2, False): marked("{seat} doubles down on {space} of {category}."),
            (1, True): marked("{seat} predicts {space} of {category} at high risk."),
            (2, True): marked("{seat} doubles down on {space} of {category} at high risk."),
        }[placed.tokens, placed.high_risk]
        space, category = self._space(placed.space), self._category(placed.category)
        return self._words.told(text, seat=self._name(placed.seat), space=space, category=category)

    def _scored(self, scored: pb.ClassicArtSeasonScored) -> list[str]:
        counts = ", ".join(f"{name} {count}" for name, count in zip(self._categories, scored.counts, strict=True))
        ends = self._words.told("Season {season} ends: {counts}.", season=scored.season, counts=counts)
        return [ends, *(self._earned(prediction) for prediction in scored.predictions)]

    def _earned(self, scored: pb.ClassicArtScoredPrediction) -> str:
        placed = scored.prediction
        seat, space, category = self._name(placed.seat), self._space(placed.space), self._category(placed.category)
        if not scored.prestige:
            return self._words.told(
                "{seat} fails with {space} of {category}.", seat=seat, space=space, category=category
            )
        return self._words.told(
            "{seat} earns {prestige} with {space} of {category}.",
            seat=seat,
            prestige=scored.prestige,
            space=space,
            category=category,
        )


def played(move: LegalMove) -> Sequence[int]:
    """Returns the two cards that a move plays; none if it plays none."""
    return move.move.classic_art.play_cards.cards


def _other(move: LegalMove, card: int) -> int:
    first, second = played(move)
    return second if first == card else first


def placed(move: LegalMove) -> pb.ClassicArtPlacePrediction:
    """Returns the prediction that a move places; an empty one if it places none."""
    return move.move.classic_art.place_prediction
