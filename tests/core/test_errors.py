"""The texts of errors come from their metadata alone."""

from string import Formatter

import pytest

from referee.core.errors import IllegalMoveError, Reason, RefereeError


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_makes_a_text_from_its_metadata(reason: Reason) -> None:
    fields = [field for _, field, _, _ in Formatter().parse(reason.value) if field]
    error = RefereeError(reason, **{field: f"<{field}>" for field in fields})
    assert error.metadata == {field: f"<{field}>" for field in fields}
    assert all(f"<{field}>" in str(error) for field in fields)
    assert "{" not in str(error)


def test_a_reason_without_its_metadata_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        RefereeError(Reason.SEAT_TAKEN)


def test_metadata_are_texts() -> None:
    assert RefereeError(Reason.SEAT_TAKEN, seat=3).metadata == {"seat": "3"}


def test_an_illegal_move_names_its_rule() -> None:
    error = IllegalMoveError("SPACE_OCCUPIED", "there are tokens already")
    assert (error.rule, str(error)) == ("SPACE_OCCUPIED", "there are tokens already (SPACE_OCCUPIED)")
