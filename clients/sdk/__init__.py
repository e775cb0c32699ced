"""The client library: typed calls with retries, and what a bot needs to play."""

from clients.sdk.bot import Bot, BotError, Budget, play_seat
from clients.sdk.client import RefereeClient, new_request_id
from clients.sdk.errors import CallError
from clients.sdk.principal import Principal

__all__ = ["Bot", "BotError", "Budget", "CallError", "Principal", "RefereeClient", "new_request_id", "play_seat"]
