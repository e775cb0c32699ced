"""A bot that needs stubs only: `python bot.py` plays all seats of its principal at random, over one stream.

Its environment tells it where and as whom: CURATOR_REFEREE and CURATOR_TOKEN; with TLS, CURATOR_TLS and the files
CURATOR_TLS_CA, CURATOR_TLS_CERT and CURATOR_TLS_KEY; for one match only, CURATOR_MATCH. It ends with standard input.
"""

import hmac
import os
import random
import sys
import threading
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from queue import SimpleQueue

import grpc

from artreferee.v1 import match_pb2, service_pb2, service_pb2_grpc

BROKEN = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED}
OPTIONS = (("grpc.keepalive_time_ms", 30_000), ("grpc.max_reconnect_backoff_ms", 2_000))


class Player:
    """Plays over as many connections as it takes."""

    def __init__(self, referee: grpc.Channel, token: str) -> None:
        self.referee = service_pb2_grpc.RefereeServiceStub(referee)
        self.metadata = (("authorization", f"Bearer {token}"),)
        self.unanswered = dict[str, service_pb2.PlayMove]()  # moves of which the outcome is not known
        self.unfinished = set[str]()  # matches of which the end is not known
        self.seeds = dict[tuple[str, int], bytes]()

    def run(self) -> None:
        """Plays on until the referee refuses for good."""
        while True:
            try:
                self.play()
            except grpc.RpcError as error:
                if error.code() not in BROKEN:
                    sys.exit(f"the referee refuses: {error.details()}")
            time.sleep(random.uniform(0.1, 1.0))  # not all at once after an outage

    def play(self) -> None:
        """Plays over one connection; moves of which the outcome is not known go out again, under the same ids."""
        requests = SimpleQueue[service_pb2.PlayRequest | None]()
        requests.put(service_pb2.PlayRequest(detail=match_pb2.DETAIL_IDS))
        for match_id in self.unfinished:
            requests.put(service_pb2.PlayRequest(unfinished_match_ids=[match_id]))
        for move in self.unanswered.values():
            requests.put(service_pb2.PlayRequest(moves=[move]))
        try:
            stream = self.referee.Play(iter(requests.get, None), metadata=self.metadata, wait_for_ready=True)
            for response in stream:
                for move in self.moves(response):
                    requests.put(service_pb2.PlayRequest(moves=[move]))
        finally:
            requests.put(None)

    def moves(self, response: service_pb2.PlayResponse) -> Iterable[service_pb2.PlayMove]:
        """Takes in what it is told, and yields what is to be sent."""
        for outcome in response.outcomes:
            if outcome.refused.retriable:
                time.sleep(0.2)
                yield from filter(None, [self.unanswered.get(outcome.request_id)])
            elif self.unanswered.pop(outcome.request_id, None) and outcome.HasField("refused"):
                print(f"refused: {outcome.refused.text}", flush=True)
        for match in response.seated:
            self.unfinished.add(match.match_id)
            self.seeds[match.match_id, match.viewer_seat] = match.bot_seed
        for match in response.asked:
            if not self.is_answered(match):
                yield self.unanswered.setdefault((move := self.answer(match)).request_id, move)
        for match in response.ended:
            self.unfinished.discard(match.match_id)
            place = match.result.seats[match.viewer_seat].rank if match.HasField("result") else None
            print(f"match {match.match_id}, seat {match.viewer_seat}: place {place}", flush=True)
            if match.match_id == os.environ.get("CURATOR_MATCH"):
                os._exit(0)

    def is_answered(self, match: match_pb2.Match) -> bool:
        """Whether an answer is on its way to what a new connection asks again."""
        asked = match.match_id, match.viewer_seat, match.prompt.decision_number
        return any(asked == (move.match_id, move.seat, move.decision_number) for move in self.unanswered.values())

    def answer(self, match: match_pb2.Match) -> service_pb2.PlayMove:
        """Chooses: the view is in `match.view`, the moves in `match.prompt`; with a bot seed always alike."""
        number = match.prompt.decision_number
        seed = self.seeds.get((match.match_id, match.viewer_seat)) or os.urandom(32)
        digest = hmac.digest(seed, number.to_bytes(8, "big"), "sha256")
        return service_pb2.PlayMove(
            request_id=uuid.uuid4().hex,
            match_id=match.match_id,
            seat=match.viewer_seat,
            decision_number=number,
            moves=[match_pb2.MoveChoice(index=int.from_bytes(digest[:4], "big") % match.prompt.legal_count)],
        )


def channel(address: str) -> grpc.Channel:
    """Opens the connection that the environment asks for."""
    if "CURATOR_TLS" not in os.environ:
        return grpc.insecure_channel(address, OPTIONS)
    names = [os.environ.get(f"CURATOR_TLS_{name}") for name in ("CA", "KEY", "CERT")]
    files = [Path(name).read_bytes() if name else None for name in names]
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(*files), OPTIONS)


def end_with_input() -> None:
    """Ends the process when whoever started it wants it no more."""
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=end_with_input, daemon=True).start()
    Player(channel(os.environ["CURATOR_REFEREE"]), os.environ["CURATOR_TOKEN"]).run()
