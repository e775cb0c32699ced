"""What an operator sets wrongly is said in one sentence before anything starts."""

import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Final

import click
import pytest
from click.core import ParameterSource
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives import serialization

from referee.__main__ import main, serve
from referee.api.creations import OperatorKeys
from referee.api.quotas import EXPOSED, Quotas
from referee.api.settings import Settings, Tls, quotas_of
from referee.table.ids import Principal
from tests.api.settings_table import DOCUMENT, table
from tests.certificates import Authority, Pair

SECRET: Final = "kept-from-everybody"  # noqa: S105 - of no store


def run(*arguments: str, **variables: str) -> Result:
    return CliRunner(env={**variables, "COLUMNS": "500"}).invoke(main, ["serve", *arguments])


def assert_refused(result: Result, sentence: str) -> None:
    assert result.exit_code == 2
    assert result.output.splitlines()[-1] == f"Error: {sentence}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds: cert, key, other-key, locked-key, nothing."""
    folder = tmp_path_factory.mktemp("tls")
    authority = Authority(folder, "ca")
    pair, other = authority.issue(), authority.issue()
    pair.cert.rename(folder / "cert")
    other.key.rename(folder / "other-key")
    _lock(pair, folder / "locked-key")
    pair.key.rename(folder / "key")
    (folder / "nothing").touch()
    return folder


def _lock(pair: Pair, path: Path) -> None:
    key = serialization.load_pem_private_key(pair.key.read_bytes(), None)
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    path.write_bytes(key.private_bytes(*form, serialization.BestAvailableEncryption(b"a passphrase")))


UNPAIRED: Final = "tls-cert {0}/{1} and tls-key {0}/{2} are not a certificate and its key without a passphrase"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"cert": "cert"}, "tls-cert and tls-key go together, only one of them is given"),
        ({"key": "key"}, "tls-cert and tls-key go together, only one of them is given"),
        ({"client-ca": "ca.pem"}, "tls-client-ca is given without tls-cert and tls-key"),
        ({"cert": "none", "key": "key"}, "tls-cert {0}/none cannot be read: No such file or directory"),
        ({"cert": "cert", "key": "none"}, "tls-key {0}/none cannot be read: No such file or directory"),
        ({"cert": "cert", "key": "other-key"}, UNPAIRED.format("{0}", "cert", "other-key")),
        ({"cert": "cert", "key": "locked-key"}, UNPAIRED.format("{0}", "cert", "locked-key")),
        ({"cert": "key", "key": "cert"}, UNPAIRED.format("{0}", "key", "cert")),
        ({"cert": "nothing", "key": "key"}, UNPAIRED.format("{0}", "nothing", "key")),
        (
            {"cert": "cert", "key": "key", "client-ca": "none"},
            "tls-client-ca {0}/none cannot be read: No such file or directory",
        ),
        ({"cert": "cert", "key": "key", "client-ca": "nothing"}, "tls-client-ca {0}/nothing holds no certificate"),
        ({"cert": "cert", "key": "key", "client-ca": "key"}, "tls-client-ca {0}/key holds no certificate"),
    ],
)
def test_files_that_tls_cannot_be_spoken_with(folder: Path, files: Mapping[str, str], sentence: str) -> None:
    flags = [word for name, file in files.items() for word in (f"--tls-{name}", str(folder / file))]
    assert_refused(run(*flags), sentence.format(folder))


@pytest.mark.parametrize(
    "url",
    [
        f"redis://:{SECRET}@h",
        f"rediss://user:{SECRET}@h:6379/0",
        f"unix://:{SECRET}@/s",
        f"redis://h?password={SECRET}",
        f"rediss+cluster://user:{SECRET}@h:1,[::1]:2",
    ],
)
def test_a_password_of_the_store_is_not_taken_from_the_command_line(url: str) -> None:
    """Everybody on the machine can read that; nor is it said again."""
    result = run("--redis", url)
    ways = "give the URL as REFEREE_REDIS_URL, or --redis-password-file"
    problem = f"has a password, which all on this machine could read there: {ways}"
    assert_refused(result, f"Invalid value for '--redis': {problem}")
    assert SECRET not in result.output


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://h", "is not a URL that starts with {0}"),
        ("redis+sentinel://h:1", "is not a URL that starts with {0}"),
        ("unix+cluster:///s", "is not a URL that starts with {0}"),
        ("redis+cluster://h", "does not name nodes of a cluster as HOST:PORT,HOST:PORT"),
        ("redis+cluster://h:1,", "does not name nodes of a cluster as HOST:PORT,HOST:PORT"),
        (f"redis+cluster://:{SECRET}/x@h:1", "does not name nodes of a cluster as HOST:PORT,HOST:PORT"),
        ("redis+cluster://h:1,i:2/1", "names a database, but a cluster has one only"),
        ("redis+cluster://h:1,[::1]", "does not name nodes of a cluster as HOST:PORT,HOST:PORT"),
        ("[redis://h]", "is not a URL that starts with {0}"),
    ],
)
def test_a_store_that_cannot_be_one(url: str, sentence: str) -> None:
    schemes = "redis://, rediss://, unix://, redis+cluster:// or rediss+cluster://"
    result = run(REFEREE_REDIS_URL=url)
    assert_refused(result, f"redis {sentence.format(schemes)}")
    assert SECRET not in result.output


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("redis://h?none=1", "has a setting that is not known: 'none'"),
        ("redis://[h", "does not name a server, or has a value that cannot be"),
    ],
)
def test_a_store_that_the_client_of_redis_refuses(url: str, sentence: str) -> None:
    command = (sys.executable, "-m", "referee", "serve", "--redis", url)
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1] == f"Error: the URL of the store {sentence}"


def test_the_embedded_store_has_no_replica() -> None:
    sentence = "durability is 'replica', but the embedded store has no replica: name a store"
    assert_refused(run("--durability", "replica"), sentence)


def test_a_password_of_the_store_is_taken_from_the_environment_and_not_said_again() -> None:
    """Here something else is wrong."""
    result = run("--listen", "nowhere", REFEREE_REDIS_URL=f"redis://:{SECRET}@h")
    assert_refused(result, "listen is 'nowhere', expected HOST:PORT")
    assert SECRET not in result.output
    assert SECRET not in repr(Settings(redis=f"redis://:{SECRET}@h"))


def test_a_password_file_is_for_a_store_that_is_named_without_a_password(tmp_path: Path) -> None:
    (tmp_path / "password").write_text(f"{SECRET}\n")
    sentence = "redis-password-file is for a store that redis names without a password"
    assert_refused(run("--redis-password-file", str(tmp_path / "password")), sentence)
    variables = {"REFEREE_REDIS_URL": f"redis://:{SECRET}@h"}
    assert_refused(run("--redis-password-file", str(tmp_path / "password"), **variables), sentence)
    assert_refused(
        run("--redis", "redis://h", "--redis-password-file", str(tmp_path / "none")),
        f"redis-password-file {tmp_path}/none cannot be read: No such file or directory",
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "{0} cannot be read: No such file or directory"),
        ("# a comment\n\nxyz", "{0}, line 3, {1}"),
        ("0" * 63, "{0}, line 1, {1}"),
        ("A" * 44, "{0}, line 1, {1}"),
        ("A" * 42 + "B", "{0}, line 1, {1}"),
    ],
)
def test_a_file_of_operator_keys_that_is_none(tmp_path: Path, content: str | None, sentence: str) -> None:
    file, wanted = tmp_path / "keys", "64 hexadecimal digits or 43 characters of base64url"
    if content is not None:
        file.write_text(content)
    said = sentence.format(f"operator-keys {file}", f"is not the SHA-256 of a principal: {wanted}")
    assert_refused(run("--operator-keys", str(file)), said)


def test_fewer_than_one_worker() -> None:
    assert_refused(run("--workers", "0"), "workers is 0, expected 1 or more")


def test_workers_get_all_settings(folder: Path, tmp_path: Path) -> None:
    """Which travel as bytes to processes of their own."""
    (tmp_path / "keys").write_text("00" * 32)
    tls = Tls(folder / "cert", folder / "key", client_ca=None)
    settings = Settings(workers=2, tls=tls, operators=OperatorKeys(tmp_path / "keys"), quotas=EXPOSED)
    got: Settings = pickle.loads(pickle.dumps(settings))  # noqa: S301 - bytes of our own
    assert got.operators is not None
    assert Principal(bytes(32)) in got.operators
    assert replace(got, operators=None) == replace(settings, operators=None)


@pytest.mark.parametrize(("port", "problem"), [(0, True), (65533, False), (65534, True)])
def test_each_worker_needs_a_port_for_its_metrics(port: int, problem: bool) -> None:
    """One after the other, from one that is known."""
    address = f"127.0.0.1:{port}"
    if problem:
        sentence = f"metrics is '{address}', expected a port that 2 more follow, one for each worker"
        assert_refused(run("--workers", "3", "--metrics", address), sentence)
    else:
        assert Settings(workers=3, metrics=address).workers == 3
    assert Settings(metrics=address).workers == 1


@pytest.mark.parametrize("age", ["-1.0", "nan", "inf"])
def test_an_age_that_no_connection_reaches(age: str) -> None:
    assert_refused(run("--connection-age", age), f"connection-age is {age} s, expected 0 or more")


@pytest.mark.parametrize("name", ["trusted-proxies", *(field.name.replace("_", "-") for field in fields(Quotas))])
def test_a_limit_below_nothing(name: str) -> None:
    value = "-1.0" if name.endswith(("-rate", "-wait")) else "-1"
    assert_refused(run(f"--{name}", value), f"{name} is {value}, expected 0 or more")


@pytest.mark.parametrize(
    ("listen", "proxies", "expected"),
    [
        ("127.0.0.1:1", 0, Quotas()),
        ("127.3.2.1:0", 0, Quotas()),
        ("localhost:1", 0, Quotas()),
        ("[::1]:1", 0, Quotas()),
        ("127.0.0.1:1", 1, EXPOSED),
        ("0.0.0.0:1", 0, EXPOSED),
        ("[::]:1", 0, EXPOSED),
        ("192.0.2.127:1", 0, EXPOSED),
        ("localhost.example.org:1", 0, EXPOSED),
    ],
)
def test_a_referee_that_only_this_machine_reaches_limits_nobody(listen: str, proxies: int, expected: Quotas) -> None:
    """Unless somebody else reaches it through a proxy; but what may be under way at once is limited everywhere."""
    assert quotas_of(listen, proxies, {"streams": None}) == expected
    assert quotas_of(listen, proxies, {"streams": 7, "call_rate": 0.0}) == replace(expected, streams=7, call_rate=0)
    assert min(expected.calls_at_once, expected.streams_at_once) > 0


@pytest.mark.parametrize("option", serve.params, ids=lambda option: str(option.name))
def test_the_environment_may_give_every_option(option: click.Option, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the name of its flag in capitals, behind REFEREE_; the store's has _URL besides."""
    name = option.opts[0].removeprefix("--").replace("-", "_").upper()
    value = option.type.choices[0] if isinstance(option.type, click.Choice) else "1"
    monkeypatch.setenv("REFEREE_REDIS_URL" if name == "REDIS" else f"REFEREE_{name}", value)
    with serve.make_context("serve", []) as context:
        assert context.get_parameter_source(str(option.name)) is ParameterSource.ENVIRONMENT


def test_every_setting_is_documented() -> None:
    """`python -m tests.api.settings_table` writes the document."""
    assert DOCUMENT.read_text() == table()
