"""Numbers and words as people read them; what belongs together does not break."""

from datetime import UTC, datetime
from typing import Final

from clients.tournament.statistics.standings import Estimate

_SPACE: Final = "\N{NO-BREAK SPACE}"
_MINUS: Final = "\N{MINUS SIGN}"
_TO: Final = "\N{EN DASH}"


def count(number: int) -> str:
    """Returns a count with its thousands apart, such as "12,345"."""
    return f"{number:,}"


def many(number: int, one: str, more: str) -> str:
    """Returns a count with the word for what is counted, such as "1 match" or "1,200 matches"."""
    return f"{count(number)} {one if number == 1 else more}"


def number(value: float) -> str:
    """Returns a number of at most two decimals, none of them a 0 at the end."""
    return f"{value:,.2f}".rstrip("0").rstrip(".").replace("-", _MINUS)


def decimals(value: float, places: int) -> str:
    """Returns a number with so many decimals, for columns of them."""
    return f"{value:,.{places}f}".replace("-", _MINUS)


def percent(share: float) -> str:
    """Returns a share of 1 with one decimal, such as "33.3 %"."""
    return f"{100 * share:.1f}{_SPACE}%"


def tick(share: float) -> str:
    """Returns a round share of 1, such as "25 %"."""
    return f"{100 * share:g}{_SPACE}%"


def percent_range(estimate: Estimate) -> str:
    """Returns an interval of shares, such as "30.1-36.5 %"; nothing if there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{100 * estimate.low:.1f}{_TO}{percent(estimate.high)}"


def elo(rating: float) -> str:
    """Returns a rating without decimals and with its sign."""
    return f"{round(rating):+d}".replace("-", _MINUS).replace("+0", "0")


def bounded_elo(rating: float | None) -> str:
    """Returns the same, or a word where there is no bound."""
    return "unbounded" if rating is None else elo(rating)


def elo_range(estimate: Estimate) -> str:
    """Returns an interval of ratings, such as "+3 to +41"; nothing if there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{elo(estimate.low)} to {elo(estimate.high)}"


def utc(time_ms: int) -> str:
    """Returns a time in ms since 1970 to the minute."""
    return f"{datetime.fromtimestamp(time_ms / 1000, UTC):%Y-%m-%d %H:%M}{_SPACE}UTC"


def duration(ms: float) -> str:
    """Returns a duration in the unit that suits it, such as "17 ms", "3.2 s", "4 min 10 s" or "26 h 5 min"."""
    if round(ms) < 1000:
        return f"{ms:.0f}{_SPACE}ms"
    if round(ms / 100) < 600:
        return f"{ms / 1000:.1f}{_SPACE}s"
    minutes, seconds = divmod(round(ms / 1000), 60)
    if minutes < 60:
        return f"{minutes}{_SPACE}min {seconds}{_SPACE}s"
    return f"{minutes // 60}{_SPACE}h {minutes % 60}{_SPACE}min"


def plain(name: str) -> str:
    """Returns an upper-case name in lower-case words, such as "timed out"."""
    return name.lower().replace("_", " ")


def ordinal(place: int) -> str:
    """Returns a place, such as "1st"."""
    tens = place % 100 // 10
    return f"{place}{'th' if tens == 1 else {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th')}"
