"""The passive policy that plays on for a seat that is out of the competition."""

from referee.core.seeding import Random
from referee.games.art_decko.legal import legal_in_view
from referee.games.art_decko.parts import Parts
from referee.games.art_decko.state import Phase
from referee.games.art_decko.view import View


def autopilot(parts: Parts, view: View, rng: Random) -> int:
    """Returns a random card to haggle with, or no discard; what was begun before is completed at random.

    Haggling alone changes nothing on the table, and is possible with any hand.
    """
    moves = legal_in_view(parts, view)
    if view.phase == Phase.ACTION:
        moves = [move for move in moves if parts.groups[move][0] == "haggle"]
    elif view.phase in (Phase.DISCARD, Phase.DISCARDING):
        moves = [parts.ids.done]
    return moves[rng.randrange(len(moves))]
