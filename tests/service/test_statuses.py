"""The status code of each failure (DESIGN sections 4 and 6; the list in match_handler.proto)."""

from collections.abc import Callable

import grpc
import msgspec
import pytest

from match_handler.match.match import Match
from match_handler.v1 import match_handler_pb2 as pb
from tests.service.served import Shim, serving, stub_at

Call = Callable[[Shim], object]
SECRET = "order of the deck: 1 2 3"  # noqa: S105 - a text that must not leave the service

CALLS: dict[str, Call] = {
    "MatchJoinAttempt": lambda shim: shim.attempt("ann"),
    "MatchJoin": lambda shim: shim.join("ann"),
    "MatchReserve": lambda shim: shim.reserve("ann"),
    "MatchLoop": lambda shim: shim.loop(),
    "MatchTerminate": lambda shim: shim.terminate(),
    "MatchSignal": lambda shim: shim.signal("snapshot"),
}
EVERY_CALL = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())


def failure(act: Callable[[], object]) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.RpcError) as raised:
        act()
    return raised.value.code(), raised.value.details() or ""


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (b'{"maxPlayers":9}', "maxPlayers"),
        (b'{"mode":"CHESS"}', "mode"),
        (b'{"colour":"red"}', "colour"),
        (b"\xff\xfe", "options"),
        ('{"mode":"\u00fc\u2603"}'.encode(), "mode"),
    ],
)
def test_bad_options_return_invalid_argument_with_the_field(shim: Shim, options: bytes, field: str) -> None:
    for act in (
        lambda: shim.init(options),
        lambda: shim.stub.MatchOptions(pb.MatchOptionsRequest(options=options)),
    ):
        code, text = failure(act)
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert text.startswith(field)


def test_too_many_expected_users_return_invalid_argument(shim: Shim) -> None:
    code, text = failure(lambda: shim.init(b"", expected=["ann", "bob", "cat"]))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert text.startswith("maxPlayers")


def test_seed_needs_the_setting() -> None:
    with serving() as running, stub_at(running.port) as stub:
        code, text = failure(lambda: Shim(stub).init(b'{"seed":7}'))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert text.startswith("seed")


@EVERY_CALL
@pytest.mark.parametrize("state", [b"", b"\xff", b"garbage", b"\x93\x01\x01\x90"])
def test_invalid_state_returns_invalid_argument(shim: Shim, call: Call, state: bytes) -> None:
    shim.step = pb.Step(state=state)
    code, text = failure(lambda: call(shim))
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert text == "state: not readable"


@EVERY_CALL
def test_newer_state_returns_failed_precondition(shim: Shim, call: Call) -> None:
    shim.init()
    version, _, rules, body = msgspec.msgpack.decode(shim.step.state)
    shim.step = pb.Step(state=msgspec.msgpack.encode([version + 1, version + 1, rules, body]))
    code, text = failure(lambda: call(shim))
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert text == "state: version 2 needs a reader of version 2, this service is version 1"


@EVERY_CALL
def test_unexpected_exception_returns_internal_without_details(
    shim: Shim, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(SECRET)

    shim.init()
    monkeypatch.setattr(Match, "step", fail)
    assert failure(lambda: call(shim)) == (grpc.StatusCode.INTERNAL, "internal error")


def test_failed_init_returns_internal(shim: Shim, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError(SECRET)

    monkeypatch.setattr(Match, "step", fail)
    assert failure(shim.init) == (grpc.StatusCode.INTERNAL, "internal error")


def test_unknown_rpc_returns_unimplemented() -> None:
    with serving() as running, grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        unknown: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            "/match_handler.v1.MatchHandlerService/MatchFly"
        )
        code, _ = failure(lambda: unknown(b""))
    assert code is grpc.StatusCode.UNIMPLEMENTED
