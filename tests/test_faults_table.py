"""The table of reported faults is whole, and every test that it names exists."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

HERE: Final = Path(__file__).parent
NAMED: Final = re.compile(r"`([\w/]+\.py)::(\w+)`")
ROWS: Final = (
    "A1 A2 A3 A4 A5 A6 A8 A9 A10 A13 A15 A16 A18 A19 A20 A21 A22 A23 A24 A25 A28 A29 A30 A31 A32 A34 "
    "B1 B2 B3 B6 "
    "C1 C2 C3 C4 C5 C6 C8 C9 C10 C13 C15 C17 C18 C19 C20 C21 "
    "D2 D3 D5 D6 D8 D9 D10 D11 D13 D14 D15 D16 D17 D18 "
    "E1 E3 E4 E5 E6 E7 E8 E9 E11 E12 E13 E15 E16 E17 E18 E19 "
    "F1 F3 F4 F6 F7 F8 F10 F11 F12 F14 F15 F16 F17 F18 F21 F22 "
    "G1 G2 G3 G4 G5 G7 G8 G9 G11 "
    "H1 H4 H6 H7 H8 "
    "I1 I3 I4 I5 I7"
)


class Row(NamedTuple):
    """A row of the table."""

    number: str
    fault: str
    answer: str


def rows() -> Iterator[Row]:
    for line in (HERE / "FAULTS.md").read_text().splitlines():
        if re.match(r"\| [A-Z]\d", line):
            yield Row(*(cell.strip() for cell in line.strip("|").split("|")))


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of the tests of a file."""
    body = ast.parse((HERE / file).read_text()).body
    functions = (item.name for item in body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(name for name in functions if name.startswith("test_"))


def test_every_row_is_there_once() -> None:
    assert " ".join(row.number for row in rows()) == ROWS


def test_every_row_has_a_test() -> None:
    assert [row.number for row in rows() if not NAMED.search(row.answer)] == []


def test_every_row_names_a_public_report() -> None:
    assert [row.number for row in rows() if not re.search(r"\([\w./-]+ #\d+(, #\d+)*\)$", row.fault)] == []


def test_every_named_test_exists() -> None:
    named = [(row.number, *found.groups()) for row in rows() for found in NAMED.finditer(row.answer)]
    assert [name for name in named if name[2] not in names_in(name[1])] == []
    assert sum(row.answer.count("::") for row in rows()) == len(named)
