"""Seeds and principals: they follow from one file, and differ wherever they should."""

import stat
from itertools import product
from pathlib import Path

import pytest

from clients.tournament.keys import Keys, KeysError
from clients.tournament.pairing import Deal, Game, Pairing

ROOT = bytes(range(32))


def pairing_of(
    number: int = 0, *, entrants: tuple[str, ...] = ("a", "b"), table: int = 0, rotation: int = 0
) -> Pairing:
    return Pairing(Deal(Game("artsee", len(entrants)), number), 0, table, rotation, entrants)


def test_a_file_is_made_once_and_is_for_its_owner_only(tmp_path: Path) -> None:
    """Whoever resumes the tournament has the same principals and deals."""
    path = tmp_path / "key"
    first, again = Keys.kept(path, ""), Keys.kept(path, "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert first.host == again.host
    assert first.deal_seed(pairing_of(), independent=False) == again.deal_seed(pairing_of(), independent=False)
    assert Keys.kept(tmp_path / "another", "").host != first.host


@pytest.mark.parametrize("text", ["", "00", "zz" * 32, "00" * 33])
def test_a_file_that_holds_no_key_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "key").write_text(text)
    with pytest.raises(KeysError, match="key holds no key: expected 64 hexadecimal digits"):
        Keys.kept(tmp_path / "key", "")


def test_all_matches_of_a_deal_are_dealt_alike() -> None:
    """Whoever sits where, at whatever table."""
    keys = Keys(ROOT)
    seeds = {
        keys.deal_seed(pairing_of(entrants=entrants, table=table, rotation=rotation), independent=False)
        for entrants, table, rotation in product((("a", "b"), ("b", "a"), ("a", "c")), range(2), range(2))
    }
    assert len(seeds) == 1
    assert keys.deal_seed(pairing_of(1), independent=False) not in seeds


def test_independent_matches_are_dealt_otherwise() -> None:
    keys = Keys(ROOT)
    pairings = [pairing_of(entrants=entrants) for entrants in (("a", "b"), ("b", "a"), ("a", "c"))]
    assert len({keys.deal_seed(pairing, independent=True) for pairing in pairings}) == 3


def test_a_bot_seed_depends_on_deal_seat_and_who_sits_where_only() -> None:
    """So that a match is the same whoever else takes part in the tournament."""
    keys = Keys(ROOT)
    assert keys.bot_seed(pairing_of(table=0), 1) == keys.bot_seed(pairing_of(table=5, rotation=1), 1)
    others = [(pairing_of(), 0), (pairing_of(1), 1), (pairing_of(entrants=("b", "a")), 1)]
    assert len({keys.bot_seed(pairing_of(), 1), *(keys.bot_seed(*other) for other in others)}) == 4


def test_practice_is_the_same_for_everybody_but_for_the_principals() -> None:
    """The deals derive from the text alone; who may act for the host and the entrants stays a secret."""
    mine, yours = Keys(ROOT, "a text"), Keys(bytes(32), "a text")
    assert mine.deal_seed(pairing_of(), independent=False) == yours.deal_seed(pairing_of(), independent=False)
    assert mine.bot_seed(pairing_of(), 0) == yours.bot_seed(pairing_of(), 0)
    assert mine.host != yours.host
    assert mine.entrant("a", 0) != yours.entrant("a", 0)


def test_principals_differ() -> None:
    keys = Keys(ROOT)
    principals = [keys.host, *(keys.entrant(name, number) for name, number in product(("a", "b"), range(2)))]
    assert len({principal.hash for principal in principals}) == 5
