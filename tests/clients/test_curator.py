"""The command line, run as a user would: processes, files, exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from artreferee.v1 import match_pb2
from referee.games import registry
from referee.wire.record import canonical_json, checksum, parse_record

SHY_BOT = '''
class Bot:
    """Plays the first move of the list, and tells what it was shown."""

    name = "shy"
    version = "3"

    def choose(self, view, legal_moves, budget, rng):
        assert legal_moves[0].text and view.WhichOneof("ruleset")
        return legal_moves[0]


class Broken(Bot):
    name = "broken"

    def choose(self, view, legal_moves, budget, rng):
        raise RuntimeError("out of ideas")


class Cheat(Bot):
    name = "cheat"

    def choose(self, view, legal_moves, budget, rng):
        move = type(legal_moves[0])()
        move.CopyFrom(legal_moves[0])
        move.id = 99999
        return move


class Spy(Bot):
    name = "spy"

    def choose(self, view, legal_moves, budget, rng):
        import os

        assert not [name for name in os.environ if "REDIS" in name or "TOKEN" in name]
        return rng.choice(legal_moves)
'''


def curator(*arguments: str, cwd: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "clients.curator", *arguments]
    environment = {**os.environ, **variables, "COLUMNS": "120"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=150, check=False)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a small tournament of random against greedy over all seat counts."""
    home = tmp_path_factory.mktemp("tournament")
    run = curator(
        "tournament",
        "--ruleset",
        "classic_art",
        "--deals",
        "1",
        "--seats",
        "2-5",
        "--seed",
        "a test",
        "--out",
        "out",
        cwd=home,
    )
    assert run.returncode == 0, run.stderr
    assert "Classic Art, 5 seats: 20 matches on 1 deal" in run.stdout
    assert "34 of 34 matches" in run.stderr
    return home / "out"


def test_a_tournament_leaves_records_standings_and_a_report(results: Path) -> None:
    """Each finished match is one intact record; the standings add up to it."""
    records = [parse_record(line) for line in (results / "records.jsonl").read_text().splitlines()]
    told = json.loads((results / "standings.json").read_text())
    standings = told["standings"]
    assert len(records) == len({record.match_id for record in records}) == 34
    assert standings["overall"]["counts"]["counted_matches"] == 34
    assert told["practice"] is True
    for section in standings["games"]:
        mine = [record for record in records if len(record.seats) == section["game"]["seats"]]
        assert len(mine) == section["counts"]["counted_matches"]
        assert sum(row["wins"] for row in section["table"]["standings"]) == pytest.approx(len(mine))
    assert {entrant.entrant.name for record in records for entrant in record.seats} == {"random", "greedy"}
    assert "<table>" in (results / "report.html").read_text()


def test_a_tournament_that_is_over_makes_room_for_another(results: Path, tmp_path: Path) -> None:
    """Nothing of it is lost; one that is resumed is told again."""
    copytree(results, tmp_path / "out")
    again = curator("tournament", "--resume", "--out", "out", cwd=tmp_path)
    assert (again.returncode, "34 matches" in again.stdout) == (0, True)
    small = ("--ruleset", "artsee", "--deals", "1", "--seats", "2", "--out", "out")
    run = curator("tournament", *small, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "the tournament that was in out is in out.1 now" in run.stderr
    assert len((tmp_path / "out" / "records.jsonl").read_text().splitlines()) == 2
    assert (tmp_path / "out.1" / "records.jsonl").read_bytes() == (results / "records.jsonl").read_bytes()


def test_a_tournament_goes_on_by_its_own_plan_only(results: Path, tmp_path: Path) -> None:
    """What differs is named."""
    copytree(results, tmp_path / "out")
    run = curator("tournament", "--resume", "--out", "out", "--deals", "7", "--ruleset", "classic_art", cwd=tmp_path)
    assert run.returncode == 1
    assert "the tournament began by another plan: " in run.stderr
    assert "deals" in run.stderr


def test_what_is_not_there_cannot_be_resumed(tmp_path: Path) -> None:
    run = curator("tournament", "--resume", "--out", "out", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (1, "Error: out holds no tournament: there is no journal.jsonl\n")


def test_every_rotation_of_a_deal_is_dealt_from_one_seed(results: Path) -> None:
    """The records of one deal group share their seed, and no two groups do."""
    records = [parse_record(line) for line in (results / "records.jsonl").read_text().splitlines()]
    seeds = {(record.deal_group, record.seed) for record in records}
    assert len(seeds) == len({seed for _, seed in seeds}) == 4
    assert all(record.seed_given for record in records)


def test_replay_verifies_every_match(results: Path) -> None:
    """All matches follow from their seeds and moves."""
    run = curator("replay", "records.jsonl", "--verify", cwd=results)
    assert (run.returncode, run.stdout) == (0, "34 matches follow from their seeds and moves\n")


def test_replay_tells_one_match_in_words(results: Path) -> None:
    """One line a move, and the places at the end."""
    record = parse_record((results / "records.jsonl").read_text().splitlines()[0])
    run = curator("replay", "records.jsonl", "--match", record.match_id, cwd=results)
    assert run.returncode == 0
    assert len(run.stdout.splitlines()) == 1 + len(record.log) + len(record.seats) + 1
    assert "place 1, score" in run.stdout


@pytest.mark.parametrize("cut", [1, 40, 1000])
def test_a_cut_file_is_refused_in_one_sentence(results: Path, tmp_path: Path, cut: int) -> None:
    """The faulty line is named, the exit code is 1."""
    (tmp_path / "cut.jsonl").write_bytes((results / "records.jsonl").read_bytes()[: -1 - cut])
    run = curator("replay", "cut.jsonl", "--verify", cwd=tmp_path)
    assert run.returncode == 1
    assert run.stderr.startswith("Error: cut.jsonl, line 34: not a match record")
    assert len(run.stderr.splitlines()) == 1


def test_an_altered_record_is_refused(results: Path, tmp_path: Path) -> None:
    """One changed character breaks the checksum."""
    text = (results / "records.jsonl").read_text().splitlines()[0]
    (tmp_path / "altered.jsonl").write_text(text.replace('"rank":2', '"rank":1', 1) + "\n")
    run = curator("replay", "altered.jsonl", "--verify", cwd=tmp_path)
    assert run.returncode == 1
    assert "is not as it was written" in run.stderr


FORGERIES = ("move", "order", "actor", "rank", "seed", "rules_version", "data_digest", "decision", "cut log")


@pytest.mark.parametrize("alter", FORGERIES)
def test_a_forged_record_does_not_replay(results: Path, tmp_path: Path, alter: str) -> None:
    """Also with a checksum made to fit, whatever does not follow from seed and moves is found."""
    record = parse_record((results / "records.jsonl").read_text().splitlines()[0])
    match alter:
        case "move":
            record.log[4].move.id += 1
        case "order":
            record.log[2].version, record.log[3].version = record.log[3].version, record.log[2].version
        case "actor":
            record.log[4].move.actor = match_pb2.ACTOR_AUTOPILOT
        case "rank":
            record.result.seats[0].rank = 3 - record.result.seats[0].rank
        case "seed":
            record.seed = bytes(32)
        case "rules_version":
            record.rules_version = "0"
        case "data_digest":
            record.data_digest = bytes(32)
        case "decision":
            record.log[3].move.decision_number += 1
        case "cut log":
            del record.log[-1]
    record.checksum = checksum(record)
    (tmp_path / "forged.jsonl").write_text(canonical_json(record) + "\n")
    run = curator("replay", "forged.jsonl", "--verify", cwd=tmp_path)
    assert run.returncode == 1
    assert record.match_id in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_a_users_own_bot_plays(tmp_path: Path) -> None:
    """A class in a file takes part under its own name; it sees neither store nor token."""
    (tmp_path / "bot.py").write_text(SHY_BOT)
    entrants = "./bot.py:Bot,./bot.py:Spy"
    options = ("--ruleset", "classic_art", "--seats", "2", "--deals", "2", "--out", "out")
    run = curator("tournament", "--entrants", entrants, *options, cwd=tmp_path, REFEREE_REDIS_URL="redis://nowhere")
    assert run.returncode == 0, run.stderr
    entrants = json.loads((tmp_path / "out" / "standings.json").read_text())["plan"]["entrants"]
    assert {(entrant["name"], entrant["version"]) for entrant in entrants} == {("shy", "3"), ("spy", "3")}
    assert "bot.py" not in run.stderr


@pytest.mark.parametrize("faulty", ["Broken", "Cheat"])
def test_a_faulty_bot_loses_and_the_tournament_goes_on(tmp_path: Path, faulty: str) -> None:
    """Its seat is resigned, its fault told in its log, and the other has won."""
    (tmp_path / "bot.py").write_text(SHY_BOT)
    entrants = f"random,./bot.py:{faulty}"
    options = ("--ruleset", "classic_art", "--seats", "2", "--deals", "1", "--out", "out")
    run = curator("tournament", "--entrants", entrants, *options, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    [section] = json.loads((tmp_path / "out" / "standings.json").read_text())["standings"]["games"]
    assert [(row["entrant"], row["wins"]) for row in section["table"]["standings"]] == [
        ("random", 2),
        (faulty.lower(), 0),
    ]
    assert section["reasons"] == {"LAST_SEAT": 2}
    assert faulty.lower() in (tmp_path / "out" / "entrants" / f"{faulty.lower()}.log").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["tournament", "--ruleset", "chess"], 2, "there is no ruleset 'chess'; known are"),
        (["tournament", "--ruleset", "classic_art", "--seats", "6"], 2, "classic_art is for 2 to 5 seats, not 6"),
        (["tournament", "--seats", "two"], 2, "is not a list such as 2,3"),
        (["tournament", "--entrants", "random"], 2, "a tournament is between two entrants or more"),
        (["tournament", "--entrants", "random,magic"], 2, "there is no bot 'magic'"),
        (["tournament", "--entrants", "random,./none.py:Bot"], 2, "there is no file ./none.py"),
        (["replay", "none.jsonl"], 2, "does not exist"),
    ],
)
def test_bad_input_gets_one_sentence(tmp_path: Path, arguments: list[str], code: int, text: str) -> None:
    """Exit code 2 for wrong usage, 1 for what cannot be done; no traceback."""
    run = curator(*arguments, cwd=tmp_path)
    assert run.returncode == code
    assert text in run.stderr
    assert "Traceback" not in run.stderr


def test_a_referee_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    """The director gives up after its deadline and names the trouble."""
    run = curator("tournament", "--referee", "127.0.0.1:1", "--deals", "1", "--seats", "2", cwd=tmp_path)
    assert run.returncode == 1
    assert "UNAVAILABLE" in run.stderr
    assert "Traceback" not in run.stderr


def test_rulesets_tells_where_component_data_come_from(tmp_path: Path) -> None:
    """Every ruleset with its digest and the source of each part."""
    run = curator("rulesets", cwd=tmp_path)
    assert run.returncode == 0
    for game in registry().values():
        assert game.spec.name in run.stdout
        assert game.spec.data_digest.hex()[:16] in run.stdout
        for source in game.spec.sources:
            assert source.part in run.stdout


@pytest.mark.parametrize(
    ("arguments", "locale", "title"),
    [([], "es_ES.UTF-8", "# ArtVer\n"), ([], "C.UTF-8", "# ArtSee\n"), (["--lang", "en"], "es_ES.UTF-8", "# ArtSee\n")],
)
def test_rules_are_told_in_the_language_asked_for(
    tmp_path: Path, arguments: list[str], locale: str, title: str
) -> None:
    """By --lang, else by the environment."""
    run = curator("rules", "artsee", *arguments, cwd=tmp_path, LC_ALL=locale)
    assert run.stdout.startswith(title)
