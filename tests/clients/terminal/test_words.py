"""The words of the terminal in all languages."""

import ast
import re

import pytest

from clients.terminal.words import LANGUAGES, in_language, language_of
from tests.clients.terminal.catalogues import CLIENTS, FOLDER, KEYWORDS, SOURCES, compiled, extracted, kept

TRANSLATED = LANGUAGES[1:]


def _placeholders(text: str) -> list[str]:
    return sorted(re.findall(r"{.*?}|%\(.*?\)s", text))


def _forms(text: object) -> list[str]:
    return list(text) if isinstance(text, list | tuple) else [str(text)]


def test_every_text_that_the_code_looks_up_is_found_there() -> None:
    """Also in f-strings, into which the search for texts does not look before Python 3.12: none may be in one."""
    files = (file for folder in SOURCES for file in (CLIENTS / folder).rglob("*.py"))
    calls = (node for file in files for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))
    texts = {
        constant.value
        for call in calls
        if ast.unparse(call.func).rpartition(".")[2] in KEYWORDS
        for constant in call.args[-1:]
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
    }
    found = {form for message in extracted() for form in _forms(message.id)}
    assert texts - found == set()


@pytest.mark.parametrize("language", TRANSLATED)
class TestCatalogue:
    def test_has_every_text_of_the_code_and_no_other(self, language: str) -> None:
        """`make words` puts this right."""
        texts = {(message.context, message.id) for message in extracted() if message.id}
        assert texts == {(message.context, message.id) for message in kept(language) if message.id}

    def test_every_text_is_translated_for_sure(self, language: str) -> None:
        wanting = [
            message.id
            for message in kept(language)
            if message.id and (message.fuzzy or not all(_forms(message.string)))
        ]
        assert not wanting

    def test_translations_have_the_placeholders_of_their_texts(self, language: str) -> None:
        for message in kept(language):
            texts, forms = _forms(message.id), _forms(message.string)
            for form, text in zip(forms, texts, strict=True) if message.id else ():
                assert _placeholders(form) == _placeholders(text), message.id

    def test_what_is_read_at_run_time_is_compiled_from_it(self, language: str) -> None:
        """`make words` puts this right."""
        assert (FOLDER / f"{language}.mo").read_bytes() == compiled(kept(language))


class TestLanguage:
    @pytest.mark.parametrize(
        ("environment", "language"),
        [
            ({}, "en"),
            ({"LANG": "es_ES.UTF-8"}, "es"),
            ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "es_MX"}, "es"),
            ({"LANG": "es", "LC_ALL": "C"}, "en"),
            ({"LANG": "es_AR@euro", "LC_ALL": ""}, "es"),
            ({"LANG": "C.UTF-8"}, "en"),
            ({"LANG": "de_DE.UTF-8"}, "en"),
            ({"LANG": "español"}, "en"),
        ],
    )
    def test_is_that_of_the_environment(self, environment: dict[str, str], language: str) -> None:
        """LC_ALL goes before LC_MESSAGES, that before LANG, and an empty variable is none, as POSIX has it."""
        assert language_of(environment) == language

    def test_one_without_words_is_refused(self) -> None:
        with pytest.raises(ValueError, match="there are no words in 'de', only in en, es"):
            in_language("de")


class TestWords:
    def test_are_those_of_their_language(self) -> None:
        assert in_language("es").gettext("Play begins.") == "Empieza el juego."
        assert in_language("en").gettext("Play begins.") == "Play begins."

    @pytest.mark.parametrize(("count", "told"), [(1, "queda 1 turno"), (2, "quedan 2 turnos")])
    def test_go_with_their_count(self, count: int, told: str) -> None:
        assert in_language("es").counted("{count} turn left", "{count} turns left", count) == told
