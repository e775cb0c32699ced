"""Lines of TOML documents: every key and entry that `tomllib` reads has the line at which it stands."""

import random
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from clients.tournament.planning import positions
from clients.tournament.planning.positions import Path

DOCUMENT = '''# A comment [not.a.table]
top = 1            # = 2
"quoted \\" key" = "a \\"string\\" # no comment"
'literal "key' = 'C:\\path\\'
dotted.key."with dots.in it" = true
time = 1979-05-27 07:32:00Z # a date with a space
float = 1.5e+10
long = """
[looks.like.a.table]
key = "in a string" ""\\""""
after = \'\'\'
it''s\'\'\'\'\'
list = [
  1, 2, # two on a line
  [ "]", \'}\' ],
  { inline = 1, other.key = [3,
    4] },
]
empty = []
none = {}

[ table . "sub table" ]
key = 1

[[games]]
ruleset = "a"
[[games.seats]]
x = 1
[[games.seats]]
[games.options]
deep.er = 2
[[games]]
options = { start = 1, next = "b" }
[games.seats]
y = 1
'''

LINES: dict[Path, int] = {
    ("top",): 2,
    ('quoted " key',): 3,
    ('literal "key',): 4,
    ("dotted",): 5,
    ("dotted", "key"): 5,
    ("dotted", "key", "with dots.in it"): 5,
    ("time",): 6,
    ("float",): 7,
    ("long",): 8,
    ("after",): 11,
    ("list",): 13,
    ("list", 0): 14,
    ("list", 1): 14,
    ("list", 2): 15,
    ("list", 2, 0): 15,
    ("list", 2, 1): 15,
    ("list", 3): 16,
    ("list", 3, "inline"): 16,
    ("list", 3, "other"): 16,
    ("list", 3, "other", "key"): 16,
    ("list", 3, "other", "key", 0): 16,
    ("list", 3, "other", "key", 1): 17,
    ("empty",): 19,
    ("none",): 20,
    ("table",): 22,
    ("table", "sub table"): 22,
    ("table", "sub table", "key"): 23,
    ("games",): 25,
    ("games", 0): 25,
    ("games", 0, "ruleset"): 26,
    ("games", 0, "seats"): 27,
    ("games", 0, "seats", 0): 27,
    ("games", 0, "seats", 0, "x"): 28,
    ("games", 0, "seats", 1): 29,
    ("games", 0, "options"): 30,
    ("games", 0, "options", "deep"): 31,
    ("games", 0, "options", "deep", "er"): 31,
    ("games", 1): 32,
    ("games", 1, "options"): 33,
    ("games", 1, "options", "start"): 33,
    ("games", 1, "options", "next"): 33,
    ("games", 1, "seats"): 34,
    ("games", 1, "seats", "y"): 35,
}


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """All that leads to a value of a document as `tomllib` reads it."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield (*path, key)
        yield from paths(inner, (*path, key))


def test_each_key_has_the_line_at_which_it_stands() -> None:
    assert positions.lines(DOCUMENT) == LINES


def test_lines_may_end_as_on_windows() -> None:
    assert positions.lines(DOCUMENT.replace("\n", "\r\n")) == LINES


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "a=1", "a=[]", "a={}", "[a]", "[[a]]", 'a=""', "a=''"])
def test_documents_may_be_short_and_end_without_a_line_end(text: str) -> None:
    assert positions.lines(text) == dict.fromkeys(paths(tomllib.loads(text)), 1)


def test_whatever_document_is_read_has_just_its_paths() -> None:
    """A document with lines lost, doubled and exchanged, and characters put in, is no document or has its paths."""
    rng = random.Random(5)
    read = 0
    for _ in range(4000):
        text = mutated(DOCUMENT, rng)
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            continue
        read += 1
        assert set(positions.lines(text)) == set(paths(document)), text
    assert read > 400


def mutated(text: str, rng: random.Random) -> str:
    """A text like it, after one to four changes."""
    for _ in range(rng.randint(1, 4)):
        parts = text.splitlines(keepends=True)
        line = rng.randrange(len(parts))
        match rng.randrange(4):
            case 0:
                del parts[line]
            case 1:
                parts.insert(rng.randrange(len(parts)), parts[line])
            case 2:
                other = rng.randrange(len(parts))
                parts[line], parts[other] = parts[other], parts[line]
            case _:
                place = rng.randrange(len(parts[line]) + 1)
                parts[line] = parts[line][:place] + rng.choice("[]{}\"'=,.#\\\n a1") + parts[line][place:]
        text = "".join(parts) or "\n"
    return text
