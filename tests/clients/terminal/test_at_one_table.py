"""Several terminals at one match, as people use them: what each sees, and what befalls a match meanwhile."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from artreferee.v1 import service_pb2
from clients.sdk import Principal, RefereeClient
from clients.terminal.words import in_language
from tests.clients.terminal.terminals import ENTER, LEAVE, WITHIN_S, Player, Terminal, curator, whose_turn
from tests.servers import RefereeProcess, is_running, referee_process, wait_until

ENGLISH = in_language("en")
WIDE = (120, 40)


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[RefereeProcess]:
    with referee_process(tmp_path / "referee.log", "--data", str(tmp_path / "data"), "--fsync", "always") as process:
        yield process


def match_id_on(terminal: Terminal) -> str:
    """The id of a match that waits for players."""
    command = re.compile(r"--match\s+([a-z2-7]{26})\s+--referee\s+\S")
    return command.findall(terminal.wait_for(lambda text: command.search(text) is not None))[0]  # type: ignore[no-any-return]


def own_cards(terminal: Terminal) -> list[str]:
    """The cards of the own hand, as they are drawn."""
    line = next(line for line in terminal.text.splitlines() if "Your hand" in line)
    return re.findall(r"\[[^\] ]+\]", line)


def test_two_play_and_a_third_sees_nothing_hidden(tmp_path: Path, referee: RefereeProcess) -> None:
    """The players' hands, and what only they are told, never stand on the screen of a watcher."""
    at = ("--referee", referee.address)
    with curator("host", "artsee", "--seats", "2", "--name", "Ada", *at, home=tmp_path / "a", size=WIDE) as ada:
        match_id = match_id_on(ada)
        with (
            curator("watch", match_id, *at, home=tmp_path / "c", size=WIDE) as watcher,
            curator("play", "--match", match_id, "--name", "Ben", *at, home=tmp_path / "b", size=WIDE) as ben,
        ):
            watcher.wait_for("Ada")
            players = Player(ada, ENGLISH), Player(ben, ENGLISH)
            hidden = set[str]()
            for _ in range(12):
                asked = whose_turn(*players)
                hidden.update(own_cards(asked.terminal))
                asked.play_once()
            watcher.wait_for("Round 2")
            watcher.drain()
    seen, known = "\n".join(watcher.shown), "\n".join(ada.shown | ben.shown)
    assert "Ben draws" in seen
    assert len(hidden) > 4
    for private in ("Your hand", "You have drawn", *hidden):
        assert (private in known, private in seen) == (True, False)


def test_a_referee_that_is_killed_and_comes_back_costs_nothing(tmp_path: Path, referee: RefereeProcess) -> None:
    """The terminal says that it is away, answers what was chosen meanwhile once it is back, and goes on."""
    with curator("play", "artsee", "--opponents", "greedy", "--referee", referee.address, home=tmp_path) as terminal:
        player = Player(terminal, ENGLISH)
        for _ in range(4):
            player.play_once()
        player.wait_until_asked()
        referee.kill()
        terminal.wait_for("no connection")
        player.play_once()
        referee.start()
        terminal.wait_for(lambda text: "no connection" not in text)
        for _ in range(4):
            assert player.play_once()


def test_a_terminal_that_is_closed_in_mid_turn_is_opened_again(tmp_path: Path) -> None:
    """Its own referee goes down with it and comes back with the match, where it stood, and with the bots."""
    with curator("play", "classic_art", "--opponents", "greedy", home=tmp_path) as terminal:
        player = Player(terminal, ENGLISH)
        for _ in range(6):
            player.play_once()
        player.wait_until_asked()
        before = Counter(own_cards(terminal))
        terminal.close()
    with curator("play", home=tmp_path) as terminal:
        terminal.wait_for("F3")
        assert Counter(own_cards(terminal)) <= before
        player = Player(terminal, ENGLISH)
        for _ in range(4):
            assert player.play_once()
        terminal.type(LEAVE)
        assert terminal.wait_for_end() == 0
        assert "The match is kept" in terminal.text


def descendants(process: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    started = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [each for child in map(int, started) for each in (child, *descendants(child))]


@pytest.mark.parametrize("plain", [False, True])
def test_a_terminal_that_is_gone_without_a_word_ends_all_that_ran_in_it(tmp_path: Path, plain: bool) -> None:
    """Nothing tells it, as when a line breaks; program, referee and bots end, and the match is gone on with."""
    command = ("play", "artsee", "--opponents", "greedy", *(["--plain"] if plain else []))
    with curator(*command, home=tmp_path, deaf=True) as terminal:
        terminal.wait_for("1. " if plain else "F3")
        started = descendants(terminal.process.pid)
        assert len(started) >= 3  # referee, store, bot
        terminal.close()
    wait_until(lambda: not any(map(is_running, started)), "all of them end", WITHIN_S)
    with curator("play", home=tmp_path) as terminal:
        assert Player(terminal, ENGLISH).play_once()


@pytest.fixture
async def seat(referee: RefereeProcess, tmp_path: Path) -> AsyncIterator[tuple[str, Path]]:
    """A match with one player who has not come yet, and a file with the player's token."""
    player, token = Principal.new(), tmp_path / "token"
    token.write_text(player.token)
    async with RefereeClient(referee.address) as host:
        seats = [service_pb2.SeatRequest(principal_hash=player.hash, display_name="Ada")] * 2
        created = await host.create_match(service_pb2.CreateMatchRequest(ruleset="artsee", seats=seats))
        yield created.match_id, token


def test_who_watches_line_by_line_goes_with_the_terminal(
    tmp_path: Path, referee: RefereeProcess, seat: tuple[str, Path]
) -> None:
    """Also while nothing happens that could not be written any more; Ctrl-D leaves as well."""
    command = ("watch", seat[0], "--referee", referee.address, "--plain")
    with curator(*command, home=tmp_path, deaf=True) as gone, curator(*command, home=tmp_path) as left:
        for terminal in (gone, left):
            terminal.wait_for("Masterpieces to claim")
        gone.close()
        left.type("\x04")
        assert left.wait_for_end() == 0


def test_two_terminals_on_one_seat_are_one_player(
    tmp_path: Path, referee: RefereeProcess, seat: tuple[str, Path]
) -> None:
    """What one answers the other need not: it says so, and shows the next question."""
    match_id, token = seat
    command = ("play", "--match", match_id, "--seat", "0", "--referee", referee.address, "--token-file", str(token))
    other = (*command[:4], "1", *command[5:])
    with (
        curator(*command, home=tmp_path / "a") as first,
        curator(*command, home=tmp_path / "b") as second,
        curator(*other, home=tmp_path / "c") as opponent,
    ):
        players = Player(first, ENGLISH), Player(opponent, ENGLISH)
        for terminal in (first, second, opponent):
            terminal.wait_for("ArtSee")
        while whose_turn(*players) is not players[0]:
            players[1].play_once()
        second.wait_for("F3")
        while "answered already" not in second.text:
            players[0].play_once()
            second.drain()


def test_a_stranger_is_told_why_there_is_no_seat(
    tmp_path: Path, referee: RefereeProcess, seat: tuple[str, Path]
) -> None:
    """With a token that holds no seat, for a match that is not there, with no token at all: a sentence each."""
    match_id, _ = seat
    stranger, garbage = tmp_path / "stranger", tmp_path / "garbage"
    stranger.write_text(Principal.new().token)
    garbage.write_bytes(b"\xff\x00 no token")
    at = ("--referee", referee.address)
    for words, code, told in (
        (("--match", match_id, "--token-file", str(stranger)), 1, "No seat is open"),
        (("--match", match_id, "--seat", "0", "--token-file", str(stranger)), 1, "That seat is taken."),
        (("--match", match_id, "--token-file", str(garbage)), 2, "holds no token"),
        (("--match", "a" * 26), 1, "There is no such match"),
    ):
        with curator("play", *words, *at, home=tmp_path) as terminal:
            assert terminal.wait_for_end() == code
            assert told in terminal.text


def test_a_referee_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    """Not at once, as it may come yet, but before long."""
    with curator("play", "artsee", "--referee", "127.0.0.1:1", home=tmp_path) as terminal:
        assert terminal.wait_for_end() == 1
        assert "The referee does not answer." in terminal.text


def test_garbage_and_resizing_change_nothing(tmp_path: Path) -> None:
    """Pasted text is no choice; however small the window was, the table is whole again in a larger one."""
    with curator("play", "artsee", "--opponents", "greedy", home=tmp_path, size=WIDE) as terminal:
        Player(terminal, ENGLISH).wait_until_asked()
        before = terminal.text
        terminal.type("\x1b[200~1\r2\r\x00\x07 rm -rf \U0001f4a3\r\r\x1b[201~")
        terminal.type("\x1b[200~\x1b[A\x1b[B\r\x1b[99\r\x1b[201~")
        terminal.type("\x00\x01\x02\x7f")
        terminal.type(b"\xff\x7f")
        terminal.resize(30, 8)
        terminal.wait_for(lambda text: "Your hand" not in text)
        terminal.resize(*WIDE)
        assert before == terminal.wait_for(lambda text: text == before)
        assert Player(terminal, ENGLISH).play_once()
        terminal.type("zzzz")
        terminal.wait_for("> zzzz")
        terminal.type(ENTER + "\x1b")
        terminal.wait_for(lambda text: "zzzz" not in text)


def test_without_colours_there_are_none(tmp_path: Path) -> None:
    """NO_COLOR leaves greys only; without it there are others."""

    def grey(colour: str) -> bool:
        """Textual's greys are not all quite alike in their three parts."""
        parts = [int(colour[place : place + 2], 16) for place in (0, 2, 4)]
        return max(parts) - min(parts) <= 2

    with (
        curator("play", "artsee", home=tmp_path / "a", NO_COLOR="1") as grey_one,
        curator("play", "artsee", home=tmp_path / "b") as other,
    ):
        Player(grey_one, ENGLISH).wait_until_asked()
        Player(other, ENGLISH).wait_until_asked()
        assert all(map(grey, grey_one.colours - {"default"}))
        assert not all(map(grey, other.colours - {"default"}))
