"""How a client knows its referee over TLS, and shows who it is."""

import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc


class TlsError(Exception):
    """Files that TLS cannot be spoken with; the text says why in one sentence."""


@dataclass(frozen=True, slots=True)
class Tls:
    """Files in PEM form.

    Attributes:
        ca: the roots that the referee's certificate may come from; those of the system if None.
        cert: the client's own certificate, and those between it and a root; None if it needs none.
        key: the private key of that certificate, without a passphrase.

    Raises:
        TlsError: they are not that.
    """

    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    def __post_init__(self) -> None:
        if (self.cert is None) != (self.key is None):
            raise TlsError("a certificate and its key go together, only one of them is given")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        with _in_words(self.ca, "no certificate is in it"):
            if self.ca is not None:
                context.load_verify_locations(self.ca)
        with _in_words(self.cert, f"not a certificate of which {self.key} holds the key, without a passphrase"):
            if self.cert is not None:
                context.load_cert_chain(self.cert, self.key, password="")  # or it would ask at the terminal

    def credentials(self) -> grpc.ChannelCredentials:
        """Returns what a channel is opened with."""
        files = (self.ca or _system_roots(), self.key, self.cert)
        return grpc.ssl_channel_credentials(*(None if file is None else file.read_bytes() for file in files))


def open_channel(address: str, tls: Tls | None, options: Sequence[tuple[str, int]]) -> grpc.aio.Channel:
    """Opens a channel to HOST:PORT, in the clear if `tls` is None."""
    if tls is None:
        return grpc.aio.insecure_channel(address, options=options)
    return grpc.aio.secure_channel(address, tls.credentials(), options=options)


@contextmanager
def _in_words(file: Path | None, problem: str) -> Iterator[None]:
    try:
        yield
    except ssl.SSLError:
        raise TlsError(f"{file}: {problem}") from None
    except OSError as error:
        raise TlsError(f"{file}: {error.strerror}") from None


def _system_roots() -> Path | None:
    """The system's roots in one file; where there is none, gRPC uses those that came with it."""
    paths = ssl.get_default_verify_paths()
    files = [Path(file) for file in (paths.cafile, paths.capath and f"{paths.capath}/ca-certificates.crt") if file]
    return next((file for file in files if file.is_file()), None)
