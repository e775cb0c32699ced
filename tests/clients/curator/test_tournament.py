"""The command `curator tournament`, but for what is played: plans of files and flags, faults, and the dry run."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from clients.curator.dry_run import duration
from clients.curator.tournament import Wanted, command
from clients.sdk import Principal
from clients.terminal.words import in_language
from clients.tournament.pairing import Game
from clients.tournament.plan import Clocks, FormatName
from clients.tournament.planning import plan_of
from tests.clients.tournament.planning.files import RIGHT, WRONG, saved


class BrokenError(Exception):
    """What a run fails with."""


class Theatre:
    """Has tournaments played: takes note of what is wanted, and fails if told so."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.wanted = list[Wanted]()
        self._failure = failure

    async def run(self, wanted: Wanted) -> None:
        self.wanted.append(wanted)
        if self._failure:
            raise ExceptionGroup("a run", [self._failure])

    def invoke(self, *arguments: str) -> Result:
        return CliRunner().invoke(command(self.run, BrokenError), arguments, env={"COLUMNS": "150", "LC_ALL": "C"})


def test_without_arguments_the_default_tournament_is_played() -> None:
    theatre = Theatre()
    assert theatre.invoke().exit_code == 0
    assert theatre.wanted == [Wanted(plan_of(None, {}), Path("out"))]


def test_a_file_is_played(tmp_path: Path) -> None:
    theatre, file = Theatre(), saved(tmp_path, RIGHT)
    assert theatre.invoke(str(file), "--out", "cup", "--referee", "host:1", "--dask", "tcp://host:2").exit_code == 0
    assert theatre.wanted == [Wanted(plan_of(file, {}), Path("cup"), address="host:1", dask="tcp://host:2")]


def test_the_report_is_in_the_language_asked_for() -> None:
    theatre = Theatre()
    assert theatre.invoke("--lang", "es").exit_code == 0
    assert theatre.wanted == [Wanted(plan_of(None, {}), Path("out"), words=in_language("es"))]


def test_the_token_of_who_creates_the_matches_comes_from_a_file(tmp_path: Path) -> None:
    """Where a referee lets its operators only create any; one that is none is refused in words."""
    principal, file = Principal.new(), tmp_path / "token"
    theatre = Theatre()
    for text, code in ((principal.token + "\n", 0), ("secret", 2)):
        file.write_text(text)
        result = theatre.invoke("--token-file", str(file))
        assert result.exit_code == code
    assert "token holds no token: " in result.output
    assert "secret" not in result.output
    assert [wanted.host for wanted in theatre.wanted] == [principal]


def test_flags_go_before_the_file(tmp_path: Path) -> None:
    theatre, file = Theatre(), saved(tmp_path, RIGHT)
    flags = (
        "--name Cup --deals 2 --seats 2,4 --shared-deals --champion random --move-limit 5 --illegal-moves 0 --seed x"
    )
    assert theatre.invoke(str(file), *flags.split()).exit_code == 0
    plan = theatre.wanted[0].plan
    assert plan is not None
    assert (plan.name, plan.deals, plan.independent_deals, plan.seed) == ("Cup", 2, False, "x")
    assert plan.format.champions == ("random",)
    assert plan.clocks == Clocks(5, 60_000, 500, 100, 0, 30_000)
    assert {game.seats for game in plan.games} == {2, 4}


def test_every_part_of_a_plan_has_a_flag() -> None:
    theatre = Theatre()
    flags = "--ruleset artsee --ruleset art_decko --seats 2-3 --entrants greedy,random --concurrency 3 --format ab"
    more = (
        "--elo0 1 --elo1 2 --alpha 0.1 --beta 0.2 --batch 4 --bank 1000 --increment 10 --margin 1 --independent-deals"
    )
    assert theatre.invoke(*flags.split(), *more.split()).exit_code == 0
    plan = theatre.wanted[0].plan
    assert plan is not None
    assert plan.games == tuple(Game(ruleset, seats) for ruleset in ("artsee", "art_decko") for seats in (2, 3))
    assert [entrant.name for entrant in plan.entrants] == ["greedy", "random"]
    assert (plan.format.name, plan.format.elo0, plan.format.elo1) == (FormatName.AB, 1.0, 2.0)
    assert (plan.format.alpha, plan.format.beta, plan.format.batch) == (0.1, 0.2, 4)
    assert (plan.clocks, plan.concurrency, plan.independent_deals) == (Clocks(0, 1000, 10, 1), 3, True)


def test_resume_alone_goes_on_with_whatever_is_there() -> None:
    theatre = Theatre()
    assert theatre.invoke("--resume", "--out", "cup").exit_code == 0
    assert theatre.wanted == [Wanted(None, Path("cup"), resume=True)]


def test_resume_with_a_file_or_flags_tells_what_it_must_be(tmp_path: Path) -> None:
    theatre, file = Theatre(), saved(tmp_path, RIGHT)
    assert theatre.invoke(str(file), "--resume").exit_code == 0
    assert theatre.invoke("--resume", "--deals", "3").exit_code == 0
    assert theatre.wanted == [
        Wanted(plan_of(file, {}), Path("out"), resume=True),
        Wanted(plan_of(None, {"--deals": 3}), Path("out"), resume=True),
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["no-such-file.toml"], "'no-such-file.toml' does not exist"),
        (["--deals", "0"], "--deals: deals is 0, expected a whole number from 1 to 100000"),
        (["--deals", "x"], "'x' is not a valid integer"),
        (["--seats", "2-x"], "'2-x' is not a list such as 2,3 or a range such as 2-5"),
        (["--seats", "2-9999999999"], "'2-9999999999' is not a list such as 2,3 or a range such as 2-5"),
        (["--ruleset", "chess"], "--ruleset: there is no ruleset 'chess'; known are art_decko, artsee and classic_art"),
        (["--format", "cup"], "'cup' is not one of"),
        (["--resume", "--dry-run"], "--dry-run shows what would begin"),
        (["--tls"], "TLS is spoken with a referee that is named"),
    ],
)
def test_wrong_arguments_are_a_matter_of_usage(arguments: list[str], told: str) -> None:
    theatre = Theatre()
    result = theatre.invoke(*arguments)
    assert (result.exit_code, theatre.wanted) == (2, [])
    assert told in result.stderr


def test_every_fault_of_a_file_stands_on_a_line_of_its_own(tmp_path: Path) -> None:
    """As compilers tell theirs, so that editors find them."""
    file = saved(tmp_path, WRONG)
    result = Theatre().invoke(str(file))
    told = [line for line in result.stderr.splitlines() if line.startswith(f"{file}:")]
    assert result.exit_code == 2
    assert told[1] == f"{file}:2: a plan has no 'deal'; did you mean 'deals'?"
    assert len(told) > 30


def test_what_fails_is_told_in_a_sentence() -> None:
    result = Theatre(BrokenError("the stage is on fire")).invoke("--deals", "1")
    assert (result.exit_code, result.stderr) == (1, "Error: the stage is on fire\n")


@pytest.fixture
def no_processes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A directory to work in, where whoever starts a process or opens a connection fails."""

    def refuse(*arguments: object, **rest: object) -> None:
        raise AssertionError("a dry run starts nothing")

    for function in ("subprocess.Popen", "asyncio.create_subprocess_exec", "socket.socket.connect", "os.posix_spawn"):
        monkeypatch.setattr(function, refuse)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_dry_run_plays_nothing_and_leaves_nothing(no_processes: Path) -> None:
    theatre = Theatre()
    result = theatre.invoke("--dry-run", "--ruleset", "artsee", "--seats", "2", "--deals", "3")
    assert (result.exit_code, result.exception) == (0, None)
    assert theatre.wanted == []
    assert list(no_processes.iterdir()) == []


def test_a_dry_run_shows_schedule_count_and_forecast(no_processes: Path) -> None:
    """Two entrants meet at two seats in both rotations, and at three seats in two groups of three rotations."""
    flags = "--dry-run --name Cup --ruleset artsee --seats 2-3 --deals 3"
    output = Theatre().invoke(*flags.split()).output
    assert "Cup: round-robin, 2 entrants, 1 round\n" in output
    assert rows(output, "artsee/2 ") == [["artsee/2", "3", "3", "6", "6"]]
    assert rows(output, "artsee/3 ") == [["artsee/3", "3", "6", "18", "18"]]
    assert rows(output, "artsee/2/0") == [["artsee/2/0", "2", "greedy", "random", ""]]
    assert sorted(row[:2] for row in rows(output, "artsee/3/2")) == [["artsee/3/2", "3"], ["artsee/3/2", "3"]]
    assert "\n24 matches\n" in output
    assert re.search(r"\nabout [0-9,]+ moves, [0-9dhmins ]+ to [0-9dhmins ]+ on [0-9]+ cores? that do", output)
    for entrant in ("greedy", "random"):
        assert re.search(rf"\n  {entrant}: [0-9.]+ ms a move in [0-9,]+ moves\n", output)


def test_a_dry_run_shows_so_much_of_the_first_round(no_processes: Path) -> None:
    flags = "--dry-run --ruleset artsee --seats 2 --deals 500"
    output = Theatre().invoke(*flags.split()).output
    assert len(rows(output, "artsee/2/")) == 20
    assert "and 480 groups more" in output
    assert "\n1,000 matches\n" in output


def test_a_dry_run_tells_what_of_time_only_clocks_limit(no_processes: Path) -> None:
    """Sixteen matches with a bank of ten minutes for the remote entrant, all at once: ten minutes at most."""
    entrants = '[[entrants]]\nbot = "random"\n[[entrants]]\nname = "far"\nprincipal = "' + "0" * 64 + '"\n'
    game = '[[games]]\nruleset = "artsee"\nseats = 2\n'
    text = f"deals = 8\nconcurrency = 16\n[clocks]\nbank_ms = 600_000\n{game}{entrants}"
    output = Theatre().invoke("--dry-run", str(saved(no_processes, text))).output
    told = "  far: not tried; if they take all the time that the clocks give them, it lasts 10 min longer"
    assert told in output
    text = f'{game}[[entrants]]\nbot = "random"\n[[entrants]]\nname = "own"\ncmd = ["sh"]\n'
    output = Theatre().invoke("--dry-run", str(saved(no_processes, text))).output
    assert "  own: not tried, and no clock limits how long they think" in output


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (59.4, "59 s"), (60, "1 min"), (200, "3 min 20 s"), (3600, "1 h"), (90_061, "1 d 1 h")],
)
def test_a_duration_is_told_in_two_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def rows(output: str, beginning: str) -> list[list[str]]:
    """The cells of the lines of tables that begin so."""
    cells = [[cell.strip() for cell in line.strip("│").split("│")] for line in output.splitlines()]
    return [row for row in cells if f"{row[0]} ".startswith(beginning)]
