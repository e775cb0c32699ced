"""What plays for entrants, with real processes at a real referee: crashes, ends, and what a process is told."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from artreferee.v1 import match_pb2
from clients.sdk import RefereeClient
from clients.tournament.plan import Entrant, Kind, Lasting
from clients.tournament.players import Launch, LocalExecutor, Log, Process, ReplacementError, executor
from clients.tournament.players.launch import INHERITED
from tests.clients.tournament.players import bots
from tests.clients.tournament.players.stage import (
    EXAMPLES,
    IN,
    OUT,
    WITHIN_S,
    Stage,
    bot,
    causes,
    example,
    pairing,
    principal_of,
)
from tests.servers import eventually, is_running

EVER = 10**6
KILLED = ("mortal", "SIGKILL")
RANDOM = Entrant("random", bot="random")
SPY = (
    "import json, os, runpy, sys; "
    "open(os.environ['TOLD'], 'a').write(json.dumps({'pid': os.getpid(), **os.environ}) + '\\n'); "
    "runpy.run_path(sys.argv[1], run_name='__main__')"
)


def spy(name: str, told: Path, lasting: Lasting = Lasting.TOURNAMENT) -> Entrant:
    """An entrant that tells its environment and then plays."""
    command = (sys.executable, "-c", SPY, str(EXAMPLES / "bot.py"))
    return Entrant(name, kind=Kind.COMMAND, command=command, environment=((bots.TOLD, str(told)),), lasting=lasting)


def told(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def written(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


async def pids(path: Path, count: int) -> list[int]:
    """The process ids that a bot told, once it has told so many."""

    async def read() -> list[int]:
        lines = written(path)
        return [int(line) for line in lines] if len(lines) == count else []

    return await eventually(read, WITHIN_S)


async def gone(among: Iterable[int]) -> bool:
    """Waits until none of the processes runs."""
    among = list(among)

    async def none() -> bool:
        return not running(among)

    return await eventually(none, WITHIN_S)


async def said(stage: Stage, name: str, text: str) -> bool:
    """Waits until an entrant's process has said something."""

    async def heard() -> bool:
        return text in stage.log(name)

    return await eventually(heard, WITHIN_S)


def running(among: Iterable[int]) -> list[int]:
    return [pid for pid in among if is_running(pid)]


# --- crashes ---


async def test_a_process_that_crashes_plays_on(stage: Stage, tmp_path: Path) -> None:
    """It is started again, finds what it is asked, and the match is played to its end."""
    async with stage.players(bot("mortal", "Mortal", tmp_path / "told", lives=2), RANDOM) as players:
        [result] = await stage.play(players, pairing("mortal", "random"))
    assert causes(result) == [IN, IN]
    assert stage.crashes == [KILLED, KILLED]
    assert stage.log("mortal").count("--- started ---") == 3
    assert stage.log("mortal").count("--- ended with SIGKILL ---") == 2


async def test_a_process_that_crashes_again_and_again_loses_and_the_others_play_on(
    stage: Stage, tmp_path: Path
) -> None:
    """Nothing limits time: its seat is resigned, the others play to the end and are told it, with their places."""
    mortal = bot("mortal", "Mortal", tmp_path / "told", EVER)
    async with stage.players(mortal, example(), RANDOM) as players:
        [result] = await stage.play(players, pairing("mortal", "example", "random"))
        assert await said(stage, "example", f"seat 1: place {result.seats[1].rank}\n")
    assert causes(result) == [OUT, IN, IN]
    assert result.seats[0].rank == 3
    assert stage.crashes == [KILLED, KILLED, KILLED, ("mortal", "given up after 3 crashes: resigned in 1 match")]


async def test_the_opponent_of_one_that_crashes_has_won(stage: Stage, tmp_path: Path) -> None:
    """With two seats the match is over with a result, never a draw and never without."""
    async with stage.players(bot("mortal", "Mortal", tmp_path / "told", EVER), example()) as players:
        [result] = await stage.play(players, pairing("mortal", "example"))
        assert await said(stage, "example", "seat 1: place 1\n")
    assert [seat.rank for seat in result.seats] == [2, 1]


async def test_one_that_was_given_up_plays_the_next_match(stage: Stage, tmp_path: Path) -> None:
    async with stage.players(bot("mortal", "Mortal", tmp_path / "told", lives=3), RANDOM) as players:
        [first] = await stage.play(players, pairing("mortal", "random"))
        [second] = await stage.play(players, pairing("mortal", "random", number=1))
    assert (causes(first), causes(second)) == ([OUT, IN], [IN, IN])


async def test_one_that_never_runs_loses_every_match(stage: Stage) -> None:
    """Also when it has been given up before the match began."""
    never = Entrant("never", kind=Kind.COMMAND, command=("no-such-program",))
    async with stage.players(never, RANDOM) as players:
        results = [await stage.play(players, pairing("never", "random", number=number)) for number in range(2)]
    assert [causes(result) for [result] in results] == [[OUT, IN]] * 2
    assert ("never", "exit code 127") in stage.crashes
    assert "no-such-program cannot be started: No such file or directory" in stage.log("never")


async def test_crashes_with_the_end_of_a_match_in_between_do_not_add_up(stage: Stage, tmp_path: Path) -> None:
    """Two and two are no four: only three without the end of a match are too many."""
    async with stage.players(bot("mortal", "Mortal", tmp_path / "told", lives=2), RANDOM) as players:
        [first] = await stage.play(players, pairing("mortal", "random"))
        (tmp_path / "told").unlink()
        [second] = await stage.play(players, pairing("mortal", "random", number=1))
    assert (causes(first), causes(second)) == ([IN, IN], [IN, IN])
    assert stage.crashes == [KILLED] * 4


async def test_only_the_matches_of_the_process_that_crashes_are_given_up(stage: Stage, tmp_path: Path) -> None:
    """Of two processes of an entrant one has no luck."""
    mortal = bot("mortal", "Mortal", tmp_path / "told", lives=3)
    async with stage.players(mortal, RANDOM, processes=2) as players:
        made = [pairing("mortal", "random", number=number) for number in range(6)]
        of_process = [players.principal(each, 0) == principal_of("mortal", 0) for each in made]
        unlucky = made[of_process.index(True)]
        [result] = await stage.play(players, unlucky)
        others = await stage.play(players, *(each for each, first in zip(made, of_process, strict=True) if not first))
    assert causes(result) == [OUT, IN]
    assert 0 < len(others) < 6
    assert [causes(other) for other in others] == [[IN, IN]] * len(others)


async def test_processes_that_cannot_be_started_end_the_block_with_the_reason(stage: Stage) -> None:
    """That is no fault of an entrant."""

    class Exhausted:
        workers = 1
        cores: int | None = None

        async def start(self, launch: Launch, log: Log) -> Process:
            raise OSError("no more processes")

    with pytest.raises(ExceptionGroup) as caught:
        async with stage.players(RANDOM, executor=Exhausted()):
            await asyncio.Event().wait()
    assert [str(error) for error in caught.value.exceptions] == ["no more processes"]
    assert stage.crashes == []


async def test_an_error_of_the_block_stays_what_it_is(stage: Stage) -> None:
    with pytest.raises(LookupError):
        async with stage.players(RANDOM):
            raise LookupError


# --- one process a match ---


async def test_a_command_may_have_a_fresh_process_for_each_seat_of_each_match(stage: Stage, tmp_path: Path) -> None:
    """It is told match and seat, and has a principal that nobody else has; it has gone when the match has."""
    made = [pairing("fresh", "fresh", number=number) for number in range(2)]
    async with stage.players(spy("fresh", tmp_path / "told", Lasting.MATCH)) as players:
        results = await stage.play(players, *made)
        environments = told(tmp_path / "told")
        principals = {players.principal(each, seat) for each in made for seat in range(2)}
        assert await gone(int(environment["pid"]) for environment in environments)
    assert [causes(result) for result in results] == [[IN, IN]] * 2
    places = sorted((environment["CURATOR_MATCH"], environment["CURATOR_SEAT"]) for environment in environments)
    assert len({match for match, _ in places}) == 2
    assert [seat for _, seat in places] == ["0", "1"] * 2
    assert len({environment["pid"] for environment in environments}) == 4
    assert {environment["CURATOR_TOKEN"] for environment in environments} == {
        principal.token for principal in principals if principal
    }
    assert stage.crashes == []


async def test_a_process_that_ends_before_its_match_does_is_started_again_and_given_up(stage: Stage) -> None:
    """Also if it says that all went well."""
    quitter = Entrant("quitter", kind=Kind.COMMAND, command=("true",), lasting=Lasting.MATCH)
    async with stage.players(quitter, RANDOM) as players:
        [result] = await stage.play(players, pairing("quitter", "random"))
    assert causes(result) == [OUT, IN]
    lost = ("quitter", "given up after 3 crashes: resigned in 1 match")
    assert stage.crashes == [("quitter", "exit code 0")] * 3 + [lost]


# --- what a process is told ---


async def test_a_process_is_told_its_own_principal_and_nothing_else_that_is_secret(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the store's address nor what the director has for itself, nor another's token."""
    for name in ("REFEREE_REDIS_URL", "REFEREE_TOKEN", "CURATOR_TOKEN", "CURATOR_MATCH", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "a secret of the director")
    entrants = [spy("one", tmp_path / "one"), spy("two", tmp_path / "two")]
    async with stage.players(*entrants) as players:
        await stage.play(players, pairing("one", "two"))
    for entrant in entrants:
        [environment] = told(tmp_path / entrant.name)
        inherited = {name for name in INHERITED if name in os.environ}
        assert environment.keys() - inherited - {"pid", "LC_CTYPE"} == {"CURATOR_REFEREE", "CURATOR_TOKEN", bots.TOLD}
        assert environment["CURATOR_REFEREE"] == stage.address
        assert environment["CURATOR_TOKEN"] == principal_of(entrant.name, 0).token
        assert "a secret of the director" not in environment.values()


async def test_a_bot_is_given_a_view_and_its_budget_and_not_even_its_token(stage: Stage, tmp_path: Path) -> None:
    witness = bot("witness", "Witness", tmp_path / "told")
    limited = Entrant(
        "witness",
        bot=f"{bots.FILE}:Witness",
        iterations=70,
        seconds=1.5,
        environment=((bots.TOLD, str(tmp_path / "told")),),
    )
    for entrant, budget in ((witness, [None, None]), (limited, [1.5, 70])):
        async with stage.players(entrant, RANDOM) as players:
            await stage.play(players, pairing("witness", "random"))
        given = [json.loads(line) for line in written(tmp_path / "told")]
        assert {each["view"] for each in given} == {"View"}
        assert [each["budget"] for each in given] == [budget] * len(given)
        assert all("CURATOR_TOKEN" not in each["environment"] for each in given)
        (tmp_path / "told").unlink()


async def test_matches_are_spread_over_the_processes_of_an_entrant_by_their_names(stage: Stage) -> None:
    """A director who takes over binds each seat to the same principal as the one before."""
    made = [pairing("random", "random", number=number) for number in range(30)]
    one, two = (stage.players(RANDOM, processes=3) for _ in range(2))
    hashes = [one.principal_hash(each, 0) for each in made]
    assert {hashes.count(principal_of("random", number).hash) >= 3 for number in range(3)} == {True}
    assert hashes == [two.principal_hash(each, 1) for each in reversed(made)][::-1]


async def test_a_remote_entrant_has_a_hash_and_no_process(stage: Stage) -> None:
    """It plays when it comes; only itself can resign."""
    principal = principal_of("far away", 7)
    remote = Entrant("remote", kind=Kind.REMOTE, principal_hash=principal.hash.hex())
    made = pairing("remote", "random")
    async with stage.players(remote, RANDOM) as players:
        match_id = await stage.create(players, made)
        async with players.seated(made, match_id), RefereeClient(stage.address, principal) as client:
            assert (await client.get_match(match_id)).viewer_seat == 0
            with pytest.raises(ValueError, match="only its own principal can resign"):
                await players.resign(made, match_id, 0)
            await players.resign(made, match_id, 1)
            assert [seat.rank for seat in (await stage.client.result_of(match_id)).seats] == [1, 2]
            await players.resign(made, match_id, 1)  # has become pointless
    assert players.principal(made, 0) is None
    assert [path.name for path in (stage.folder / "logs").iterdir()] == ["random.log"]


# --- coming and going ---


async def test_all_processes_are_gone_after_the_block(stage: Stage, tmp_path: Path) -> None:
    """Those that they started too."""
    async with stage.players(bot("parent", "Parent", tmp_path / "told")):
        family = await pids(tmp_path / "told", 2)
        assert running(family) == family
    assert running(family) == []


async def test_all_processes_are_gone_after_a_director_that_was_killed(stage: Stage, tmp_path: Path) -> None:
    director = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from tests.clients.tournament.players.stage import *\n"
        "async def main():\n"
        "    async with RefereeClient(sys.argv[1]) as client:\n"
        "        stage = Stage(sys.argv[1], Path(sys.argv[2]), client)\n"
        "        async with stage.players(bot('parent', 'Parent', stage.folder / 'told'), example()):\n"
        "            await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    root = str(Path(__file__).parents[4])
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", director, stage.address, str(tmp_path)), env={**os.environ, "PYTHONPATH": root}
    )
    family = await pids(tmp_path / "told", 2)
    process.kill()
    await process.wait()
    assert await gone(family)


async def test_a_bot_that_thinks_for_ever_loses_on_time_and_holds_nothing_up(stage: Stage, tmp_path: Path) -> None:
    """Neither the matches of others nor the end: its process hears nothing, and is ended all the same."""
    stage.clocks = match_pb2.TimeControl(move_limit_ms=5_000)
    async with stage.players(bot("endless", "Endless", tmp_path / "told"), RANDOM) as players:
        results = await stage.play(players, pairing("endless", "random"), pairing("random", "random", number=1))
        family = await pids(tmp_path / "told", 1)
    assert [causes(result) for result in results] == [[match_pb2.CAUSE_TIMED_OUT, IN], [IN, IN]]
    assert running(family) == []
    assert stage.crashes == []


async def test_an_entrant_may_come_late_and_go_early(stage: Stage, tmp_path: Path) -> None:
    async with stage.players(RANDOM) as players:
        players.enter(bot("parent", "Parent", tmp_path / "told"))
        [result] = await stage.play(players, pairing("parent", "random"))
        family = await pids(tmp_path / "told", 2)
        await players.withdraw("parent")
        assert running(family) == []
        [other] = await stage.play(players, pairing("random", "random"))
    assert (causes(result), causes(other)) == ([IN, IN], [IN, IN])
    assert stage.crashes == []


@pytest.mark.parametrize("lasting", Lasting)
async def test_what_replaces_an_entrant_plays_on_in_its_matches(stage: Stage, tmp_path: Path, lasting: Lasting) -> None:
    """Of a program that hangs nothing is lost but time."""
    hangs = Entrant("one", kind=Kind.COMMAND, command=("sleep", "1000"), lasting=lasting)
    made = pairing("one", "random")
    async with stage.players(hangs, RANDOM) as players:
        match_id = await stage.create(players, made)
        async with players.seated(made, match_id), asyncio.timeout(WITHIN_S):
            await players.replace(example("one", lasting))
            result = await stage.client.result_of(match_id)
    assert causes(result) == [IN, IN]
    assert stage.crashes == []


async def test_what_could_not_play_on_is_no_replacement(stage: Stage) -> None:
    """Its seats are bound to principals that the other would not have."""
    async with stage.players(example("one"), RANDOM) as players:
        with pytest.raises(ReplacementError, match="one of the two is a process for each match, the other is not"):
            await players.replace(example("one", Lasting.MATCH))
        with pytest.raises(ReplacementError, match="one of the two is remote, the other is not"):
            await players.replace(Entrant("random", kind=Kind.REMOTE, principal_hash="00" * 32))
        [result] = await stage.play(players, pairing("one", "random"))
    assert causes(result) == [IN, IN]


async def test_a_name_that_is_no_file_name_has_a_log_all_the_same(stage: Stage) -> None:
    names = ["../50%", "a/b", ".."]
    async with stage.players(*(Entrant(name, bot="random") for name in names)) as players:
        await stage.play(players, pairing(*names))
    assert {path.name for path in (stage.folder / "logs").iterdir()} == {"..%2F50%25.log", "a%2Fb.log", "...log"}


async def test_a_supervisor_that_does_not_answer_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop is bounded, whatever happened to it; its command goes with it."""
    monkeypatch.setattr(executor, "_STOP_WITHIN_S", 0.5)
    code = "import os, time; print(f'{os.getppid()}\\n{os.getpid()}', flush=True); time.sleep(1000)"
    process = await LocalExecutor().start(Launch(("-c", code), {}, python=True), Log(tmp_path / "log"))
    family = await pids(tmp_path / "log", 2)
    os.kill(family[0], signal.SIGSTOP)
    await process.stop()
    assert await gone(family)
