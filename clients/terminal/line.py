"""The terminal as plain lines, for pipes and screen readers: a line an event, numbered choices, a number to choose."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from artreferee.v1 import match_pb2
from clients.sdk import RefereeClient
from clients.terminal.hint import Advisor
from clients.terminal.pages import advice, resignation_question, rules_page
from clients.terminal.scene import Scene
from clients.terminal.session import News, Session
from clients.terminal.times import clock
from clients.terminal.typed import TypedLines
from clients.terminal.words import Words

_CONFIRM: Final = "0"
_LEAVE: Final = "q"
_OF_QUESTIONS: Final = ("b", "h", "l")


class LineTerminal:
    """Plays or watches matches line by line.

    Args:
        client: the connection.
        words: the language.
        say: writes a line.
        typed: what is typed.
    """

    def __init__(self, client: RefereeClient, words: Words, say: Callable[[str], None], typed: TypedLines) -> None:
        self._client, self._words, self._say, self._typed = client, words, say, typed
        self._scene = Scene(words)
        self._news = asyncio.Queue[News | str | None]()
        self._taken = asyncio.Event()  # the line that was read last
        self._held = ""  # a number for the next question

    async def follow(self, match_id: str, seat: int | None, invitation: str = "") -> Scene:
        """Follows a match until it is over, or whoever plays leaves; returns what is known of it then."""
        self._scene, self._news, self._held = Scene(self._words, invitation), asyncio.Queue(), ""
        session = Session(self._client, match_id, seat, self._news.put_nowait)
        with Advisor() as advisor:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(session.run()), group.create_task(self._read())]
                await self._converse(session, advisor, group)
                for task in tasks:
                    task.cancel()
        return self._scene

    async def agrees(self, question: str) -> bool:
        """Asks until the answer is yes or no, of which the first letter counts, or nothing, which is no.

        What else is typed may have been meant for a match that has just ended.
        """
        choices = self._words.gettext("y/N")
        yes, no = choices.lower().split("/")
        while True:
            self._say(f"{question} [{choices}]")
            answer = (await self._typed.next() or no).strip().lower() or no
            if answer.startswith((yes, no)):
                return answer.startswith(yes)

    async def _read(self) -> None:
        """Reads a line whenever the one before has been taken."""
        while True:
            line = await self._typed.next()
            self._news.put_nowait(line)
            if line is None:
                return
            self._taken.clear()
            await self._taken.wait()

    async def _converse(self, session: Session, advisor: Advisor, group: asyncio.TaskGroup) -> None:
        while not self._scene.closed:
            news = await self._news.get()
            if news is None and (session.seat is not None or self._typed.by_hand):
                return
            if isinstance(news, str):
                self._held = news.strip()
            elif news is not None:
                self._hear(news)
            if not self._held or self._is_early(self._held):
                continue
            line, self._held = self._held, ""
            if not await self._heed(line, session, advisor, group):
                return
            self._taken.set()

    def _is_early(self, line: str) -> bool:
        """Whether what was typed waits for the next question, or for the match."""
        if line.isdigit() or line.lower() in _OF_QUESTIONS:
            return self._scene.chooser is None
        return not self._scene.match.match_id and line.lower() != _LEAVE

    def _hear(self, news: News) -> None:
        """Tells what has changed."""
        scene = self._scene
        known, asked, connected, notice = len(scene.log), scene.chooser, scene.connected, scene.notice
        first = not scene.match.match_id
        scene.hear(news)
        if first and scene.match.match_id:
            self._introduce()
        for line in scene.log[known:]:
            self._say(line)
        if scene.connected != connected and not first:
            told = self._words.told
            self._say(told("The referee is back.") if scene.connected else told("The referee is away; trying again."))
        if scene.notice and scene.notice != notice and scene.error is None:  # an error is told once this has ended
            self._say(scene.notice)
        if scene.chooser is not None and scene.chooser is not asked:
            self._ask()

    def _introduce(self) -> None:
        """Tells what is played by whom, and how the table stands."""
        scene, told = self._scene, self._words.told
        players = ", ".join(scene.names)
        self._say(
            told(
                "{game}: {players}. Match {match}.",
                game=scene.drawing.title,
                players=players,
                match=scene.match.match_id,
            )
        )
        if scene.match.HasField("viewer_seat"):
            self._say(told("Type ? for help."))
        self._say_table()
        if scene.match.status == match_pb2.MATCH_STATUS_WAITING:
            self._say(scene.situation)

    def _say_table(self) -> None:
        if self._scene.match.HasField("view"):
            for line in self._scene.drawing.summary(self._scene.match.view):
                self._say(line)

    def _ask(self) -> None:
        """Tells what is asked, and what may be taken."""
        scene = self._scene
        if (chooser := scene.chooser) is None:
            return
        seat = scene.match.viewer_seat
        left = scene.left_ms(seat, time.monotonic())
        self._say(chooser.question if left is None else f"{chooser.question} ({clock(left)})")
        self._say_entries(range(len(chooser.entries)))

    def _say_entries(self, places: range) -> None:
        """Tells what may be taken in some places of the list, and whether it can be confirmed."""
        if (chooser := self._scene.chooser) is None:
            return
        for place in places:
            entry = chooser.entries[place]
            box = "" if entry.checked is None else "[x] " if entry.checked else "[ ] " if entry.open else "[-] "
            self._say(f"{place + 1}. {box}{entry.text}")
        if chooser.confirmed is not None:
            confirm = self._words.told("Confirm")
            self._say(f"{_CONFIRM}. {confirm}")

    async def _heed(self, line: str, session: Session, advisor: Advisor, group: asyncio.TaskGroup) -> bool:
        """Does what was typed; returns whether to go on."""
        scene, told = self._scene, self._words.told
        match line.lower():
            case "q":
                return False
            case "?":
                self._say(
                    told("A number chooses, 0 confirms, b goes a step back, l lists the choices, h asks for a hint,")
                )
                self._say(told("t tells the table, r the rules, x gives up your seat, q leaves: you can go on later."))
            case "t":
                self._say_table()
            case "r":
                self._say(rules_page(scene.match.ruleset, self._words))
            case "h" if scene.chooser is not None:
                for text in await advice(advisor, scene):
                    self._say(text)
            case "x" if scene.may_resign:
                if await self.agrees(resignation_question(self._words)):
                    scene.resigned()
                    await session.resign()  # else it would be lost where the lines end
            case "l" if scene.chooser is not None:
                self._ask()
            case "b" if scene.chooser is not None:
                scene.chooser.back()
                self._ask()
            case number if number.isdigit() and scene.chooser is not None:
                self._choose(number, session, group)
            case _:
                self._say(told("That is neither a number of the list nor a command; type ? for help."))
        return True

    def _choose(self, number: str, session: Session, group: asyncio.TaskGroup) -> None:
        """Takes an entry, or confirms; answers if that is all."""
        scene, chooser = self._scene, self._scene.chooser
        if chooser is None:
            return
        moves, place = chooser.confirmed, int(number[:6]) - 1
        step, question = chooser.step, chooser.question
        if number != _CONFIRM or moves is None:
            entries = chooser.entries
            if not 0 <= place < len(entries) or not entries[place].open:
                self._say(self._words.told("There is no such choice: {number}.", number=number[:6]))
                return
            moves = chooser.take(place)
        if moves is None and chooser.step == step:  # not the whole list again, as it is read aloud
            if chooser.question != question:
                self._say(chooser.question)
            self._say_entries(range(place, place + 1))
            return
        if moves is None:
            self._ask()
            return
        scene.answered(moves)
        group.create_task(session.answer(chooser.decision_number, moves))
