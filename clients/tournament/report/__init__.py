"""What people and programs get to see of a tournament."""

from clients.tournament.report.live import live_standings
from clients.tournament.report.subject import Subject, Verdict
from clients.tournament.report.terminal import show
from clients.tournament.report.writing import write_report

__all__ = ["Subject", "Verdict", "live_standings", "show", "write_report"]
