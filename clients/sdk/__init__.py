"""The client library: typed calls with retries, and what a bot needs to play."""

from clients.sdk.bot import Bot, BotError, Budget, play_seat
from clients.sdk.client import RefereeClient, new_request_id
from clients.sdk.errors import CallError, MatchAbortedError
from clients.sdk.play import PlayStream
from clients.sdk.principal import Principal
from clients.sdk.runner import Runner
from clients.sdk.tls import Tls, TlsError

__all__ = [
    "Bot",
    "BotError",
    "Budget",
    "CallError",
    "MatchAbortedError",
    "PlayStream",
    "Principal",
    "RefereeClient",
    "Runner",
    "Tls",
    "TlsError",
    "new_request_id",
    "play_seat",
]
