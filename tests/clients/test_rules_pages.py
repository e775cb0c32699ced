"""Rules pages for players: complete, in step with the components, and refused in words where there are none."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from io import StringIO
from typing import Any

import pytest
from rich.console import Console
from rich.markdown import Markdown

from clients.rules import RulesPageError, languages, page
from referee.games import registry

OWN_RULINGS = {
    "art_decko": [
        "AD-R1",
        "AD-R2",
        "AD-R3",
        "AD-R4",
        "AD-R5",
        "AD-R6",
        "AD-R7",
        "AD-R8",
        "AD-R9",
        "AD-R10",
        "AD-R11",
        "AD-R12",
    ],
    "artsee": ["AS-R1", "AS-R2", "AS-R3", "AS-R4", "AS-R5", "AS-R6", "AS-R7", "AS-R8", "AS-R9", "AS-R10"],
    "classic_art": ["CA-R1", "CA-R2", "CA-R3", "CA-R4", "CA-R5", "CA-R6"],
}
# G-R3 is about sealed choices, which Art Decko has not.
GENERAL_RULINGS = {
    "art_decko": ["G-R1", "G-R2", "G-R4", "G-R5", "G-R6", "G-R7", "G-R8", "G-R9"],
    "artsee": ["G-R1", "G-R2", "G-R3", "G-R4", "G-R5", "G-R6", "G-R7", "G-R8", "G-R9"],
    "classic_art": ["G-R1", "G-R2", "G-R3", "G-R4", "G-R5", "G-R6", "G-R7", "G-R8", "G-R9"],
}
TITLES = {"art_decko": "Art Decko", "artsee": "ArtVer", "classic_art": "Classic Art"}
PAGES = [(ruleset, language) for ruleset in OWN_RULINGS for language in ("en", "es")]


def row(cells: Iterable[object]) -> str:
    """Returns a row, or consecutive cells, of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |"


def numbers_of_classic_art(parts: dict[str, Any], language: str) -> Iterator[str]:
    for deal in parts["deals"]:
        yield row([deal["seats"], deal["hand"], deal["house"]])
    yield row(space["name"] for space in parts["spaces"])
    yield row(space["prestige"] for space in parts["spaces"])


def numbers_of_artsee(parts: dict[str, Any], language: str) -> Iterator[str]:
    for table in parts["players"]:
        removed = table["removed_of_each"] or table["removed_of_all"]
        yield row([table["seats"], table["visitors"]]) + (f" {removed} " if removed else "")
    yield row(masterpiece["requirement"] for masterpiece in parts["masterpieces"])
    yield row(masterpiece["prestige"] for masterpiece in parts["masterpieces"])
    yield row(parts["bonus"]["categories"])


def numbers_of_art_decko(parts: dict[str, Any], language: str) -> Iterator[str]:
    gold, orange, yellow, paintings = {
        "en": ("{}-gold", "Orange ones", "Yellow ones", "paintings or more"),
        "es": ("oro de {}", "Las naranjas", "Las amarillas", "cuadros o más"),
    }[language]
    for number, exhibition in enumerate(parts["exhibitions"], 1):
        yield row([number, exhibition["cost"], ", ".join(map(str, exhibition["vp"]))])
    for table in ("gold_value", "painting_vp", "gold_per_vp"):
        yield row(threshold for threshold, _ in parts["market"][table])
        yield row(value for _, value in parts["market"][table])
    yield row(parts["galleries"]["rises"])
    yield row([gold.format(3), parts["bank"]["three_cost"], parts["bank"]["three_rise"]])
    yield row([gold.format(5), parts["bank"]["five_cost"], parts["bank"]["five_rise"]])
    for full in parts["galleries"]["full"]:
        yield row([full["seats"], full["paintings"]])
    yield f"{orange}: {', '.join(map(str, parts['tokens']['orange']))}."
    yield f"{yellow}: {', '.join(map(str, parts['tokens']['yellow']))}."
    yield f"{parts['museum']['end_at']} {paintings}"


NUMBERS: dict[str, Callable[[dict[str, Any], str], Iterator[str]]] = {
    "art_decko": numbers_of_art_decko,
    "artsee": numbers_of_artsee,
    "classic_art": numbers_of_classic_art,
}


def rulings_by_section(text: str) -> list[list[str]]:
    """Returns the rulings of each second-level section, in the order in which they are named."""
    return [re.findall(r"\[([A-Z]+-R\d+)\]", section) for section in text.split("\n## ")]


@pytest.mark.parametrize("ruleset", registry())
def test_every_ruleset_has_an_english_page(ruleset: str) -> None:
    """Nobody has to guess the rules of a game that the referee offers."""
    assert "en" in languages(ruleset)
    assert page(ruleset, "en").startswith(f"# {registry()[ruleset].spec.title}\n")


@pytest.mark.parametrize("ruleset", OWN_RULINGS)
def test_every_game_is_told_in_spanish_too(ruleset: str) -> None:
    """By the name under which it is sold in Spanish."""
    assert languages(ruleset) == ["en", "es"]
    assert page(ruleset, "es").startswith(f"# {TITLES[ruleset]}\n")


@pytest.mark.parametrize(("ruleset", "language"), PAGES)
def test_a_page_names_every_ruling_of_its_game(ruleset: str, language: str) -> None:
    """Its own rulings once each, the general ones as far as they concern the game, and no others."""
    named = sorted(ruling for section in rulings_by_section(page(ruleset, language)) for ruling in section)
    assert named == sorted(OWN_RULINGS[ruleset] + GENERAL_RULINGS[ruleset])


@pytest.mark.parametrize("ruleset", OWN_RULINGS)
def test_both_pages_have_the_same_sections_with_the_same_rulings(ruleset: str) -> None:
    """The Spanish page ends with a glossary besides."""
    assert rulings_by_section(page(ruleset, "es")) == [*rulings_by_section(page(ruleset, "en")), []]


@pytest.mark.parametrize(("ruleset", "language"), [at for at in PAGES if at[0] in registry()])
def test_numbers_are_those_of_the_components(ruleset: str, language: str) -> None:
    """Whoever changes a number of the components file must change the page."""
    components = tomllib.loads(files(f"referee.games.{ruleset}").joinpath("components.toml").read_text())
    text = " ".join(page(ruleset, language).split())
    assert [number for number in NUMBERS[ruleset](components, language) if number not in text] == []


@pytest.mark.parametrize(("ruleset", "language"), PAGES)
def test_a_page_fits_a_terminal_of_eighty_columns(ruleset: str, language: str) -> None:
    """No cell of a table is cut off, and brackets are shown as they stand."""
    console = Console(file=StringIO(), width=80, force_terminal=False)
    with console.capture() as capture:
        console.print(Markdown(page(ruleset, language)))
    shown = capture.get()
    assert max(map(len, shown.splitlines())) == 80
    assert "…" not in shown.replace("-R…]", "")
    assert f"[{OWN_RULINGS[ruleset][0]}]" in shown


@pytest.mark.parametrize(
    ("ruleset", "language", "text"),
    [
        ("chess", "en", "there are no rules pages of 'chess', only of art_decko, artsee, classic_art"),
        ("", "en", "there are no rules pages of '', only of art_decko, artsee, classic_art"),
        ("artsee", "fr", "the rules page of artsee is not written in 'fr', only in en, es"),
        ("classic_art", "fr", "the rules page of classic_art is not written in 'fr', only in en, es"),
        ("artsee.en", "md", "there are no rules pages of 'artsee.en', only of art_decko, artsee, classic_art"),
    ],
)
def test_a_missing_page_is_refused_in_words(ruleset: str, language: str, text: str) -> None:
    """One sentence says which there are."""
    assert languages("chess") == []
    with pytest.raises(RulesPageError) as refusal:
        page(ruleset, language)
    assert str(refusal.value) == text
