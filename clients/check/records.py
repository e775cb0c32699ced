"""What a record must be like, and when it may be read."""

from typing import Final

from artreferee.v1 import error_pb2, match_pb2, service_pb2
from clients.check import calls
from clients.check.checks import CheckFailedError, CheckSkippedError, check, equal, expect
from clients.check.played import Played, all_played, in_hindsight
from clients.check.reasons import refused
from clients.check.subject import Sitting, Subject, can_be_read, rules_of
from clients.replay import ReplayError, replay
from clients.sdk import new_request_id
from referee.core.seeding import commitment
from referee.wire.record import checksum

_SEED: Final = bytes(range(32))


@in_hindsight
async def the_seed_is_the_one_promised(subject: Subject) -> None:
    """The commitment never changes, and is SHA-256 over tag, match id and the seed that the record reveals."""
    for match in await all_played(subject):
        promised = match.sitting.created.commitment
        for sighting in match.shown():
            equal(f"the commitment of {match.name}, shown by {sighting.call},", sighting.match.commitment, promised)
        record = match.record
        equal(f"the commitment in the record of {match.name}", record.commitment, promised)
        equal(f"the match id of the record of {match.name}", record.match_id, match.sitting.match_id)
        equal(f"the commitment to the seed of {match.name}", commitment(record.match_id, record.seed), promised)


@in_hindsight
async def the_checksum_is_right(subject: Subject) -> None:
    """The checksum of a record is SHA-256 of its canonical JSON without it."""
    known = [match for match in await all_played(subject) if can_be_read(match.sitting.ruleset)]
    if not known:
        raise CheckSkippedError("of no listed ruleset the messages are known here")
    for match in known:
        record = match.record
        equal(f"the record_version of {match.name}", record.record_version, 1)
        equal(f"the checksum of the record of {match.name}", record.checksum, checksum(record))


@in_hindsight
async def a_record_replays(subject: Subject) -> None:
    """A record can be dealt again from its seed and played move by move, with the same result."""
    known = [match for match in await all_played(subject) if rules_of(match.sitting.ruleset)]
    if not known:
        raise CheckSkippedError("no listed ruleset is known here in the version that the referee plays")
    for match in known:
        _replay(match)


def _replay(match: Played) -> None:
    try:
        for _ in replay(match.record):
            pass
    except ReplayError as error:
        raise CheckFailedError(f"the record of {match.name} does not replay: {error}") from None


@check
async def a_record_waits_for_the_end(subject: Subject) -> None:
    """GetRecord is refused with MATCH_NOT_OVER until the match has ended; then anyone may read it."""
    sitting = await subject.sit(subject.simplest())
    everybody = (sitting.host, sitting.players[0], sitting.spectator)
    request = service_pb2.GetRecordRequest(match_id=sitting.match_id)
    for caller in everybody:
        refused("GetRecord before the end", await caller.call(calls.GET_RECORD, request), "MATCH_NOT_OVER")
    await sitting.end()
    records = [(await caller.ask(calls.GET_RECORD, request)).record for caller in everybody]
    for record in records:
        equal("the record for one reader", record, records[0])
    equal("what the log tells of", [entry.WhichOneof("entry") for entry in records[0].log][:1], ["resignation"])


@check
async def a_record_waits_for_its_release(subject: Subject) -> None:
    """With ON_RELEASE, GetRecord is refused with NOT_DISCLOSED after the end, until the host releases it."""
    sitting = await subject.sit(subject.simplest(), disclosure=match_pb2.DISCLOSURE_ON_RELEASE)
    equal("the disclosure", (await sitting.see(None)).disclosure, match_pb2.DISCLOSURE_ON_RELEASE)
    equal("the reason of a release before the end", await _release(sitting), "MATCH_NOT_OVER")
    await sitting.end()
    request = service_pb2.GetRecordRequest(match_id=sitting.match_id)
    for caller in (sitting.host, sitting.players[0], sitting.spectator):
        reply = await caller.call(calls.GET_RECORD, request)
        refused("GetRecord before the release", reply, "NOT_DISCLOSED", match_id=sitting.match_id)
    equal("the reason of a release by the host", await _release(sitting), "UNSPECIFIED")
    record = (await sitting.spectator.ask(calls.GET_RECORD, request)).record
    equal("the match of a released record", record.match_id, sitting.match_id)


@check
async def only_the_host_releases(subject: Subject) -> None:
    """ReleaseRecords answers match by match: to anyone but the host NOT_PERMITTED, also where there is no match."""
    sitting = await subject.sit(subject.simplest(), disclosure=match_pb2.DISCLOSURE_ON_RELEASE)
    await sitting.end()
    absent = "a" * 26
    request = service_pb2.ReleaseRecordsRequest(request_id=new_request_id(), match_ids=[sitting.match_id, absent])
    for caller in (sitting.players[0], sitting.spectator):
        results = (await caller.ask(calls.RELEASE_RECORDS, request)).results
        equal("the matches of the results", [result.match_id for result in results], list(request.match_ids))
        equal("the reasons for another than the host", [*map(_reason, results)], ["NOT_PERMITTED"] * 2)
        equal("the texts for a match and for none", results[0].text, results[1].text)
    get = service_pb2.GetRecordRequest(match_id=sitting.match_id)
    refused("GetRecord after that", await sitting.host.call(calls.GET_RECORD, get), "NOT_DISCLOSED")


@check
async def a_given_seed_is_dealt_from(subject: Subject) -> None:
    """A match with a given seed is marked so; two with one seed and the same options are dealt alike."""
    ruleset = subject.simplest()
    given = [await subject.sit(ruleset, seed=_SEED) for _ in range(2)]
    for seat in range(ruleset.min_seats):
        first, second = [await sitting.see(seat) for sitting in given]
        equal("whether the seed was given", (first.seed_given, second.seed_given), (True, True))
        equal(f"what seat {seat} is shown of the same deal", second.view, first.view)
    expect(given[0].created.commitment != given[1].created.commitment, "two matches with one seed have one commitment")
    own = await (await subject.sit(ruleset)).see(None)
    equal("whether the seed was given where it was not", own.seed_given, False)
    await given[0].end()
    request = service_pb2.GetRecordRequest(match_id=given[0].match_id)
    record = (await given[0].host.ask(calls.GET_RECORD, request)).record
    equal("the seed in the record of a match with a given one", record.seed, _SEED)
    equal("whether it was given, in the record", record.seed_given, True)


async def _release(sitting: Sitting) -> str:
    request = service_pb2.ReleaseRecordsRequest(request_id=new_request_id(), match_ids=[sitting.match_id])
    results = (await sitting.host.ask(calls.RELEASE_RECORDS, request)).results
    equal("the number of results of a release of one record", len(results), 1)
    return _reason(results[0])


def _reason(result: service_pb2.ReleaseResult) -> str:
    return error_pb2.ErrorReason.Name(result.reason).removeprefix("ERROR_REASON_")
