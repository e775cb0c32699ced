"""What plays for the entrants: processes that are started, kept running and stopped."""

from clients.tournament.players.description import Description, NoBotError, describe
from clients.tournament.players.executor import Ending, Executor, LocalExecutor, NoExecutorError, Process, executor_at
from clients.tournament.players.launch import Launch
from clients.tournament.players.players import Players, ReplacementError
from clients.tournament.players.supervisor import Log

__all__ = [
    "Description",
    "Ending",
    "Executor",
    "Launch",
    "LocalExecutor",
    "Log",
    "NoBotError",
    "NoExecutorError",
    "Players",
    "Process",
    "ReplacementError",
    "describe",
    "executor_at",
]
