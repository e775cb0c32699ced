"""What holds in every match of every ruleset. A law takes the rules, a number of seats and a match's number."""

import pickle
import random
from collections.abc import Callable
from itertools import islice
from typing import Any

from referee.core.errors import IllegalMoveError
from referee.core.game import AnyGame
from tests.games.playouts import Step, dealt, play_out, positions, samples, steps

Law = Callable[[AnyGame, int, int], None]


def viewers(seats: int) -> list[int | None]:
    """Every seat and a spectator."""
    return [*range(seats), None]


def known_to(viewer: int | None, events: list[Any]) -> list[Any]:
    """The events that a viewer may know of."""
    return [event for event in events if event.audience is None or event.audience == viewer]


def refusal(game: AnyGame, state: Any, seat: int, move: int) -> str | None:
    """The text that refuses a move; None for a legal one."""
    try:
        game.check(state, seat, move)
    except IllegalMoveError as error:
        return str(error)
    return None


def allowed(game: AnyGame, state: Any, seat: int, move: int) -> bool:
    try:
        game.check(state, seat, move)
    except IllegalMoveError:
        return False
    return True


def legal_moves_are_those_that_pass_the_check(game: AnyGame, seats: int, number: int) -> None:
    """At every position each listed move passes, once, in a short list; at some positions no further id does.

    All ids are tried at every other position, and the less often the more ids there are.
    """
    _legality(game, seats, number, sweep_one_in=max(2, game.spec.num_actions // 70))


def legal_moves_are_those_that_pass_the_check_everywhere(game: AnyGame, seats: int, number: int) -> None:
    """The same with no further id passing at any position; this takes far longer."""
    _legality(game, seats, number, sweep_one_in=1)


def _legality(game: AnyGame, seats: int, number: int, sweep_one_in: int) -> None:
    ids = range(game.spec.num_actions)
    for place, state in enumerate(positions(game, seats, number)):
        for seat in game.to_act(state):
            listed = list(game.legal_moves(state, seat))
            tried = listed if (place + number) % sweep_one_in else ids
            assert sorted(listed) == sorted(move for move in tried if allowed(game, state, seat, move))
            assert 1 <= len(set(listed)) == len(listed) <= min(128, game.spec.max_legal_moves)


def the_order_of_legal_moves_is_fixed(game: AnyGame, seats: int, number: int) -> None:
    """An index into the list means the same move on every replica: the order survives copies and snapshots."""
    for state in samples(game, seats, number, one_in=20):
        for seat in game.to_act(state):
            listed = list(game.legal_moves(state, seat))
            assert list(game.legal_moves(game.copy(state), seat)) == listed
            assert list(game.legal_moves(game.decode(game.encode(state)), seat)) == listed


def the_game_is_over_when_nobody_is_to_act(game: AnyGame, seats: int, number: int) -> None:
    """And only then is there a result."""
    for state in positions(game, seats, number):
        waiting = list(game.to_act(state))
        assert sorted(set(waiting) & set(range(seats))) == waiting
        assert (game.result(state) is None) == bool(waiting)


def snapshots_are_read_back_as_they_were(game: AnyGame, seats: int, number: int) -> None:
    for state in positions(game, seats, number):
        packed = game.encode(state)
        read = game.decode(packed)
        assert read == state
        assert game.encode(read) == packed


def torn_snapshots_are_refused(game: AnyGame, seats: int, number: int) -> None:
    """No beginning of a snapshot is a snapshot."""
    packed = game.encode(next(samples(game, seats, number, one_in=50)))
    for length in range(len(packed)):
        try:
            game.decode(packed[:length])
        except ValueError:
            continue
        raise AssertionError(f"{length} of {len(packed)} bytes were read as a state")


def copies_are_independent(game: AnyGame, seats: int, number: int) -> None:
    """Playing on with one of a position and its copy changes neither the other nor any view taken before."""
    for step in islice(steps(game, seats, number), number % 8, None, 8):
        packed, copy = game.encode(step.before), game.copy(step.before)
        assert game.encode(copy) == packed
        views = [game.view(copy, viewer) for viewer in viewers(seats)]
        texts = [repr(view) for view in views]
        game.play(copy, step.seat, step.move)
        assert game.encode(step.before) == packed
        assert [repr(view) for view in views] == texts
        played = game.encode(copy)
        game.play(step.before, step.seat, step.move)
        assert game.encode(copy) == played


def an_open_prompt_does_not_change(game: AnyGame, seats: int, number: int) -> None:
    """A seat that waits to choose has the same legal moves after others have chosen, and is still asked."""
    for step in steps(game, seats, number):
        for seat in set(game.to_act(step.before)) - {step.seat}:
            assert seat in game.to_act(step.after)
            assert list(game.legal_moves(step.before, seat)) == list(game.legal_moves(step.after, seat))


def asking_changes_nothing(game: AnyGame, seats: int, number: int) -> None:
    """Questions about a position leave it as it is."""
    for state in samples(game, seats, number, one_in=50):
        packed = game.encode(state)
        for viewer in viewers(seats):
            game.determinize(game.view(state, viewer), random.Random(number))
        for seat in game.to_act(state):
            game.autopilot(game.view(state, seat), random.Random(number))
            for move in range(0, game.spec.num_actions, 7):
                allowed(game, state, seat, move)
        game.result(state)
        assert game.encode(state) == packed


def events_are_read_back_as_they_were(game: AnyGame, seats: int, number: int) -> None:
    """And each says who may know of it: everybody or one seat."""
    for step in steps(game, seats, number):
        packed = game.encode_events(step.events)
        read = game.decode_events(packed)
        assert read == step.events
        assert game.encode_events(read) == packed
        for event, twin in zip(step.events, read, strict=True):
            assert event.audience is None or event.audience in range(seats)
            assert (event.audience, event.reveals) == (twin.audience, twin.reveals)


def a_seed_and_its_moves_make_one_match(game: AnyGame, seats: int, number: int) -> None:
    """The same seed and the same moves give the same positions and events."""
    state = dealt(game, seats, number)
    for step in steps(game, seats, number):
        assert game.play(state, step.seat, step.move) == step.events
        assert state == step.after
    assert game.encode(state) == game.encode(step.after)


def rules_have_no_memory(game: AnyGame, seats: int, number: int) -> None:
    """The rules object is the same, byte for byte, after a match as before."""
    before = pickle.dumps(game)
    play_out(game, dealt(game, seats, number), random.Random(number))
    assert pickle.dumps(game) == before


def ranks_follow_scores_unless_tie_breaks_split_them(game: AnyGame, seats: int, number: int) -> None:
    """A better score is a better place; places are 1 and so many as are strictly better."""
    last = dealt(game, seats, number)
    play_out(game, last, random.Random(number))
    result = game.result(last)
    assert result is not None
    assert len(result.scores) == len(result.ranks) == seats
    assert [1 + sum(other < rank for other in result.ranks) for rank in result.ranks] == list(result.ranks)
    for seat in range(seats):
        better = sum(score > result.scores[seat] for score in result.scores)
        equal = result.scores.count(result.scores[seat])
        assert 1 + better <= result.ranks[seat] <= better + equal
    assert result.reason.isupper()


def the_autopilot_plays_legal_moves(game: AnyGame, seats: int, number: int) -> None:
    """Whatever it draws, and from the view alone; the same draws give the same move."""
    for state in samples(game, seats, number, one_in=20):
        for seat in game.to_act(state):
            view = game.view(state, seat)
            for draw in range(3):
                move = game.autopilot(view, random.Random(draw))
                assert move in game.legal_moves(state, seat)
                assert move == game.autopilot(view, random.Random(draw))


def the_autopilot_comes_to_an_end(game: AnyGame, seats: int, number: int) -> None:
    """A match that nobody but the autopilot plays ends too."""
    state, rng = dealt(game, seats, number), random.Random(number)
    while waiting := game.to_act(state):
        game.play(state, waiting[0], game.autopilot(game.view(state, waiting[0]), rng))
    assert game.result(state) is not None


def a_drawn_world_looks_the_same_to_its_viewer(game: AnyGame, seats: int, number: int) -> None:
    """Its view, who is to act, what the viewer may do and the result are those of the truth; its seed is not."""
    rng = random.Random(number)
    for state in samples(game, seats, number, one_in=40):
        for viewer in viewers(seats):
            view = game.view(state, viewer)
            world = game.determinize(view, rng)
            assert game.view(world, viewer) == view == game.view(state, viewer)
            assert world.seed != state.seed
            assert len(world.seed) == len(state.seed)
            assert list(game.to_act(world)) == list(game.to_act(state))
            assert game.result(world) == game.result(state)
            if viewer is not None and viewer in game.to_act(state):
                assert list(game.legal_moves(world, viewer)) == list(game.legal_moves(state, viewer))


def a_drawn_world_can_be_played_to_its_end(game: AnyGame, seats: int, number: int) -> None:
    """It is a state like any other, and shares nothing with the view from which it was drawn."""
    rng = random.Random(number)
    for state in rng.sample([*samples(game, seats, number, one_in=100)], 2):
        viewer = rng.choice(viewers(seats))
        view = game.view(state, viewer)
        world = game.determinize(view, rng)
        assert game.decode(game.encode(world)) == world
        play_out(game, world, rng)
        assert game.result(world) is not None
        assert game.view(state, viewer) == view


def drawn_worlds_differ_from_the_truth(game: AnyGame, seats: int, number: int) -> None:
    """At the start much is hidden: of ten draws some differ from the truth in more than the seed."""
    state, rng = dealt(game, seats, number), random.Random(number)
    for viewer in viewers(seats):
        worlds = [game.determinize(game.view(state, viewer), rng) for _ in range(10)]
        assert len({world.seed for world in worlds}) == len(worlds)
        for world in worlds:
            world.seed = state.seed
        packed = {game.encode(world) for world in worlds}
        assert len(packed) > 1
        assert packed - {game.encode(state)}


def refusals_tell_nothing_hidden(game: AnyGame, seats: int, number: int) -> None:
    """The text that refuses a move is the same in every world that the mover cannot tell apart."""
    rng = random.Random(number)
    for state in samples(game, seats, number, one_in=40):
        for seat in game.to_act(state):
            world = game.determinize(game.view(state, seat), rng)
            for move in range(rng.randrange(5), game.spec.num_actions, 5):
                assert refusal(game, world, seat, move) == refusal(game, state, seat, move)


def a_move_that_reveals_nothing_tells_its_mover_nothing(game: AnyGame, seats: int, number: int) -> None:
    """Unless an event says that it reveals, a move ends alike in all worlds that its mover cannot tell apart."""
    rng = random.Random(number)
    for step in islice(steps(game, seats, number), number % 4, None, 4):
        world = game.determinize(game.view(step.before, step.seat), rng)
        events = game.play(world, step.seat, step.move)
        assert any(event.reveals for event in events) == any(event.reveals for event in step.events)
        if not any(event.reveals for event in step.events):
            assert known_to(step.seat, events) == known_to(step.seat, step.events)
            assert game.view(world, step.seat) == game.view(step.after, step.seat)


def sealed_choices_cannot_be_told_apart(game: AnyGame, seats: int, number: int) -> None:
    """While others still choose, each sees the same views, prompts and events whatever a seat has chosen."""
    for step in steps(game, seats, number):
        if len(game.to_act(step.before)) > 1:
            _all_choices_look_the_same(game, seats, step)


def _all_choices_look_the_same(game: AnyGame, seats: int, step: Step) -> None:
    for move in game.legal_moves(step.before, step.seat):
        other = game.copy(step.before)
        events = game.play(other, step.seat, move)
        assert list(game.to_act(other)) == list(game.to_act(step.after))
        for viewer in set(viewers(seats)) - {step.seat}:
            assert game.view(other, viewer) == game.view(step.after, viewer)
            assert known_to(viewer, events) == known_to(viewer, step.events)


LAWS: tuple[Law, ...] = (
    the_order_of_legal_moves_is_fixed,
    the_game_is_over_when_nobody_is_to_act,
    snapshots_are_read_back_as_they_were,
    torn_snapshots_are_refused,
    copies_are_independent,
    an_open_prompt_does_not_change,
    asking_changes_nothing,
    events_are_read_back_as_they_were,
    a_seed_and_its_moves_make_one_match,
    rules_have_no_memory,
    ranks_follow_scores_unless_tie_breaks_split_them,
    the_autopilot_plays_legal_moves,
    the_autopilot_comes_to_an_end,
    a_drawn_world_looks_the_same_to_its_viewer,
    a_drawn_world_can_be_played_to_its_end,
    drawn_worlds_differ_from_the_truth,
    refusals_tell_nothing_hidden,
    a_move_that_reveals_nothing_tells_its_mover_nothing,
    sealed_choices_cannot_be_told_apart,
)
