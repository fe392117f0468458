"""`set-match` that fails on messages with the word poison: `poisoned_serve call|batch serve ...`.

With `call` it fails in the call that brings one, with `batch` in the whole batch that such a call is in.
"""

import sys

from match_handler.cli import main
from match_handler.match.match import Match
from match_handler.service import servicer
from match_handler.v1 import match_handler_pb2 as pb

POISON = b"poison"


def _require_no_poison(request: pb.MatchLoopRequest) -> None:
    if any(POISON in message.data for message in request.inputs):
        raise RuntimeError("poisoned")


def _fail_in_the_call() -> None:
    loop = servicer._loop

    def poisoned(request: pb.MatchLoopRequest) -> Match:
        _require_no_poison(request)
        return loop(request)

    servicer._loop = poisoned


def _fail_in_the_batch() -> None:
    answered = servicer._answer_in_batch

    def poisoned(call: pb.MatchLoopRequest, result: pb.MatchBatchResult) -> None:
        _require_no_poison(call)
        answered(call, result)

    servicer._answer_in_batch = poisoned


def serve(where: str, arguments: list[str]) -> None:
    _fail_in_the_call()
    if where == "batch":
        _fail_in_the_batch()
    main(arguments)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2:])
