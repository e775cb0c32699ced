"""Component data that cannot be used is refused, and every fault is named."""

from hashlib import sha256

import pytest

from referee.core.components import parse
from referee.core.errors import ComponentsError
from referee.core.game import Source

GOOD = """
version = "7"
size = 3

[[sources]]
part = "size"
origin = "rule_book"
note = "Page 2."

[[sources]]
part = "colours"
origin = "reconstruction"
note = "Nobody knows."
"""


def faults_of(content: str | bytes) -> tuple[str, ...]:
    with pytest.raises(ComponentsError) as caught:
        parse("some.toml", content if isinstance(content, bytes) else content.encode())
    assert str(caught.value) == "some.toml: " + "; ".join(caught.value.faults)
    return caught.value.faults


def test_good_data_are_read_as_they_stand() -> None:
    components = parse("some.toml", GOOD.encode())
    assert components.name == "some.toml"
    assert components.version == "7"
    assert components.parts == {"size": 3}
    assert components.sources == (
        Source("size", "rule_book", "Page 2."),
        Source("colours", "reconstruction", "Nobody knows."),
    )


def test_the_digest_is_that_of_the_bytes() -> None:
    """Even a comment changes it, so that two files are never taken for one another."""
    assert parse("some.toml", GOOD.encode()).digest == sha256(GOOD.encode()).digest()
    assert parse("some.toml", (GOOD + "# x").encode()).digest != parse("some.toml", GOOD.encode()).digest


@pytest.mark.parametrize("content", [b"version = ", b"\xff\xfe", b"version = '1'\nversion = '2'"])
def test_what_is_not_toml_is_refused(content: bytes) -> None:
    (fault,) = faults_of(content)
    assert fault.startswith("not a TOML file")


@pytest.mark.parametrize("version", ["", "version = 7", 'version = ""', "version = true"])
def test_a_version_is_a_non_empty_string(version: str) -> None:
    assert faults_of(GOOD.replace('version = "7"', version)) == ("version: expected a non-empty string",)


@pytest.mark.parametrize("sources", ["", "sources = []", "sources = 'book'", "[sources]\npart = 'size'"])
def test_sources_are_at_least_one_table(sources: str) -> None:
    assert faults_of(f'version = "7"\n{sources}') == ("sources: expected at least one table",)


def test_an_origin_is_one_of_three() -> None:
    (fault,) = faults_of(GOOD.replace('"reconstruction"', '"hearsay"'))
    assert fault == "sources[1]: origin 'hearsay', expected one of rule_book, public_fact, reconstruction"


@pytest.mark.parametrize("missing", ["part", "origin", "note"])
@pytest.mark.parametrize("instead", ["", "3"])
def test_a_source_has_a_part_an_origin_and_a_note(missing: str, instead: str) -> None:
    lines = {"part": "'a'", "origin": "'rule_book'", "note": "'b'", missing: instead}
    source = "\n".join(f"{key} = {value}" for key, value in lines.items() if value)
    (fault,) = faults_of(f"version = '7'\n[[sources]]\n{source}")
    assert fault == "sources[0]: expected part, origin and note as strings"


def test_all_faults_are_named_at_once() -> None:
    faults = faults_of("version = 1\nsources = [3, {part = 'a', origin = 'b', note = 'c'}, {}]")
    assert [fault.split(":")[0] for fault in faults] == ["version", "sources[0]", "sources[1]", "sources[2]"]
