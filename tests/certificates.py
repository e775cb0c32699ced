"""Certificates made for a test: real ones, of authorities that nobody else trusts."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import trustme

HERE: Final = "127.0.0.1"
ELSEWHERE: Final = "elsewhere.example.org"
A_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its private key, as files."""

    cert: Path
    key: Path


class Authority:
    """Who issues certificates; `root` is the file by which it is trusted."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder: Final = folder
        self._name: Final = name
        self._ca: Final = trustme.CA()
        self._issued = 0
        self.root: Final = folder / f"{name}.pem"
        self._ca.cert_pem.write_to_path(self.root)

    def issue(self, identity: str = HERE, *, expired: bool = False) -> Pair:
        """Issues a certificate for a host or a person, one that ended yesterday if `expired`."""
        ends = datetime.now(UTC) + (-A_DAY if expired else A_DAY)
        issued = self._ca.issue_cert(identity, not_before=ends - 2 * A_DAY, not_after=ends)
        self._issued += 1
        pair = Pair(
            self._folder / f"{self._name}-{self._issued}.pem", self._folder / f"{self._name}-{self._issued}.key"
        )
        pair.cert.write_bytes(b"".join(pem.bytes() for pem in issued.cert_chain_pems))
        issued.private_key_pem.write_to_path(pair.key)
        return pair
