"""How long entrants thought, from the records of their matches."""

from collections import Counter, defaultdict
from typing import Final

from artreferee.v1 import match_pb2, record_pb2
from clients.tournament.pairing import Game, Pairing


class ThinkingTimes:
    """Times of moves in ms, those of autopilots left out."""

    def __init__(self) -> None:
        self._times: Final = defaultdict[tuple[Game, str], Counter[int]](Counter)

    def add(self, pairing: Pairing, record: record_pb2.MatchRecord) -> None:
        """Takes in the record of a match; each match's once."""
        for entry in record.log:
            if entry.move.actor == match_pb2.ACTOR_PLAYER:
                self._times[pairing.deal.game, pairing.entrants[entry.seat]][entry.move.thinking_ms] += 1

    def of(self, entrant: str, game: Game | None = None) -> Counter[int]:
        """Returns how often an entrant took each time, in a game or in all."""
        times = Counter[int]()
        for (played, name), taken in self._times.items():
            if name == entrant and game in (None, played):
                times.update(taken)
        return times
