"""How commands reach the referee that they are told of."""

import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Final

import click

from clients.sdk import Principal, Tls, TlsError

_FILE: Final = click.Path(path_type=Path)


def tls_options(command: Callable[..., None]) -> Callable[..., None]:
    """Lets a command with a parameter `address` speak TLS; it is given how as `tls`, or None for in the clear."""

    @click.option("--tls", "wanted", is_flag=True, help="Speak TLS with the referee; implied by the others.")
    @click.option("--tls-ca", type=_FILE, metavar="FILE", help="Roots (PEM) to be trusted instead of the system's.")
    @click.option("--tls-cert", type=_FILE, metavar="FILE", help="The certificate (PEM) by which the referee knows us.")
    @click.option("--tls-key", type=_FILE, metavar="FILE", help="Its private key (PEM).")
    @wraps(command)
    def run(
        *,
        address: str | None,
        wanted: bool,
        tls_ca: Path | None,
        tls_cert: Path | None,
        tls_key: Path | None,
        **rest: object,
    ) -> None:
        tls = None
        if wanted or tls_ca or tls_cert or tls_key:
            if address is None:
                raise click.UsageError("TLS is spoken with a referee that is named; one that is started needs none")
            try:
                tls = Tls(tls_ca, tls_cert, tls_key)
            except TlsError as error:
                raise click.UsageError(str(error)) from None
        command(address=address, tls=tls, **rest)

    return run


def principal_of(context: click.Context, parameter: click.Parameter, path: Path | None) -> Principal | None:
    """Reads the principal of an option that names a file with its token."""
    try:
        return None if path is None else Principal.from_token(path.read_text().strip())
    except (OSError, ValueError) as error:
        raise click.BadParameter(f"{path} holds no token: {error}") from None


def address_of(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    """Checks that an option names HOST:PORT."""
    found = re.fullmatch(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})", text) if text is not None else None
    if text is not None and (found is None or not 0 < int(found[1]) < 2**16):
        raise click.BadParameter(f"{text!r} is not HOST:PORT")
    return text
