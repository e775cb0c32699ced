"""The examples: programs that know the proto files only, beside built-in bots, also where things go wrong."""

import sys
from pathlib import Path
from typing import Final

import pytest

from clients.bots.connection import Connection
from clients.sdk import RefereeClient, Tls
from clients.tournament.plan import Entrant, Kind, Lasting
from tests.certificates import Authority
from tests.clients.tournament.players import bots
from tests.clients.tournament.players.stage import (
    EXAMPLES,
    IN,
    WITHIN_S,
    Stage,
    bot,
    causes,
    pairing,
    principal_of,
)
from tests.servers import RefereeProcess, eventually, referee_process, required_program

PYTHON: Final = (sys.executable, str(EXAMPLES / "bot.py"))
LINES: Final = 120


@pytest.fixture(params=["bot.py", "bot.js"])
def command(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """How an example is run; skipped where there is nothing to run it with, but not on CI."""
    if request.param == "bot.py":
        return PYTHON
    required_program(str(EXAMPLES / "node_modules" / "@grpc" / "grpc-js" / "package.json"), "tests/install-servers.sh")
    return (required_program("/usr/bin/node", "nodejs"), str(EXAMPLES / "bot.js"))


@pytest.mark.parametrize("lasting", Lasting)
async def test_an_example_plays_a_tournament_beside_built_in_bots(
    stage: Stage, command: tuple[str, ...], lasting: Lasting
) -> None:
    """All seats of its principal, also two of one match, to the end, and it is told each place."""
    entrants = [
        Entrant("example", kind=Kind.COMMAND, command=command, lasting=lasting),
        Entrant("greedy", bot="greedy"),
        Entrant("random", bot="random"),
    ]
    names = [("example", "greedy"), ("greedy", "example"), ("example", "example"), ("random", "greedy", "example")]
    made = [pairing(*each, number=number) for number, each in enumerate(names)]
    async with stage.players(*entrants) as players:
        results = await stage.play(players, *made)

        async def told_all() -> bool:
            return stage.log("example").count("place ") == 5

        assert await eventually(told_all, WITHIN_S)
    assert [causes(result) for result in results] == [[IN] * len(each) for each in names]
    places = [
        f"seat {seat}: place {result.seats[seat].rank}\n"
        for result, each in zip(results, names, strict=True)
        for seat, name in enumerate(each)
        if name == "example"
    ]
    said = [line for line in stage.log("example").splitlines(keepends=True) if line.startswith("match ")]
    assert sorted(line.partition(", ")[2] for line in said) == sorted(places)
    assert stage.crashes == []


async def test_nothing_that_plays_ends_while_the_referee_is_away(command: tuple[str, ...], tmp_path: Path) -> None:
    """The referee is killed in the middle of matches and comes back at its address: they are played to their ends."""
    told = tmp_path / "told"
    entrants = [
        Entrant("example", kind=Kind.COMMAND, command=command),
        bot("witness", "Witness", told),
        Entrant("greedy", bot="greedy"),
    ]
    with referee_process(tmp_path / "referee.log", "--data", str(tmp_path / "data"), "--fsync", "always") as referee:
        async with RefereeClient(referee.address) as client:
            stage = Stage(referee.address, tmp_path, client)
            async with stage.players(*entrants) as players:
                made = pairing("example", "witness", "greedy")
                match_id = await stage.create(players, made)
                async with players.seated(made, match_id):
                    await _until_moves(told)
                    _restart(referee)
                    result = await client.result_of(match_id)
    assert causes(result) == [IN] * 3
    assert stage.crashes == []


async def _until_moves(told: Path) -> None:
    async def moved() -> bool:
        return _lines(told) >= 2

    await eventually(moved, WITHIN_S)


def _lines(path: Path) -> int:
    return path.read_text().count("\n") if path.exists() else 0


def _restart(referee: RefereeProcess) -> None:
    referee.kill()
    referee.start()


async def test_all_that_plays_speaks_tls(command: tuple[str, ...], tmp_path: Path) -> None:
    """With a certificate of their own, given by files that are named from anywhere."""
    authority = Authority(tmp_path, "ours")
    pair, own = authority.issue(), authority.issue("players@example.org")
    files = ("--tls-cert", str(pair.cert), "--tls-key", str(pair.key), "--tls-client-ca", str(authority.root))
    tls = Tls(authority.root, own.cert, own.key)
    with referee_process(tmp_path / "referee.log", "--data", str(tmp_path / "data"), *files) as referee:
        async with RefereeClient(referee.address, tls=tls) as client:
            stage = Stage(referee.address, tmp_path, client, tls)
            entrants = [Entrant("example", kind=Kind.COMMAND, command=command), Entrant("random", bot="random")]
            async with stage.players(*entrants) as players:
                [result] = await stage.play(players, pairing("example", "random"))
    assert causes(result) == [IN, IN]


@pytest.mark.parametrize("file", ["bot.py", "bot.js"])
def test_an_example_is_short(file: str) -> None:
    assert len((EXAMPLES / file).read_text().splitlines()) < LINES


def test_an_example_needs_no_library_of_ours() -> None:
    lines = (EXAMPLES / "bot.py").read_text().splitlines()
    assert [line for line in lines if line.startswith(("from clients", "import clients", "from referee"))] == []


@pytest.mark.parametrize("named", [Tls(), None])
def test_a_connection_is_what_an_environment_tells_of_it(named: Tls | None) -> None:
    connection = Connection("127.0.0.1:1", principal_of("one", 0), named)
    environment = dict(connection.variables)
    assert Connection.taken_from(environment) == connection
    assert "CURATOR_TOKEN" not in environment
    assert bots.TOLD not in environment
