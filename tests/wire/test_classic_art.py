"""Classic Art on the wire: every message means what the contract's comments say, and nothing is lost on the way."""

import random
from collections.abc import Iterator
from typing import Final, cast, get_args

import pytest

from artreferee.v1 import classic_art_pb2 as pb
from artreferee.v1 import ruleset_pb2
from referee.core.errors import InvalidOptionError, MalformedMoveError
from referee.core.game import Options
from referee.games import registry
from referee.games.classic_art import events
from referee.games.classic_art.game import ClassicArt
from referee.games.classic_art.state import Phase, State
from referee.games.classic_art.view import View
from referee.wire import wires
from tests.games.classic_art.build import put, season
from tests.games.classic_art.moves import CATEGORIES, IDS, KINDS, MOVES, PASS, SPACES
from tests.games.playouts import positions, samples

GAME: Final = cast(ClassicArt, registry()["classic_art"])
WIRE: Final = wires()["classic_art"]


# Numbers and names


def names(enum: object, prefix: str) -> list[str]:
    """The names of an enum in the order of its numbers 0, 1, 2..., without the prefix."""
    descriptor = enum.DESCRIPTOR  # type: ignore[attr-defined]
    assert [value.number for value in descriptor.values] == list(range(len(descriptor.values)))
    assert all(value.name.startswith(prefix) for value in descriptor.values)
    return [value.name.removeprefix(prefix) for value in descriptor.values]


def test_categories_are_numbered_in_the_components_order() -> None:
    assert names(pb.ClassicArtCategory, "CLASSIC_ART_CATEGORY_") == ["UNSPECIFIED", *GAME.parts.categories]


def test_cards_are_numbered_in_the_components_order() -> None:
    """Of each category first the Artwork, then the Loan."""
    cards = [f"{category}_{sort}" for category in GAME.parts.categories for sort in ("ARTWORK", "LOAN")]
    assert names(pb.ClassicArtCard, "CLASSIC_ART_CARD_") == ["UNSPECIFIED", *cards]


def test_spaces_are_numbered_in_the_components_order() -> None:
    words = {"-": "AT_MOST_", "+": "AT_LEAST_"}
    spaces = [words[space.name[-1]] + space.name[:-1] for space in GAME.parts.spaces]
    assert names(pb.ClassicArtSpace, "CLASSIC_ART_SPACE_") == ["UNSPECIFIED", *spaces]


def test_phases_have_the_numbers_of_the_rules() -> None:
    phases = [phase.name for phase in sorted(Phase)]
    assert names(pb.ClassicArtPhase, "CLASSIC_ART_PHASE_") == ["UNSPECIFIED", *phases]


# Moves


@pytest.mark.parametrize("move", range(len(MOVES)))
def test_a_move_is_what_its_id_says_and_comes_back(move: int) -> None:
    message = ruleset_pb2.Move.FromString(WIRE.move(move).SerializeToString()).classic_art
    match MOVES[move]:
        case ("play", first, second):
            assert message.WhichOneof("move") == "play_cards"
            assert [KINDS[card - 1] for card in message.play_cards.cards] == [first, second]
        case ("predict", category, space, tokens):
            assert message.WhichOneof("move") == "place_prediction"
            placed = message.place_prediction
            assert (CATEGORIES[placed.category - 1], SPACES[placed.space - 1]) == (category, space)
            assert placed.tokens == tokens
        case _:
            assert message.WhichOneof("move") == "pass_prediction"
    assert WIRE.move_from(ruleset_pb2.Move(classic_art=message)) == move


def test_there_are_as_many_moves_as_ids() -> None:
    assert len(MOVES) == GAME.spec.num_actions == 136
    assert len({WIRE.move(move).SerializeToString() for move in range(136)}) == 136


@pytest.mark.parametrize("first", range(1, 11))
@pytest.mark.parametrize("second", range(1, 11))
def test_the_cards_of_a_pair_may_come_in_any_order(first: int, second: int) -> None:
    move = ruleset_pb2.Move()
    move.classic_art.play_cards.cards.extend([pb.ClassicArtCard.ValueType(first), pb.ClassicArtCard.ValueType(second)])
    low, high = sorted((first - 1, second - 1))
    assert WIRE.move_from(move) == IDS[("play", KINDS[low], KINDS[high])]


def test_a_move_of_no_or_of_another_ruleset_is_malformed() -> None:
    another = ruleset_pb2.Move()
    another.plugin.type_url = "example.org/chess.Move"
    for move in (ruleset_pb2.Move(), another, ruleset_pb2.Move(classic_art=pb.ClassicArtMove())):
        with pytest.raises(MalformedMoveError, match=r"^is "):
            WIRE.move_from(move)


# Options


@pytest.mark.parametrize(
    "options", [{}, {"max_seasons": 7}, {"start_seat": 0}, {"max_seasons": 0, "start_seat": 3}, {"max_seasons": 1000}]
)
def test_options_come_back_as_given(options: Options) -> None:
    """An option that is 0 is not one that is absent."""
    message = ruleset_pb2.Options.FromString(WIRE.options(options).SerializeToString())
    assert WIRE.options_from(message) == options


def test_no_options_at_all_are_all_defaults() -> None:
    assert WIRE.options_from(ruleset_pb2.Options()) == {}


def test_options_of_another_ruleset_are_refused() -> None:
    message = ruleset_pb2.Options()
    message.plugin.type_url = "example.org/chess.Options"
    with pytest.raises(InvalidOptionError, match="plugin"):
        WIRE.options_from(message)


# Views


def carried(view: View) -> View:
    """The view after a journey as bytes."""
    back = WIRE.view_from(ruleset_pb2.View.FromString(WIRE.view(view).SerializeToString()))
    assert isinstance(back, View)
    return back


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_views_come_back_as_they_were(seats: int) -> None:
    """Of random positions, for every seat and for a spectator, in all phases and with choices sealed."""
    seen = set()
    for number in range(12):
        for state in samples(GAME, seats, number, one_in=20):
            for viewer in (None, *range(seats)):
                view = GAME.view(state, viewer)
                assert carried(view) == view
            seen.add((state.phase, any(state.chosen)))
    assert seen == {(phase, False) for phase in Phase} | {(Phase.FINAL, True)}


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_views_of_whole_matches_come_back_as_they_were(seats: int) -> None:
    for number in range(100, 120):
        for state in positions(GAME, seats, number, {"max_seasons": 5}):
            for viewer in (None, *range(seats)):
                view = GAME.view(state, viewer)
                assert carried(view) == view


def made_to_measure() -> State:
    """Seat 1's turn to predict, with something in every field."""
    state = season(2, max_seasons=12)
    state.season, state.first, state.phase, state.turn, state.turns_left = 4, 1, Phase.PREDICT, 1, 7
    state.hands = bytearray([2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 2, 0, 0, 4, 0, 0, 1])
    state.deck = bytearray([9, 0, 0, 0, 3, 0, 0, 0, 0, 0])
    state.house = bytes([3, 0, 9])
    state.played = bytearray([1, *[0] * 9, 0, 2, *[0] * 8, 0, 0, 5, 0, 0, 1, 0, 0, 0, 0])
    state.net = [-1, 5, -1, 0, 0]
    put(state, 0, "PORTRAIT", "3-", 2, high_risk=True)
    put(state, 1, "ETCHING", "8+")
    state.doubled = bytearray([1, 0])
    state.lost = bytearray([0, 3])
    state.prestige = bytearray([0, 1, 2, 3, 10, 5, 0, 0, 4, 9])
    return state


EXPECTED: Final = pb.ClassicArtView(
    season=4,
    phase=pb.CLASSIC_ART_PHASE_PREDICT,
    first_seat=1,
    turn_seat=1,
    counts=[0, 5, 0, 0, 0],
    pending_loans=[1, 0, 1, 0, 0],
    predictions=[
        pb.ClassicArtPrediction(
            seat=1, category=pb.CLASSIC_ART_CATEGORY_ETCHING, space=pb.CLASSIC_ART_SPACE_AT_LEAST_8, tokens=1
        ),
        pb.ClassicArtPrediction(
            seat=0,
            category=pb.CLASSIC_ART_CATEGORY_PORTRAIT,
            space=pb.CLASSIC_ART_SPACE_AT_MOST_3,
            tokens=2,
            high_risk=True,
        ),
    ],
    seats=[
        pb.ClassicArtSeat(
            hand_size=6,
            available_tokens=4,
            high_risk_used=True,
            double_down_used=True,
            prestige=[0, 1, 2, 3, 10],
            played=[1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ),
        pb.ClassicArtSeat(
            hand_size=7,
            available_tokens=5,
            lost_tokens=3,
            prestige=[5, 0, 0, 4, 9],
            played=[0, 2, 0, 0, 0, 0, 0, 0, 0, 0],
        ),
    ],
    revealed=[0, 0, 5, 0, 0, 1, 0, 0, 0, 0],
    tally=[1, 2, 5, 0, 0, 1, 0, 0, 0, 0],
    deck_size=12,
    house_size=3,
    max_seasons=12,
    turns_left=7,
)


def test_a_spectators_view_to_the_letter() -> None:
    assert WIRE.view(GAME.view(made_to_measure(), None)).classic_art == EXPECTED


def test_a_seats_view_to_the_letter() -> None:
    """What everybody knows, the seat, and its hand in canonical order."""
    own = pb.ClassicArtView()
    own.CopyFrom(EXPECTED)
    own.seat = 0
    own.hand.extend(
        [
            pb.CLASSIC_ART_CARD_ETCHING_ARTWORK,
            pb.CLASSIC_ART_CARD_ETCHING_ARTWORK,
            pb.CLASSIC_ART_CARD_ETCHING_LOAN,
            *[pb.CLASSIC_ART_CARD_LANDSCAPE_ARTWORK] * 3,
        ]
    )
    assert WIRE.view(GAME.view(made_to_measure(), 0)).classic_art == own


def test_a_sealed_choice_to_the_letter() -> None:
    """Its owner sees both cards; others see that it was made. In the final turn it is nobody's turn."""
    state = made_to_measure()
    state.phase, state.turn = Phase.FINAL, -1
    state.chosen[0] = IDS[("play", KINDS[1], KINDS[8])] + 1
    chosen = [pb.CLASSIC_ART_CARD_ETCHING_LOAN, pb.CLASSIC_ART_CARD_LANDSCAPE_ARTWORK]
    for viewer, cards in ((0, chosen), (1, []), (None, [])):
        view = WIRE.view(GAME.view(state, viewer)).classic_art
        assert list(view.chosen) == cards
        assert [seat.committed for seat in view.seats] == [True, False]
        assert not view.HasField("turn_seat")


# Events

PREDICTION: Final = pb.ClassicArtPrediction(
    seat=3,
    category=pb.CLASSIC_ART_CATEGORY_SCULPTURE,
    space=pb.CLASSIC_ART_SPACE_AT_LEAST_5,
    tokens=2,
    high_risk=True,
)
SPACE: Final = 2 * 8 + 4
CODE: Final = 1 + 3 * 4 + 1 * 2 + 1
PAIR: Final = IDS[("play", KINDS[2], KINDS[7])]
CARDS: Final = [pb.CLASSIC_ART_CARD_STILL_LIFE_ARTWORK, pb.CLASSIC_ART_CARD_PORTRAIT_LOAN]

TOLD: Final[list[tuple[events.ClassicArtEvent, pb.ClassicArtEvent]]] = [
    (
        events.SeasonDealt(2, 4, bytes([7, 2])),
        pb.ClassicArtEvent(season_dealt=pb.ClassicArtSeasonDealt(season=2, first_seat=4, revealed=CARDS[::-1])),
    ),
    (events.PredictionPlaced(SPACE, CODE), pb.ClassicArtEvent(prediction_placed=PREDICTION)),
    (events.Passed(2), pb.ClassicArtEvent(passed=pb.ClassicArtPassed(seat=2))),
    (
        events.CardsPlayed(1, PAIR),
        pb.ClassicArtEvent(cards_played=pb.ClassicArtCardsPlayed(seat=1, cards=CARDS)),
    ),
    (
        events.HouseRevealed(9),
        pb.ClassicArtEvent(house_revealed=pb.ClassicArtHouseRevealed(card=pb.CLASSIC_ART_CARD_LANDSCAPE_LOAN)),
    ),
    (events.CardsCommitted(0), pb.ClassicArtEvent(cards_committed=pb.ClassicArtCardsCommitted(seat=0))),
    (
        events.CardsChosen(4, PAIR, 0),
        pb.ClassicArtEvent(
            cards_chosen=pb.ClassicArtCardsChosen(seat=4, cards=CARDS, discarded=pb.CLASSIC_ART_CARD_ETCHING_ARTWORK)
        ),
    ),
    (
        events.SeasonScored(3, [0, 1, 2, 3, 11], [(SPACE, CODE, 3)]),
        pb.ClassicArtEvent(
            season_scored=pb.ClassicArtSeasonScored(
                season=3,
                counts=[0, 1, 2, 3, 11],
                predictions=[pb.ClassicArtScoredPrediction(prediction=PREDICTION, prestige=3)],
            )
        ),
    ),
]


@pytest.mark.parametrize(("event", "message"), TOLD, ids=lambda case: type(case).__name__)
def test_an_event_to_the_letter(event: events.ClassicArtEvent, message: pb.ClassicArtEvent) -> None:
    assert WIRE.event(event).classic_art == message


def test_every_event_has_its_message_and_every_message_its_event() -> None:
    assert {type(event) for event, _ in TOLD} == set(get_args(events.ClassicArtEvent))
    messages = {str(message.WhichOneof("event")) for _, message in TOLD}
    assert messages == {field.name for field in pb.ClassicArtEvent.DESCRIPTOR.fields}


def happenings(seats: int) -> Iterator[tuple[int, events.ClassicArtEvent]]:
    """The events of a random match, each with the move that brought it about."""
    rng = random.Random(seats)
    state = GAME.setup(GAME.options({"max_seasons": 2}, seats), seats, rng.randbytes(32))
    while waiting := GAME.to_act(state):
        seat = rng.choice(waiting)
        move = rng.choice(GAME.legal_moves(state, seat))
        for event in GAME.play(state, seat, move):
            yield move, event


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_the_events_of_a_match_say_what_was_played(seats: int) -> None:
    """A placed prediction and a choice name the very cards or spaces of the move; a pass is a pass."""
    for move, event in happenings(seats):
        message = WIRE.event(event).classic_art
        match message.WhichOneof("event"):
            case "prediction_placed":
                placed = message.prediction_placed
                words = CATEGORIES[placed.category - 1], SPACES[placed.space - 1], placed.tokens
                assert MOVES[move] == ("predict", *words)
            case "cards_chosen":
                assert MOVES[move] == ("play", *(KINDS[card - 1] for card in message.cards_chosen.cards))
            case "passed":
                assert move == PASS
