"""What a report tells of each match, and of how many: its size stays bounded, however many there are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from clients.tournament.pairing import Group, Round
from clients.tournament.report.logs import RecordFile
from clients.tournament.report.subject import Subject
from clients.tournament.results import GroupResult, Played

LISTED: Final = 3000
"""At most so many matches are listed."""
LOGS_SIZE: Final = 3 << 20
"""The logs that are shown have at most so many characters together."""


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """A match: `played` is None if it has no result, `log` if it is not shown."""

    name: str
    entrants: Sequence[str]
    played: Played | None
    log: str | None
    cancelled: str


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """A group: `shares` are those of its entrants, empty if it does not count."""

    group: Group
    shares: Sequence[tuple[str, float]]
    matches: Sequence[ListedMatch]


@dataclass(frozen=True, slots=True)
class ListedRound:
    """A round, and how many of its groups are not listed."""

    round: Round
    groups: Sequence[ListedGroup]
    unlisted: int


def listed_rounds(
    subject: Subject, records: RecordFile, room: int = LISTED, logs_size: int = LOGS_SIZE
) -> list[ListedRound]:
    """Returns the schedule with results and logs, as far as there is room."""
    logs, listed = _logs(subject, records, logs_size), list[ListedRound]()
    for drawn in subject.rounds:
        groups = list(_fitting(drawn.groups, room))
        room -= sum(len(group.pairings) for group in groups)
        found = [_group(subject, group, logs) for group in groups]
        listed.append(ListedRound(drawn, found, len(drawn.groups) - len(groups)))
    return listed


def _fitting(groups: Sequence[Group], room: int) -> Iterator[Group]:
    for group in groups:
        room -= len(group.pairings)
        if room < 0:
            return
        yield group


def _group(subject: Subject, group: Group, logs: dict[str, str]) -> ListedGroup:
    played = [subject.played.get(pairing.name) for pairing in group.pairings]
    whole = [match for match in played if match]
    result = GroupResult(group, tuple(whole)) if len(whole) == len(played) else None
    matches = [
        ListedMatch(
            pairing.name,
            pairing.entrants,
            match,
            logs.get(match.match_id) if match else None,
            subject.cancelled.get(pairing.name, ""),
        )
        for pairing, match in zip(group.pairings, played, strict=True)
    ]
    shares = [(name, result.share(name)) for name in sorted(group.entrants)] if result else []
    return ListedGroup(group, sorted(shares, key=lambda share: -share[1]), matches)


def _logs(subject: Subject, records: RecordFile, room: int) -> dict[str, str]:
    """The logs by match id: first of the matches in which something went wrong, then of others in their order."""
    recorded = [match for match in subject.matches if match.match_id in records]
    logs = dict[str, str]()
    for match in sorted(recorded, key=lambda match: not _unusual(match)):
        log = records.log(match.match_id)
        room -= len(log)
        if room < 0:
            break
        logs[match.match_id] = log
    return logs


def _unusual(match: Played) -> bool:
    return bool(match.adjudication) or any(seat.cause for seat in match.seats)
