"""The passive policy that plays on for a seat that is out of the competition."""

from referee.core.seeding import Random
from referee.games.artsee.legal import legal_in_view
from referee.games.artsee.parts import Parts
from referee.games.artsee.state import Phase
from referee.games.artsee.view import View


def autopilot(parts: Parts, view: View, rng: Random) -> int:
    """Returns a random card on a random spot or a random pile, and never a visitor or a masterpiece."""
    if view.phase == Phase.VISIT:
        return parts.skip_id
    if view.phase == Phase.CLAIM:
        return parts.decline_id
    moves = legal_in_view(parts, view)
    return moves[rng.randrange(len(moves))]
