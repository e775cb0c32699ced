"""Scoring of a season and of the game."""

from referee.core.game import Outcome
from referee.core.ranking import ranks
from referee.games.classic_art.parts import HIGH_RISK, Parts
from referee.games.classic_art.state import Phase, State


def score_season(parts: Parts, state: State) -> list[tuple[int, int, int]]:
    """Scores all predictions in place, moves markers and tokens; returns each (space, code, prestige earned)."""
    scored = []
    for space, code in enumerate(state.board):
        if not code:
            continue
        category, place = divmod(space, len(parts.spaces))
        owner, rest = divmod(code - 1, 4)
        tokens = rest // 2 + 1
        prestige = 0
        if parts.spaces[place].holds(max(0, state.net[category])):
            prestige = parts.spaces[place].prestige * (tokens + (rest & HIGH_RISK))
            marker = owner * len(parts.categories) + category
            state.prestige[marker] = min(parts.cap, state.prestige[marker] + prestige)
            state.available[owner] += tokens
        else:
            state.lost[owner] += tokens
        scored.append((space, code, prestige))
    state.board = bytearray(parts.all_spaces)
    for seat in range(state.seats):
        if state.available[seat] <= parts.refill_at:
            state.available[seat] += state.lost[seat]
            state.lost[seat] = 0
    return scored


def every_category_counts(parts: Parts, state: State) -> bool:
    """Returns whether in every category some marker has come far enough, which ends the game."""
    width = len(parts.categories)
    return all(max(state.prestige[category::width]) >= parts.counts_from for category in range(width))


def total(parts: Parts, state: State, seat: int) -> int:
    """Returns the sum of a seat's markers that count."""
    width = len(parts.categories)
    return sum(marker for marker in state.prestige[seat * width : (seat + 1) * width] if marker >= parts.counts_from)


def result(parts: Parts, state: State) -> Outcome | None:
    """Returns the final standing: the highest total wins, equal totals share the place [CA-R5]."""
    if state.phase != Phase.OVER:
        return None
    scores = tuple(total(parts, state, seat) for seat in range(state.seats))
    return Outcome(scores, ranks(scores), "SEASON_CAP" if state.capped else "COMPLETED")
