"""The logs of matches, from their records."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from clients.replay import ReplayError, Step, replay
from referee.wire.record import RecordError, parse_record

_ID: Final = b'"match_id":"'  # within a string of the canonical JSON its quotes would be escaped


class RecordFile:
    """A file of records, each found by the id of its match; of a match that is written twice the last one counts.

    A last line without an end is still being written and is left out.

    Attributes:
        versions: the version of the program at each seat, by match id.

    Raises:
        OSError: it cannot be read.
        RecordError: a line is no record.
    """

    def __init__(self, path: Path) -> None:
        self.versions: Final = dict[str, Sequence[str]]()
        self._path: Final = path
        self._places: Final = dict[str, tuple[int, int]]()
        start = 0
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    break
                try:
                    self._note(line, start)
                except (KeyError, ValueError) as error:
                    raise RecordError(f"{path}, line {number}: no record of a match: {error}") from None
                start += len(line)

    def __contains__(self, match_id: str) -> bool:
        return match_id in self._places

    def log(self, match_id: str) -> str:
        """Returns a match's log, one line an entry, each proved by playing it again; or why that cannot be done.

        Raises:
            KeyError: there is no record of this match.
        """
        start, size = self._places[match_id]
        with self._path.open("rb") as file:
            file.seek(start)
            line = file.read(size)
        try:
            record = parse_record(line.decode(errors="replace"))
            steps = list(replay(record))
        except (RecordError, ReplayError) as error:
            return f"no log: {error}"
        entries = (
            _line(step, entry.move.thinking_ms if entry.HasField("move") else None)
            for step, entry in zip(steps, record.log, strict=True)
        )
        return "\n".join([f"commitment {record.commitment.hex()}", f"seed       {record.seed.hex()}", *entries])

    def _note(self, line: bytes, start: int) -> None:
        # Sorted keys have the log, which is nearly all of a record, before the id: what follows is quick to read.
        _, _, rest = line.rpartition(_ID)
        head: Mapping[str, Any] = json.loads(b"{" + _ID + rest)
        self.versions[head["match_id"]] = [seat.get("entrant", {}).get("version", "") for seat in head["seats"]]
        self._places[head["match_id"]] = start, len(line)


def _line(step: Step, thinking_ms: int | None) -> str:
    who = "referee" if step.seat is None else f"seat {step.seat}"
    autopilot = " (autopilot)" if step.actor == "autopilot" else ""
    took = "" if thinking_ms is None else f", {thinking_ms} ms"
    return f"{step.version:4}  {who}{autopilot}: {step.text}{took}"
