"""The command `curator organise`: orders are checked, kept for the director, and told of."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from clients.curator.organise import organise
from clients.tournament import orders
from clients.tournament.entries import Drawn, Ended, Ordered
from clients.tournament.ledger import Ledger, now_ms
from clients.tournament.orders import Adjudicate, Enter, Order, Pause, Replace, Resume, Withdraw
from clients.tournament.plan import Entrant, Kind, Lasting
from clients.tournament.planning import plan_of
from clients.tournament.results import SeatResult
from clients.tournament.running import begin, ledger_of
from tests.clients.tournament.planning.files import saved

CUP = """\
name = "Cup"
deals = 1
[[games]]
ruleset = "artsee"
seats = 3
[[entrants]]
name = "Alpha"
bot = "greedy"
[[entrants]]
name = "Beta"
bot = "random"
[[entrants]]
name = "Gamma"
bot = "random"
"""
MATCH = "artsee/3/0/0.0/0"
MATCH_ID = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tournament whose first round is drawn."""
    begin(tmp_path / "cup", plan_of(saved(tmp_path, CUP), {}))
    with ledger_of(tmp_path / "cup") as ledger:
        drawn = ledger.state.next_round()
        assert drawn is not None
        ledger.enter(Drawn(drawn))
    return tmp_path / "cup"


@pytest.fixture
def director(folder: Path) -> Iterator[Ledger]:
    """The ledger that a director at work has open."""
    with ledger_of(folder) as ledger:
        yield ledger


def give(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(organise, [str(folder), *arguments])


def given(folder: Path) -> list[Order]:
    """The orders, with ids and times by which they can be compared."""
    return [msgspec.structs.replace(order, id="", given_ms=0) for order in orders.read(folder)]


@pytest.mark.parametrize(
    ("arguments", "order"),
    [
        (["pause"], Pause(id="", given_ms=0)),
        (["resume"], Resume(id="", given_ms=0)),
        (["withdraw", "Beta"], Withdraw("Beta", id="", given_ms=0)),
        (
            ["enter", "Delta", "--bot", "greedy", "--iterations", "5", "--seconds", "0.5"],
            Enter(Entrant("Delta", "1", bot="greedy", iterations=5, seconds=0.5), id="", given_ms=0),
        ),
        (
            ["replace", "Beta", "--cmd", "sh -c 'exit 1'", "--version", "2", "--env", "A=1", "--env", "B=x=y"],
            Replace(
                Entrant(
                    "Beta",
                    "2",
                    kind=Kind.COMMAND,
                    command=("sh", "-c", "exit 1"),
                    environment=(("A", "1"), ("B", "x=y")),
                ),
                id="",
                given_ms=0,
            ),
        ),
        (
            ["enter", "Delta", "--cmd", "sh", "--lasting", "match"],
            Enter(Entrant("Delta", kind=Kind.COMMAND, command=("sh",), lasting=Lasting.MATCH), id="", given_ms=0),
        ),
        (
            ["adjudicate", MATCH, "--ranks", "2,1,2", "--reason", "a power cut"],
            Adjudicate(MATCH, (2, 1, 2), "a power cut", id="", given_ms=0),
        ),
        (
            ["adjudicate", MATCH_ID, "--ranks", "1,1,1", "--reason", "under way: only the director knows its id"],
            Adjudicate(MATCH_ID, (1, 1, 1), "under way: only the director knows its id", id="", given_ms=0),
        ),
    ],
)
def test_an_order_is_kept_for_the_director_also_while_it_is_at_work(
    director: Ledger, folder: Path, arguments: list[str], order: Order
) -> None:
    result = give(folder, *arguments)
    assert (result.exit_code, result.exception) == (0, None)
    assert given(folder) == [order]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["withdraw", "Betta"], 1, "there is no entrant 'Betta'; there are Alpha, Beta, Gamma"),
        (["replace", "Delta", "--bot", "random"], 1, "there is no entrant 'Delta'; there are Alpha, Beta, Gamma"),
        (["enter", "Beta", "--bot", "random"], 1, "Beta takes part already"),
        (["enter", "Delta"], 2, "the flags: an entrant has one of bot, cmd and principal, this one has none"),
        (["enter", "Delta", "--bot", "random", "--cmd", "sh"], 2, "this one has bot and cmd"),
        (["enter", "Delta", "--bot", "gready"], 2, "entrants.bot is no bot: there is no bot 'gready'"),
        (["enter", "Delta\u202e", "--bot", "random"], 2, "entrants.name has U+202E"),
        (["enter", "Delta", "--cmd", "'"], 2, '"\'" is no command: No closing quotation'),
        (["enter", "Delta", "--cmd", "sh", "--env", "A"], 2, "'A' is not NAME=VALUE"),
        (["enter", "Delta", "--principal", "0" * 64], 2, "a remote entrant could stall for ever: there is no clock"),
        (["adjudicate", MATCH, "--ranks", "1,2", "--reason", "x"], 1, f"{MATCH} has 3 seats, not 2"),
        (["adjudicate", "artsee/3/9/0.0/0", "--ranks", "1,2,3", "--reason", "x"], 1, "there is no match"),
        (["adjudicate", MATCH, "--ranks", "1,1,2", "--reason", "x"], 2, "'1,1,2' is no ranking"),
        (["adjudicate", MATCH, "--ranks", "2,3,3", "--reason", "x"], 2, "'2,3,3' is no ranking"),
        (["adjudicate", MATCH, "--ranks", "1;2", "--reason", "x"], 2, "'1;2' is not a list of places"),
        (["adjudicate", MATCH, "--ranks", "1,2,3"], 2, "Missing option '--reason'"),
    ],
)
def test_what_cannot_be_heeded_is_refused_at_once(folder: Path, arguments: list[str], code: int, told: str) -> None:
    result = give(folder, *arguments)
    assert result.exit_code == code
    assert told in result.stderr
    assert given(folder) == []


def test_an_order_that_waits_may_change_what_is_possible(folder: Path) -> None:
    """Someone who is to enter can be withdrawn before any director has heard of it."""
    assert give(folder, "enter", "Delta", "--bot", "random").exit_code == 0
    assert give(folder, "withdraw", "Delta").exit_code == 0
    assert [type(order) for order in orders.read(folder)] == [Enter, Withdraw]


def test_a_directory_without_a_tournament_takes_no_orders(tmp_path: Path) -> None:
    result = give(tmp_path, "pause")
    assert (result.exit_code, result.stderr) == (
        1,
        f"Error: {tmp_path} holds no tournament: there is no journal.jsonl\n",
    )
    assert give(tmp_path / "nowhere", "pause").exit_code == 2


def test_a_damaged_file_of_orders_is_told(folder: Path) -> None:
    (folder / orders.FILE).write_bytes(b"{}\n")
    result = give(folder, "pause")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: orders.jsonl, line 1: ")


def test_status_tells_how_it_stands_and_what_became_of_orders(director: Ledger, folder: Path) -> None:
    """Three entrants at three seats: two groups of three rotations."""
    give(folder, "withdraw", "Gamma")
    give(folder, "pause")
    give(folder, "adjudicate", MATCH, "--ranks", "1,1,1", "--reason", "x")
    give(folder, "enter", "Delta", "--bot", "random")
    withdrawal, pause, adjudication, _ = orders.read(folder)
    seats = (SeatResult(1), SeatResult(2), SeatResult(3))
    director.enter(Ended(MATCH, MATCH_ID, seats, "COMPLETED", now_ms(), now_ms()))
    director.enter(Ordered(withdrawal))
    director.enter(Ordered(pause))
    director.enter(Ordered(adjudication, "it is too late"))
    with (folder / orders.FILE).open("ab") as file:
        file.write(b"{torn")
    assert give(folder, "status").output.splitlines() == [
        "Cup: round-robin, paused",
        "1 rounds, 1 of 6 matches played, 0 cancelled",
        "  Alpha: bot, takes part",
        "  Beta: bot, takes part",
        "  Gamma: bot, withdrawn",
        "withdraw Gamma: heeded",
        "pause: heeded",
        f"adjudicate {MATCH} 1,1,1: refused, it is too late",
        "enter Delta: waits for a director",
        "5 bytes at the end of orders.jsonl are no order: whoever wrote them was killed",
    ]
