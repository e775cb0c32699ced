"""The words of the terminal: English in the code, other languages in catalogues, `LANGUAGE.po` beside this module.

`make words` brings the catalogues up to date with the code; what is installed reads their compiled form, `LANGUAGE.mo`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from typing import Final

ENGLISH: Final = "en"
LANGUAGES: Final = (ENGLISH, "es")
"""The codes of the languages, that of the code first."""

_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language.

    Attributes:
        language: its code, such as "es".
    """

    language: str
    _catalogue: NullTranslations

    def gettext(self, text: str) -> str:
        """Returns a text in this language."""
        return self._catalogue.gettext(text)

    def ngettext(self, one: str, many: str, count: int) -> str:
        """Returns the form of a text that goes with a count."""
        return self._catalogue.ngettext(one, many, count)

    def pgettext(self, context: str, text: str) -> str:
        """Returns a text that means different things in different contexts."""
        return self._catalogue.pgettext(context, text)

    def told(self, text: str, **values: object) -> str:
        """Returns a text in this language, with values for the names in braces."""
        return self.gettext(text).format(**values)

    def counted(self, one: str, many: str, count: int, **values: object) -> str:
        """Returns the form of a text that goes with a count, with the count for `{count}` and other values."""
        return self.ngettext(one, many, count).format(count=count, **values)


@cache
def in_language(code: str) -> Words:
    """Returns the words of a language.

    Raises:
        ValueError: there is no such language; the text says which there are.
    """
    if code not in LANGUAGES:
        raise ValueError(f"there are no words in {code!r}, only in {', '.join(LANGUAGES)}")
    if code == ENGLISH:
        return Words(code, NullTranslations())
    with files(__package__).joinpath(f"{code}.mo").open("rb") as compiled:
        return Words(code, GNUTranslations(compiled))


def language_of(environment: Mapping[str, str]) -> str:
    """Returns the language that LC_ALL, LC_MESSAGES or LANG asks for, the first that is set; English if in doubt."""
    locale = next((environment[name] for name in _VARIABLES if environment.get(name)), ENGLISH)
    code = locale.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return code if code in LANGUAGES else ENGLISH


def marked(text: str) -> str:
    """Marks a text for the catalogues that is looked up elsewhere, and returns it as it is."""
    return text
