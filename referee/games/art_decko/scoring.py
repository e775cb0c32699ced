"""Scoring of the game. All of it follows from what is public, so a view serves as well as a state."""

from typing import NamedTuple

from referee.core.game import Outcome
from referee.core.ranking import ranks
from referee.games.art_decko.bonus import bonuses, own_gold, owned
from referee.games.art_decko.parts import Parts
from referee.games.art_decko.state import Phase, State
from referee.games.art_decko.view import View


class Points(NamedTuple):
    """The VP of a seat: taken in exhibitions, of own paintings, of own gold, of bonus tiles."""

    taken: int
    paintings: int
    gold: int
    bonus: int


def score(parts: Parts, table: State | View) -> list[Points]:
    """Returns what each seat would score if the game ended now."""
    cards = [owned(parts, table, seat) for seat in range(table.seats)]
    worth = [parts.painting_vp[rating] for rating in table.market[: parts.width]]
    ratio = parts.gold_per_vp[table.market[parts.gold]]
    return [
        Points(
            taken=table.vp[seat],
            paintings=sum(vp * count for vp, count in zip(worth, own, strict=False)),
            gold=own_gold(parts, own) // ratio,
            bonus=bonus,
        )
        for seat, (own, bonus) in enumerate(zip(cards, bonuses(parts, table.tiles, table.museum, cards), strict=True))
    ]


def result(parts: Parts, state: State) -> Outcome | None:
    """Returns the final standing: VP, then paintings in the museum."""
    if state.phase != Phase.OVER:
        return None
    scores = tuple(sum(points) for points in score(parts, state))
    hung = [parts.ribbons - left for left in state.ribbons]
    standing = list(zip(scores, hung, strict=True))
    return Outcome(scores, ranks(standing), "ROUND_CAP" if state.capped else "COMPLETED")
