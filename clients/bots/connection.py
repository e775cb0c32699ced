"""Where and as whom a program plays, as it is told in its environment."""

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clients.sdk import Principal, Tls

_REFEREE: Final = "CURATOR_REFEREE"
_TOKEN: Final = "CURATOR_TOKEN"  # noqa: S105 - the name of a variable
_TLS: Final = "CURATOR_TLS"
_FILES: Final = {"ca": "CURATOR_TLS_CA", "cert": "CURATOR_TLS_CERT", "key": "CURATOR_TLS_KEY"}


class ConnectionVariablesError(ValueError):
    """An environment that does not tell where and as whom to play; the text names the variable."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Where and as whom a program plays.

    Attributes:
        address: the referee, as HOST:PORT.
        principal: who plays.
        tls: how TLS is spoken; None speaks in the clear.
    """

    address: str
    principal: Principal
    tls: Tls | None = None

    @property
    def variables(self) -> Mapping[str, str]:
        """What a program's environment tells: CURATOR_REFEREE, CURATOR_TOKEN and, with TLS, CURATOR_TLS and files."""
        told = {_REFEREE: self.address, _TOKEN: self.principal.token}
        if self.tls is not None:
            told[_TLS] = "1"
            files = {_FILES[name]: getattr(self.tls, name) for name in _FILES}
            told |= {name: os.path.abspath(file) for name, file in files.items() if file is not None}  # noqa: PTH100
        return told

    @classmethod
    def taken_from(cls, environment: MutableMapping[str, str]) -> "Connection":
        """Returns what an environment tells, and takes the token out of it.

        Raises:
            ConnectionVariablesError: a variable is missing or wrong.
            TlsError: the files are not such as TLS can be spoken with.
        """
        for name in (_REFEREE, _TOKEN):
            if name not in environment:
                raise ConnectionVariablesError(f"{name} is not set")
        try:
            principal = Principal.from_token(environment.pop(_TOKEN))
        except ValueError as error:
            raise ConnectionVariablesError(f"{_TOKEN} is not a token: {error}") from None
        files = {name: environment.get(variable) for name, variable in _FILES.items()}
        tls = (
            Tls(**{name: Path(file) if file else None for name, file in files.items()}) if _TLS in environment else None
        )
        return cls(environment[_REFEREE], principal, tls)
