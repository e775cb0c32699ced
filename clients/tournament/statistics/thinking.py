"""How long entrants thought, from the records of their matches."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from clients.tournament.pairing import Game, Pairing

_PLAYER: Final = "ACTOR_PLAYER"


class _Move(msgspec.Struct):
    actor: str = ""
    thinking_ms: str = "0"


class _Entry(msgspec.Struct):
    seat: int = 0
    move: _Move | None = None


class _Record(msgspec.Struct):
    """What of a record is needed: reading all of it would take far longer."""

    match_id: str
    log: list[_Entry] = []


_RECORD: Final = msgspec.json.Decoder(_Record)


class ThinkingTimes:
    """Times of moves in ms, those of autopilots left out."""

    def __init__(self) -> None:
        self._times: Final = defaultdict[tuple[Game, str], Counter[int]](Counter)

    @classmethod
    def of_records(cls, records: Iterable[bytes], pairings: Mapping[str, Pairing]) -> "ThinkingTimes":
        """Returns the times in records as canonical JSON; `pairings` has them by match id.

        Raises:
            msgspec.MsgspecError: it is no record.
        """
        times = cls()
        for line in records:
            record = _RECORD.decode(line)
            times._add(pairings[record.match_id], record.log)
        return times

    def of(self, entrant: str, game: Game | None = None) -> Counter[int]:
        """Returns how often an entrant took each time, in a game or in all."""
        times = Counter[int]()
        for (played, name), taken in self._times.items():
            if name == entrant and game in (None, played):
                times.update(taken)
        return times

    def _add(self, pairing: Pairing, log: Iterable[_Entry]) -> None:
        for entry in log:
            if entry.move is not None and entry.move.actor == _PLAYER:
                self._times[pairing.deal.game, pairing.entrants[entry.seat]][int(entry.move.thinking_ms)] += 1
