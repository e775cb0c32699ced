"""Looking back: recorded matches step by step, and what each pair of eyes sees of them."""

from pathlib import Path
from random import Random

import pytest

from artreferee.v1 import match_pb2, record_pb2
from clients.terminal.recording import Recording
from clients.terminal.words import in_language
from referee.core.seeding import commitment
from referee.wire import wires
from referee.wire.record import canonical_json, checksum
from tests.clients.terminal.terminals import curator

ENGLISH = in_language("en")
NAMES = ("Ada", "Ben")


def recorded(ruleset: str, match_id: str = "a" * 26) -> record_pb2.MatchRecord:
    """A record of a match of two that play at random."""
    wire, rng = wires()[ruleset], Random(7)
    game, seed = wire.game, rng.randbytes(32)
    record = record_pb2.MatchRecord(
        record_version=1,
        match_id=match_id,
        ruleset=ruleset,
        rules_version=game.spec.rules_version,
        data_version=game.spec.data_version,
        data_digest=game.spec.data_digest,
        seats=[record_pb2.RecordSeat(display_name=name) for name in NAMES],
        seed=seed,
        commitment=commitment(match_id, seed),
    )
    state, decisions = game.setup(game.options({}, 2), 2, seed), [0, 0]
    while seats := game.to_act(state):
        seat = seats[0]
        move = rng.choice(game.legal_moves(state, seat))
        entry = record.log.add(version=len(record.log) + 1, seat=seat)
        entry.move.id, entry.move.decision_number = move, decisions[seat]
        entry.move.move.CopyFrom(wire.move(move))
        entry.move.actor = match_pb2.ACTOR_PLAYER
        game.play(state, seat, move)
        decisions[seat] += 1
    outcome = game.result(state)
    assert outcome is not None
    record.result.reason = outcome.reason
    for rank, score in zip(outcome.ranks, outcome.scores, strict=True):
        record.result.seats.add(rank=rank, score=score)
    record.checksum = checksum(record)
    return record


@pytest.mark.parametrize("ruleset", ["art_decko", "artsee", "classic_art"])
def test_each_step_is_seen_as_it_was_and_all_hands_by_the_all_seeing(ruleset: str) -> None:
    """What a seat saw of its own is in nobody else's view, and is told of both where all is seen."""
    record = recorded(ruleset)
    recording = Recording(record, ENGLISH)
    assert (recording.fault, recording.last) == ("", len(record.log))
    for place in (0, 5, recording.last // 2):
        hidden = recording.hidden(place)
        assert {name for name in NAMES if any(line.startswith(f"{name}: ") for line in hidden)} == set(NAMES)
        public = recording.drawing.summary(recording.view(place, None))
        assert not {line.partition(": ")[2] for line in hidden} & set(public)
    assert len(recording.standings()) > 2


def test_what_was_told_to_one_seat_is_told_to_its_eyes_and_to_the_all_seeing() -> None:
    """A card that was drawn: the opponent and the public learn only that it was."""
    recording = Recording(recorded("artsee"), ENGLISH)
    place = next(
        place for place in range(recording.last) if recording.record.log[place].move.move.artsee.HasField("draw_card")
    )
    seat = recording.record.log[place].seat
    drawn = "You have drawn"

    def told(eyes: int | None, *, all_seeing: bool = False) -> str:
        return "\n".join(recording.events(place + 1, eyes, all_seeing=all_seeing))

    assert drawn in told(seat)
    assert drawn not in told(1 - seat)
    assert drawn not in told(None)
    assert f"{NAMES[seat]}: {drawn}" in told(None, all_seeing=True)


def test_a_record_with_a_fault_is_seen_as_far_as_it_is_true() -> None:
    """The mark says what is wrong."""
    record = recorded("artsee")
    record.log[10].move.id += 1
    recording = Recording(record, ENGLISH)
    assert recording.last == 10
    assert "entry 11" in recording.fault


def test_a_file_is_looked_through_in_a_terminal(tmp_path: Path) -> None:
    """Steps, leaps, numbers, eyes, the next match; the mark stands below."""
    file = tmp_path / "records.jsonl"
    records = [recorded("artsee"), recorded("classic_art", "b" * 26)]
    file.write_text("".join(canonical_json(record) + "\n" for record in records))
    last = len(records[0].log)
    with curator("replay", str(file), home=tmp_path, size=(120, 40)) as terminal:
        terminal.wait_for(f"step 0 of {last}")
        terminal.wait_for("follows from its seed")
        for keys, seen in (
            ("\x1b[C", "step 1 of"),
            ("\x1b[C", "step 2 of"),
            ("\x1b[D", "step 1 of"),
            ("\x1b[6~", "step 11 of"),
            ("7\r", "step 7 of"),
            ("e", "eyes: Ada"),
            ("e", "eyes: Ben"),
            ("e", "eyes: spectators"),
            ("e", "eyes: all seats"),
            ("\x1b[F", f"step {last} of {last}"),
            ("n", "2 of 2"),
            ("p", "1 of 2"),
        ):
            terminal.type(keys)
            terminal.wait_for(seen)
        terminal.type("q")
        assert terminal.wait_for_end() == 0
    with curator("replay", str(file), "--match", "b" * 26, "--plain", home=tmp_path) as terminal:
        assert terminal.wait_for_end() == 0
        assert "1 matches" in terminal.text
