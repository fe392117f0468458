"""The real server in this process, on its own port, and a client that calls it as the shim does."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import grpc

from match_handler.service.config import Address, Settings
from match_handler.service.server import RunningServer, start_server
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub

ANY_PORT = Address("127.0.0.1", 0)
NOON = 1_796_126_400_000
DEADLINE_SECONDS = 30


@contextmanager
def serving(**settings: Any) -> Iterator[RunningServer]:
    running = start_server(Settings(**{"listen": ANY_PORT, **settings}))
    try:
        yield running
    finally:
        running.drain(0)


@contextmanager
def stub_at(port: int) -> Iterator[MatchHandlerServiceStub]:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield MatchHandlerServiceStub(channel)


def presence(user: str) -> pb.Presence:
    return pb.Presence(user_id=user, session_id=f"{user}-1", username=user, node="node1")


class Shim:
    """Keeps the state of one match between calls, as the plugin does."""

    def __init__(self, stub: MatchHandlerServiceStub) -> None:
        self.stub = stub
        self.now_ms = self.tick = 0
        self.step = pb.Step()

    @property
    def fields(self) -> dict[str, Any]:
        return {
            "match_id": "m1.node1",
            "node": "node1",
            "tick": self.tick,
            "now_ms": self.now_ms,
            "state": self.step.state,
            "unix_time_ms": NOON + self.now_ms,
        }

    def init(self, options: bytes = b"", expected: Sequence[str] = ()) -> pb.MatchInitResponse:
        users = [pb.Presence(user_id=user, username=user) for user in expected]
        request = pb.MatchInitRequest(
            match_id="m1.node1", options=options, unix_time_ms=NOON, expected_users=users
        )
        reply = self.stub.MatchInit(request, timeout=DEADLINE_SECONDS)
        self.step = reply.step
        return reply

    def attempt(self, user: str, **metadata: str) -> pb.MatchJoinAttemptResponse:
        request = pb.MatchJoinAttemptRequest(**self.fields, presence=presence(user), metadata=metadata)
        reply = self.stub.MatchJoinAttempt(request, timeout=DEADLINE_SECONDS)
        self.step = reply.step
        return reply

    def join(self, *users: str) -> pb.Step:
        request = pb.MatchJoinRequest(**self.fields, presences=[presence(user) for user in users])
        self.step = self.stub.MatchJoin(request, timeout=DEADLINE_SECONDS).step
        return self.step

    def leave(self, user: str, reason: pb.LeaveReason.ValueType) -> pb.Step:
        leave = pb.Leave(presence=presence(user), reason=reason, left_ms=self.now_ms)
        request = pb.MatchLoopRequest(**self.fields, leaves=[leave])
        self.step = self.stub.MatchLoop(request, timeout=DEADLINE_SECONDS).step
        return self.step

    def reserve(self, *users: str) -> pb.MatchReserveResponse:
        presences = [pb.Presence(user_id=user, username=user) for user in users]
        request = pb.MatchReserveRequest(**self.fields, users=presences)
        reply = self.stub.MatchReserve(request, timeout=DEADLINE_SECONDS)
        self.step = reply.step
        return reply

    def loop(self, *messages: tuple[str, int, bytes], after_ms: int = 50) -> pb.Step:
        self.tick, self.now_ms = self.tick + 1, self.now_ms + after_ms
        self.step = self.stub.MatchLoop(self.loop_request(*messages), timeout=DEADLINE_SECONDS).step
        return self.step

    def loop_request(self, *messages: tuple[str, int, bytes]) -> pb.MatchLoopRequest:
        inputs = [
            pb.Input(
                tick=self.tick,
                received_ms=self.now_ms - 1,
                received_unix_ms=NOON + self.now_ms - 1,
                user_id=user,
                session_id=f"{user}-1",
                op_code=op_code,
                data=data,
            )
            for user, op_code, data in messages
        ]
        return pb.MatchLoopRequest(**self.fields, inputs=inputs)

    def terminate(self) -> pb.Step:
        request = pb.MatchTerminateRequest(**self.fields, grace_seconds=5)
        self.step = self.stub.MatchTerminate(request, timeout=DEADLINE_SECONDS).step
        return self.step

    def signal(self, data: str) -> pb.MatchSignalResponse:
        reply = self.stub.MatchSignal(
            pb.MatchSignalRequest(**self.fields, data=data), timeout=DEADLINE_SECONDS
        )
        self.step = reply.step
        return reply

    def seat(self, *users: str) -> pb.Step:
        """Attempt and join for users who must be allowed; return the last step."""
        for user in users:
            assert self.attempt(user).allow
            self.join(user)
        return self.step


def ops(step: pb.Step) -> list[int]:
    return [broadcast.message.op_code for broadcast in step.broadcasts]
