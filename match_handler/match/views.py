"""Who may see what: the payloads made from a table.

No undealt card, seed or generator state leaves this module before a game has ended; then the deck is public
(DESIGN section 5).
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from msgspec import UNSET, UnsetType

from match_handler.match.context import Table
from match_handler.match.state import Seat
from match_handler.protocol import payloads
from match_handler.protocol.options import PREFIXES
from set_core.board import CardSlot
from set_core.cards import ALL_CARDS, Attribute
from set_core.events import BoardExpanded, ClaimJudged, GameStarted, InvalidReason
from set_core.options import BotLevel, MatchOptions, Mode, Penalty
from set_core.phase import Phase
from set_core.results import EndReason, Results

PHASES: Final = {phase: f"PHASE_{phase.name}" for phase in Phase}
END_REASONS: Final = {reason: f"END_REASON_{reason.name}" for reason in EndReason}
ATTRIBUTES: Final = {attribute: f"ATTRIBUTE_{attribute.name}" for attribute in Attribute}
INVALID_REASONS: Final = {reason: f"CLAIM_REASON_{reason.name}" for reason in InvalidReason}
NO_ATTRIBUTE: Final = "ATTRIBUTE_UNSPECIFIED"
NO_REASON: Final = "CLAIM_REASON_UNSPECIFIED"


def slots_view(slots: Iterable[CardSlot]) -> list[payloads.Slot]:
    """Slots with their cards."""
    return [payloads.Slot(slot.index, UNSET if slot.card is None else slot.card.id) for slot in slots]


def _upcoming(at_ms: int | None, now_ms: int) -> int | UnsetType:
    return at_ms if at_ms is not None and at_ms > now_ms else UNSET


def _given(value: int | None) -> int | UnsetType:
    return UNSET if value is None else value


def is_away(seat: Seat) -> bool:
    """Whether nobody plays a seat right now that is somebody's."""
    return seat.bot_level is None and seat.session_id is None


def _status(*, away: bool) -> str:
    return "PLAYER_STATUS_DISCONNECTED" if away else "PLAYER_STATUS_CONNECTED"


def player_view(table: Table, index: int) -> payloads.Player:
    """What everybody may know of the player in a seat."""
    seat, session = table.state.seats[index], table.session
    common = (index, seat.user_id, seat.username, seat.bot_level is not None)
    status = _status(away=is_away(seat))
    deadline = _given(seat.reconnect_deadline_ms)
    if session is None:
        return payloads.Player(*common, 0, 0, 0, status, seat.ready, reconnect_deadline_ms=deadline)
    player = session.players[index]
    return payloads.Player(
        *common,
        player.score,
        player.sets_collected,
        player.invalid_attempts,
        "PLAYER_STATUS_FORFEITED" if player.forfeited else status,
        seat.ready,
        _given(session.player_time_remaining_ms(index, table.now_ms)),
        deadline,
        UNSET if table.game_over else _upcoming(player.locked_until_ms, table.now_ms),
    )


def players_view(table: Table) -> list[payloads.Player]:
    """Everybody at the table, by seat."""
    return [player_view(table, index) for index in range(len(table.state.seats))]


@lru_cache(maxsize=1024)
def options_view(options: MatchOptions) -> payloads.Options:
    """The options without their seed."""
    animation = options.animation_ms
    return payloads.Options(
        mode=PREFIXES[Mode] + options.mode.name,
        max_players=options.max_players,
        min_players=options.min_players,
        time_limit_seconds=options.time_limit_seconds,
        penalty=PREFIXES[Penalty] + options.penalty.name,
        time_penalty_seconds=options.time_penalty_seconds,
        tie_break_fewest_invalid=options.tie_break_fewest_invalid,
        penalize_stale_claims=options.penalize_stale_claims,
        reconnect_window_seconds=options.reconnect_window_seconds,
        animation_ms=payloads.AnimationMs(
            animation.valid_set, animation.refill, animation.invalid_set, animation.expand_board
        ),
        bots=[payloads.Bot(PREFIXES[BotLevel] + level.name) for level in options.bots],
        allow_spectators=options.allow_spectators,
        local_players=list(options.local_players),
        hints=options.hints,
        private=options.private,
    )


def _final_player_view(table: Table, index: int) -> payloads.Player:
    """A player as the game left them, whatever they have done since."""
    view = player_view(table, index)
    if view.status != "PLAYER_STATUS_FORFEITED":
        view.status = _status(away=table.state.seats[index].was_away)
    view.ready = False
    return view


def results_view(table: Table, results: Results) -> payloads.Results:
    """The result of the game that has ended, and its deck."""
    return payloads.Results(
        reason=END_REASONS[results.reason],
        winner_seat=_given(results.winner_seat),
        draw=results.draw,
        standings=[
            payloads.Standing(standing.rank, _final_player_view(table, standing.seat))
            for standing in results.standings
        ],
        duration_ms=results.duration_ms,
        deck=[] if table.session is None else list(table.session.deck.order),
        record_key=table.record_key,
    )


def ended_view(table: Table, results: Results) -> payloads.MatchEnded:
    """The result as a message to all."""
    view = results_view(table, results)
    return payloads.MatchEnded(
        seq=table.next_seq(),
        reason=view.reason,
        winner_seat=view.winner_seat,
        draw=view.draw,
        standings=view.standings,
        duration_ms=view.duration_ms,
        deck=view.deck,
        record_key=view.record_key,
    )


def snapshot_view(table: Table, your_seats: list[int]) -> payloads.Snapshot:
    """Everything that one client may know."""
    session = table.session
    ended = session.results if session is not None else None
    return payloads.Snapshot(
        seq=table.state.seq,
        game=table.state.game,
        phase=PHASES[table.phase],
        options=options_view(table.options),
        players=players_view(table),
        slots=[] if session is None else slots_view(session.board.slots),
        cards_remaining=len(ALL_CARDS) if session is None else session.deck.cards_remaining,
        board_version=0 if session is None else session.board_version,
        now_ms=table.now_ms,
        time_remaining_ms=UNSET if session is None else _given(session.time_remaining_ms(table.now_ms)),
        locked_until_ms=UNSET
        if session is None or table.game_over
        else _upcoming(session.locked_until_ms, table.now_ms),
        your_seats=your_seats,
        creator_id=table.state.creator_id,
        fill_deadline_ms=table.state.fill_deadline_ms if session is None else UNSET,
        results=UNSET if ended is None else results_view(table, ended),
    )


def started_view(table: Table, event: GameStarted) -> payloads.MatchStarted:
    """The first board of a game, as it was dealt."""
    session = table.session
    return payloads.MatchStarted(
        seq=table.next_seq(),
        game=table.state.game,
        phase=PHASES[event.phase],
        options=options_view(table.options),
        players=players_view(table),
        slots=slots_view(event.slots),
        cards_remaining=event.cards_remaining,
        board_version=event.board_version,
        now_ms=table.now_ms,
        time_remaining_ms=UNSET if session is None else _given(session.time_remaining_ms(table.now_ms)),
    )


def claim_view(table: Table, event: ClaimJudged, claim_id: str) -> payloads.ClaimResult:
    """A judged claim."""
    return payloads.ClaimResult(
        seq=table.next_seq(),
        claim_id=claim_id,
        seat=event.seat,
        user_id=table.state.seats[event.seat].user_id,
        card_ids=list(event.card_ids),
        valid=event.is_valid,
        reason=NO_REASON if event.reason is None else INVALID_REASONS[event.reason],
        mixed_attribute=NO_ATTRIBUTE if event.mixed_attribute is None else ATTRIBUTES[event.mixed_attribute],
        message=event.message,
        score_delta=event.score_delta,
        player=player_view(table, event.seat),
        slots=slots_view(event.slots),
        board_version=event.board_version,
        cards_remaining=event.cards_remaining,
        phase=PHASES[event.phase],
        locked_until_ms=event.locked_until_ms,
    )


def expanded_view(table: Table, event: BoardExpanded) -> payloads.BoardExpanded:
    """Three cards that were added."""
    return payloads.BoardExpanded(
        seq=table.next_seq(),
        slots=slots_view(event.slots),
        board_version=event.board_version,
        cards_remaining=event.cards_remaining,
        phase=PHASES[event.phase],
        locked_until_ms=event.locked_until_ms,
    )
