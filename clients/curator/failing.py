"""Failures of commands: one sentence on standard error and exit code 1."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def failing_in_words(*failures: type[Exception], tell: Callable[[BaseException], str] = str) -> Iterator[None]:
    """Turns these exceptions, also in groups, into what `tell` makes of the first: its text, if not given."""
    try:
        yield
    except* failures as errors:
        error: BaseException = errors
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise click.ClickException(tell(error)) from None
