"""What every refusal must look like, and positions in which to be refused."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from google.rpc import code_pb2, error_details_pb2

from artreferee.v1 import classic_art_pb2 as pb
from artreferee.v1 import match_pb2, ruleset_pb2, service_pb2
from tests.api.contract import documented_reasons
from tests.api.harness import SEATS, SPECTATOR, Referee, Reply

DOCUMENTED: Final = documented_reasons()
WITH_PROBLEM: Final = "problem"  # words that the contract leaves open


def assert_refused(reply: Reply, reason: str, **metadata: object) -> None:
    """Requires the status that the contract promises for a reason; any `problem` will do unless it is given."""
    said = DOCUMENTED[reason]
    assert reply.reason == reason, reply.text
    assert reply.code.name == said.code
    assert reply.messages == ()
    assert reply.status.code == code_pb2.Code.Value(said.code)
    assert reply.status.message == reply.text != ""
    assert reply.info.domain == "artreferee"
    assert set(reply.info.metadata) == said.metadata
    if WITH_PROBLEM in said.metadata and WITH_PROBLEM not in metadata:
        assert reply.info.metadata[WITH_PROBLEM]
        metadata[WITH_PROBLEM] = reply.info.metadata[WITH_PROBLEM]
    assert dict(reply.info.metadata) == {key: str(value) for key, value in metadata.items()}
    violations = [[seen.field for seen in bad.field_violations] for bad in reply.details(error_details_pb2.BadRequest)]
    assert violations == ([[reply.info.metadata["field"]]] if said.with_bad_request else [])
    delays = [retry.retry_delay.ToTimedelta() for retry in reply.details(error_details_pb2.RetryInfo)]
    assert len(delays) == said.with_retry_info
    assert all(delay.total_seconds() > 0 for delay in delays)


@asynccontextmanager
async def nothing_changes(referee: Referee, match_id: str) -> AsyncIterator[None]:
    """Requires that a match is the same afterwards, to every byte that anybody can read of it."""
    before = await _all_views(referee, match_id)
    yield
    assert await _all_views(referee, match_id) == before


async def _all_views(referee: Referee, match_id: str) -> list[Reply]:
    request = service_pb2.GetMatchRequest(match_id=match_id)
    return [await referee.caller(secret).call("GetMatch", request) for secret in (*SEATS, SPECTATOR)]


def play(*cards: int) -> match_pb2.MoveChoice:
    """A typed choice to play cards, by their numbers in the contract."""
    played = pb.ClassicArtPlayCards()
    played.cards.extend(cards)  # type: ignore[arg-type] # numbers that are no cards, too
    return _typed(pb.ClassicArtMove(play_cards=played))


def place(category: int, space: int, tokens: int) -> match_pb2.MoveChoice:
    """A typed choice to place a prediction, by the numbers in the contract."""
    placed = pb.ClassicArtPlacePrediction(category=category, space=space, tokens=tokens)  # type: ignore[arg-type]
    return _typed(pb.ClassicArtMove(place_prediction=placed))


def nothing() -> match_pb2.MoveChoice:
    """A typed choice to place no prediction."""
    return _typed(pb.ClassicArtMove(pass_prediction=pb.ClassicArtPassPrediction()))


def by_id(move: int) -> match_pb2.MoveChoice:
    return match_pb2.MoveChoice(id=move)


def by_index(place: int) -> match_pb2.MoveChoice:
    return match_pb2.MoveChoice(index=place)


def empty_move() -> match_pb2.MoveChoice:
    """A move of Classic Art that says nothing."""
    return _typed(pb.ClassicArtMove())


def plugin_move() -> match_pb2.MoveChoice:
    """A move of a ruleset that nobody knows."""
    move = ruleset_pb2.Move()
    move.plugin.type_url = "example.org/chess.Move"
    return match_pb2.MoveChoice(move=move)


def submission(
    match_id: str, choices: Sequence[match_pb2.MoveChoice], request_id: str = "r", decision: int = 0
) -> service_pb2.SubmitMoveRequest:
    return service_pb2.SubmitMoveRequest(
        match_id=match_id, request_id=request_id, decision_number=decision, moves=choices
    )


def _typed(move: pb.ClassicArtMove) -> match_pb2.MoveChoice:
    return match_pb2.MoveChoice(move=ruleset_pb2.Move(classic_art=move))
