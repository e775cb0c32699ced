"""Play streams: whole matches over them, and what they tell."""

import asyncio
import random
from collections import Counter
from typing import Final

import pytest

from artreferee.v1 import match_pb2, service_pb2
from referee.games import registry
from referee.store.memory import MemoryStore
from tests.api.calls import ABSENT
from tests.api.harness import HOST, SEATS, SPECTATOR, Conversation, Referee, Secret, planted
from tests.api.recorded import KINDS, Kind
from tests.api.test_play_faults import asked, got, opened, told
from tests.games.classic_art.build import season

WITHIN_S: Final = 20.0
Decision = tuple[str, int, int]
every_ruleset = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])


async def created(referee: Referee, kind: Kind, holders: list[Secret], request_id: str) -> str:
    """Creates a short match."""
    request = service_pb2.CreateMatchRequest(
        request_id=request_id,
        ruleset=kind.name,
        options=kind.options,
        seats=[service_pb2.SeatRequest(principal_hash=holder.hash) for holder in holders],
    )
    match_id: str = (await referee.caller(HOST).ask("CreateMatch", request)).match_id
    return match_id


class Bot:
    """Plays all seats of a principal over one stream, at random."""

    def __init__(self, stream: Conversation, seed: object) -> None:
        self._stream: Final = stream
        self._rng: Final = random.Random(str(seed))
        self.asked: Final = list[Decision]()
        self.seated: Final = list[tuple[str, int]]()
        self.ended: Final = dict[tuple[str, int], match_pb2.Match]()
        self.versions: Final = dict[str, list[int]]()

    async def play(self, ends: int) -> None:
        """Plays until so many ends have been told, one for each of its seats."""
        async with asyncio.timeout(WITHIN_S):
            while len(self.ended) < ends:
                response = await self._stream.told()
                self._note(response)
                moves = [self._answer(match) for match in response.asked]
                if moves:
                    await self._stream.say(service_pb2.PlayRequest(moves=moves))

    def _note(self, response: service_pb2.PlayResponse) -> None:
        self.seated.extend((match.match_id, match.viewer_seat) for match in response.seated)
        for outcome in response.outcomes:
            assert outcome.HasField("accepted"), outcome
            self.versions.setdefault(outcome.match_id, []).append(outcome.accepted.version)
        for match in response.ended:
            assert (match.match_id, match.viewer_seat) not in self.ended
            self.ended[match.match_id, match.viewer_seat] = match

    def _answer(self, match: match_pb2.Match) -> service_pb2.PlayMove:
        decision = match.match_id, match.viewer_seat, match.prompt.decision_number
        self.asked.append(decision)
        return service_pb2.PlayMove(
            request_id="-".join(map(str, decision[1:])),
            match_id=match.match_id,
            seat=match.viewer_seat,
            decision_number=match.prompt.decision_number,
            moves=[match_pb2.MoveChoice(index=self._rng.randrange(match.prompt.legal_count))],
        )


@every_ruleset
async def test_one_stream_plays_whole_matches_of_one_who_holds_all_seats(referee: Referee, kind: Kind) -> None:
    """One with the fewest seats and one with the most: each decision is asked once, and each move is an entry."""
    sizes = registry()[kind.name].spec.seats
    tables = {await created(referee, kind, [SEATS[0]] * seats, f"{seats}"): seats for seats in (min(sizes), max(sizes))}
    bot = Bot(await opened(referee.caller(SEATS[0])), kind.name)
    await bot.play(ends=sum(tables.values()))
    seats = [(match_id, seat) for match_id, count in tables.items() for seat in range(count)]
    assert sorted(bot.seated) == sorted(bot.ended) == sorted(seats)
    assert len(set(bot.asked)) == len(bot.asked)
    for match_id, count in tables.items():
        end = await ended(referee, match_id)
        assert sorted(bot.versions[match_id]) == list(range(1, end.version + 1))
        made = [(match_id, seat, number) for seat in range(count) for number in range(end.seats[seat].decision_number)]
        assert sorted(decision for decision in bot.asked if decision[0] == match_id) == made
        for seat in range(count):
            assert bot.ended[match_id, seat].result == end.result


async def ended(referee: Referee, match_id: str) -> match_pb2.Match:
    """A match that is over, as everybody may see it."""
    request = service_pb2.GetMatchRequest(match_id=match_id)
    response: service_pb2.GetMatchResponse = await referee.caller(SPECTATOR).ask("GetMatch", request)
    assert response.match.status == match_pb2.MATCH_STATUS_FINISHED
    return response.match


@every_ruleset
async def test_players_on_streams_at_two_replicas_play_whole_matches(kind: Kind) -> None:
    """Several at a time; each is asked its own decisions alone, once each."""
    seats, store = max(registry()[kind.name].spec.seats), MemoryStore()
    async with Referee() as one, Referee() as other:
        replicas = one, other
        for replica in replicas:
            replica.shelf.inner = store
        streams = [await opened(replicas[seat % 2].caller(SEATS[seat])) for seat in range(seats)]
        bots = [Bot(stream, seat) for seat, stream in enumerate(streams)]
        holders = list(SEATS[:seats])
        match_ids = [await created(replicas[number % 2], kind, holders, f"{number}") for number in range(3)]
        await asyncio.gather(*(bot.play(ends=len(match_ids)) for bot in bots))
        ends = [await ended(other, match_id) for match_id in match_ids]
        for seat, bot in enumerate(bots):
            assert sorted(bot.seated) == sorted(bot.ended) == sorted((match_id, seat) for match_id in match_ids)
            made = [(end.match_id, seat, number) for end in ends for number in range(end.seats[seat].decision_number)]
            assert sorted(bot.asked) == sorted(made)
        for end in ends:
            versions = [version for bot in bots for version in bot.versions[end.match_id]]
            assert sorted(versions) == list(range(1, end.version + 1))


DETAILS: Final = {
    match_pb2.DETAIL_UNSPECIFIED: (True, 81, 0),
    match_pb2.DETAIL_FULL: (True, 81, 0),
    match_pb2.DETAIL_IDS: (True, 0, 81),
    match_pb2.DETAIL_NONE: (False, 0, 0),
}


@pytest.mark.parametrize("detail", DETAILS)
async def test_as_much_is_told_as_the_first_request_says(
    referee: Referee, name: str, detail: match_pb2.Detail.ValueType
) -> None:
    """Of what is asked and of what has ended; a seat is told without view and prompt in any case."""
    match = planted(name, season(2))
    await referee.plant(match)
    stream = referee.caller(SEATS[0]).play()
    await stream.say(service_pb2.PlayRequest(detail=detail))
    so_far = await told(stream, asked)
    [seated], [prompted] = so_far.seated, so_far.asked
    assert not seated.HasField("view")
    assert not seated.HasField("prompt")
    legal = prompted.prompt
    assert (prompted.HasField("view"), len(legal.legal_moves), len(legal.legal_ids)) == DETAILS[detail]
    assert legal.legal_count == 81
    await referee.caller(SEATS[1]).ask("Resign", service_pb2.ResignRequest(match_id=match.match_id, request_id="a"))
    [end] = (await told(stream, lambda so_far: so_far.ended)).ended
    assert (end.HasField("view"), end.HasField("result")) == (DETAILS[detail][0], True)
    stream.cancel()


async def test_ends_that_were_missed_are_told_to_who_was_there(referee: Referee, name: str) -> None:
    """Nothing is told of a match of others, however it stands, nor of one that is not there."""
    over, open_, anothers = (planted(f"{name} {number}", season(2)) for number in range(3))
    anothers = planted(f"{name} another's", season(2), holders=SEATS[1:3])
    for match in (over, open_, anothers):
        await referee.plant(match)
    for match in (over, anothers):
        await referee.caller(SEATS[1]).ask("Resign", service_pb2.ResignRequest(match_id=match.match_id, request_id="a"))
    named = [anothers.match_id, open_.match_id, ABSENT, over.match_id]
    stream = referee.caller(SEATS[0]).play()
    await stream.say(service_pb2.PlayRequest(unfinished_match_ids=named))
    so_far = await told(stream, lambda so_far: so_far.ended and so_far.asked)
    assert [match.match_id for match in so_far.seated] == [open_.match_id]
    assert so_far.ended == [await got(referee.caller(SEATS[0]), over)]
    await stream.end()
    assert (await stream.rest()).messages == ()


async def test_an_id_that_was_named_reveals_nothing(referee: Referee, name: str) -> None:
    """A stranger is told the same, and the same calls are made, whether there is a match or not, and if it is over."""
    going, over = planted(f"{name} going", season(2)), planted(f"{name} over", season(2))
    for match in (going, over):
        await referee.plant(match)
    await referee.caller(SEATS[0]).ask("Resign", service_pb2.ResignRequest(match_id=over.match_id, request_id="a"))
    heard = []
    for match_id in (going.match_id, over.match_id, ABSENT):
        referee.shelf.calls.clear()
        stream = referee.caller(SPECTATOR).play()
        await stream.say(service_pb2.PlayRequest(unfinished_match_ids=[match_id]))
        await stream.read()
        await stream.end()
        end = await stream.rest()
        calls = Counter(call[0] for call in referee.shelf.calls)
        heard.append((end, calls["load"], calls["write"]))
    assert heard[0] == heard[1] == heard[2]
    assert heard[0][0].messages == ()
