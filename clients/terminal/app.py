"""The terminal on the whole screen."""

from typing import Final

from rich.markdown import Markdown
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.message import Message

from clients.sdk import CallError, RefereeClient
from clients.terminal import refusals
from clients.terminal.application import Application
from clients.terminal.asking import Asking
from clients.terminal.board import Board
from clients.terminal.hint import Advisor
from clients.terminal.menu import Menu
from clients.terminal.opening import Table
from clients.terminal.pages import advice, help_lines, resignation_question, rules_page
from clients.terminal.reading import Reading
from clients.terminal.records import written
from clients.terminal.scene import Scene
from clients.terminal.session import News, Session
from clients.terminal.stage import Stage
from clients.terminal.words import Words

_TICK_S: Final = 0.5
_PATIENCE_S: Final = 0.15


class TableApp(Application):
    """Shows a match, and others of its kind after it if there is a table for that.

    Args:
        client: the connection.
        match_id: the match.
        seat: whose eyes and choices; None for a spectator.
        words: the language.
        table: where the match is played, for whoever plays.

    Attributes:
        scene: what is shown.
    """

    class Heard(Message):
        """The session tells something."""

        def __init__(self, match_id: str, news: News) -> None:
            super().__init__()
            self.match_id: Final = match_id
            self.news: Final = news

    def __init__(
        self, client: RefereeClient, match_id: str, seat: int | None, words: Words, table: Table | None = None
    ) -> None:
        super().__init__()
        self._client, self._seat, self._words, self._table = client, seat, words, table
        self._advisor: Final = Advisor()
        self._stage: Final = Stage()
        self._stale = False
        self._open(match_id)

    async def show(self) -> Scene:
        """Runs until whoever looks leaves; returns what is known of the match then."""
        with self._advisor:
            await self.run_async()
        return self.scene

    def compose(self) -> ComposeResult:
        yield self._stage
        yield self.keys

    def on_mount(self) -> None:
        told = self._words.told
        self.offer("f1", "help", told("Help"))
        self.offer("f2", "rules", told("Rules"))
        self.offer("f3", "hint", told("Hint"))
        self.offer("f4", "log", told("Log"))
        self.offer("f5", "again", told("Again"))
        self.offer("f6", "words", told("In words"))
        self.offer("f7", "record", told("Record"))
        self.offer("f8", "resign", told("Resign"))
        self.offer("f10", "quit", told("Quit"))
        self._stage.menu.focus()
        self.set_interval(_TICK_S, self._tick)
        self._follow()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers a hint only while something is asked, another match and the record only after this one."""
        match action:
            case "hint":
                return self.scene.chooser is not None
            case "again":
                return self.scene.over and self._table is not None and self._table.match.hosted
            case "record":
                return self.scene.over
            case "resign":
                return self.scene.may_resign
            case _:
                return super().check_action(action, parameters)

    def on_table_app_heard(self, heard: Heard) -> None:
        if heard.match_id == self._session.match_id:
            self.scene.hear(heard.news)
            if self.scene.error is not None and not self.scene.match.match_id:
                self.exit()  # there is nothing to be seen
            self._draw_soon()

    def on_key(self, event: events.Key) -> None:
        if self.is_reading:
            return
        if event.key in ("pageup", "pagedown"):
            self._stage.scroll_table(down=event.key == "pagedown")
        elif event.key == "escape":
            self._step_back()
        elif not self._stage.menu.key(event.key, event.character):
            return
        event.stop()
        event.prevent_default()

    def on_menu_typed(self) -> None:
        self._stage.draw_question()

    def on_menu_taken(self, taken: Menu.Taken) -> None:
        chooser, place = self.scene.chooser, taken.row.place
        if chooser is None or taken.question != chooser.step:
            return  # it was another question
        moves = chooser.confirmed if place is None else chooser.take(place)
        if moves is not None:
            self.scene.answered(moves)
            self.run_worker(self._session.answer(chooser.decision_number, moves))
            self.set_timer(_PATIENCE_S, self._draw_soon)  # until then the answer is there, as a rule, and drawn once
            return
        self._draw()
        if taken.row.entry.checked is False and chooser.complete:
            self._stage.menu.highlight(None)

    def on_board_clicked(self, clicked: Board.Clicked) -> None:
        """Takes the one row that the moves belong to, or moves the cursor to the first of them."""
        menu, moves = self._stage.menu, set(clicked.moves)
        rows = [row for row in menu.rows if row.entry.open and row.entry.moves and moves.issuperset(row.entry.moves)]
        rows = rows or [row for row in menu.rows if row.entry.open and moves.intersection(row.entry.moves)]
        if len(rows) == 1:
            menu.take(rows[0])
        elif rows:
            menu.highlight(rows[0].place)

    def action_help(self) -> None:
        self.read(self._words.told("Help"), Text("\n".join(help_lines(self._words))))

    def action_rules(self) -> None:
        self.read(self._words.told("Rules"), Markdown(rules_page(self.scene.match.ruleset, self._words)))

    def action_log(self) -> None:
        self.read(self._words.told("Log"), Text("\n".join(self.scene.log)))

    def action_words(self) -> None:
        if self.scene.match.HasField("view"):
            lines = self.scene.drawing.summary(self.scene.match.view)
            self.read(self._words.told("In words"), Text("\n".join(lines)))

    def action_record(self) -> None:
        self.run_worker(self._write_record(), group="record", exclusive=True)

    def action_resign(self) -> None:
        if not self.is_reading:
            self.push_screen(Asking(resignation_question(self._words), self._words), self._resign)

    def action_hint(self) -> None:
        if (page := self.read(self._words.told("Hint"), Text(self._words.told("Thinking …")))) is not None:
            self.run_worker(self._advise(page))

    def action_again(self) -> None:
        self.run_worker(self._play_again(), group="again", exclusive=True)

    async def _advise(self, page: Reading) -> None:
        lines = await advice(self._advisor, self.scene)
        if page.is_current:
            page.show(Text("\n\n".join(lines)))

    def _resign(self, agreed: bool | None) -> None:
        if agreed:
            self.scene.resigned()
            self.run_worker(self._session.resign())
            self._draw()

    async def _write_record(self) -> None:
        self.scene.notice = await written(self._client, self._session.match_id, self._words)
        self._draw()

    async def _play_again(self) -> None:
        if self._table is None:
            return
        try:
            await self._table.play_again()
        except CallError as error:
            self.scene.notice = refusals.told(error, self._words)
            self._draw()
            return
        self._open(self._table.match.match_id)
        self._follow()

    def _open(self, match_id: str) -> None:
        """Turns to a match."""
        self.scene = Scene(self._words, self._table.invitation if self._table else "")
        self._session = Session(self._client, match_id, self._seat, self._tell)

    def _tell(self, news: News) -> None:
        self.post_message(self.Heard(self._session.match_id, news))

    def _follow(self) -> None:
        self._draw()
        self.run_worker(self._session.run(), group="session", exclusive=True)

    def _step_back(self) -> None:
        if not self._stage.menu.clear() and self.scene.chooser is not None:
            self.scene.chooser.back()
        self._draw()

    def _tick(self) -> None:
        if self.scene.match.HasField("time_control"):
            self._stage.draw_header()

    def _draw_soon(self) -> None:
        """Draws once for all that is heard at the same time."""
        if not self._stale:
            self._stale = True
            self.call_later(self._draw)

    def _draw(self) -> None:
        self._stale = False
        self._stage.draw(self.scene)
        self.tell_keys()
