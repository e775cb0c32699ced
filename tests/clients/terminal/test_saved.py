"""Matches that are kept for another time: what is written, who can read it, and which one is gone on with."""

import os
from pathlib import Path

import pytest

from clients.sdk import Principal, Tls
from clients.terminal.saved import Folder, Opponent, SavedError, SavedMatch, address_of, latest, new_folder

ADDRESS = "127.0.0.1:50051"


def a_match(ruleset: str = "artsee", match_id: str = "a" * 26) -> SavedMatch:
    bots = (Opponent("greedy", Principal.new()),)
    return SavedMatch(ruleset, match_id, 0, Principal.new(), ADDRESS, own=True, opponents=bots, hosted=True, tls=Tls())


def state(home: Path) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(home)}


def kept(home: Path, match: SavedMatch, age_s: int = 0) -> Path:
    """Keeps a match as a terminal does that is closed."""
    with new_folder(state(home)) as folder:
        folder.save(match)
    file = folder.path / "match.json"
    os.utime(file, (file.stat().st_mtime - age_s,) * 2)
    return file


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    """Principals, bots and TLS too."""
    match = a_match()
    kept(tmp_path, match)
    found = latest(state(tmp_path), lambda _: True)
    assert found is not None
    with found[0]:
        assert found[1] == match


def test_a_token_is_for_the_eyes_of_its_owner(tmp_path: Path) -> None:
    """The file and its folder cannot be read by others, and the token is not in a repr."""
    match = a_match()
    file = kept(tmp_path, match)
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert match.principal.token not in repr(match)
    assert repr(match.principal.secret) not in repr(match)


def test_the_latest_match_of_a_ruleset_is_gone_on_with(tmp_path: Path) -> None:
    """One that another terminal has open is left to it."""
    kept(tmp_path, a_match("artsee", "a" * 26), age_s=30)
    kept(tmp_path, a_match("artsee", "b" * 26), age_s=20)
    kept(tmp_path, a_match("classic_art", "c" * 26), age_s=10)

    def found() -> tuple[Folder, SavedMatch] | None:
        return latest(state(tmp_path), lambda match: match.ruleset == "artsee")

    first, second, third = found(), found(), found()
    assert first is not None
    assert second is not None
    with first[0], second[0]:
        assert (first[1].match_id, second[1].match_id, third) == ("b" * 26, "a" * 26, None)
    assert latest(state(tmp_path), lambda match: match.ruleset == "art_decko") is None


def test_a_folder_is_one_terminals(tmp_path: Path) -> None:
    """Until that is closed."""
    with Folder(tmp_path / "match"):
        with pytest.raises(SavedError, match="open in another terminal"):
            Folder(tmp_path / "match")
    with Folder(tmp_path / "match"):
        pass


def test_a_file_that_holds_no_match_is_named(tmp_path: Path) -> None:
    """It is for its owner to delete."""
    file = kept(tmp_path, a_match())
    for garbage in (b"", b"{}", b'{"ruleset": 1}', b"\xff", file.read_bytes().replace(b"secret", b"secrets")):
        file.write_bytes(garbage)
        with pytest.raises(SavedError, match=str(file)):
            latest(state(tmp_path), lambda _: True)


def test_where_a_match_is_played_is_known_while_it_is_open(tmp_path: Path) -> None:
    """So that it can be watched from another terminal."""
    with new_folder(state(tmp_path)) as folder:
        folder.save(a_match())
        assert address_of("a" * 26, state(tmp_path)) == ADDRESS
        assert address_of("b" * 26, state(tmp_path)) is None


def test_what_never_became_a_match_is_cleared_away(tmp_path: Path) -> None:
    """A terminal that is about to begin one keeps its folder."""
    abandoned = new_folder(state(tmp_path))
    abandoned.close()
    with new_folder(state(tmp_path)) as beginning, new_folder(state(tmp_path)) as other:
        assert [path.exists() for path in (abandoned.path, beginning.path, other.path)] == [False, True, True]
