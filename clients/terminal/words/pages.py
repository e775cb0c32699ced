"""Pages whose templates speak a language."""

from jinja2 import Environment, PackageLoader, StrictUndefined

from clients.terminal.words import Words


def templates(package: str, words: Words) -> Environment:
    """Returns the templates of a package, in which `{% trans %}` and `_` are words; what is put in is escaped."""
    found = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    found.install_gettext_callables(  # type: ignore[attr-defined] # the extension brings it
        words.gettext, words.ngettext, newstyle=True
    )
    return found
