"""The command `curator replay`: recorded matches looked at, told or verified."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from artreferee.v1 import record_pb2
from clients.curator import seats
from clients.replay import replay
from clients.terminal import screen
from clients.terminal.recording import Recording
from clients.terminal.screen import Style
from clients.terminal.sharing import Eyes, shared_page
from clients.terminal.words import Words
from referee.wire.record import RecordError, parse_record

_LISTED: Final = 20
"""So many matches are named to choose among."""


def _eyes(context: click.Context, parameter: click.Parameter, text: str) -> Eyes:
    match text:
        case "all":
            return Eyes(all_seeing=True)
        case "everybody":
            return Eyes()
        case _ if text.isdecimal() and text.isascii():
            return Eyes(int(text))
        case _:
            raise click.BadParameter(f"{text!r} is neither all, everybody nor the number of a seat")


@click.command(name="replay")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--match", "match_id", metavar="ID", help="Only this match.")
@click.option("--verify", is_flag=True, help="Tell only whether every match follows from its seed and moves.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Writes one match as a page that needs nothing else.",
)
@click.option(
    "--eyes",
    callback=_eyes,
    default="all",
    show_default=True,
    metavar="all|everybody|SEAT",
    help="Who looks, in a page.",
)
@seats.LANG
@seats.PLAIN
def replay_file(
    file: Path, match_id: str | None, verify: bool, html: Path | None, eyes: Eyes, words: Words, plain: bool
) -> None:
    """Replays the matches of a records file: step by step in a terminal, else a line a step."""
    if verify and html is not None:
        raise click.UsageError("--verify and --html do not go together")
    with seats.telling(words):
        records = _records(file, match_id)
        if verify:
            click.echo(f"{sum(map(_verified, records))} matches follow from their seeds and moves")
        elif html is not None:
            click.echo(_shared(_only(records, file), html, eyes, words))
        elif Style.wanted(words, plain=plain).plain:
            click.echo(f"{sum(map(_told, records))} matches")
        else:
            asyncio.run(screen.look_back(list(records), words))


def _records(file: Path, match_id: str | None) -> Iterator[record_pb2.MatchRecord]:
    """Reads the records of a file, or the one of a match.

    Raises:
        RecordError: there is none, or a line is no record.
    """
    found = False
    for number, line in enumerate(file.read_bytes().split(b"\n"), 1):
        if not line:
            continue
        try:
            record = parse_record(line.decode(errors="replace"))
        except RecordError as error:
            raise RecordError(f"{file}, line {number}: {error}") from None
        if match_id in (None, record.match_id):
            found = True
            yield record
    if not found:
        raise RecordError(f"{file} has no record" + (f" of match {match_id}" if match_id else ""))


def _only(records: Iterator[record_pb2.MatchRecord], file: Path) -> record_pb2.MatchRecord:
    """Returns the only record.

    Raises:
        RecordError: there are more; the text says which.
    """
    first, *others = records
    if not others:
        return first
    ids = [record.match_id for record in [first, *others][:_LISTED]]
    more = f" and {len(others) + 1 - _LISTED} more" if len(others) >= _LISTED else ""
    raise RecordError(f"{file} has several matches, of which --match ID names one: {', '.join(ids)}{more}")


def _shared(record: record_pb2.MatchRecord, html: Path, eyes: Eyes, words: Words) -> str:
    """Writes the page of a match, and returns what to tell of it."""
    if eyes.seat is not None and eyes.seat >= len(record.seats):
        raise RecordError(f"there is no seat {eyes.seat} in match {record.match_id}, only 0 to {len(record.seats) - 1}")
    recording = Recording(record, words)
    html.write_text(shared_page(recording, eyes, words), encoding="utf-8")
    return f"{html}: {recording.mark}"


def _verified(record: record_pb2.MatchRecord) -> int:
    """Verifies a match, and counts it."""
    for _ in replay(record):
        pass
    return 1


def _told(record: record_pb2.MatchRecord) -> int:
    """Tells a match, and counts it."""
    click.echo(f"match {record.match_id}: {record.ruleset}, {len(record.seats)} seats")
    for step in replay(record):
        who = "referee" if step.seat is None else record.seats[step.seat].display_name
        click.echo(f"{step.version:5} {who}{' (autopilot)' if step.actor == 'autopilot' else ''}: {step.text}")
    for seat, result in zip(record.seats, record.result.seats, strict=record.HasField("result")):
        score = f", score {result.score}" if result.HasField("score") else ""
        click.echo(f"      {seat.display_name}: place {result.rank}{score}")
    return 1
