"""Numbers and words as people read them; what belongs together does not break."""

from datetime import UTC, datetime
from typing import Final

from clients.terminal.words import ENGLISH as ENGLISH_CODE
from clients.terminal.words import Words, in_language, marked
from clients.tournament.statistics.standings import Estimate

ENGLISH: Final = in_language(ENGLISH_CODE)
_SPACE: Final = "\N{NO-BREAK SPACE}"
_MINUS: Final = "\N{MINUS SIGN}"
_TO: Final = "\N{EN DASH}"
_NAMES: Final = {
    "ADJUDICATED": marked("adjudicated"),
    "COMPLETED": marked("completed"),
    "DISCONNECTED": marked("disconnected"),
    "FINISHED": marked("finished"),
    "ILLEGAL_MOVES": marked("illegal moves"),
    "LAST_SEAT": marked("last seat"),
    "NEVER_JOINED": marked("never joined"),
    "NO_SEAT": marked("no seat"),
    "RESIGNED": marked("resigned"),
    "ROUND_CAP": marked("round cap"),
    "SEASON_CAP": marked("season cap"),
    "TIMED_OUT": marked("timed out"),
}


def count(number: int) -> str:
    """Returns a count with its thousands apart, such as "12,345"."""
    return f"{number:,}"


def matches_of(number: int, words: Words = ENGLISH) -> str:
    """Returns a count of matches, such as "1 match" or "1,200 matches"."""
    return words.ngettext("{count} match", "{count} matches", number).format(count=count(number))


def deals_of(number: int, words: Words = ENGLISH) -> str:
    """Returns a count of deals, such as "1 deal" or "1,200 deals"."""
    return words.ngettext("{count} deal", "{count} deals", number).format(count=count(number))


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


def bounded_elo(rating: float | None, words: Words = ENGLISH) -> str:
    """Returns the same, or a word where there is no bound."""
    return words.told("unbounded") if rating is None else elo(rating)


def elo_range(estimate: Estimate, words: Words = ENGLISH) -> str:
    """Returns an interval of ratings, such as "+3 to +41"; nothing if there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return words.told("{low} to {high}", low=elo(estimate.low), high=elo(estimate.high))


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


def plain(name: str, words: Words = ENGLISH) -> str:
    """Returns an upper-case name in lower-case words, such as "timed out"; in English one that is not known here."""
    return words.told(_NAMES[name]) if name in _NAMES else name.lower().replace("_", " ")


def ordinal(place: int, words: Words = ENGLISH) -> str:
    """Returns a place, such as "1st"."""
    if words.language != ENGLISH_CODE:
        return f"{place}.\N{MASCULINE ORDINAL INDICATOR}"
    tens = place % 100 // 10
    return f"{place}{'th' if tens == 1 else {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th')}"
