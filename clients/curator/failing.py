"""Failures of commands: one sentence on standard error and exit code 1."""

from collections.abc import Iterator
from contextlib import contextmanager

import click


@contextmanager
def failing_in_words(*failures: type[Exception]) -> Iterator[None]:
    """Turns these exceptions, also in groups, into the text of the first."""
    try:
        yield
    except* failures as errors:
        error: BaseException = errors
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise click.ClickException(str(error)) from None
