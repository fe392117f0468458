"""The real `set-match` command, whose servers also answer `/bench.Echo/Echo`: a call that does nothing.

Takes the arguments of `set-match`. The echo runs on the same threads, behind the same interceptors and by the
same path of gRPC as the real calls.
"""

from typing import Any, Final
from unittest import mock

import grpc

from match_handler.cli import main
from match_handler.service import server

SIZE_BYTES: Final = 4
"""A request begins with the length of the answer that it wants: an unsigned integer, highest byte first."""

_ANSWER: Final = bytes(4 << 20)
_new_server: Final = server._new_server


def echo(request: bytes, _context: object) -> bytes:
    """So many bytes as the request wants."""
    return _ANSWER[: int.from_bytes(request[:SIZE_BYTES], "big")]


def _with_echo(*args: Any, **kwargs: Any) -> grpc.Server:
    made = _new_server(*args, **kwargs)
    made.add_registered_method_handlers("bench.Echo", {"Echo": grpc.unary_unary_rpc_method_handler(echo)})
    return made


if __name__ == "__main__":
    with mock.patch.object(server, "_new_server", _with_echo):
        main()
