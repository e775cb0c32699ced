"""Checking of a ruleset's options, which are whole numbers in ranges."""

from collections.abc import Mapping

from referee.core.errors import InvalidOptionError
from referee.core.game import Options


def checked(given: Options, allowed: Mapping[str, range], defaults: Options) -> Options:
    """Returns `given` completed by `defaults`.

    Raises:
        InvalidOptionError: an option that is not allowed, or out of its range.
    """
    for option, value in given.items():
        if option not in allowed:
            raise InvalidOptionError(option, f"is unknown; known are {' and '.join(allowed)}")
        if value not in allowed[option]:
            within = allowed[option]
            raise InvalidOptionError(option, f"is {value}, expected {within.start} to {within.stop - 1}")
    return {**defaults, **given}
