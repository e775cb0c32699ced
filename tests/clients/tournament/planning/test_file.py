"""Tournament files: a right one is a plan, and of a wrong one every fault is told, with its line."""

import random
from pathlib import Path

import pytest

from clients.tournament.pairing import Game
from clients.tournament.plan import Clocks, Entrant, Format, FormatName, Kind, Lasting, Plan
from clients.tournament.planning import Fault, PlanError, plan_of
from tests.clients.tournament.planning.files import RIGHT, WRONG, saved

PLAN = Plan(
    name="Winter cup",
    deals=20,
    seed="practice",
    concurrency=8,
    independent_deals=True,
    format=Format(FormatName.GAUNTLET, champions=("Alpha",), groups=12),
    clocks=Clocks(1000, 60_000, 500, 100, illegal_moves=3, disconnect_grace_ms=30_000),
    games=(
        Game("artsee", 2, '{"start_seat":1}'),
        Game("artsee", 3, '{"start_seat":1}'),
        Game("art_decko", 4),
        *(Game("classic_art", seats) for seats in (2, 3, 4, 5)),
    ),
    entrants=(
        Entrant("Alpha", "1", bot="greedy", iterations=500, seconds=2.0),
        Entrant(
            "Beta",
            "0.9",
            kind=Kind.COMMAND,
            command=("sh", "-c", "sleep 1"),
            lasting=Lasting.MATCH,
            environment=(("MODE", "fast"), ("SIZE", "5")),
        ),
        Entrant(
            "Gamma",
            kind=Kind.REMOTE,
            principal_hash="00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
        ),
        Entrant("random", "1", bot="random"),
    ),
)

FAULTS = """\
1: name has U+0007, a character that cannot be printed
2: a plan has no 'deal'; did you mean 'deals'?
3: deals is 0, expected a whole number from 1 to 100000
4: seed is 5, expected a text in quotes
5: concurrency is 16.5, expected a whole number from 1 to 1000
6: independent_deals is 'no', expected true or false
10: the champion 'Alfa' is no entrant; did you mean 'Alpha'?
10: the champion 'Beta' is no entrant; known are    , Alpha, An entrant whose name is very long, Both, None, \
'a\\u202eb' and e\u0301
10: the champion 'Beta' is named twice
11: the format gauntlet has no 'rounds'; did you mean 'groups'?
14: clocks.margin_ms is given without move_limit_ms or bank_ms
15: clocks.increment_ms is given without bank_ms, to which it is added
16: a clock has no 'bank'; did you mean 'bank_ms'?
19: faults.illegal_moves is -1, expected a whole number from 0 to 1000
22: there is no ruleset 'artse'; did you mean 'artsee'?
26: artsee is for 2 to 5 seats, not 6
27: games.options.size is 'big', expected a whole number from 0 to 4294967295
27: option start_seat is 2, expected 0 to 1, with 2 seats
27: option colour is unknown; known are start_seat, with 2 seats
33: art_decko with 2 seats and these options is played already
37: the game has no ruleset; known are art_decko, artsee, classic_art
42: entrants.bot is no bot: there is no bot 'gready': expected greedy, mcts, random, mcts@50ms or FILE.py:CLASS
43: an entrant with bot has no 'iteration'; did you mean 'iterations'?
46: entrants.name is 'Alpha', as that of another entrant
47: entrants.cmd names the program 'no-such-program', which is neither on the PATH nor a file to be run
48: entrants.environment has 'A=B', which cannot be the name of a variable
50: an entrant with cmd needs a name
52: an entrant with cmd has no 'iterations'; known are name, version, cmd, lasting and environment
55: entrants.name has U+202E, a character that cannot be printed
56: a remote entrant could stall for ever: give the clocks a move_limit_ms or bank_ms
56: entrants.principal is 'abc', expected SHA-256 of the principal as 64 hexadecimal digits
58: an entrant has one of bot, cmd and principal, this one has bot and cmd
64: entrants.name is not in Unicode form NFC
65: entrants.bot is no bot: there is no file ./no_such_file.py for the bot './no_such_file.py:Bot'
68: entrants.name has 34 characters, expected 1 to 32
70: entrants.seconds is 0, expected a number between 0 and 3600
72: an entrant has one of bot, cmd and principal, this one has none
76: entrants.name has nothing to be seen
77: entrants.cmd is an empty list, expected a list with at least one entry
78: entrants.lasting is 'forever', expected tournament or match"""


def faults(folder: Path, text: str) -> list[str]:
    """What is told of a wrong file, without its name."""
    file = saved(folder, text)
    with pytest.raises(PlanError) as error:
        plan_of(file, {})
    told = str(error.value).splitlines()
    assert [line[: len(f"{file}:")] for line in told] == [f"{file}:"] * len(told)
    return [line[len(f"{file}:") :] for line in told]


def test_a_right_file_is_a_plan(tmp_path: Path) -> None:
    """Rulesets without seats are played with all there are, and a bot without name or version has its own."""
    assert plan_of(saved(tmp_path, RIGHT), {}) == PLAN


def test_every_fault_of_a_wrong_file_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    expected = FAULTS.splitlines()
    told = faults(tmp_path, WRONG)
    assert [line.split(":")[0] for line in told] == [line.split(":")[0] for line in expected]
    assert sorted(told) == sorted(expected)


ENTRANTS = '[[entrants]]\nname = "a"\nbot = "random"\n[[entrants]]\nname = "b"\nbot = "random"\n'
THIRD = '[[entrants]]\nname = "c"\nbot = "random"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("deals = \n", "1: column 9: Invalid value"),
        ("deals = 1\n\ndeals = 2\n", "3: column 10: Cannot overwrite a value"),
        ("name = 'a'\nentrants = [\n", "3: Invalid value"),
        ("a = 1\n" + "b = " + "[" * 10_000, "2: is nested too deeply"),
        ("a = 1\n" + "deals = " + "9" * 10_000 + "\nb = 1", "2: has a number of too many digits"),
        ("", "1: a tournament is between two entrants or more, here are 0"),
        (THIRD, "1: a tournament is between two entrants or more, here are 1"),
        ("entrants = 5", "1: entrants is 5, expected one or more tables in double brackets"),
        ("entrants = [5]", "1: entrants is a list, expected one or more tables in double brackets"),
        (
            ENTRANTS + '[format]\nname = "knock-out"',
            "8: format.name is 'knock-out'; known are round-robin, gauntlet, swiss and ab",
        ),
        (ENTRANTS + '[format]\nname = "swis"', "8: format.name is 'swis'; did you mean 'swiss'?"),
        ("format = 'swiss'\n" + ENTRANTS, "1: format is 'swiss', expected a table"),
        (ENTRANTS + '[format]\nname = "gauntlet"', "7: a gauntlet needs champions, who meet all others"),
        (
            ENTRANTS + '[format]\nname = "gauntlet"\nchampions = ["a", "b"]',
            "9: all entrants are champions: there is nobody to meet them",
        ),
        (ENTRANTS + THIRD + '[format]\nname = "ab"', "11: an ab is between two entrants, here are 3"),
        (
            ENTRANTS + '[format]\nname = "ab"\nelo0 = 5\nelo1 = 5',
            "9: format.elo0 is 5, expected less than elo1, 5",
        ),
        (
            ENTRANTS + '[format]\nname = "ab"\nalpha = 0.5',
            "9: format.alpha is 0.5, expected a number between 0 and 0.5",
        ),
        (
            ENTRANTS + '[format]\nname = "ab"\nelo1 = nan',
            "9: format.elo1 is nan, expected a number between -1000 and 1000",
        ),
        (
            ENTRANTS + '[format]\nname = "swiss"\n[[games]]\nruleset = "artsee"\nseats = [2, 3]',
            "8: a swiss needs an entrant for each of the 3 seats of a table, here are 2: "
            "play games with fewer seats, or another format, which takes copies",
        ),
        (
            ENTRANTS + "[clocks]\nmove_limit_ms = true",
            "8: clocks.move_limit_ms is true, expected a whole number from 0 to 604800000",
        ),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    assert faults(tmp_path, text) == [told]


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_bytes(b"name = 'x'\n# \xff\n")
    with pytest.raises(PlanError) as error:
        plan_of(file, {})
    assert str(error.value) == f"{file}:2: has bytes that are not UTF-8"


@pytest.mark.parametrize("clock", ["move_limit_ms = 1", "bank_ms = 1"])
def test_a_remote_entrant_needs_a_clock_of_some_kind(tmp_path: Path, clock: str) -> None:
    remote = f'{THIRD}[[entrants]]\nname = "far"\nprincipal = "{"0" * 64}"\n'
    told = ["6: a remote entrant could stall for ever: give the clocks a move_limit_ms or bank_ms"]
    assert faults(tmp_path, remote) == told
    assert faults(tmp_path, f"{remote}[clocks]\nmove_limit_ms = 0\n") == told
    assert plan_of(saved(tmp_path, f"{remote}[clocks]\n{clock}\n"), {}).entrants[1].kind is Kind.REMOTE


def test_a_bot_of_a_file_is_asked_for_its_name_and_version(tmp_path: Path) -> None:
    """It is loaded in a process of its own: what its code does, it does there."""
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import random\n"
        "class Bot:\n"
        "    name, version = 'eager', '3'\n"
        "    def choose(self, view, legal_moves, budget, rng): return legal_moves[0]\n"
        "class Nameless(Bot):\n"
        "    name = 'x' * 33\n"
        "class Broken(Bot):\n"
        "    def __init__(self): raise SystemExit(3)\n"
    )
    file = saved(tmp_path, f'[[entrants]]\nbot = "{bot}:Bot"\n[[entrants]]\nbot = "{bot}:Bot"\n')
    assert [(entrant.name, entrant.version) for entrant in plan_of(file, {}).entrants] == [
        ("eager", "3"),
        ("eager 2", "3"),
    ]
    told = faults(tmp_path, f'[[entrants]]\nbot = "{bot}:Nameless"\n[[entrants]]\nbot = "{bot}:Broken"\n')
    assert told[0] == "2: entrants.bot is a bot that calls itself what has 33 characters, expected 1 to 32"
    assert told[1].startswith("4: entrants.bot is no bot: ")
    assert len(told) == 2


def test_a_program_is_looked_for_where_its_process_will_look(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("#!/bin/sh\n")
    (tmp_path / "own").chmod(0o755)
    entrant = '[[entrants]]\nname = "a"\ncmd = ["own"]\n'
    with_path = f'{THIRD}{entrant}environment = {{ PATH = "{tmp_path}" }}\n'
    assert plan_of(saved(tmp_path, with_path), {}).entrants[1].command == ("own",)
    assert len(faults(tmp_path, THIRD + entrant)) == 1


def test_whatever_a_file_holds_it_is_a_plan_or_its_faults_are_told(tmp_path: Path) -> None:
    """Files like a right or a wrong one, with lines, characters and values lost, doubled and exchanged."""
    rng = random.Random(11)
    told, right = list[tuple[Fault, ...]](), 0
    for _ in range(800):
        file = saved(tmp_path, mutated(rng.choice([RIGHT, RIGHT, WRONG]), rng))
        try:
            plan_of(file, {})
        except PlanError as error:
            told.append(error.faults)
        else:
            right += 1
    assert all(faults and min(fault.place.line for fault in faults) >= 1 for faults in told)
    assert min(right, len(told)) > 20


VALUES = [
    "1",
    "-1",
    "2.5",
    "true",
    '"text"',
    '""',
    "[]",
    "[1]",
    "{}",
    '{ a = "b" }',
    "inf",
    "nan",
    "1979-05-27",
    '["a"]',
]


def mutated(text: str, rng: random.Random) -> str:
    """A text like it, after one or two changes."""
    for _ in range(rng.randint(1, 2)):
        lines = text.splitlines(keepends=True)
        line = rng.randrange(len(lines))
        match rng.randrange(5):
            case 0:
                del lines[line]
            case 1:
                lines.insert(rng.randrange(len(lines)), lines[line])
            case 2:
                lines[line] = lines[line].partition("=")[0] + "= " + rng.choice(VALUES) + "\n"
            case 3:
                place = rng.randrange(len(lines[line]))
                lines[line] = lines[line][:place] + lines[line][place + 1 :]
            case _:
                place = rng.randrange(len(lines[line]) + 1)
                lines[line] = lines[line][:place] + rng.choice("[]{}\"'=,.#\\\n a1\u202e\u00e9") + lines[line][place:]
        text = "".join(lines) or "\n"
    return text
