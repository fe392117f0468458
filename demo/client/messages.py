"""Messages from a match to a client (`client.proto`), with a strict parser.

A field that is unknown, missing or of the wrong type is an error, because clients in all languages must be
able to rely on the format. Only fields with a default can be absent. Times are match time in milliseconds.
"""

from __future__ import annotations

import msgspec

from demo.client.vocabulary import Change, End, Op, Phase, Reason, Status


class Wire(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A message or a part of one."""


class AnimationMs(Wire, frozen=True):
    """Duration of the animations in milliseconds. Claims are locked meanwhile."""

    valid_set: int
    refill: int
    invalid_set: int
    expand_board: int


class Bot(Wire, frozen=True):
    """A bot."""

    level: str


class Options(Wire, frozen=True):
    """Options of a match."""

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
    claim_order: str


class Slot(Wire, frozen=True):
    """One position on the board, with a card or empty."""

    index: int
    card_id: int | None = None


class Player(Wire, frozen=True):
    """Public data of a player."""

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
    """Result of a game."""

    reason: End
    draw: bool
    standings: list[Standing]
    duration_ms: int
    deck: list[int]
    record_key: str
    winner_seat: int | None = None


class Message(Wire, frozen=True):
    """Base class of all messages."""


class Numbered(Message, frozen=True):
    """Broadcast to all connections, with consecutive numbers."""

    seq: int


class MatchStarted(Numbered, frozen=True):
    """Start of a game, with its first board."""

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
    """Everything that one client may know. `seq` is the number of the last numbered message."""

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
    """Result of a claim."""

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
    """Rejection of a message, which had no effect."""

    claim_id: str
    reason: Reason
    op_code: int
    message: str


class BoardExpanded(Numbered, frozen=True):
    """Expansion of a board without a Set by three cards."""

    slots: list[Slot]
    board_version: int
    cards_remaining: int
    phase: Phase
    locked_until_ms: int


class PlayerChanged(Numbered, frozen=True):
    """Change of a player's data or status."""

    player: Player
    change: Change


class MatchEnded(Numbered, frozen=True):
    """End of a game, with its result."""

    reason: End
    draw: bool
    standings: list[Standing]
    duration_ms: int
    deck: list[int]
    record_key: str
    winner_seat: int | None = None


class HintResult(Message, frozen=True):
    """A Set on the board, or no cards if there is none."""

    card_ids: list[int]


class FillTime(Numbered, frozen=True):
    """New deadline of the fill time."""

    fill_deadline_ms: int


class ServiceStatus(Message, frozen=True):
    """Start or end of an outage; `closed` if the match is closed, `restarting` before a restart of Nakama."""

    paused: bool
    closed: bool
    restarting: bool


class UnreadableMessageError(ValueError):
    """A payload does not match the protocol. The error text contains the reason."""


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
    """Parse the payload of a message.

    Raises:
        UnreadableMessageError: The op code is unknown, or the payload does not match its format.
    """
    try:
        return msgspec.json.decode(payload, type=MESSAGES[Op(op_code)])
    except (ValueError, KeyError) as error:
        raise UnreadableMessageError(f"op code {op_code}: {error}: {payload[:200]!r}") from error
