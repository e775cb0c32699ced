"""The command `referee admin`: what operators do to the matches of a store."""

import asyncio
import getpass
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import IO, Any, Final

import click

from referee.api import logs
from referee.api.settings import SettingsError, check_store, password_in
from referee.core.errors import Reason, RefereeError
from referee.games import registry
from referee.options import FILE, store_options
from referee.store import embedded
from referee.store.keeper import KeeperError
from referee.table.administration import Administration
from referee.table.facts import facts, time_of
from referee.table.ids import MATCH_ID, MatchId, Principal
from referee.table.snapshot import Snapshot, Status
from referee.table.store import StoreUnavailableError
from referee.table.table import Table

_RECORDS: Final = "records.jsonl"
_UNREADABLE: Final = "unreadable"
_HOUR_MS: Final = 3600 * 1000


@click.group()
def admin() -> None:
    """Looks after the matches of a store. What changes one is noted in the store's audit log before it is done."""


def _in_office(act: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Makes a command of what is done with the administration of a store that options name."""

    @store_options
    @wraps(act)
    def command(redis: str | None, redis_password_file: Path | None, data: Path, durability: str, **rest: Any) -> None:
        logs.set_up("auto", "info")
        try:
            check_store(redis, durability)
            password = password_in(redis_password_file)
            with _reached(redis, data) as url:
                asyncio.run(_act(url, password, durability, act, rest))
        except (KeeperError, RefereeError, SettingsError, StoreUnavailableError) as error:
            raise click.ClickException(str(error)) from None

    return command


async def _act(
    url: str, password: str | None, durability: str, act: Callable[..., Awaitable[None]], rest: dict[str, Any]
) -> None:
    from referee.store.books import RedisBooks
    from referee.store.node import UrlError

    try:
        books = RedisBooks(url, password, replicated=durability == "replica")
    except UrlError as error:
        raise click.ClickException(str(error)) from None
    try:
        await act(Administration(Table(books, registry()), books, getpass.getuser()), **rest)
    finally:
        await books.close()


@contextmanager
def _reached(redis: str | None, data: Path) -> Iterator[str]:
    """The URL of a store: a named one, that of a referee that runs in a directory, or one that is started there."""
    url = redis or embedded.running(data)
    if url is not None:
        yield url
        return
    if not data.is_dir():
        raise KeeperError(f"there is no store in {data}")
    store = embedded.start(data)
    try:
        yield store.url
    finally:
        store.stop()


def _match_id(context: click.Context, parameter: click.Parameter, text: str) -> MatchId:
    if not MATCH_ID.fullmatch(text):
        raise click.BadParameter(f"{text!r} is not the id of a match: 26 characters a-z and 2-7")
    return MatchId(text)


def _holder(context: click.Context, parameter: click.Parameter, text: str) -> Principal:
    with suppress(ValueError):
        if len(found := bytes.fromhex(text)) == 32:
            return Principal(found)
    raise click.BadParameter("is not the SHA-256 of a principal: 64 hexadecimal characters")


_MATCH: Final = click.argument("match_id", metavar="MATCH", callback=_match_id)
_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Write JSON.")
_REASON: Final = click.option("--reason", required=True, metavar="TEXT", help="Why; kept in the audit log.")


@admin.command(name="list")
@click.option("--ruleset", metavar="NAME", help="Only of this ruleset.")
@click.option(
    "--status", type=click.Choice([*(status.name.lower() for status in Status), _UNREADABLE]), help="Only with it."
)
@click.option("--older-than", type=click.FloatRange(0), metavar="HOURS", help="Only those created before that.")
@_JSON
@_in_office
async def list_matches(
    office: Administration, ruleset: str | None, status: str | None, older_than: float | None, as_json: bool
) -> None:
    """Lists all matches, also unlisted and private ones, page by page on a terminal."""
    before_ms = None if older_than is None else datetime.now(UTC).timestamp() * 1000 - older_than * _HOUR_MS

    async def lines() -> AsyncIterator[str]:
        async for match_id, snapshot in office.matches():
            if _is_wanted(snapshot, ruleset, status, before_ms):
                yield json.dumps(_row(match_id, snapshot)) if as_json else _line(_row(match_id, snapshot))

    if sys.stdout.isatty():
        click.echo_via_pager([f"{line}\n" async for line in lines()])
        return
    async for line in lines():
        click.echo(line)


def _is_wanted(snapshot: Snapshot | None, ruleset: str | None, status: str | None, before_ms: float | None) -> bool:
    if snapshot is None:
        return ruleset is None and before_ms is None and status in (None, _UNREADABLE)
    return (
        ruleset in (None, snapshot.head.ruleset)
        and status in (None, Status(snapshot.course.status).name.lower())
        and (before_ms is None or (snapshot.header is not None and snapshot.header.created_ms < before_ms))
    )


def _row(match_id: MatchId, snapshot: Snapshot | None) -> dict[str, Any]:
    if snapshot is None:
        return {"match_id": match_id, "status": _UNREADABLE}
    known = facts(snapshot)
    seats = known["seats"]
    names = ("match_id", "ruleset", "status", "version", "created", "last_entry", "visibility")
    return {name: known[name] for name in names} | {"seats": f"{sum(seat['bound'] for seat in seats)}/{len(seats)}"}


def _line(row: dict[str, Any]) -> str:
    return "  ".join(str(value) for value in row.values())


@admin.command()
@_MATCH
@_JSON
@_in_office
async def show(office: Administration, match_id: MatchId, as_json: bool) -> None:
    """Shows the facts of a match; what is hidden in it only when its record may be read."""
    known = facts(await office.find(match_id))
    if as_json:
        click.echo(json.dumps(known))
        return
    for name, value in known.items():
        for part in value if isinstance(value, list) else [value]:
            click.echo(f"{name}: {_line(part) if isinstance(part, dict) else part}")


@admin.command()
@_MATCH
@_REASON
@_in_office
async def abort(office: Administration, match_id: MatchId, reason: str) -> None:
    """Ends a match without a result; its players and watchers are told."""
    new = await office.abort(match_id, reason)
    click.echo(f"match {match_id} is aborted" if new else f"match {match_id} was aborted already")


@admin.command()
@_MATCH
@click.argument("seat", type=click.IntRange(0))
@click.option("--to", "holder", required=True, metavar="HASH", callback=_holder, help="SHA-256 of who shall hold it.")
@_REASON
@_in_office
async def revoke(office: Administration, match_id: MatchId, seat: int, holder: Principal, reason: str) -> None:
    """Takes a seat from whoever holds it and gives it to another principal; all else about it stays."""
    new = await office.revoke(match_id, seat, holder, reason)
    click.echo(f"seat {seat} has a new holder" if new else f"that principal holds seat {seat} already")


@admin.command()
@click.argument("directory", type=FILE)
@click.option("--match", "match_ids", multiple=True, metavar="MATCH", help="This match; repeatable.")
@click.option("--finished", is_flag=True, help="All matches that have ended.")
@_in_office
async def export(office: Administration, directory: Path, match_ids: tuple[str, ...], finished: bool) -> None:
    """Adds records to DIRECTORY/records.jsonl, as GetRecord gives them, those that are there already left out."""
    if not match_ids and not finished:
        raise click.UsageError("name matches with --match, or all with --finished")
    wanted = [MatchId(match_id) for match_id in match_ids]
    if finished:
        wanted += [match_id async for match_id, snapshot in office.matches() if snapshot and snapshot.over]
    kept_back = 0
    with _added_to(directory / _RECORDS) as (there, records):
        new = [match_id for match_id in dict.fromkeys(wanted) if match_id not in there]
        for match_id in new:
            line = await _record(office, match_id, skip=finished)
            kept_back += line is None
            records.write(line or "")
    waiting = f", {kept_back} wait for their hosts to release them" if kept_back else ""
    click.echo(f"{len(new) - kept_back} records added to {directory / _RECORDS}{waiting}")


@contextmanager
def _added_to(file: Path) -> Iterator[tuple[set[str], IO[str]]]:
    """The matches whose records are in a file, and where to add others; they are in it when the block ends well."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    part = file.with_suffix(".part")
    with part.open("w") as records:
        records.writelines(lines)
        yield {json.loads(line)["match_id"] for line in lines}, records
    part.replace(file)


async def _record(office: Administration, match_id: MatchId, skip: bool) -> str | None:
    from referee.api import responses
    from referee.wire.record import canonical_json

    try:
        snapshot, log = await office.record(match_id)
    except RefereeError as error:
        if skip and error.reason is Reason.NOT_DISCLOSED:
            return None
        raise
    return canonical_json(responses.record(snapshot, log, await office.moment())) + "\n"


@admin.command()
@_JSON
@_in_office
async def statistics(office: Administration, as_json: bool) -> None:
    """Counts matches and what they take; reads all of them."""
    found = await office.statistics()
    oldest = None if found.oldest_open is None else facts(found.oldest_open)
    if as_json:
        matches = [{"ruleset": name, "status": state, "count": n} for (name, state), n in sorted(found.matches.items())]
        usage = {kind: use._asdict() for kind, use in sorted(found.usage.items())}
        click.echo(
            json.dumps({"matches": matches, _UNREADABLE: found.unreadable, "oldest_open": oldest, "keys": usage})
        )
        return
    for (ruleset, state), count in sorted(found.matches.items()):
        click.echo(f"{count} {state} of {ruleset}")
    if found.unreadable:
        click.echo(f"{found.unreadable} {_UNREADABLE}")
    if oldest:
        click.echo(f"the oldest that has not ended: {oldest['match_id']}, created {oldest['created']}")
    for kind, use in sorted(found.usage.items()):
        click.echo(f"{use.keys} keys, {use.bytes} bytes: {kind}")


@admin.command()
@_JSON
@_in_office
async def audit(office: Administration, as_json: bool) -> None:
    """Shows who aborted and revoked what, and why, the oldest first."""
    async for noted in office.audit():
        line = {"time": time_of(noted.time_ms), **noted.deed._asdict()}
        click.echo(json.dumps(line) if as_json else _line(line))
