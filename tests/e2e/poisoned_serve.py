"""`set-match` that fails on messages with the word poison: `poisoned_serve call|batch serve ...`.

With `call` only the call with such a message fails, with `batch` the whole batch that contains the call.
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


def _poison_calls() -> None:
    original = servicer._loop

    def poisoned(request: pb.MatchLoopRequest) -> Match:
        _require_no_poison(request)
        return original(request)

    servicer._loop = poisoned


def _poison_batches() -> None:
    original = servicer._answer_in_batch

    def poisoned(call: pb.MatchLoopRequest, result: pb.MatchBatchResult) -> None:
        _require_no_poison(call)
        original(call, result)

    servicer._answer_in_batch = poisoned


def serve(where: str, arguments: list[str]) -> None:
    """Run `set-match` with these arguments; `where` is call or batch."""
    _poison_calls()
    if where == "batch":
        _poison_batches()
    main(arguments)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2:])
