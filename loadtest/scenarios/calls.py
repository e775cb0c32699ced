"""The referee as a user of Locust calls it: by the stubs, and each call is told to Locust.

gevent and grpc must know each other before the first channel; whoever imports this has seen to it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import grpc

from artreferee.v1 import service_pb2
from artreferee.v1.service_pb2_grpc import RefereeServiceStub
from clients.sdk import Principal

DEADLINE_S: Final = 10.0
Fire = Callable[..., None]


class Referee:
    """A principal's calls over a channel that all users of a process share.

    Args:
        channel: to the referee.
        fire: Locust's `environment.events.request.fire`.
    """

    def __init__(self, channel: grpc.Channel, fire: Fire) -> None:
        self.principal: Final = Principal.new()
        self._stub: Final = RefereeServiceStub(channel)
        self._metadata: Final = (("authorization", f"Bearer {self.principal.token}"),)
        self._fire: Final = fire

    def call(self, method: str, request: Any, name: str = "") -> Any:
        """Makes a call; None if it failed, which Locust knows then."""
        with self._told(name or method):
            return getattr(self._stub, method)(request, timeout=DEADLINE_S, metadata=self._metadata)

    def watch(self, request: service_pb2.WatchMatchRequest, deadline_s: float) -> Any:
        """Opens a stream of a match."""
        return self._stub.WatchMatch(request, timeout=deadline_s, metadata=self._metadata)

    def play(self, requests: Iterator[service_pb2.PlayRequest], deadline_s: float) -> Any:
        """Opens a stream of all seats."""
        return self._stub.Play(requests, timeout=deadline_s, metadata=self._metadata)

    def tell(self, name: str, seconds: float, error: Exception | None = None) -> None:
        """Tells Locust of something that is no call."""
        self._fire(
            request_type="grpc",
            name=name,
            response_time=seconds * 1_000,
            response_length=0,
            exception=error,
            context={},
        )

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        start, failure = time.perf_counter(), None
        try:
            yield
        except grpc.RpcError as error:
            failure = error
        self.tell(name, time.perf_counter() - start, failure)
