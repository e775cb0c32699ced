"""The command line against a referee that speaks TLS."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.certificates import Authority
from tests.clients.test_curator import curator
from tests.servers import referee_process

TOURNAMENT: Final = ("tournament", "--ruleset", "classic_art", "--seats", "2", "--deals", "1", "--out", "out")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"), "ours")


@pytest.fixture(scope="module")
def address(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a referee that serves only clients that show a certificate."""
    home, pair = tmp_path_factory.mktemp("referee"), authority.issue()
    files = ("--tls-cert", str(pair.cert), "--tls-key", str(pair.key), "--tls-client-ca", str(authority.root))
    with referee_process(home / "log", "--data", str(home / "data"), *files) as referee:
        yield referee.address


def test_a_tournament_is_played_over_mutual_tls(authority: Authority, address: str, tmp_path: Path) -> None:
    """The director and the processes of the entrants all show the certificate."""
    own = authority.issue("director@example.org")
    files = ("--tls-ca", str(authority.root), "--tls-cert", str(own.cert), "--tls-key", str(own.key))
    run = curator(*TOURNAMENT, "--referee", address, *files, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    [section] = json.loads((tmp_path / "out" / "standings.json").read_text())["standings"]["games"]
    assert section["reasons"] == {"COMPLETED": 2}


def test_a_client_without_a_certificate_is_told_that_it_is_not_served(
    authority: Authority, address: str, tmp_path: Path
) -> None:
    run = curator(*TOURNAMENT, "--referee", address, "--tls-ca", str(authority.root), cwd=tmp_path)
    assert (run.returncode, run.stdout) == (1, "")
    assert "UNAVAILABLE" in run.stderr.splitlines()[-1]


def test_wrong_files_are_said_in_one_sentence(authority: Authority, tmp_path: Path) -> None:
    """Before anything is called."""
    pair = authority.issue()
    for flags, sentence in (
        (("--tls-cert", str(pair.cert)), "a certificate and its key go together, only one of them is given"),
        (("--tls-ca", "none"), "none: No such file or directory"),
        (("--tls-ca", str(pair.key)), f"{pair.key}: no certificate is in it"),
        (
            ("--tls-cert", str(pair.key), "--tls-key", str(pair.key)),
            f"{pair.key}: not a certificate of which {pair.key} holds the key, without a passphrase",
        ),
    ):
        run = curator(*TOURNAMENT, "--referee", "127.0.0.1:1", *flags, cwd=tmp_path)
        assert (run.returncode, run.stderr.splitlines()[-1]) == (2, f"Error: {sentence}")


def test_tls_is_for_a_referee_that_is_named(tmp_path: Path) -> None:
    run = curator(*TOURNAMENT, "--tls", cwd=tmp_path)
    words = "TLS is spoken with a referee that is named; one that is started needs none"
    assert (run.returncode, run.stderr.splitlines()[-1]) == (2, f"Error: {words}")
