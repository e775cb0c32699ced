"""How the log is written: one line an event, for people or for machines."""

import json
import logging
import os
import sys
from datetime import UTC, datetime
from typing import Final

FORMATS: Final = ("auto", "text", "json")
LEVELS: Final = ("debug", "info", "warning", "error")
_GRPC: Final = "grpc._cython.cygrpc"
_UNDELIVERED: Final = 'Failed "execute_batch"'  # what could not even be begun is told in other words, and is a fault
_FIELDS: Final = ("method", "code", "reason", "match_id", "principal", "duration_ms", "who", "what", "why")


def set_up(form: str, level: str) -> None:
    """Lets everything that this process logs through `logging` go to standard error, at a level and in a format.

    "auto" is for people on a terminal, else for machines.
    """
    machine = form == "json" or (form == "auto" and not sys.stderr.isatty())
    if machine:
        os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # gRPC's core would write lines of its own format
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if machine else TextFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
    logging.getLogger(_GRPC).addFilter(lower_undelivered)


def lower_undelivered(record: logging.LogRecord) -> bool:
    """Lets an answer that nobody waits for any more be told at level debug only.

    gRPC takes it for an error if its core says that the answer failed before it says that the caller has gone, as it
    does when a deadline ends or a connection is cut just then.
    """
    if record.exc_info is None or not str(record.exc_info[1]).startswith(_UNDELIVERED):
        return True
    record.levelno, record.levelname = logging.DEBUG, "DEBUG"
    return logging.getLogger().isEnabledFor(logging.DEBUG)


class TextFormatter(logging.Formatter):
    """A line for people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s%(fields)s")

    def format(self, record: logging.LogRecord) -> str:
        record.fields = "".join(f" {name}={value}" for name, value in _fields(record).items())
        return super().format(record)


class JsonFormatter(logging.Formatter):
    """A line that is a JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    named = {name: getattr(record, name, None) for name in _FIELDS}
    return {name: value for name, value in named.items() if value not in (None, "")}
