"""A bot that searches: information-set Monte Carlo tree search, see `searching`."""

from clients.bots.search.analysis import Analysis, Candidate, Step
from clients.bots.search.bot import SearchBot, searched

__all__ = ["Analysis", "Candidate", "SearchBot", "Step", "searched"]
