"""What a bot is, and how one plays a seat."""

import hmac
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from artreferee.v1 import error_pb2, match_pb2, ruleset_pb2, service_pb2
from clients.sdk.client import RefereeClient
from clients.sdk.errors import CallError


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a bot may think about one move; None is without a limit.

    Attributes:
        seconds: wall time.
        iterations: steps of a search.
        clock: what is left to the seat, on its clock, for this move and perhaps all to come.
    """

    seconds: float | None = None
    iterations: int | None = None
    clock: float | None = None

    def for_prompt(self, prompt: match_pb2.Prompt, since: float) -> "Budget":
        """Returns what of it a prompt leaves that came at the time `since` by `time.monotonic`."""
        if not prompt.HasField("remaining_ms"):
            return self
        left = max(0.0, prompt.remaining_ms / 1000 - (time.monotonic() - since))
        return replace(self, seconds=left if self.seconds is None else min(self.seconds, left), clock=left)


class Bot(Protocol):
    """A player. One object plays one seat of one match; it is made without arguments.

    It may have an attribute `detail`: with DETAIL_IDS its legal moves have index and id only, which is faster.

    Where the creator of the match gave the seat a bot seed, `rng` is made anew for each decision, from the seed and the
    decision number: a bot that takes all chance from it, and keeps nothing else between decisions, plays the same deal
    alike again, also if its process was started anew in mid-match.
    """

    @property
    def name(self) -> str:
        """Its name in results."""
        ...

    @property
    def version(self) -> str:
        """Its version in records."""
        ...

    def choose(
        self,
        view: ruleset_pb2.View,
        legal_moves: Sequence[match_pb2.LegalMove],
        budget: Budget,
        rng: random.Random,
    ) -> match_pb2.LegalMove:
        """Returns one of `legal_moves`, of which there is at least one."""
        ...


class BotError(Exception):
    """A bot that raised, or chose what it may not; its seat was resigned."""


# Reasons for which an answer is refused that came too late, or that no bot may give.
LATE: Final = frozenset(
    {
        error_pb2.ERROR_REASON_STALE_DECISION,
        error_pb2.ERROR_REASON_NOT_TO_ACT,
        error_pb2.ERROR_REASON_MATCH_OVER,
        error_pb2.ERROR_REASON_SEAT_OUT,
    }
)
FORBIDDEN: Final = frozenset({error_pb2.ERROR_REASON_ILLEGAL_MOVE, error_pb2.ERROR_REASON_MALFORMED_MOVE})


@dataclass(slots=True)
class _Known:
    """What a seat was told of its match: the newest version, and the newest decision that it has answered."""

    version: int = 0
    answered: int = -1

    def hear(self, message: service_pb2.WatchMatchResponse) -> match_pb2.Match | None:
        """Returns the match that a message holds, if it does."""
        if message.HasField("snapshot"):
            if message.snapshot.version < self.version:
                self.version, self.answered = 0, -1  # the store has lost the rest
            self.version = max(self.version, message.snapshot.version)
            return message.snapshot
        self.version = max(self.version, message.update.version)
        return message.update.match if message.update.HasField("match") else None


async def play_seat(
    client: RefereeClient, match_id: str, seat: int, bot: Bot, budget: Budget, rng: random.Random
) -> match_pb2.Match:
    """Plays a seat to the end of the match, which it returns; `rng` is for a seat without a bot seed.

    Raises:
        BotError: the bot failed.
        CallError: the referee refused for good.
    """
    detail = getattr(bot, "detail", match_pb2.DETAIL_FULL)
    match, known, bot_seed = match_pb2.Match(), _Known(), b""
    async for message in client.watch_match(match_id, seat, detail, lambda: known.version):
        match = known.hear(message) or match
        bot_seed = match.bot_seed or bot_seed
        if not match.HasField("prompt") or match.prompt.decision_number <= known.answered:
            continue
        known.answered = match.prompt.decision_number
        try:
            answer = _answer(client, match, seat, bot, budget, rng_for(bot_seed, known.answered, rng))
            known.version = max(known.version, await answer)
        except BotError:
            await give_up(client, match_id, seat)
            raise
    return match


def rng_for(bot_seed: bytes, decision_number: int, otherwise: random.Random) -> random.Random:
    """Returns the randomness for one decision: `otherwise` if the bot seed is empty."""
    if not bot_seed:
        return otherwise
    return random.Random(hmac.digest(bot_seed, decision_number.to_bytes(8, "big"), "sha256"))


def choice_of(
    bot: Bot, match: match_pb2.Match, budget: Budget, rng: random.Random, since: float
) -> match_pb2.MoveChoice:
    """Returns a bot's choice for the prompt of a match that came at the time `since` by `time.monotonic`.

    Raises:
        BotError: it raised, or chose something else than a move.
    """
    prompt = match.prompt
    legal: Sequence[match_pb2.LegalMove] = prompt.legal_moves or [
        match_pb2.LegalMove(index=index, id=move) for index, move in enumerate(prompt.legal_ids)
    ]
    try:
        chosen = bot.choose(match.view, legal, budget.for_prompt(prompt, since), rng)
    except Exception as error:
        raise BotError(f"{bot.name} raised {type(error).__name__}: {error}") from error
    if not isinstance(chosen, match_pb2.LegalMove):
        raise BotError(f"{bot.name} chose {chosen!r}, expected one of the legal moves")
    return match_pb2.MoveChoice(id=chosen.id)


async def _answer(
    client: RefereeClient, match: match_pb2.Match, seat: int, bot: Bot, budget: Budget, rng: random.Random
) -> int:
    """Answers a prompt; returns the version that it is told, or 0 when it came too late."""
    request = service_pb2.SubmitMoveRequest(
        match_id=match.match_id,
        seat=seat,
        decision_number=match.prompt.decision_number,
        moves=[choice_of(bot, match, budget, rng, time.monotonic())],
        detail=match_pb2.DETAIL_NONE,
    )
    try:
        return (await client.submit_move(request)).version
    except CallError as error:
        if error.reason in FORBIDDEN:
            raise BotError(f"{bot.name} chose a move that was refused: {error.text}") from error
        if error.reason not in LATE:
            raise
        return 0


async def give_up(client: RefereeClient, match_id: str, seat: int) -> None:
    """Resigns a seat, unless that has become pointless."""
    try:
        await client.resign(match_id, seat)
    except CallError as error:
        if error.reason not in LATE:
            raise
