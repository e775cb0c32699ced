"""Why a referee refuses, in a sentence for players."""

from collections.abc import Mapping
from typing import Final

import grpc

from artreferee.v1 import error_pb2
from clients.sdk import CallError
from clients.terminal.words import Words, marked

ANSWERED: Final = marked("This was answered already, perhaps from another terminal.")

_SENTENCES: Final[Mapping[error_pb2.ErrorReason.ValueType, str]] = {
    error_pb2.ERROR_REASON_MATCH_NOT_FOUND: marked(
        "There is no such match, or no more: a referee deletes one some days after its end or its last move."
    ),
    error_pb2.ERROR_REASON_NOT_PERMITTED: marked(
        "This seat is somebody else's: the token is not the one that holds it."
    ),
    error_pb2.ERROR_REASON_SEAT_TAKEN: marked("That seat is taken."),
    error_pb2.ERROR_REASON_NO_OPEN_SEAT: marked("No seat is open; `curator watch` lets you look on."),
    error_pb2.ERROR_REASON_SEAT_REQUIRED: marked("You hold several seats of this match: say which with --seat."),
    error_pb2.ERROR_REASON_MATCH_OVER: marked("The match is over."),
    error_pb2.ERROR_REASON_SEAT_OUT: marked("This seat is out of the competition; the autopilot plays it on."),
    error_pb2.ERROR_REASON_STALE_DECISION: ANSWERED,
    error_pb2.ERROR_REASON_NOT_TO_ACT: ANSWERED,
    error_pb2.ERROR_REASON_NOT_DISCLOSED: marked("The record is kept back until the host of the match releases it."),
    error_pb2.ERROR_REASON_UNKNOWN_RULESET: marked("The referee does not know this ruleset."),
    error_pb2.ERROR_REASON_SEAT_COUNT: marked("This ruleset is not played with so many players."),
    error_pb2.ERROR_REASON_CREATION_RESTRICTED: marked("This referee lets only some create matches: see --token-file."),
}


def told(error: CallError, words: Words) -> str:
    """Returns why a call failed: in the words of the terminal, or else in those of the referee."""
    if (sentence := _SENTENCES.get(error.reason)) is not None:
        return words.told(sentence)
    if not error.reason and error.code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
        return words.told("The referee does not answer.")
    return error.text
