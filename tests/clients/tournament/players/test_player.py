"""When a process is started again, and when not."""

import asyncio
from pathlib import Path

from clients.tournament.players import Ending, Launch, Log, Process
from clients.tournament.players.player import Player
from tests.servers import eventually


class Dead:
    """A process that ended at once."""

    async def wait(self) -> Ending:
        return Ending("exit code 1")

    async def stop(self) -> None:
        pass


class Morgue:
    """Starts such, and counts them."""

    workers = 1
    cores: int | None = None

    def __init__(self) -> None:
        self.started = 0

    async def start(self, launch: Launch, log: Log) -> Process:
        self.started += 1
        return Dead()


async def _turns() -> None:
    """Lets all go on that need not wait for anything."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_after_giving_up_a_process_rests_until_there_is_another_match(tmp_path: Path) -> None:
    """The third crash is the last one for the matches that there were."""
    morgue, crashes, given_up = Morgue(), list[str](), asyncio.Event()

    async def give_up() -> None:
        given_up.set()

    log = Log(tmp_path / "log")
    player = Player(Launch((), {}), morgue, log, lasts=True, crashed=crashes.append, given_up=give_up)
    player.want()
    keeping = asyncio.create_task(player.keep())
    await given_up.wait()
    await _turns()
    assert morgue.started == 3
    assert crashes == ["exit code 1"] * 3
    player.want()

    async def started() -> bool:
        return morgue.started == 4

    assert await eventually(started)
    keeping.cancel()


async def test_a_process_whose_match_is_over_is_not_started_again(tmp_path: Path) -> None:
    morgue, crashes = Morgue(), list[str]()

    async def give_up() -> None:
        raise AssertionError

    log = Log(tmp_path / "log")
    player = Player(Launch((), {}), morgue, log, lasts=False, crashed=crashes.append, given_up=give_up)
    keeping = asyncio.create_task(player.keep())
    player.end()
    await keeping
    assert (morgue.started, crashes) == (0, [])
