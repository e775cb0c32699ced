"""Colours of the report: every text can be read on what it lies on, in light, in dark and on paper."""

import re
from importlib.resources import files
from itertools import product

import pytest

STYLE = (files("clients.tournament.report") / "templates" / "style.css").read_text(encoding="utf-8")
SCHEMES = {
    name: dict(re.findall(r"--([a-z]+): (#[0-9a-f]+)", block))
    for name, block in zip(("light", "dark", "print"), re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL), strict=True)
}
READ_ON = [
    *product(("ink", "muted", "mark", "chance", "bad"), ("paper", "raised")),
    ("ink", "ahead"),
    ("ink", "behind"),
]


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2.2."""
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("text", "ground"), READ_ON)
def test_a_text_stands_out_from_its_ground(scheme: str, text: str, ground: str) -> None:
    """The contrast is at least 4.5, which WCAG 2.2 asks for (1.4.3, AA)."""
    darker, lighter = sorted((luminance(SCHEMES[scheme][text]), luminance(SCHEMES[scheme][ground])))
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5
