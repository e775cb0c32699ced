"""A bot for all seats of a principal, in any number of matches at once."""

import random
import time
from collections.abc import Callable, Iterable
from typing import Final, Never

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk.bot import FORBIDDEN, LATE, Bot, BotError, Budget, choice_of, give_up, rng_for
from clients.sdk.client import RefereeClient, new_request_id
from clients.sdk.errors import CallError
from clients.sdk.play import PlayStream

_HELD_BACK_S: Final = 0.005  # for quick choices to go out together

Place = tuple[str, int]


class Runner:
    """Plays over one stream, also the seats that the principal is given while it runs.

    Args:
        client: whose seats.
        new_bot: makes a bot for each seat.
        budget: for each move.
        failed: called with match, seat and fault of a bot that failed; its seat is resigned.
    """

    def __init__(
        self,
        client: RefereeClient,
        new_bot: Callable[[], Bot],
        budget: Budget,
        failed: Callable[[str, int, BotError], None],
    ) -> None:
        self._client: Final = client
        self._new_bot: Final = new_bot
        self._budget: Final = budget
        self._failed: Final = failed
        self._players: Final = dict[Place, tuple[Bot, random.Random]]()
        self._bot_seeds: Final = dict[Place, bytes]()
        self._moves: Final = dict[str, Place]()

    async def run(self) -> Never:
        """Plays until it is cancelled.

        Raises:
            CallError: the referee refuses for good.
        """
        detail = getattr(self._new_bot(), "detail", match_pb2.DETAIL_FULL)
        async with self._client.play(detail) as stream:
            async for response in stream:
                for outcome in response.outcomes:
                    await self._heed(outcome)
                for match in response.seated:
                    self._bot_seeds[match.match_id, match.viewer_seat] = match.bot_seed
                await self._answer(stream, response.asked)
                for match in response.ended:
                    self._players.pop((match.match_id, match.viewer_seat), None)
                    self._bot_seeds.pop((match.match_id, match.viewer_seat), None)
        raise AssertionError("a stream is opened anew when it ends")

    async def _answer(self, stream: PlayStream, asked: Iterable[match_pb2.Match]) -> None:
        ready, came = list[service_pb2.PlayMove](), time.monotonic()
        since = came
        for match in asked:
            place, prompt = (match.match_id, match.viewer_seat), match.prompt
            if stream.awaits(*place, prompt.decision_number):
                continue  # told again after a new connection
            if place not in self._players:
                self._players[place] = self._new_bot(), random.Random()  # never seeded by the deal
            bot, unseeded = self._players[place]
            rng = rng_for(self._bot_seeds.get(place, b""), prompt.decision_number, unseeded)
            try:
                choice = choice_of(bot, match, self._budget, rng, came)
            except BotError as error:
                await self._give_up(place, error)
                continue
            move = service_pb2.PlayMove(
                request_id=new_request_id(),
                match_id=match.match_id,
                seat=match.viewer_seat,
                decision_number=prompt.decision_number,
                moves=[choice],
            )
            self._moves[move.request_id] = place
            ready.append(move)
            if time.monotonic() - since > _HELD_BACK_S:
                await stream.submit(*ready)
                ready, since = [], time.monotonic()
        if ready:
            await stream.submit(*ready)

    async def _heed(self, outcome: service_pb2.PlayOutcome) -> None:
        place = self._moves.pop(outcome.request_id)
        if not outcome.HasField("refused") or outcome.refused.reason in LATE:
            return
        error = CallError.in_answer(outcome.refused)
        if error.reason not in FORBIDDEN:
            raise error
        await self._give_up(place, BotError(f"{self._new_bot().name} chose a move that was refused: {error.text}"))

    async def _give_up(self, place: Place, error: BotError) -> None:
        self._failed(*place, error)
        await give_up(self._client, *place)
