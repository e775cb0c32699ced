"""What the calls of the contract do."""

import asyncio
from base64 import b32encode
from collections.abc import AsyncIterator
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

import pytest

from artreferee.v1 import classic_art_pb2 as pb
from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from referee.games.classic_art.state import Phase, State
from referee.table.ids import MatchId
from referee.table.store import Header
from tests.api.calls import create
from tests.api.faults import by_id, by_index, submission
from tests.api.harness import HOST, SEATS, SPECTATOR, Caller, Planted, Referee, Secret, planted
from tests.api.worlds_classic_art import due, positions
from tests.games.classic_art.build import season
from tests.games.classic_art.moves import (
    CATEGORIES,
    IDS,
    KINDS,
    MOVES,
    PASS,
    PORTRAIT,
    SPACES,
    Move,
    art,
    pair,
    predict,
)

SEED: Final = bytes(range(32))
DETAILS: Final = (match_pb2.DETAIL_NONE, match_pb2.DETAIL_IDS, match_pb2.DETAIL_FULL)


async def get(caller: Caller, match_id: str, **fields: Any) -> match_pb2.Match:
    """The match as the caller may know it."""
    response = await caller.ask("GetMatch", service_pb2.GetMatchRequest(match_id=match_id, **fields))
    assert isinstance(response, service_pb2.GetMatchResponse)
    return response.match


async def plant(referee: Referee, name: str, state: State, **fields: Any) -> Planted:
    match = planted(name, state, **fields)
    await referee.plant(match)
    return match


async def test_rulesets_are_listed_with_their_facts() -> None:
    """By the rule text and the design's table of action ids; nobody needs a principal for it."""
    async with Referee() as referee:
        rulesets = (await referee.caller(None).ask("ListRulesets", service_pb2.ListRulesetsRequest())).rulesets
    assert [ruleset.name for ruleset in rulesets] == sorted(ruleset.name for ruleset in rulesets)
    [ruleset] = [ruleset for ruleset in rulesets if ruleset.name == "classic_art"]
    assert ruleset.title == "Classic Art"
    assert (ruleset.min_seats, ruleset.max_seats) == (2, 5)
    assert (ruleset.num_actions, ruleset.max_legal_moves) == (136, 81)
    components = files("referee.games.classic_art").joinpath("components.toml").read_bytes()
    assert ruleset.data_digest == sha256(components).digest()
    assert ruleset.rules_version
    assert ruleset.data_version
    assert ruleset.data_sources
    for source in ruleset.data_sources:
        assert source.part
        assert source.note
        assert source.origin in ruleset_pb2.DataOrigin.values()
        assert source.origin != ruleset_pb2.DATA_ORIGIN_UNSPECIFIED


# Creation


def length_prefixed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


async def test_the_id_of_a_match_follows_from_host_and_request(shared: Referee) -> None:
    """Unpadded base32 of the first 16 bytes of SHA-256 over both, length-prefixed; so a repeated call finds it."""
    host = shared.caller(HOST)
    created = await host.ask("CreateMatch", create(request_id="id"))
    digest = sha256(length_prefixed(HOST.hash, b"id")).digest()
    assert created.match_id == b32encode(digest[:16]).decode().rstrip("=").lower()
    assert await host.ask("CreateMatch", create(request_id="id")) == created
    another = await shared.caller(SPECTATOR).ask("CreateMatch", create(request_id="id"))
    assert another.match_id != created.match_id
    assert another.commitment != created.commitment


async def test_the_commitment_binds_match_and_seed(shared: Referee) -> None:
    created = await shared.caller(HOST).ask("CreateMatch", create(request_id="seeded", seed=SEED))
    promised = sha256(length_prefixed(b"artreferee commitment 1", created.match_id.encode(), SEED)).digest()
    assert created.commitment == promised
    assert (await get(shared.caller(SPECTATOR), created.match_id)).commitment == promised


async def test_a_match_begins_when_its_last_seat_is_taken(shared: Referee) -> None:
    """Until then nobody is asked; a seat's holder sees its hand, a joiner without a seat gets the first open one."""
    request = create(request_id="begin", seed=SEED, disclosure=match_pb2.DISCLOSURE_ON_RELEASE)
    request.seats.add(principal_hash=SEATS[2].hash, display_name="Zoë")
    request.seats[2].entrant.name = "bot"
    created = await shared.caller(HOST).ask("CreateMatch", request)
    match_id = created.match_id
    waiting = await get(shared.caller(SEATS[2]), match_id)
    assert waiting.status == match_pb2.MATCH_STATUS_WAITING
    assert [seat.bound for seat in waiting.seats] == [False, False, True]
    assert [seat.display_name for seat in waiting.seats] == ["Seat 1", "Seat 2", "Zoë"]
    assert waiting.seats[2].entrant.name == "bot"
    assert (waiting.seed_given, waiting.disclosure) == (True, match_pb2.DISCLOSURE_ON_RELEASE)
    assert not any(seat.to_act for seat in waiting.seats)
    assert not waiting.HasField("prompt")
    assert len(waiting.view.classic_art.hand) == 11
    for secret, seat, version in ((SEATS[0], 0, 1), (SEATS[1], 1, 2)):
        join = service_pb2.JoinMatchRequest(match_id=match_id, request_id="join", display_name=secret.name)
        joined = await shared.caller(secret).ask("JoinMatch", join)
        assert (joined.seat, joined.version) == (seat, version)
        assert await shared.caller(secret).ask("JoinMatch", join) == joined
    active = await get(shared.caller(SPECTATOR), match_id)
    assert active.status == match_pb2.MATCH_STATUS_ACTIVE
    assert active.version == 2
    assert sum(seat.to_act for seat in active.seats) == 1
    assert [seat.display_name for seat in active.seats] == ["seat 0", "seat 1", "Zoë"]
    assert active.commitment == created.commitment


async def test_a_match_whose_seats_are_all_bound_begins_at_once(shared: Referee) -> None:
    request = create(request_id="bound", options=ruleset_pb2.Options(classic_art=pb.ClassicArtOptions(start_seat=1)))
    for seat, secret in zip(request.seats, SEATS, strict=False):
        seat.principal_hash = secret.hash
    match_id = (await shared.caller(HOST).ask("CreateMatch", request)).match_id
    match = await get(shared.caller(SEATS[1]), match_id)
    assert (match.status, match.version, match.viewer_seat) == (match_pb2.MATCH_STATUS_ACTIVE, 0, 1)
    assert [seat.to_act for seat in match.seats] == [False, True]
    assert match.prompt.legal_count == 81
    assert (match.seed_given, match.disclosure) == (False, match_pb2.DISCLOSURE_AT_END)
    assert match.view.classic_art.max_seasons == 30


# Listing


@pytest.fixture
async def shelf() -> AsyncIterator[Referee]:
    """A referee with 120 matches: active, waiting and finished ones, some of them of seat 4."""
    async with Referee() as referee:
        for number in range(120):
            holders: list[Secret | None] = [SEATS[4 if number % 10 == 0 else 0], SEATS[1]]
            if number % 3 == 1:
                holders[1] = None
            match = await plant(referee, f"shelf {number}", season(2), holders=holders)
            if number % 3 == 2:
                resign = service_pb2.ResignRequest(match_id=match.match_id, request_id="r")
                await referee.caller(SEATS[1]).ask("Resign", resign)
        yield referee


async def listed(caller: Caller, **fields: Any) -> list[match_pb2.Match]:
    """All pages of a listing, one behind the other."""
    request, found = service_pb2.ListMatchesRequest(**fields), list[match_pb2.Match]()
    while True:
        page = await caller.ask("ListMatches", request)
        assert len(page.matches) <= (request.page_size or 50)
        found += page.matches
        if not page.next_page_token:
            return found
        request.page_token = page.next_page_token


@pytest.mark.parametrize("page_size", [0, 1, 7, 100])
async def test_pages_hold_each_match_once_in_a_fixed_order(shelf: Referee, page_size: int) -> None:
    """Ordered by bucket, the first 8 bits of the id."""
    matches = await listed(shelf.caller(SPECTATOR), page_size=page_size)
    ids = [match.match_id for match in matches]
    assert len(set(ids)) == len(ids) == 120
    alphabet = "abcdefghijklmnopqrstuvwxyz234567"
    buckets = [(alphabet.index(match_id[0]) << 3) + (alphabet.index(match_id[1]) >> 2) for match_id in ids]
    assert buckets == sorted(buckets)
    assert ids == [match.match_id for match in await listed(shelf.caller(SPECTATOR))]


async def created_ms(referee: Referee, match_id: str) -> int:
    stored = await referee.shelf.inner.load(MatchId(match_id))
    assert stored is not None
    return Header.decode(stored.header).created_ms


async def test_a_listing_can_be_narrowed(shelf: Referee) -> None:
    """By status, by ruleset, by age, and to the caller's own; entries have neither views nor prompts."""
    public, holder = shelf.caller(SPECTATOR), shelf.caller(SEATS[4])
    for status in (match_pb2.MATCH_STATUS_ACTIVE, match_pb2.MATCH_STATUS_WAITING, match_pb2.MATCH_STATUS_FINISHED):
        matches = await listed(public, status=status)
        assert len(matches) == 40
        assert {match.status for match in matches} == {status}
    assert await listed(public, status=match_pb2.MATCH_STATUS_ABORTED) == []
    assert len(await listed(public, ruleset="classic_art")) == 120
    assert await listed(public, ruleset="chess") == []
    mine = await listed(holder, mine=True, page_size=5)
    assert {match.match_id for match in mine} == {
        planted(f"shelf {number}", season(2)).match_id for number in range(0, 120, 10)
    }
    assert len(await listed(holder, mine=True, status=match_pb2.MATCH_STATUS_ACTIVE)) == 4
    assert await listed(public, mine=True) == []
    times = sorted([await created_ms(shelf, match.match_id) for match in mine])
    assert len(await listed(holder, mine=True, created_after_ms=times[3])) == sum(time >= times[3] for time in times)
    assert await listed(public, created_after_ms=2**63) == []
    for match in mine:
        assert not match.HasField("view")
        assert not match.HasField("prompt")


# Views and prompts


def words_of(move: ruleset_pb2.Move) -> Move:
    """A typed move in words, by the comments of the contract."""
    classic = move.classic_art
    match classic.WhichOneof("move"):
        case "play_cards":
            first, second = (KINDS[card - 1] for card in classic.play_cards.cards)
            return "play", first, second
        case "place_prediction":
            placed = classic.place_prediction
            return "predict", CATEGORIES[placed.category - 1], SPACES[placed.space - 1], placed.tokens
        case "pass_prediction":
            return ("pass",)
    raise AssertionError(move)


def legal_by_the_rules(state: State, seat: int) -> set[Move]:
    """The legal moves of a seat that must choose, from the rule text."""
    legal = set[Move]()
    if state.phase in (Phase.PLAY, Phase.FINAL):
        hand = [KINDS[kind] for kind in range(10) for _ in range(state.hands[seat * 10 + kind])]
        for place, first in enumerate(hand):
            for second in hand[place + 1 :]:
                legal.add(("play", first, second))
        return legal
    legal.add(("pass",))
    for tokens in range(1, min(state.available[seat], 1 if state.doubled[seat] else 2) + 1):
        for place in range(40):
            if not state.board[place]:
                legal.add(("predict", CATEGORIES[place // 8], SPACES[place % 8], tokens))
    return legal


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
async def test_a_prompt_holds_the_legal_moves(shared: Referee, name: str, seats: int) -> None:
    """Numbered from 0, each once, with the id of the documented layout, the move itself and a text of its own."""
    phases = set()
    played = [position for number in range(6) for position in positions(seats, number, often=2)]
    for number, position in enumerate(played):
        if position.state.phase == Phase.OVER:
            continue
        match = await plant(shared, f"{name} {number}", position.state)
        phases.add(position.state.phase)
        for seat in range(seats):
            seen = await get(shared.caller(SEATS[seat]), match.match_id)
            assert seen.HasField("prompt") == seen.seats[seat].to_act
            if not seen.seats[seat].to_act:
                continue
            moves = seen.prompt.legal_moves
            assert seen.prompt.legal_count == len(moves)
            assert [move.index for move in moves] == list(range(len(moves)))
            assert {words_of(move.move) for move in moves} == legal_by_the_rules(position.state, seat)
            assert [move.id for move in moves] == [IDS[words_of(move.move)] for move in moves]
            assert len({move.text for move in moves} - {""}) == len({move.id for move in moves}) == len(moves)
            ids = await get(shared.caller(SEATS[seat]), match.match_id, detail=match_pb2.DETAIL_IDS)
            assert list(ids.prompt.legal_ids) == [move.id for move in moves]
    assert phases == set(Phase) - {Phase.OVER}


async def test_detail_says_how_much_is_sent(shared: Referee, name: str) -> None:
    match = await plant(shared, name, season(2, hands=[art(PORTRAIT, 11)]))
    player = shared.caller(SEATS[0])
    none, ids, full = [await get(player, match.match_id, detail=detail) for detail in DETAILS]
    assert await get(player, match.match_id) == full
    assert (none.prompt.legal_count, ids.prompt.legal_count, full.prompt.legal_count) == (81, 81, 81)
    assert [seen.HasField("view") for seen in (none, ids, full)] == [False, True, True]
    assert [len(seen.prompt.legal_ids) for seen in (none, ids, full)] == [0, 81, 0]
    assert [len(seen.prompt.legal_moves) for seen in (none, ids, full)] == [0, 0, 81]
    assert ids.view == full.view
    for seen in (none, ids, full):
        seen.ClearField("view")
        seen.ClearField("prompt")
    assert none == ids == full


async def test_a_spectator_has_the_public_view_and_no_prompt(shared: Referee, name: str) -> None:
    match = await plant(shared, name, season(2))
    seen = await get(shared.caller(SPECTATOR), match.match_id)
    assert not seen.HasField("viewer_seat")
    assert not seen.HasField("prompt")
    assert not seen.view.classic_art.hand
    assert [seat.hand_size for seat in seen.view.classic_art.seats] == [11, 11]


# Moves


def chosen_in_each_way(move: int, index: int) -> list[match_pb2.MoveChoice]:
    """The same move by index, by id and as itself."""
    typed = match_pb2.MoveChoice()
    match MOVES[move]:
        case ("play", first, second):
            cards = typed.move.classic_art.play_cards.cards
            cards.extend([pb.ClassicArtCard.ValueType(KINDS.index(card) + 1) for card in (second, first)])
        case ("predict", category, space, tokens):
            placed = typed.move.classic_art.place_prediction
            placed.category = pb.ClassicArtCategory.Value(f"CLASSIC_ART_CATEGORY_{category}")
            placed.space = pb.ClassicArtSpace.ValueType(SPACES.index(space) + 1)
            placed.tokens = tokens
        case _:
            typed.move.classic_art.pass_prediction.SetInParent()
    return [by_index(index), by_id(move), typed]


@pytest.mark.parametrize("number", range(12))
async def test_a_move_can_be_chosen_by_index_by_id_and_as_itself(shared: Referee, name: str, number: int) -> None:
    """All three have the same effect, told by the same answer; the cards of a pair may come in any order."""
    state = next(
        position.state for position in positions(3, number, often=20) if position.state.phase == number % 4 + 1
    )
    answers = list[service_pb2.SubmitMoveResponse]()
    for way in range(3):
        match = await plant(shared, f"{name} {way}", state)
        player = shared.caller(SEATS[due(state)[0]])
        legal = (await get(player, match.match_id)).prompt.legal_moves
        move = legal[number * 7 % len(legal)]
        choice = chosen_in_each_way(move.id, move.index)[way]
        answers.append(await player.ask("SubmitMove", submission(match.match_id, [choice])))
        answers[-1].match.ClearField("match_id")
        answers[-1].match.ClearField("commitment")
    assert answers[0] == answers[1] == answers[2]
    assert answers[0].decision_number == 1


async def test_an_answer_holds_as_much_of_the_match_as_was_asked_for(shared: Referee, name: str) -> None:
    answers = []
    for detail in DETAILS:
        match = await plant(shared, f"{name} {detail}", season(2))
        request = submission(match.match_id, [by_id(PASS)])
        request.detail = detail
        player = shared.caller(SEATS[0])
        answers.append(await player.ask("SubmitMove", request))
        if detail != match_pb2.DETAIL_NONE:
            assert answers[-1].match == await get(player, match.match_id, detail=detail)
    assert [answer.HasField("match") for answer in answers] == [False, True, True]
    assert {(answer.version, answer.decision_number) for answer in answers} == {(1, 1)}


async def test_several_moves_of_one_call_are_several_entries(shared: Referee, name: str) -> None:
    """With three players no card is revealed between the pair and the prediction, so that both go in one call."""
    state = season(3, hands=[art(PORTRAIT, 11)])
    state.phase = Phase.PLAY
    match = await plant(shared, name, state)
    player = shared.caller(SEATS[0])
    stream = shared.caller(SPECTATOR).watch(service_pb2.WatchMatchRequest(match_id=match.match_id))
    await stream.read()
    moves = [by_id(pair(*art(PORTRAIT, 2))), by_id(predict(PORTRAIT, "4-"))]
    answer = await player.ask("SubmitMove", submission(match.match_id, moves))
    assert (answer.version, answer.decision_number) == (2, 2)
    assert answer.match.view.classic_art.counts[CATEGORIES.index(PORTRAIT)] == 2 + state.net[3]
    updates = [(await stream.update()).update for _ in range(2)]
    assert [update.version for update in updates] == [1, 2]
    assert [update.HasField("match") for update in updates] == [False, True]
    stream.cancel()


async def test_a_repeated_call_is_answered_from_its_receipt(shared: Referee, name: str) -> None:
    """The same numbers, the match as it is by now, and no second move."""
    match = await plant(shared, name, season(2))
    first, second = (shared.caller(secret) for secret in SEATS[:2])
    move = submission(match.match_id, [by_id(PASS)])
    answer = await first.ask("SubmitMove", move)
    await second.ask("SubmitMove", submission(match.match_id, [by_id(PASS)]))
    again = await first.ask("SubmitMove", move)
    assert (again.version, again.decision_number) == (answer.version, answer.decision_number) == (1, 1)
    assert again.match == await get(first, match.match_id)
    assert again.match.version == 2


async def test_of_parallel_answers_to_one_decision_one_is_taken(shared: Referee, name: str) -> None:
    match = await plant(shared, name, season(2))
    moves = [submission(match.match_id, [by_id(PASS + place)], f"r{place}") for place in range(10)]
    replies = await asyncio.gather(*(shared.caller(SEATS[0]).call("SubmitMove", move) for move in moves))
    assert sorted(reply.reason for reply in replies) == ["OK", *["STALE_DECISION"] * 9]
    assert (await get(shared.caller(SPECTATOR), match.match_id)).version == 1


async def test_a_resigned_seat_ranks_below_the_others_and_the_last_one_wins(shared: Referee, name: str) -> None:
    """Earlier offenders rank lower; the record can be read by anyone from then on."""
    match = await plant(shared, name, season(3), seed=SEED)
    for secret in (SEATS[2], SEATS[0]):
        resign = service_pb2.ResignRequest(match_id=match.match_id, request_id="r")
        await shared.caller(secret).ask("Resign", resign)
    seen = await get(shared.caller(SPECTATOR), match.match_id)
    assert seen.status == match_pb2.MATCH_STATUS_FINISHED
    assert [seat.rank for seat in seen.result.seats] == [2, 1, 3]
    resigned, none = match_pb2.CAUSE_RESIGNED, match_pb2.CAUSE_UNSPECIFIED
    assert [seat.cause for seat in seen.result.seats] == [resigned, none, resigned]
    assert seen.result.reason == "LAST_SEAT"
    request = service_pb2.GetRecordRequest(match_id=match.match_id)
    record = (await shared.caller(SPECTATOR).ask("GetRecord", request)).record
    assert (record.match_id, record.seed, record.result) == (match.match_id, SEED, seen.result)
    assert [entry.version for entry in record.log] == list(range(1, seen.version + 1))
