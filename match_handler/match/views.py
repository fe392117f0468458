"""Payloads with the public data of a match (DESIGN section 5).

Undealt cards, the seed and the state of the random number generator must not be in a payload before the game
has ended. Then the deck is public.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import UNSET, UnsetType

from match_handler.match.context import MatchContext
from match_handler.protocol import payloads
from match_handler.protocol.options import public_form
from set_core.board import CardSlot
from set_core.cards import ALL_CARDS, Attribute
from set_core.events import BoardExpanded, ClaimJudged, GameStarted, InvalidReason
from set_core.phase import Phase
from set_core.results import EndReason, Results

PHASES: Final = {phase: f"PHASE_{phase.name}" for phase in Phase}
END_REASONS: Final = {reason: f"END_REASON_{reason.name}" for reason in EndReason}
ATTRIBUTES: Final = {attribute: f"ATTRIBUTE_{attribute.name}" for attribute in Attribute}
INVALID_REASONS: Final = {reason: f"CLAIM_REASON_{reason.name}" for reason in InvalidReason}
NO_ATTRIBUTE: Final = "ATTRIBUTE_UNSPECIFIED"
NO_REASON: Final = "CLAIM_REASON_UNSPECIFIED"


def slots_view(slots: Iterable[CardSlot]) -> list[payloads.Slot]:
    """Return slots with their cards."""
    return [payloads.Slot(slot.index, UNSET if slot.card is None else slot.card.id) for slot in slots]


def _future_or_unset(at_ms: int | None, now_ms: int) -> int | UnsetType:
    return at_ms if at_ms is not None and at_ms > now_ms else UNSET


def _or_unset(value: int | None) -> int | UnsetType:
    return UNSET if value is None else value


def _status(*, disconnected: bool) -> str:
    return "PLAYER_STATUS_DISCONNECTED" if disconnected else "PLAYER_STATUS_CONNECTED"


def player_view(context: MatchContext, index: int) -> payloads.Player:
    """Return the public data of the player in a seat."""
    seat, session = context.state.seats[index], context.session
    common = (index, seat.user_id, seat.username, seat.bot_level is not None)
    status = _status(disconnected=seat.is_disconnected)
    deadline = _or_unset(seat.reconnect_deadline_ms)
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
        _or_unset(session.player_time_remaining_ms(index, context.now_ms)),
        deadline,
        UNSET if context.game_over else _future_or_unset(player.locked_until_ms, context.now_ms),
    )


def players_view(context: MatchContext) -> list[payloads.Player]:
    """Return the public data of all players, by seat."""
    return [player_view(context, index) for index in range(len(context.state.seats))]


def _final_player_view(context: MatchContext, index: int) -> payloads.Player:
    """Return a player as of the end of the game, without later changes."""
    view = player_view(context, index)
    if view.status != "PLAYER_STATUS_FORFEITED":
        view.status = _status(disconnected=context.state.seats[index].was_disconnected)
    view.ready = False
    return view


def results_view(context: MatchContext, results: Results) -> payloads.Results:
    """Return the result of the game that has ended, with its deck."""
    return payloads.Results(
        reason=END_REASONS[results.reason],
        winner_seat=_or_unset(results.winner_seat),
        draw=results.draw,
        standings=[
            payloads.Standing(standing.rank, _final_player_view(context, standing.seat))
            for standing in results.standings
        ],
        duration_ms=results.duration_ms,
        deck=[] if context.session is None else list(context.session.deck.order),
        record_key=context.record_key,
    )


def ended_view(context: MatchContext, results: Results) -> payloads.MatchEnded:
    """Return the payload of MATCH_ENDED."""
    view = results_view(context, results)
    return payloads.MatchEnded(
        seq=context.next_seq(),
        reason=view.reason,
        winner_seat=view.winner_seat,
        draw=view.draw,
        standings=view.standings,
        duration_ms=view.duration_ms,
        deck=view.deck,
        record_key=view.record_key,
    )


def snapshot_view(context: MatchContext, your_seats: list[int]) -> payloads.Snapshot:
    """Return the payload of SNAPSHOT for the client that plays `your_seats`."""
    session = context.session
    results = session.results if session is not None else None
    return payloads.Snapshot(
        seq=context.state.seq,
        game=context.state.game,
        phase=PHASES[context.phase],
        options=public_form(context.options),
        players=players_view(context),
        slots=[] if session is None else slots_view(session.board.slots),
        cards_remaining=len(ALL_CARDS) if session is None else session.deck.cards_remaining,
        board_version=0 if session is None else session.board_version,
        now_ms=context.now_ms,
        time_remaining_ms=UNSET if session is None else _or_unset(session.time_remaining_ms(context.now_ms)),
        locked_until_ms=UNSET
        if session is None or context.game_over
        else _future_or_unset(session.locked_until_ms, context.now_ms),
        your_seats=your_seats,
        creator_id=context.state.creator_id,
        fill_deadline_ms=context.state.fill_deadline_ms if session is None else UNSET,
        results=UNSET if results is None else results_view(context, results),
    )


def started_view(context: MatchContext, event: GameStarted) -> payloads.MatchStarted:
    """Return the payload of MATCH_STARTED."""
    session = context.session
    return payloads.MatchStarted(
        seq=context.next_seq(),
        game=context.state.game,
        phase=PHASES[event.phase],
        options=public_form(context.options),
        players=players_view(context),
        slots=slots_view(event.slots),
        cards_remaining=event.cards_remaining,
        board_version=event.board_version,
        now_ms=context.now_ms,
        time_remaining_ms=UNSET if session is None else _or_unset(session.time_remaining_ms(context.now_ms)),
    )


def claim_view(context: MatchContext, event: ClaimJudged, claim_id: str) -> payloads.ClaimResult:
    """Return the payload of CLAIM_RESULT."""
    return payloads.ClaimResult(
        seq=context.next_seq(),
        claim_id=claim_id,
        seat=event.seat,
        user_id=context.state.seats[event.seat].user_id,
        card_ids=list(event.card_ids),
        valid=event.is_valid,
        reason=NO_REASON if event.reason is None else INVALID_REASONS[event.reason],
        mixed_attribute=NO_ATTRIBUTE if event.mixed_attribute is None else ATTRIBUTES[event.mixed_attribute],
        message=event.message,
        score_delta=event.score_delta,
        player=player_view(context, event.seat),
        slots=slots_view(event.slots),
        board_version=event.board_version,
        cards_remaining=event.cards_remaining,
        phase=PHASES[event.phase],
        locked_until_ms=event.locked_until_ms,
    )


def expanded_view(context: MatchContext, event: BoardExpanded) -> payloads.BoardExpanded:
    """Return the payload of BOARD_EXPANDED."""
    return payloads.BoardExpanded(
        seq=context.next_seq(),
        slots=slots_view(event.slots),
        board_version=event.board_version,
        cards_remaining=event.cards_remaining,
        phase=PHASES[event.phase],
        locked_until_ms=event.locked_until_ms,
    )
