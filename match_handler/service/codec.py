"""The protobuf messages of `match_handler.proto` to and from the values that a match works with."""

from typing import Protocol

from match_handler.match.context import Moment, Presence
from match_handler.match.inputs import Input
from match_handler.match.seating import Leave, LeaveReason
from match_handler.match.state import LATEST_UNIX_MS
from match_handler.match.step import Broadcast, Effect, Operator, Step, StorageWrite
from match_handler.v1 import match_handler_pb2 as pb


class MatchRequest(Protocol):
    """What every request about a match carries."""

    @property
    def match_id(self) -> str:
        """The match."""

    @property
    def state(self) -> bytes:
        """Its state."""

    @property
    def now_ms(self) -> int:
        """The match clock."""

    @property
    def unix_time_ms(self) -> int:
        """The time of day."""


class RequestError(ValueError):
    """A request that the protocol does not allow; the message names the field and what is allowed."""


def unix_ms(unix_time_ms: int) -> int:
    """Checks a time of day, in milliseconds since 1970.

    Raises:
        RequestError: outside 0..`LATEST_UNIX_MS`.
    """
    if not 0 <= unix_time_ms <= LATEST_UNIX_MS:
        raise RequestError(f"unix_time_ms: {unix_time_ms}, allowed are 0..{LATEST_UNIX_MS}")
    return unix_time_ms


def moment(request: MatchRequest) -> Moment:
    """Reads the time of a call.

    Raises:
        RequestError: the time of day is out of its range.
    """
    return Moment(request.now_ms, unix_ms(request.unix_time_ms))


_LEAVE_REASONS = {
    pb.LEAVE_REASON_LEFT: LeaveReason.LEFT,
    pb.LEAVE_REASON_NEVER_JOINED: LeaveReason.NEVER_JOINED,
}


def presence(message: pb.Presence) -> Presence:
    """Reads a presence."""
    return Presence(message.user_id, message.session_id, message.username)


def leave(message: pb.Leave) -> Leave:
    """Reads a leave; an unknown reason is taken for a lost connection, after which the user may return."""
    reason = _LEAVE_REASONS.get(message.reason, LeaveReason.DISCONNECTED)
    return Leave(presence(message.presence), reason, message.left_ms)


def player_input(message: pb.Input) -> Input:
    """Reads an input."""
    return Input(
        message.tick,
        message.received_ms,
        message.received_unix_ms,
        message.user_id,
        message.session_id,
        message.op_code,
        message.data,
    )


def _write_broadcast(broadcast: Broadcast, message: pb.Broadcast) -> None:
    inner = message.message
    inner.op_code = broadcast.op_code
    inner.data = broadcast.data
    if broadcast.audience is None:
        message.everyone = True
    else:
        message.session_ids.extend(broadcast.audience)


_OPERATORS = {
    Operator.BEST: pb.OPERATOR_BEST,
    Operator.INCREMENT: pb.OPERATOR_INCREMENT,
}


def _effect(effect: Effect) -> pb.Effect:
    if isinstance(effect, StorageWrite):
        return pb.Effect(
            storage_write=pb.StorageWrite(
                collection=effect.collection,
                key=effect.key,
                value=effect.value,
                record_field=effect.record_field,
                permission_read=effect.permission_read,
                create_only=effect.create_only,
            ),
            expires_unix_ms=effect.expires_unix_ms,
        )
    return pb.Effect(
        leaderboard_write=pb.LeaderboardWrite(
            leaderboard_id=effect.leaderboard_id,
            operator=_OPERATORS[effect.operator],
            owner_id=effect.owner_id,
            username=effect.username,
            score=effect.score,
            subscore=effect.subscore,
            metadata=effect.metadata,
            quota=None
            if effect.quota is None
            else pb.Quota(collection=effect.quota.collection, key=effect.quota.key, most=effect.quota.most),
        ),
        expires_unix_ms=effect.expires_unix_ms,
    )


def write_step(result: Step, message: pb.Step) -> None:
    """Writes a step into an answer, part by part: messages that are put into others are copied."""
    message.state = result.state
    message.end = result.end
    for broadcast in result.broadcasts:
        _write_broadcast(broadcast, message.broadcasts.add())
    if result.label is not None:
        message.label = result.label
    if result.wake_at_ms is not None:
        message.wake_at_ms = result.wake_at_ms
    message.new_record = result.new_record
    if result.log:
        message.log.extend(result.log)
    if result.kicks:
        message.kicks.extend(result.kicks)
    if result.effects:
        message.effects.extend([_effect(effect) for effect in result.effects])
