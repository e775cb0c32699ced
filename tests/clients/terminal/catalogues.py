"""`python -m tests.clients.terminal.catalogues` brings the catalogues of the terminal up to date with the code."""

from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from clients import terminal
from clients.terminal import words

FOLDER: Final = Path(words.__file__).parent
SOURCES: Final = Path(terminal.__file__).parent
KEYWORDS: Final = {
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
    for file, _, text, _, context in extract_from_dir(SOURCES, keywords=KEYWORDS):
        catalogue.add(text, locations=[(f"clients/terminal/{file}", 0)], context=context)
    return catalogue


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
