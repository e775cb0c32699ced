"""Who may create matches, and how many that are not finished yet."""

import asyncio
import logging
import re
from base64 import urlsafe_b64decode
from collections import OrderedDict
from collections.abc import AsyncIterator, Container, Iterator
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from referee.api.files import Files
from referee.api.quotas import exceeded
from referee.api.settings import SettingsError
from referee.core.errors import Reason, RefereeError
from referee.table.ids import MatchId, Principal
from referee.table.table import Table

_log: Final = logging.getLogger("referee")
_HEX: Final = re.compile("[0-9A-Fa-f]{64}")
_BASE64URL: Final = re.compile("[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")
_REMEMBERED: Final = 65_536
_LOOKED_AT: Final = 16


class OperatorKeys:
    """The principals that a file names, one a line, as SHA-256 in hexadecimal or base64url; "#" begins a comment.

    A file that was changed is read anew when the next principal is looked for; if it is wrong then, the keys stay as
    they were.

    Raises:
        SettingsError: the file is wrong.
    """

    def __init__(self, file: Path) -> None:
        self._file: Final = file
        self._files: Final = Files(file)
        self._keys = frozenset(_keys_in(file))

    def __contains__(self, principal: object) -> bool:
        if self._files.changed():
            self._read_anew()
        return principal in self._keys

    def _read_anew(self) -> None:
        try:
            self._keys = frozenset(_keys_in(self._file))
        except SettingsError as error:
            _log.warning("the operator keys stay as they were: %s", error)
        else:
            _log.info("%d operator keys are read from %s", len(self._keys), self._file)


class Creations:
    """Lets hosts create matches.

    Of a host's unfinished matches those count that this replica created; what has ended is noticed only when the limit
    is reached. Of very many those are forgotten whose hosts have not created any for the longest time.

    Args:
        table: where they are created.
        operators: who may create matches; anyone if None.
        most: unfinished matches of a host; any number if 0.
    """

    def __init__(self, table: Table, operators: Container[Principal] | None = None, most: int = 0) -> None:
        self._table: Final = table
        self._operators: Final = operators
        self._most: Final = most
        self._hosted: Final = OrderedDict[Principal, OrderedDict[MatchId, None]]()
        self._count = 0

    @asynccontextmanager
    async def admitted(self, host: Principal, match_id: MatchId) -> AsyncIterator[None]:
        """Lets a match be created in the block, and counts it unless that fails.

        Raises:
            RefereeError: CREATION_RESTRICTED or QUOTA_EXCEEDED.
            StoreUnavailableError: the store does not tell which matches have ended.
        """
        if self._operators is not None and host not in self._operators:
            raise RefereeError(Reason.CREATION_RESTRICTED)
        if not self._most or match_id in self._hosted.get(host, ()):
            yield
            return
        if len(self._hosted.get(host, ())) >= self._most:
            await self._forget_ended(host)
        if len(self._hosted.get(host, ())) >= self._most:
            raise exceeded("host", "unfinished matches", self._most)
        self._add(host, match_id)
        try:
            yield
        except BaseException:
            self._remove(host, match_id)
            raise

    async def _forget_ended(self, host: Principal) -> None:
        """Looks at some, and at others the next time."""
        oldest = list(islice(self._hosted[host], _LOOKED_AT))
        snapshots = await asyncio.gather(*(self._table.load(match_id) for match_id in oldest))
        for match_id, snapshot in zip(oldest, snapshots, strict=True):
            if snapshot is None or snapshot.over:
                self._remove(host, match_id)
            elif match_id in self._hosted.get(host, ()):
                self._hosted[host].move_to_end(match_id)

    def _add(self, host: Principal, match_id: MatchId) -> None:
        self._hosted.setdefault(host, OrderedDict())[match_id] = None
        self._hosted.move_to_end(host)
        self._count += 1
        while self._count > _REMEMBERED and len(self._hosted) > 1:
            self._count -= len(self._hosted.popitem(last=False)[1])

    def _remove(self, host: Principal, match_id: MatchId) -> None:
        matches = self._hosted.get(host, OrderedDict())
        if match_id in matches:
            del matches[match_id]
            self._count -= 1
        if not matches:
            self._hosted.pop(host, None)


def _keys_in(file: Path) -> Iterator[Principal]:
    try:
        text = file.read_text(errors="replace")
    except OSError as error:
        raise SettingsError(f"operator-keys {file} cannot be read: {error.strerror}") from None
    for number, line in enumerate(text.splitlines(), 1):
        key = line.partition("#")[0].strip()
        if _HEX.fullmatch(key):
            yield Principal(bytes.fromhex(key))
        elif _BASE64URL.fullmatch(key):
            yield Principal(urlsafe_b64decode(key + "="))
        elif key:
            problem = "is not the SHA-256 of a principal: 64 hexadecimal digits or 43 characters of base64url"
            raise SettingsError(f"operator-keys {file}, line {number}, {problem}")
