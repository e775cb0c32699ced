"""A bot that knows nothing of this project but stubs made from its proto files; run as a process of its own.

`python stranger.py STUBS HOST:PORT MATCH_ID` joins the match, plays the first legal move of every prompt by its index,
and prints the place it came in.
"""

import base64
import secrets
import sys
import uuid

import grpc

sys.path.insert(0, sys.argv[1])
from artreferee.v1 import match_pb2, service_pb2, service_pb2_grpc


def main(address: str, match_id: str) -> None:
    token = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
    principal = (("authorization", f"Bearer {token}"),)
    with grpc.insecure_channel(address) as channel:
        referee = service_pb2_grpc.RefereeServiceStub(channel)
        join = service_pb2.JoinMatchRequest(request_id=uuid.uuid4().hex, match_id=match_id)
        seat = referee.JoinMatch(join, metadata=principal, timeout=10).seat
        answered = -1
        for message in referee.WatchMatch(service_pb2.WatchMatchRequest(match_id=match_id), metadata=principal):
            match = message.snapshot if message.HasField("snapshot") else message.update.match
            if match.HasField("prompt") and match.prompt.decision_number != answered:
                answered = match.prompt.decision_number
                answer = service_pb2.SubmitMoveRequest(
                    request_id=uuid.uuid4().hex,
                    match_id=match_id,
                    decision_number=answered,
                    moves=[match_pb2.MoveChoice(index=0)],
                )
                referee.SubmitMove(answer, metadata=principal, timeout=10)
            if match.HasField("result"):
                print(match.result.seats[seat].rank)  # noqa: T201 - its only output


if __name__ == "__main__":
    main(*sys.argv[2:])
