"""`python -m tests.clients.terminal.catalogues` brings the catalogues up to date with the code and the templates."""

from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

import clients
from clients.terminal import words
from clients.terminal.words import ENGLISH, Words, in_language

FOLDER: Final = Path(words.__file__).parent
CLIENTS: Final = Path(clients.__file__).parent
SOURCES: Final = ("terminal", "tournament/report")
METHODS: Final = [("**.py", "python"), ("**.html", "jinja2")]
OPTIONS: Final = {"**.html": {"newstyle_gettext": "true", "silent": "false"}}
KEYWORDS: Final = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "marked": None,
    "told": None,
    "counted": (1, 2),
}


def extracted() -> Catalog:
    """Returns the texts that the code marks."""
    catalogue = Catalog()
    for folder in SOURCES:
        found = extract_from_dir(CLIENTS / folder, METHODS, OPTIONS, keywords=KEYWORDS)
        for file, _, text, _, context in found:
            catalogue.add(text, locations=[(f"clients/{folder}/{file}", 0)], context=context)
    return catalogue


class _Missing(NullTranslations):
    def gettext(self, message: str) -> str:
        raise AssertionError(f"not translated: {message}")

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        raise AssertionError(f"not translated: {msgid1}")

    def pgettext(self, context: str, message: str) -> str:
        raise AssertionError(f"not translated: {message}")


def strict(language: str) -> Words:
    """Returns the words of a language without what English would stand in for."""
    if language == ENGLISH:
        return in_language(language)
    with (FOLDER / f"{language}.mo").open("rb") as file:
        catalogue = GNUTranslations(file)
    catalogue.add_fallback(_Missing())
    return Words(language, catalogue)


def kept(language: str) -> Catalog:
    """Returns a catalogue as it is kept."""
    with (FOLDER / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def compiled(catalogue: Catalog) -> bytes:
    """Returns the form of a catalogue that is read at run time."""
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def renew(language: str) -> None:
    """Adds to a catalogue what is new, takes out what is gone, and compiles it. Its header stays as it is."""
    po = FOLDER / f"{language}.po"
    header = po.read_text(encoding="utf-8").partition("\n\n")[0]
    catalogue = kept(language)
    catalogue.update(extracted(), no_fuzzy_matching=True)
    file = BytesIO()
    write_po(file, catalogue, width=0, omit_header=True, ignore_obsolete=True, include_lineno=False, sort_by_file=True)
    po.write_text(f"{header}\n\n{file.getvalue().decode()}", encoding="utf-8")
    po.with_suffix(".mo").write_bytes(compiled(kept(language)))


if __name__ == "__main__":
    for code in words.LANGUAGES[1:]:
        renew(code)
