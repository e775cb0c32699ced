"""What players are called at the table."""

import pytest

from clients.terminal.names import called
from clients.terminal.words import in_language


@pytest.mark.parametrize(
    ("name", "language", "told"),
    [
        ("Seat 3", "es", "Asiento 3"),
        ("Seat 3", "en", "Seat 3"),
        ("Seat", "es", "Seat"),
        ("Seat 3b", "es", "Seat 3b"),
        ("Ada", "es", "Ada"),
    ],
)
def test_a_seat_that_nobody_has_named_is_called_so_in_the_language(name: str, language: str, told: str) -> None:
    """Whatever somebody calls himself is left as it is."""
    assert called(name, in_language(language)) == told
