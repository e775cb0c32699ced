"""Places of equals."""

import pytest

from referee.core.ranking import ranks


@pytest.mark.parametrize(
    ("standings", "places"),
    [
        ([], ()),
        ([4], (1,)),
        ([10, 30, 20], (3, 1, 2)),
        ([7, 7, 7], (1, 1, 1)),
        ([10, 7, 7, 3], (1, 2, 2, 4)),
        ([(5, 1), (5, 2), (6, 0)], (3, 2, 1)),
    ],
)
def test_equals_share_a_place_and_the_next_is_skipped(standings: list[object], places: tuple[int, ...]) -> None:
    assert ranks(standings) == places
