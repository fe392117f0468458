"""Conversion between the messages of `match_handler.proto` and the types of `match_handler.match`."""

from typing import Protocol

from match_handler.match.context import Moment, Presence
from match_handler.match.inputs import Input
from match_handler.match.seating import Leave, LeaveReason
from match_handler.match.state import LATEST_UNIX_MS
from match_handler.match.step import Broadcast, Effect, Operator, Step, StorageWrite
from match_handler.v1 import match_handler_pb2 as pb


class MatchRequest(Protocol):
    """The fields that all requests about an existing match have."""

    @property
    def match_id(self) -> str:
        """The id of the match."""

    @property
    def state(self) -> bytes:
        """The state after the previous call."""

    @property
    def now_ms(self) -> int:
        """The match clock, in milliseconds."""

    @property
    def unix_time_ms(self) -> int:
        """The time of day, in milliseconds since 1970 UTC."""


class RequestError(ValueError):
    """A request that the protocol does not allow. The message names the field and the allowed values."""


def unix_ms(unix_time_ms: int) -> int:
    """Return a time of day after a range check, in milliseconds since 1970 UTC.

    Raises:
        RequestError: the value is outside 0..`LATEST_UNIX_MS`.
    """
    if not 0 <= unix_time_ms <= LATEST_UNIX_MS:
        raise RequestError(f"unix_time_ms: {unix_time_ms}, allowed are 0..{LATEST_UNIX_MS}")
    return unix_time_ms


def moment(request: MatchRequest) -> Moment:
    """Return the time of a call.

    Raises:
        RequestError: the time of day is outside 0..`LATEST_UNIX_MS`.
    """
    return Moment(request.now_ms, unix_ms(request.unix_time_ms))


_LEAVE_REASONS = {
    pb.LEAVE_REASON_LEFT: LeaveReason.LEFT,
    pb.LEAVE_REASON_NEVER_JOINED: LeaveReason.NEVER_JOINED,
}


def presence(message: pb.Presence) -> Presence:
    """Convert a presence."""
    return Presence(message.user_id, message.session_id, message.username)


def leave(message: pb.Leave) -> Leave:
    """Convert a leave. An unknown reason becomes DISCONNECTED, so that the user can reconnect."""
    reason = _LEAVE_REASONS.get(message.reason, LeaveReason.DISCONNECTED)
    return Leave(presence(message.presence), reason, message.left_ms)


def player_input(message: pb.Input) -> Input:
    """Convert an input."""
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
    message.message.op_code = broadcast.op_code
    message.message.data = broadcast.data
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


def write_step(step: Step, message: pb.Step) -> None:
    """Fill the `Step` of a response in place: protobuf would copy a message that is assigned to a field."""
    message.state = step.state
    message.end = step.end
    for broadcast in step.broadcasts:
        _write_broadcast(broadcast, message.broadcasts.add())
    if step.label is not None:
        message.label = step.label
    if step.wake_at_ms is not None:
        message.wake_at_ms = step.wake_at_ms
    message.new_record = step.new_record
    if step.log:
        message.log.extend(step.log)
    if step.kicks:
        message.kicks.extend(step.kicks)
    if step.effects:
        message.effects.extend([_effect(effect) for effect in step.effects])
