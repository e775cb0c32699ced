"""The passive policy that plays on for a seat that is out of the competition."""

from referee.core.seeding import Random
from referee.games.classic_art.legal import pairs_of
from referee.games.classic_art.parts import Parts
from referee.games.classic_art.state import Phase
from referee.games.classic_art.view import View


def autopilot(parts: Parts, view: View, rng: Random) -> int:
    """Returns a random pair of the hand, and never a prediction."""
    if view.phase in (Phase.PLAY, Phase.FINAL):
        pairs = pairs_of(parts, view.hand)
        return pairs[rng.randrange(len(pairs))]
    return parts.pass_id
