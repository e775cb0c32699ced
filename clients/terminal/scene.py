"""What a terminal shows of a match, whatever it is drawn with."""

from collections.abc import Sequence
from typing import Final

from artreferee.v1 import error_pb2, match_pb2, ruleset_pb2
from clients.sdk import CallError
from clients.terminal import refusals
from clients.terminal.chooser import Chooser
from clients.terminal.drawing import Drawing, drawing_of
from clients.terminal.names import called
from clients.terminal.session import Closed, Connection, News, Position, Refused
from clients.terminal.words import Words


class Scene:
    """A match as it was told, piece by piece.

    Args:
        words: the language.
        invitation: the command by which others sit down at an open seat; empty if nobody here knows.

    Attributes:
        words: the language.
        match: the match as it is now; empty before anything is told.
        drawing: draws it.
        before: what its viewer saw when it last chose; a spectator, one change ago.
        log: what happened, line by line.
        chooser: what is asked; None if nothing is, or the answer is on its way.
        connected: whether the referee can be heard.
        notice: the last thing that went wrong; empty if nothing did.
        closed: whether nothing more will be told.
        error: why nothing more will be told, if the match is not over.
    """

    def __init__(self, words: Words, invitation: str = "") -> None:
        self.words: Final = words
        self.invitation: Final = invitation
        self.match = match_pb2.Match()
        self.drawing: Drawing = drawing_of("", (), words)
        self.before: ruleset_pb2.View | None = None
        self.log: Final = list[str]()
        self.chooser: Chooser | None = None
        self.connected = False
        self.notice = ""
        self.closed = False
        self.error: CallError | None = None
        self._since = 0.0
        self._sent = range(0)
        self._resigning = False

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.match.status in (match_pb2.MATCH_STATUS_FINISHED, match_pb2.MATCH_STATUS_ABORTED)

    @property
    def may_resign(self) -> bool:
        """Whether the viewer has a seat to give up."""
        match = self.match
        return match.status == match_pb2.MATCH_STATUS_ACTIVE and match.HasField("viewer_seat") and not self._is_out

    @property
    def gone(self) -> bool:
        """Whether there is no such match, or no more."""
        return self.error is not None and self.error.reason == error_pb2.ERROR_REASON_MATCH_NOT_FOUND

    @property
    def sending(self) -> bool:
        """Whether an answer or a resignation is on its way."""
        return bool(self._sent) or self._resigning

    @property
    def names(self) -> tuple[str, ...]:
        """The players."""
        return tuple(called(seat.display_name, self.words) for seat in self.match.seats)

    @property
    def situation(self) -> str:
        """What is asked, or what is waited for."""
        told, match = self.words.told, self.match
        if self.chooser is not None:
            return self.chooser.question
        if match.status == match_pb2.MATCH_STATUS_WAITING:
            waiting = told("Waiting for players.")
            join = told("Others sit down with: {command}", command=self.invitation) if self.invitation else ""
            return f"{waiting} {join}".strip()
        if self.over:
            return told("The match is over.")
        if not match.match_id or self.sending or self.closed:
            return ""
        to_act = (name for name, seat in zip(self.names, match.seats, strict=True) if seat.to_act)
        return told("To move: {seats}", seats=", ".join(to_act))

    def hear(self, news: News) -> None:
        """Takes in what the session tells."""
        match news:
            case Position():
                self._move_on(news)
            case Connection(there):
                self.connected = there
            case Refused(error):
                self._sent, self._resigning = range(0), False
                self.notice = refusals.told(error, self.words)
                self._ask()
            case Closed(error):
                self.closed, self.error = True, error
                self.chooser = None
                self.notice = refusals.told(error, self.words) if error else self.notice

    def answered(self, moves: Sequence[int]) -> None:
        """Notes that the question is being answered."""
        first = self.match.prompt.decision_number
        self._sent = range(first, first + len(moves))
        self.before = self.match.view
        self.chooser, self.notice = None, ""

    def resigned(self) -> None:
        """Notes that the seat is being given up: nothing is asked of it meanwhile."""
        self._resigning = True
        self.chooser, self.notice = None, ""

    def left_ms(self, seat: int, now: float) -> int | None:
        """Returns how much time a seat has left at the time `now` by `time.monotonic`; None if that is not known."""
        told = self.match.seats[seat]
        run_ms = int((now - self._since) * 1000)
        if self.match.HasField("prompt") and seat == self.match.viewer_seat:
            prompt = self.match.prompt
            return max(0, prompt.remaining_ms - run_ms) if prompt.HasField("remaining_ms") else None
        if not told.HasField("bank_ms"):
            return None
        return max(0, told.bank_ms - run_ms) if told.to_act else told.bank_ms

    def _move_on(self, news: Position) -> None:
        before, self.match, self._since = self.match, news.match, news.since
        if (before.ruleset, _names(before)) != (self.match.ruleset, _names(self.match)):
            self.drawing = drawing_of(self.match.ruleset, self.names, self.words)
        if not self.match.HasField("viewer_seat"):
            self.before = before.view if before.HasField("view") else None
        for update in news.updates:
            self.log.extend(self.drawing.events(update.events))
        if news.lost or self._is_out:
            self._sent, self._resigning = range(0), False  # it counts no more, or the store has lost it and asks again
        elif self._made >= self._sent.stop:
            self._sent = range(0)
        if self.chooser and self._made > self.chooser.decision_number and not (self.over or self._is_out):
            self.notice = self.words.told(refusals.ANSWERED)
        self._ask()

    @property
    def _made(self) -> int:
        """How many moves the viewer's seat has made."""
        return self.match.seats[self.match.viewer_seat].decision_number if self.match.HasField("viewer_seat") else 0

    @property
    def _is_out(self) -> bool:
        """Whether the autopilot plays the viewer's seat."""
        return self.match.HasField("viewer_seat") and bool(self.match.seats[self.match.viewer_seat].cause)

    def _ask(self) -> None:
        """Has the open question asked, unless it is or was."""
        if not self.match.HasField("prompt") or self.sending or self.closed:
            self.chooser = None
        elif self.chooser is None or self.chooser.decision_number != self.match.prompt.decision_number:
            self.chooser = Chooser(self.match, self.drawing, self.words)


def _names(match: match_pb2.Match) -> list[str]:
    return [seat.display_name for seat in match.seats]
