"""The certificates by which a server speaks TLS, read anew when they are replaced."""

import logging
from dataclasses import replace
from typing import Final

import grpc

from referee.api.files import Files
from referee.api.settings import SettingsError, Tls

_log: Final = logging.getLogger("referee")


def credentials(tls: Tls) -> grpc.ServerCredentials:
    """Returns credentials of whatever the files hold when somebody connects; if that is wrong, of what they held."""
    return grpc.dynamic_ssl_server_credentials(
        _configuration(tls),
        _Renewal(tls),  # type: ignore[arg-type] # None is no change, says gRPC
        require_client_authentication=tls.client_ca is not None,
    )


class _Renewal:
    """What gRPC asks, on threads of its own, before each handshake: for other certificates, if there are any."""

    def __init__(self, tls: Tls) -> None:
        self._tls: Final = tls
        self._files: Final = Files(*filter(None, (tls.cert, tls.key, tls.client_ca)))

    def __call__(self) -> grpc.ServerCertificateConfiguration | None:
        if not self._files.changed():
            return None
        try:
            configuration = _configuration(replace(self._tls))  # which looks whether they are right
        except (SettingsError, OSError) as error:
            _log.warning("the certificates stay as they were: %s", error)
            return None
        _log.info("the certificate is read anew from %s", self._tls.cert)
        return configuration


def _configuration(tls: Tls) -> grpc.ServerCertificateConfiguration:
    roots = None if tls.client_ca is None else tls.client_ca.read_bytes()
    return grpc.ssl_server_certificate_configuration([(tls.key.read_bytes(), tls.cert.read_bytes())], roots)
