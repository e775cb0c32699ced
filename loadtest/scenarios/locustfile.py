"""Users: bots by single calls and over Play, spectators and hosts, each at a fixed rate, whatever the answers take."""

import grpc.experimental.gevent

grpc.experimental.gevent.init_gevent()  # before any channel, or one user blocks all

import os
import random
import sys
import time
from itertools import cycle
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
_CHANNEL: Final = grpc.insecure_channel(os.environ["LOAD_ADDRESS"])  # one a process: more of them are slower
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


class UnaryBot(Member):
    """Plays whole matches of each ruleset, a call a move."""

    weight = 10
    wait_time = constant_throughput(1)

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


class PlayBot(Member):
    """Plays whole matches of each ruleset over one stream."""

    weight = 10
    wait_time = constant_throughput(1)

    def on_start(self) -> None:
        """Opens the stream."""
        super().on_start()
        self.requests: Any = Queue()
        self.asked: Any = Queue()
        self.outcomes: Any = Queue()
        self.unfinished = False
        self.requests.put(service_pb2.PlayRequest(detail=match_pb2.DETAIL_IDS))
        self.reader = gevent.spawn(self._read)

    def on_stop(self) -> None:
        """Ends the stream."""
        self.reader.kill()

    def _read(self) -> None:
        for response in self.referee.play(iter(self.requests.get, None), _STREAM_S):
            for outcome in response.outcomes:
                self.outcomes.put(outcome)
            for match in response.asked:
                self.asked.put(match)
            if response.ended:
                self.unfinished = False

    @task
    def move(self) -> None:
        """Answers what is asked, in a new match if the last one has ended."""
        if not self.unfinished:
            self.unfinished = bool(self.create())
        with gevent.Timeout(_OUTCOME_S, False):
            match = self.asked.get()
            start = time.perf_counter()
            self.requests.put(service_pb2.PlayRequest(moves=[self._choose(match)]))
            refused = self.outcomes.get().HasField("refused")
            error = RuntimeError("refused") if refused else None
            self.referee.tell(objectives.MOVE_OVER_PLAY, time.perf_counter() - start, error)
            return
        self.referee.tell(objectives.MOVE_OVER_PLAY, _OUTCOME_S, TimeoutError("nothing was asked or answered"))

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
    """How many users there are, by the scenario."""

    def tick(self) -> tuple[int, float] | None:
        """Returns users and how many begin a second; None is the end."""
        late = bool(missed(self.runner.environment))
        return shapes.SHAPES[os.environ["LOAD_SCENARIO"]](self.get_run_time(), late)


def missed(environment: Any) -> list[str]:
    """Returns in words which objectives were missed."""
    names = {entry.name: entry for entry in environment.stats.entries.values() if entry.name in objectives.OBJECTIVES}
    return objectives.missed(names)


@events.quitting.add_listener
def judge(environment: Any, **_: Any) -> None:
    """Lets the run fail if an objective was missed."""
    words = missed(environment)
    if len(environment.stats.entries) < len(objectives.OBJECTIVES):
        words.append("not everything that has an objective has happened")
    for word in words:
        print(f"MISSED {word}", file=sys.stderr)
    environment.process_exit_code = 1 if words else 0
