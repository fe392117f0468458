"""The real `set-match` command with an additional RPC `/bench.Echo/Echo`, which does nothing.

It accepts the arguments of `set-match`. The echo uses the same threads, interceptors and gRPC code as
the real calls.
"""

from typing import Any, Final
from unittest import mock

import grpc

from match_handler.cli import main
from match_handler.service import server

SIZE_BYTES: Final = 4
"""A request begins with the length of the requested response as an unsigned big-endian integer."""

_ANSWER: Final = bytes(4 << 20)
_new_server: Final = server._new_server


def echo(request: bytes, _context: object) -> bytes:
    """Return the requested number of bytes."""
    return _ANSWER[: int.from_bytes(request[:SIZE_BYTES], "big")]


def _with_echo(*args: Any, **kwargs: Any) -> grpc.Server:
    made = _new_server(*args, **kwargs)
    made.add_registered_method_handlers("bench.Echo", {"Echo": grpc.unary_unary_rpc_method_handler(echo)})
    return made


if __name__ == "__main__":
    with mock.patch.object(server, "_new_server", _with_echo):
        main()
