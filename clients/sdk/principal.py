"""Who a caller is: a secret that it makes itself."""

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Principal:
    """32 secret bytes; never shown in a repr.

    Attributes:
        secret: the bytes.
    """

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) != 32:
            raise ValueError(f"a principal has {len(self.secret)} bytes, expected 32")

    @classmethod
    def new(cls) -> "Principal":
        """Makes a principal that nobody else has."""
        return cls(secrets.token_bytes(32))

    @classmethod
    def from_token(cls, token: str) -> "Principal":
        """Returns the principal of a token.

        Raises:
            ValueError: not the token of any principal.
        """
        principal = cls(urlsafe_b64decode(token + "="))
        if principal.token != token:
            raise ValueError("the token is not 43 characters of canonical base64url")
        return principal

    @property
    def token(self) -> str:
        """The secret as 43 characters of base64url."""
        return urlsafe_b64encode(self.secret).decode().rstrip("=")

    @property
    def hash(self) -> bytes:
        """SHA-256 of the secret: what a host binds a seat to."""
        return sha256(self.secret).digest()
