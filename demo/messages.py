"""What travels between a player and a match: the messages of `client.proto`, read strictly.

A field that the protocol does not know, that is missing although its default must be written out, or that
has another type is an error: a client in any language must be able to rely on the form.
"""

from __future__ import annotations

import msgspec

from demo.vocabulary import Change, End, Op, Phase, Reason, Status


class Wire(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A message or a part of one."""


class AnimationMs(Wire, frozen=True):
    """How long animations lock claims, in milliseconds."""

    valid_set: int
    refill: int
    invalid_set: int
    expand_board: int


class Bot(Wire, frozen=True):
    """One seat played by the service."""

    level: str


class Options(Wire, frozen=True):
    """How a match is played."""

    mode: str
    max_players: int
    min_players: int
    time_limit_seconds: int
    penalty: str
    time_penalty_seconds: int
    tie_break_fewest_invalid: bool
    penalize_stale_claims: bool
    reconnect_window_seconds: int
    animation_ms: AnimationMs
    bots: list[Bot]
    allow_spectators: bool
    local_players: list[str]
    hints: bool
    private: bool


class Slot(Wire, frozen=True):
    """One place on the board; no card if empty."""

    index: int
    card_id: int | None = None


class Player(Wire, frozen=True):
    """What everybody may know of a player."""

    seat: int
    user_id: str
    username: str
    bot: bool
    score: int
    sets_collected: int
    invalid_attempts: int
    status: Status
    ready: bool
    time_remaining_ms: int | None = None
    reconnect_deadline_ms: int | None = None
    locked_until_ms: int | None = None


class Standing(Wire, frozen=True):
    """One line of the result."""

    rank: int
    player: Player


class Results(Wire, frozen=True):
    """How a game ended."""

    reason: End
    draw: bool
    standings: list[Standing]
    duration_ms: int
    deck: list[int]
    record_key: str
    winner_seat: int | None = None


class Message(Wire, frozen=True):
    """Anything that the match sends."""


class Numbered(Message, frozen=True):
    """A message to all: numbers rise by one."""

    seq: int


class MatchStarted(Numbered, frozen=True):
    """The first board of a game."""

    game: int
    phase: Phase
    options: Options
    players: list[Player]
    slots: list[Slot]
    cards_remaining: int
    board_version: int
    now_ms: int
    time_remaining_ms: int | None = None
    locked_until_ms: int | None = None


class Snapshot(Message, frozen=True):
    """Everything that one client may know; `seq` is the number of the last message to all."""

    seq: int
    game: int
    phase: Phase
    options: Options
    players: list[Player]
    slots: list[Slot]
    cards_remaining: int
    board_version: int
    now_ms: int
    your_seats: list[int]
    creator_id: str
    time_remaining_ms: int | None = None
    locked_until_ms: int | None = None
    results: Results | None = None
    fill_deadline_ms: int | None = None


class ClaimResult(Numbered, frozen=True):
    """The judgement of a claim."""

    claim_id: str
    seat: int
    user_id: str
    card_ids: list[int]
    valid: bool
    reason: Reason
    mixed_attribute: str
    message: str
    score_delta: int
    player: Player
    slots: list[Slot]
    board_version: int
    cards_remaining: int
    phase: Phase
    locked_until_ms: int


class ClaimRejected(Message, frozen=True):
    """A message was not accepted and changed nothing."""

    claim_id: str
    reason: Reason
    op_code: int
    message: str


class BoardExpanded(Numbered, frozen=True):
    """There was no Set, three cards were added."""

    slots: list[Slot]
    board_version: int
    cards_remaining: int
    phase: Phase
    locked_until_ms: int


class PlayerChanged(Numbered, frozen=True):
    """Something happened to a player."""

    player: Player
    change: Change


class MatchEnded(Numbered, frozen=True):
    """The result of a game."""

    reason: End
    draw: bool
    standings: list[Standing]
    duration_ms: int
    deck: list[int]
    record_key: str
    winner_seat: int | None = None


class HintResult(Message, frozen=True):
    """A Set on the board; empty if there is none."""

    card_ids: list[int]


class FillTime(Numbered, frozen=True):
    """Until when the match must be full enough to start."""

    fill_deadline_ms: int


class ServiceStatus(Message, frozen=True):
    """Whether the referee is there."""

    paused: bool
    closed: bool


class UnreadableMessageError(ValueError):
    """A payload is not in the form of the protocol; the message says what is wrong."""


MESSAGES: dict[Op, type[Message]] = {
    Op.SNAPSHOT: Snapshot,
    Op.MATCH_STARTED: MatchStarted,
    Op.CLAIM_RESULT: ClaimResult,
    Op.CLAIM_REJECTED: ClaimRejected,
    Op.BOARD_EXPANDED: BoardExpanded,
    Op.PLAYER_CHANGED: PlayerChanged,
    Op.MATCH_ENDED: MatchEnded,
    Op.HINT_RESULT: HintResult,
    Op.SERVICE_STATUS: ServiceStatus,
    Op.FILL_TIME: FillTime,
}


def read(op_code: int, payload: bytes) -> Message:
    """Read a payload.

    Raises:
        UnreadableMessageError: The op code is not the match's, or the payload is not in its form.
    """
    try:
        return msgspec.json.decode(payload, type=MESSAGES[Op(op_code)])
    except (ValueError, KeyError) as error:
        raise UnreadableMessageError(f"op code {op_code}: {error}: {payload[:200]!r}") from error
