"""Failures of commands: one sentence on standard error and exit code 1."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def failing_in_words(*failures: type[Exception], tell: Callable[[BaseException], str] = str) -> Iterator[None]:
    """Turns these exceptions, also in groups, into what `tell` makes of the first: its text, if not given."""
    failure: BaseException | None = None
    try:
        yield
    except* failures as errors:
        failure = errors
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    if failure is not None:  # not raised where it was caught: some versions of Python would put it into a group
        raise click.ClickException(tell(failure))
