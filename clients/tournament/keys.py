"""What of a tournament must not be guessed: it derives from 32 bytes in a file, so that a resumed one has the same."""

import hmac
import json
import os
import secrets
from hashlib import sha256
from pathlib import Path
from typing import Final

from clients.sdk import Principal
from clients.tournament.pairing import Pairing

_SIZE: Final = 32


class KeysError(Exception):
    """A file that holds no key; the text names it."""


class Keys:
    """Seeds and principals of a tournament.

    Args:
        root: 32 secret bytes.
        practice: a text from which the deals derive in place of them, known to anybody; empty for none.
    """

    def __init__(self, root: bytes, practice: str = "") -> None:
        self._root: Final = root
        self._dealing: Final = sha256(practice.encode()).digest() if practice else _derived(root, "deals")

    @classmethod
    def kept(cls, path: Path, practice: str) -> "Keys":
        """Returns the keys of a file, which is made if there is none and is for its owner's eyes only.

        Raises:
            KeysError: the file holds something else.
        """
        if not path.exists():
            _write(path, secrets.token_hex(_SIZE))
        text = path.read_text().strip()
        try:
            root = bytes.fromhex(text)
        except ValueError:
            root = b""
        if len(root) != _SIZE:
            raise KeysError(f"{path} holds no key: expected {2 * _SIZE} hexadecimal digits")
        return cls(root, practice)

    @property
    def host(self) -> Principal:
        """Who creates the matches."""
        return Principal(_derived(self._root, "host"))

    def entrant(self, name: str, process: int) -> Principal:
        """Returns who plays the seats of an entrant in its process of a number, from 0."""
        return Principal(_derived(self._root, "entrant", name, process))

    def deal_seed(self, pairing: Pairing, *, independent: bool) -> bytes:
        """Returns from what a match is dealt: the same in all matches of a deal, unless they are independent."""
        own = pairing.entrants if independent else ()
        return _derived(self._dealing, "deal", pairing.deal.name, *own)

    def bot_seed(self, pairing: Pairing, seat: int) -> bytes:
        """Returns the randomness for the program at a seat: the same whoever else takes part in the tournament."""
        return _derived(self._dealing, "bot", pairing.deal.name, *pairing.entrants, seat)


def _derived(key: bytes, *purpose: str | int) -> bytes:
    return hmac.digest(key, json.dumps(purpose).encode(), "sha256")


def _write(path: Path, text: str) -> None:
    beside = path.with_suffix(".new")
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:  # noqa: PTH123 - with a mode
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
