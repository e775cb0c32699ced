"""Users for Locust: bots by single calls and over Play, spectators and hosts. `loadtest.run` tells by the environment.

LOAD_ADDRESS is where to call, as gRPC names it; LOAD_SCENARIO the scenario, and LOAD_P99 the limits that are not the
usual ones, both as JSON; LOAD_RESULT a file for what was seen.
"""

import grpc.experimental.gevent

grpc.experimental.gevent.init_gevent()  # before any channel, or one user blocks all

import json
import os
import random
import time
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import gevent
import grpc
from gevent.queue import Queue
from locust import LoadTestShape, User, constant_throughput, events, task

from artreferee.v1 import match_pb2, service_pb2
from clients.sdk.client import new_request_id
from loadtest.scenarios import objectives, shapes
from loadtest.scenarios.calls import Referee

RULESETS: Final = ("art_decko", "artsee", "classic_art")
_SEATS: Final = 2
_STREAM_S: Final = 86_400.0
_OUTCOME_S: Final = 10.0
_SCENARIO: Final = shapes.Scenario(**json.loads(os.environ["LOAD_SCENARIO"]))
_LIMITS: Final = objectives.with_p99(json.loads(os.environ["LOAD_P99"]))
_AGAIN_S: Final = 1.0
_IN_TURN: Final = '{"loadBalancingConfig": [{"round_robin": {}}]}'  # where an address names several referees
_CHANNEL: Final = grpc.insecure_channel(
    os.environ["LOAD_ADDRESS"], [("grpc.service_config", _IN_TURN)]
)  # one a process: more of them are slower
_STEPS: Final = list[shapes.Step]()
_SENT: Final = dict[str, dict[int, float]]()  # when the move that makes a version was sent, of matches being played


class Member(User):
    """Whoever calls the referee."""

    abstract = True

    def on_start(self) -> None:
        """Becomes a principal."""
        self.referee = Referee(_CHANNEL, self.environment.events.request.fire)
        self.rulesets = cycle(random.sample(RULESETS, len(RULESETS)))

    def create(self) -> str:
        """Creates a match of the next ruleset, all seats of which are the user's; returns "" if that failed."""
        seat = service_pb2.SeatRequest(principal_hash=self.referee.principal.hash)
        request = service_pb2.CreateMatchRequest(
            request_id=new_request_id(), ruleset=next(self.rulesets), seats=[seat] * _SEATS
        )
        response = self.referee.call("CreateMatch", request, objectives.CREATION)
        return "" if response is None else response.match_id


def _think(_: User) -> float:
    return random.expovariate(_SCENARIO.rate)


class Bot(Member):
    """Moves at a rate, or when it has thought."""

    abstract = True
    wait_time = _think if _SCENARIO.thinking else constant_throughput(_SCENARIO.rate)


class UnaryBot(Bot):
    """Plays whole matches of each ruleset, a call a move."""

    weight = 10

    def on_start(self) -> None:
        """Has no match yet."""
        super().on_start()
        self.match = match_pb2.Match()

    @task
    def move(self) -> None:
        """Moves, in a new match if the last one has ended."""
        if not self.match.match_id or self.match.HasField("result"):
            _SENT.pop(self.match.match_id, None)
            if not (match_id := self.create()):
                return
            self.match = match_pb2.Match(match_id=match_id)
            _SENT[match_id] = {}
        for seat in range(_SEATS):
            if not self.match.HasField("prompt"):
                self._look(seat)
        if self.match.HasField("prompt"):
            self._move()

    def _look(self, seat: int) -> None:
        request = service_pb2.GetMatchRequest(match_id=self.match.match_id, seat=seat, detail=match_pb2.DETAIL_IDS)
        if (response := self.referee.call("GetMatch", request)) is not None:
            self.match = response.match

    def _move(self) -> None:
        prompt = self.match.prompt
        request = service_pb2.SubmitMoveRequest(
            request_id=new_request_id(),
            match_id=self.match.match_id,
            seat=self.match.viewer_seat,
            decision_number=prompt.decision_number,
            moves=[match_pb2.MoveChoice(id=random.choice(prompt.legal_ids))],
            detail=match_pb2.DETAIL_IDS,
        )
        _SENT[self.match.match_id][self.match.version + 1] = time.perf_counter()
        response = self.referee.call("SubmitMove", request, objectives.MOVE)
        if response is None:
            self.match.ClearField("prompt")  # what became of it is seen at the next look
        else:
            self.match = response.match


class PlayBot(Bot):
    """Plays whole matches of each ruleset over one stream."""

    weight = 10

    def on_start(self) -> None:
        """Opens the stream."""
        super().on_start()
        self.asked: Any = Queue()
        self.outcomes: Any = Queue()
        self.requests: Any = Queue()
        self.match_id = ""  # of the match that is being played
        self.unanswered: service_pb2.PlayMove | None = None  # which is sent again
        self.reader = gevent.spawn(self._read)

    def on_stop(self) -> None:
        """Ends the stream."""
        self.reader.kill()

    def _read(self) -> None:
        while True:
            self.requests, self.asked = Queue(), Queue()
            unfinished = [self.match_id] if self.match_id else []
            self.requests.put(service_pb2.PlayRequest(detail=match_pb2.DETAIL_IDS, unfinished_match_ids=unfinished))
            try:
                for response in self.referee.play(iter(self.requests.get, None), _STREAM_S):
                    self._hear(response)
            except grpc.RpcError as error:
                self.referee.tell(objectives.STREAM, 0.0, error)
                gevent.sleep(_AGAIN_S)

    def _hear(self, response: service_pb2.PlayResponse) -> None:
        for outcome in response.outcomes:
            self.outcomes.put(outcome)
        for match in response.asked:
            if not self._answers(match):
                self.asked.put(match)
        if self.match_id in [match.match_id for match in response.ended]:
            self.match_id, self.unanswered = "", None

    @task
    def move(self) -> None:
        """Answers what is asked, in a new match if the last one has ended."""
        self.match_id = self.match_id or self.create()
        if not self.match_id:
            return
        with gevent.Timeout(_OUTCOME_S, False):
            move = self.unanswered = self.unanswered or self._choose(self.asked.get())
            start = time.perf_counter()
            self.requests.put(service_pb2.PlayRequest(moves=[move]))
            while (outcome := self.outcomes.get()).request_id != move.request_id:
                pass  # it was told twice
            if not outcome.refused.retriable:
                self.unanswered = None
            error = RuntimeError(outcome.refused.text) if outcome.HasField("refused") else None
            self.referee.tell(objectives.MOVE_OVER_PLAY, time.perf_counter() - start, error)
            return
        self.referee.tell(objectives.MOVE_OVER_PLAY, _OUTCOME_S, TimeoutError("nothing was asked or answered"))

    def _answers(self, match: match_pb2.Match) -> bool:
        """Whether it is about to answer what it is asked again."""
        move = self.unanswered
        asked = (match.match_id, match.viewer_seat, match.prompt.decision_number)
        return move is not None and asked == (move.match_id, move.seat, move.decision_number)

    def _choose(self, match: match_pb2.Match) -> service_pb2.PlayMove:
        return service_pb2.PlayMove(
            request_id=new_request_id(),
            match_id=match.match_id,
            seat=match.viewer_seat,
            decision_number=match.prompt.decision_number,
            moves=[match_pb2.MoveChoice(id=random.choice(match.prompt.legal_ids))],
        )


class Spectator(Member):
    """Watches one match after the other to its end."""

    weight = 5
    wait_time = constant_throughput(1)

    @task
    def watch(self) -> None:
        """Watches any match of those that are being played by single calls."""
        if not _SENT:
            return
        match_id, sent = random.choice(list(_SENT.items()))
        request = service_pb2.WatchMatchRequest(match_id=match_id)
        try:
            for message in self.referee.watch(request, _STREAM_S):
                if message.HasField("update") and (start := sent.get(message.update.version)) is not None:
                    self.referee.tell(objectives.DELIVERY, time.perf_counter() - start)
        except grpc.RpcError as error:
            self.referee.tell(objectives.DELIVERY, 0.0, error)


class Host(Member):
    """Creates matches and gives them up."""

    weight = 1
    wait_time = constant_throughput(0.5)

    @task
    def host(self) -> None:
        """Creates a match and resigns, which ends it."""
        if match_id := self.create():
            request = service_pb2.ResignRequest(request_id=new_request_id(), match_id=match_id, seat=0)
            self.referee.call("Resign", request)


class Shape(LoadTestShape):
    """How many users there are, by the scenario; until the first of them have all begun nothing counts."""

    counting = False

    def tick(self) -> tuple[int, float] | None:
        """Returns users and how many begin a second; None is the end."""
        now_s = self.get_run_time() - shapes.BEGIN_S
        if now_s < 0:
            return _SCENARIO.stage(0)
        if not self.counting:
            self.counting = True
            self.runner.environment.stats.reset_all()
        if _SCENARIO.step(now_s) > len(_STEPS):
            note(self.runner.environment, now_s)
        return None if shapes.late(_STEPS) else _SCENARIO.stage(now_s)


def note(environment: Any, now_s: float) -> None:
    """Notes what was seen since the last step, and begins to count anew if there are more."""
    began_s = sum(step.seconds for step in _STEPS)
    entries = {entry.name: entry for entry in environment.stats.entries.values()}
    _STEPS.append(shapes.Step.seen(environment.runner.user_count, now_s - began_s, entries, _LIMITS))
    if _SCENARIO.more:
        environment.stats.reset_all()


@events.quitting.add_listener
def judge(environment: Any, **_: Any) -> None:
    """Writes what was seen; lets the run fail if an objective was missed."""
    words = shapes.verdict(_STEPS)
    Path(os.environ["LOAD_RESULT"]).write_text(json.dumps([asdict(step) for step in _STEPS]))
    environment.process_exit_code = 1 if words else 0
