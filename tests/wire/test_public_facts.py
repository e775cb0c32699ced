"""What each ruleset shows to all, what to one seat, and of what it shows a number alone, by the text of its rules.

A new field of a view fails here until somebody has decided on it.
"""

from dataclasses import dataclass
from typing import Any, Final

import pytest

from artreferee.v1 import art_decko_pb2, artsee_pb2, classic_art_pb2


@dataclass(frozen=True)
class Sight:
    """The fields of a view by who sees them.

    Attributes:
        kind: the message.
        counts: numbers of what is hidden itself.
        public: what lies open, turn state, and the options of the match.
        own: what the viewer's seat alone sees.
    """

    kind: Any
    counts: str
    public: str
    own: str = ""


SIGHTS: Final = (
    Sight(
        classic_art_pb2.ClassicArtView,
        counts="deck_size house_size",
        public="season phase first_seat turn_seat counts pending_loans predictions seats revealed tally "
        "max_seasons capped turns_left",
        own="seat hand chosen",
    ),
    Sight(
        classic_art_pb2.ClassicArtSeat,
        counts="hand_size committed",
        public="available_tokens lost_tokens high_risk_used double_down_used prestige played",
    ),
    Sight(
        artsee_pb2.ArtSeeView,
        counts="removed_of_each removed_of_all",
        public="phase first_seat turn_seat round rounds column earned seats piles masterpieces",
        own="seat hand choices visit_column",
    ),
    Sight(artsee_pb2.ArtSeeSeat, counts="backs asked committed", public="columns slots supply prestige"),
    Sight(artsee_pb2.ArtSeePile, counts="size", public="top"),
    Sight(artsee_pb2.ArtSeeBack, counts="", public="deck featured"),
    Sight(
        art_decko_pb2.ArtDeckoView,
        counts="paintings_left",
        public="phase turn_seat first_seat round max_rounds capped last_round actions discounts invited painting "
        "purchase due least_paid next_card seats aside removed galleries supply bank market exhibitions",
        own="seat hand",
    ),
    Sight(
        art_decko_pb2.ArtDeckoSeat,
        counts="hand_size deck_size",
        public="kept pool discards shuffles vp ribbons",
    ),
    Sight(
        art_decko_pb2.ArtDeckoBank,
        counts="stack_size",
        public="face_up fives three_cost five_cost three_rise five_rise",
    ),
)


@pytest.mark.parametrize("sight", SIGHTS, ids=lambda sight: sight.kind.DESCRIPTOR.name)
def test_a_view_has_the_fields_that_were_decided_on(sight: Sight) -> None:
    fields = [field.name for field in sight.kind.DESCRIPTOR.fields]
    assert sorted(fields) == sorted(f"{sight.counts} {sight.public} {sight.own}".split())
