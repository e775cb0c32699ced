"""What every match must be like: rulesets, prompts, numbers, results."""

import asyncio
from typing import Final

from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from clients.check import calls
from clients.check.calls import Caller
from clients.check.checks import CheckFailedError, check, equal, expect, worded
from clients.check.foresight import Foresight, find_position
from clients.check.played import WAYS, Played, all_played, in_hindsight, who
from clients.check.subject import Subject, creation_of
from clients.sdk import new_request_id

_DIGEST_BYTES: Final = 32
_MOST_PAGES: Final = 20
_MOVES_READ: Final = 6


@check
async def rulesets_are_listed(subject: Subject) -> None:
    """ListRulesets needs no principal and lists, by name, each ruleset with its versions and its ranges."""
    expect(bool(subject.rulesets), "ListRulesets lists nothing, expected one ruleset at least")
    names = [ruleset.name for ruleset in subject.rulesets]
    equal("the order of rulesets", names, sorted(set(names)))
    for ruleset in subject.rulesets:
        _require_facts(ruleset)


def _require_facts(ruleset: ruleset_pb2.Ruleset) -> None:
    name = ruleset.name
    for field in ("name", "title", "rules_version", "data_version"):
        expect(bool(getattr(ruleset, field)), f"the {field} of ruleset {name!r} is empty")
    equal(f"the length of the data_digest of {name}", len(ruleset.data_digest), _DIGEST_BYTES)
    seats = (ruleset.min_seats, ruleset.max_seats)
    expect(1 <= seats[0] <= seats[1], f"{name} is for {seats[0]} to {seats[1]} seats, expected a range from 1")
    longest, ids = ruleset.max_legal_moves, ruleset.num_actions
    expect(1 <= longest <= ids, f"{name} has up to {longest} legal moves of {ids}, expected a range from 1")


@check
async def a_match_begins_with_its_last_seat(subject: Subject) -> None:
    """While a seat is open a match is WAITING and asks nobody; it becomes ACTIVE with the last JoinMatch."""
    ruleset = subject.simplest()
    seats = ruleset.max_seats
    sitting = await subject.sit(ruleset, seats, open_seats=range(1, seats))
    for seat in range(1, seats):
        waiting = await sitting.see(0)
        equal("the status of a match with an open seat", _status(waiting), "WAITING")
        equal("the seats that are bound", [held.bound for held in waiting.seats], [n < seat for n in range(seats)])
        asked = waiting.HasField("prompt") or any(held.to_act for held in waiting.seats)
        expect(not asked, "a match with an open seat asks somebody, expected nobody to be to act")
        request = service_pb2.JoinMatchRequest(request_id=new_request_id(), match_id=sitting.match_id)
        joined = await sitting.players[seat].ask(calls.JOIN_MATCH, request)
        equal("the seat that JoinMatch took without naming one", joined.seat, seat)
        equal("the version after joining", joined.version, seat)
        sitting.acknowledged = joined.version
    active = await sitting.see(None)
    equal("the status of a match without an open seat", _status(active), "ACTIVE")
    expect(any(held.to_act for held in active.seats), "a match without an open seat asks nobody, expected a seat to")


@check
async def seats_are_shown_as_given(subject: Subject) -> None:
    """Each seat has the display_name and entrant that creator or joiner gave, and "Seat N" where none was."""
    ruleset = subject.simplest()
    host, joiner = subject.caller(), subject.caller()
    request = creation_of(ruleset, max(2, ruleset.min_seats), deal_group="a group")
    entrant = match_pb2.Entrant(name="a program", version="1.0")
    request.seats[1].display_name = "Zoë"
    request.seats[1].entrant.CopyFrom(entrant)
    match_id = (await host.ask(calls.CREATE_MATCH, request)).match_id
    shown = (await joiner.ask(calls.GET_MATCH, service_pb2.GetMatchRequest(match_id=match_id))).match
    equal("the first two display names", [seat.display_name for seat in shown.seats[:2]], ["Seat 1", "Zoë"])
    equal("the entrant of seat 1", shown.seats[1].entrant, entrant)
    join = service_pb2.JoinMatchRequest(
        request_id=new_request_id(), match_id=match_id, seat=1, display_name="名無し", entrant=entrant
    )
    await joiner.ask(calls.JOIN_MATCH, join)
    shown = (await joiner.ask(calls.GET_MATCH, service_pb2.GetMatchRequest(match_id=match_id))).match
    equal("the display name of a seat that was joined under another", shown.seats[1].display_name, "名無し")
    equal("the viewer_seat of who joined", shown.viewer_seat, 1)


@in_hindsight
async def every_ruleset_can_be_played(subject: Subject) -> None:
    """Every listed ruleset can be joined and played to its end, by index, by id and by the move itself."""
    for match in await all_played(subject):
        ways = {accepted.way for accepted in match.accepted}
        equal(f"the ways in which moves of {match.name} were chosen", sorted(ways), sorted(WAYS))
        for viewer, final in match.final.items():
            equal(f"the status of {match.name} at its end, for {who(viewer)},", _status(final), "FINISHED")
            expect(final.HasField("result"), f"a finished match of {match.name} has no result for {who(viewer)}")


@in_hindsight
async def versions_count_the_log(subject: Subject) -> None:
    """The version is the number of entries in the log: one a join, move and resignation, also of the autopilot."""
    for match in await all_played(subject):
        log = match.record.log
        equal(f"the versions in the log of {match.name}", [entry.version for entry in log], [*range(1, len(log) + 1)])
        equal(f"the version of {match.name} at its end", match.final[None].version, len(log))
        players = len(match.sitting.players) - 1
        joins = [entry.seat for entry in log if entry.HasField("join")]
        equal(f"the seats that joined {match.name}", joins, [*range(1, players + 1)])
        for accepted in match.accepted:
            entry = log[accepted.answer.version - 1]
            found = (entry.seat, entry.move.id, entry.move.decision_number)
            sent = (accepted.seat, accepted.chosen.id, accepted.prompt.decision_number)
            equal(
                f"seat, move and decision of the entry that SubmitMove named as its version in {match.name}",
                found,
                sent,
            )


@in_hindsight
async def decisions_count_the_moves_of_a_seat(subject: Subject) -> None:
    """A seat's decision_number is the number of its moves; prompt, SubmitMove and log agree about it."""
    for match in await all_played(subject):
        for accepted in match.accepted:
            equal(
                f"the decision_number that SubmitMove of {match.name} answers decision "
                f"{accepted.prompt.decision_number} with",
                accepted.answer.decision_number,
                accepted.prompt.decision_number + 1,
            )
        moves = [entry for entry in match.record.log if entry.HasField("move")]
        for sighting in match.shown():
            made = [
                sum(e.seat == seat and e.version <= sighting.match.version for e in moves) for seat in _seats(match)
            ]
            told = [seat.decision_number for seat in sighting.match.seats]
            equal(f"the decision numbers of {match.name} at version {sighting.match.version}", told, made)
            if sighting.match.HasField("prompt") and sighting.viewer is not None:
                prompt = sighting.match.prompt
                equal(f"the decision_number of a prompt of {match.name}", prompt.decision_number, made[sighting.viewer])


@in_hindsight
async def prompts_are_for_those_who_are_to_act(subject: Subject) -> None:
    """A viewer has a prompt if and only if its seat is to act; a prompt lists legal_count moves, indexed from 0."""
    for match in await all_played(subject):
        for sighting in match.shown():
            _require_prompt(match, sighting.viewer, sighting.match)


def _require_prompt(match: Played, viewer: int | None, shown: match_pb2.Match) -> None:
    where = f"{match.name} at version {shown.version}, for {who(viewer)},"
    to_act = viewer is not None and shown.seats[viewer].to_act
    equal(f"whether there is a prompt in {where}", shown.HasField("prompt"), to_act)
    if not to_act:
        return
    legal, ruleset = shown.prompt.legal_moves, match.sitting.ruleset
    most = ruleset.max_legal_moves
    expect(1 <= len(legal) <= most, f"the prompt of {where} has {len(legal)} moves, expected 1 to {most}")
    equal(f"legal_count in {where}", shown.prompt.legal_count, len(legal))
    equal(f"the indexes of moves in {where}", [move.index for move in legal], [*range(len(legal))])
    ids = {move.id for move in legal if move.id < ruleset.num_actions}
    equal(f"the number of different ids below num_actions in {where}", len(ids), len(legal))
    for move in legal:
        expect(move.HasField("move") and bool(move.text), f"a legal move in {where} comes without itself or its text")


@check
async def detail_says_how_much_is_sent(subject: Subject) -> None:
    """DETAIL_NONE sends neither view nor moves, DETAIL_IDS the view and ids, DETAIL_FULL the moves themselves."""
    for ruleset in subject.rulesets:
        sitting = await subject.sit(ruleset)
        seat, full = await sitting.one_asked()
        none = await sitting.see(seat, match_pb2.DETAIL_NONE)
        ids = await sitting.see(seat, match_pb2.DETAIL_IDS)
        where = f"of {ruleset.name}"
        expect(full.HasField("view"), f"DETAIL_FULL {where} has no view")
        expect(not none.HasField("view"), f"DETAIL_NONE {where} has a view, expected none")
        listed = len(none.prompt.legal_moves) + len(none.prompt.legal_ids)
        equal(f"the number of moves with DETAIL_NONE {where}", listed, 0)
        equal(f"the view with DETAIL_IDS {where}", ids.view, full.view)
        equal(f"the moves with DETAIL_IDS {where}", len(ids.prompt.legal_moves), 0)
        equal(f"the ids with DETAIL_IDS {where}", list(ids.prompt.legal_ids), [m.id for m in full.prompt.legal_moves])
        for few in (none, ids):
            equal(f"the version with less detail {where}", few.version, full.version)
            equal(f"the seats with less detail {where}", list(few.seats), list(full.seats))


@check
async def reads_are_current(subject: Subject) -> None:
    """GetMatch never shows anyone a version older than one that was acknowledged before."""
    sitting = await subject.sit(subject.simplest())
    request = service_pb2.GetMatchRequest(match_id=sitting.match_id, detail=match_pb2.DETAIL_NONE)
    readers = (*sitting.players, sitting.spectator, sitting.host) * 2  # over every connection, to every replica
    for _ in range(_MOVES_READ):
        await sitting.play()
        answers = await asyncio.gather(*(reader.ask(calls.GET_MATCH, request) for reader in readers))
        oldest = min(answer.match.version for answer in answers)
        equal("the oldest version that is shown after a move was acknowledged", oldest, sitting.acknowledged)


@check
async def several_moves_go_in_one_call(subject: Subject) -> None:
    """SubmitMove plays several moves of a seat in a row; each is an entry of the log and a decision of its own."""
    position = await find_position(subject, Foresight.legal_pair)
    sitting, shown = position.sitting, position.shown
    answer = (await sitting.submit(position.seat, sitting.move(shown, position.choices()))).required()
    equal("the version after two moves", answer.version, shown.version + 2)
    equal("the decision_number after two moves", answer.decision_number, shown.prompt.decision_number + 2)
    after = await sitting.see(position.seat)
    equal("the version that GetMatch shows after two moves", after.version, shown.version + 2)
    made = after.seats[position.seat].decision_number
    equal("the decision_number that GetMatch shows after two moves", made, answer.decision_number)


@in_hindsight
async def a_match_has_one_result(subject: Subject) -> None:
    """A finished match has one result, the same for everybody, in the last update and in the record."""
    for match in await all_played(subject):
        result = match.record.result
        for viewer, final in match.final.items():
            equal(f"the result of {match.name} for {who(viewer)}", final.result, result)
        for viewer, watched in match.watched.items():
            equal(f"what WatchMatch told {who(viewer)} as results of {match.name}", watched.results, [result])
        ranks = [seat.rank for seat in result.seats]
        equal(f"the number of ranks of {match.name}", len(ranks), len(match.sitting.players))
        equal(f"the ranks of {match.name}", ranks, [1 + sum(other < rank for other in ranks) for rank in ranks])
        expect(bool(result.reason), f"the result of {match.name} has no reason, expected one such as COMPLETED")
        for sighting in match.shown():
            over = sighting.match.status == match_pb2.MATCH_STATUS_FINISHED
            equal(f"whether {match.name} has a result", sighting.match.HasField("result"), over)


@in_hindsight
async def a_seat_that_resigns_is_played_on(subject: Subject) -> None:
    """A seat that resigns is out with its cause; the autopilot moves for it, marked so, and it ranks last."""
    for match in await all_played(subject):
        if not match.resigned:
            continue
        seat, log = len(match.sitting.players) - 1, match.record.log
        _require_marked_moves(match, seat)
        resigned = [entry.version for entry in log if entry.HasField("resignation")]
        equal(f"the entries of resignation in {match.name}", resigned, [match.resigned])
        for sighting in match.shown():
            out = sighting.match.version >= match.resigned
            expected = match_pb2.CAUSE_RESIGNED if out else match_pb2.CAUSE_UNSPECIFIED
            equal(f"the cause of a seat that resigned from {match.name}", sighting.match.seats[seat].cause, expected)
        fared = match.record.result.seats
        equal(f"the rank of the seat that resigned from {match.name}", fared[seat].rank, len(fared))
        equal(f"its cause in the result of {match.name}", fared[seat].cause, match_pb2.CAUSE_RESIGNED)


def _require_marked_moves(match: Played, seat: int) -> None:
    for entry in match.record.log:
        if entry.HasField("move"):
            by_autopilot = entry.seat == seat and entry.version > match.resigned
            expected = match_pb2.ACTOR_AUTOPILOT if by_autopilot else match_pb2.ACTOR_PLAYER
            equal(f"the actor of entry {entry.version} of {match.name}", entry.move.actor, expected)


@check
async def the_last_seat_wins(subject: Subject) -> None:
    """When all others have resigned the match ends with LAST_SEAT; who resigned earlier ranks lower."""
    ruleset = subject.simplest()
    seats = ruleset.max_seats
    sitting = await subject.sit(ruleset, seats)
    await sitting.end()
    match = await sitting.see(None)
    equal("the status when one seat is left", _status(match), "FINISHED")
    equal("the reason when one seat is left", match.result.reason, "LAST_SEAT")
    equal(
        "the ranks when seats 0, 1... resigned in turn",
        [seat.rank for seat in match.result.seats],
        [*range(seats, 0, -1)],
    )


@check
async def matches_are_listed(subject: Subject) -> None:
    """ListMatches with `mine` lists the caller's matches, page by page, each once and without view, as filtered."""
    ruleset, holder = subject.simplest(), subject.caller()
    made = list[str]()
    for _ in range(5):
        request = creation_of(ruleset, ruleset.min_seats)
        for wanted in request.seats:
            wanted.principal_hash = holder.principal.hash
        made.append((await holder.ask(calls.CREATE_MATCH, request)).match_id)
    resign = service_pb2.ResignRequest(request_id=new_request_id(), match_id=made[0])
    for seat in range(ruleset.min_seats - 1):
        resign.seat, resign.request_id = seat, new_request_id()
        await holder.ask(calls.RESIGN, resign)
    active, finished = match_pb2.MATCH_STATUS_ACTIVE, match_pb2.MATCH_STATUS_FINISHED
    for expected, filters in (
        (made, service_pb2.ListMatchesRequest()),
        (made, service_pb2.ListMatchesRequest(ruleset=ruleset.name)),
        (made[:1], service_pb2.ListMatchesRequest(status=finished)),
        (made[1:], service_pb2.ListMatchesRequest(status=active)),
        ([], service_pb2.ListMatchesRequest(status=match_pb2.MATCH_STATUS_WAITING)),
    ):
        found = await _listed(holder, filters)
        equal(f"what is listed with {worded(filters)}", sorted(m.match_id for m in found), sorted(expected))
        seen = any(match.HasField("view") or match.HasField("prompt") for match in found)
        expect(not seen, "a listed match has a view or a prompt, expected neither")


async def _listed(caller: Caller, filters: service_pb2.ListMatchesRequest) -> list[match_pb2.Match]:
    found, request = list[match_pb2.Match](), service_pb2.ListMatchesRequest(mine=True, page_size=2)
    request.MergeFrom(filters)
    for _ in range(_MOST_PAGES):
        page = await caller.ask(calls.LIST_MATCHES, request)
        expect(len(page.matches) <= request.page_size, f"a page of {request.page_size} has {len(page.matches)} matches")
        found.extend(page.matches)
        if not page.next_page_token:
            return found
        request.page_token = page.next_page_token
    raise CheckFailedError(f"the listing of a few matches has more than {_MOST_PAGES} pages")


def _status(match: match_pb2.Match) -> str:
    names = {value.number: value.name for value in match_pb2.MatchStatus.DESCRIPTOR.values}
    return names.get(match.status, str(match.status)).removeprefix("MATCH_STATUS_")


def _seats(match: Played) -> range:
    return range(len(match.sitting.players))
