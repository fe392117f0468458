"""One game at the table: its start, what its events tell the players, its end and results."""

from typing import Final

import msgspec

from match_handler import views
from match_handler.bots import refresh_plans
from match_handler.payloads import MatchEnded, OpCode, PlayerChanged
from match_handler.record import Line, storage_write, write_line
from match_handler.state import Seat
from match_handler.step import Effect, LeaderboardWrite, Operator
from match_handler.table import Table
from set_core.deck import Deck, daily_seed
from set_core.events import BoardExpanded, ClaimJudged, Event, GameEnded, GameStarted, PlayerForfeited
from set_core.options import MatchOptions, Mode
from set_core.results import EndReason, Results
from set_core.session import GameSession

REMATCH_WINDOW_MS: Final = 30_000
"""How long an ended match stays (DESIGN section 7)."""

MAX_SEED: Final = 2**31 - 1
WINS_LEADERBOARD: Final = "set_wins"
DAILY_LEADERBOARDS: Final = "set_daily_"
"""What the names of the daily leaderboards begin with; the UTC date as `yyyymmdd` follows."""

DAY_MS: Final = 86_400_000
KEEP_TRYING_MS: Final = DAY_MS
"""How long the writes of a game's end are tried."""

DAILY_GRACE_MS: Final = 3_600_000
"""How long after its day a daily result may still be written; then the ranking of that day is final."""


def announce_player(table: Table, index: int, change: str) -> None:
    """Tells everybody what happened to a player."""
    seq = table.next_seq()
    player = views.player_view(table, index)
    table.out.to_all(OpCode.PLAYER_CHANGED, PlayerChanged(seq, player, f"PLAYER_CHANGE_{change}"))


def _deck(table: Table, options: MatchOptions) -> Deck:
    if options.mode is Mode.DAILY_CHALLENGE:
        return Deck(daily_seed(table.date))
    if options.seed:
        return Deck((options.seed + table.state.game - 2) % MAX_SEED + 1)
    return Deck()


def _seat_bots(table: Table) -> None:
    if any(seat.bot_level for seat in table.state.seats):
        return
    for number, level in enumerate(table.options.bots, start=1):
        table.state.seats.append(Seat("", f"Bot {number}", bot_level=level.name))


def start_game(table: Table) -> None:
    """Deals the first or next game to those at the table; each game of a seeded match has its own deck."""
    state = table.state
    _seat_bots(table)
    state.game += 1
    table.out.new_record = True
    for seat in state.seats:
        seat.ready, seat.claims_judged, seat.bot_plan = False, 0, None
    state.closes_at_ms = None
    bots = frozenset(index for index, seat in enumerate(state.seats) if seat.bot_level)
    table.session = GameSession(table.options, _deck(table, table.options), len(state.seats), bots)
    publish(table, table.session.start(table.now_ms))


def publish(table: Table, events: list[Event], claim_id: str = "") -> None:
    """Tells the players what happened in the game."""
    for event in events:
        if isinstance(event, ClaimJudged):
            _publish_claim(table, event, claim_id)
        elif isinstance(event, BoardExpanded):
            table.out.to_all(OpCode.BOARD_EXPANDED, views.expanded_view(table, event))
        elif isinstance(event, GameStarted):
            table.out.to_all(OpCode.MATCH_STARTED, views.started_view(table, event))
        elif isinstance(event, PlayerForfeited):
            announce_player(table, event.seat, "FORFEITED")
        elif isinstance(event, GameEnded):
            _publish_end(table)
    refresh_plans(table)


def _publish_claim(table: Table, event: ClaimJudged, claim_id: str) -> None:
    write_line(table, Line(table.now_ms, "claim", seat=event.seat, card_ids=list(event.card_ids)))
    table.state.seats[event.seat].claims_judged += 1
    table.out.outcomes.append("valid" if event.reason is None else event.reason.name.lower())
    table.out.to_all(OpCode.CLAIM_RESULT, views.claim_view(table, event, claim_id))


def _publish_end(table: Table) -> None:
    session = table.session
    assert session is not None
    assert session.results is not None
    for seat in table.state.seats:
        seat.ready, seat.reconnect_deadline_ms, seat.bot_plan = False, None, None
        seat.was_away = views.is_away(seat)
    table.out.to_all(OpCode.MATCH_ENDED, views.ended_view(table, session.results))
    table.out.ended = session.results.reason.name.lower()
    table.out.effects += _effects(table, session)
    table.state.closes_at_ms = table.now_ms + REMATCH_WINDOW_MS
    close_if_deserted(table)


def _effects(table: Table, session: GameSession) -> list[Effect]:
    expires_unix_ms = table.unix_ms + KEEP_TRYING_MS
    records = [storage_write(table, session, expires_unix_ms)] if table.record_key else []
    return [*records, *_wins(table, session, expires_unix_ms), *_daily(table, session)]


def _wins(table: Table, session: GameSession, expires_unix_ms: int) -> list[LeaderboardWrite]:
    """A win counts where people play people."""
    winner = None if session.results is None else session.results.winner_seat
    humans = sum(seat.bot_level is None for seat in table.state.seats)
    if table.options.mode is not Mode.ONLINE or winner is None or humans < 2:  # noqa: PLR2004
        return []
    seat = table.state.seats[winner]
    if seat.bot_level:
        return []
    return [
        LeaderboardWrite(
            leaderboard_id=WINS_LEADERBOARD,
            operator=Operator.INCREMENT,
            owner_id=seat.user_id,
            username=seat.username,
            score=1,
            subscore=0,
            metadata=_metadata(table),
            expires_unix_ms=expires_unix_ms,
        )
    ]


def _daily(table: Table, session: GameSession) -> list[LeaderboardWrite]:
    """The day's score, faster games first among equal ones; each day has a leaderboard (E64)."""
    results = session.results
    cut_off = (EndReason.ABANDONED, EndReason.TERMINATED)
    if not _counts_for_its_day(table) or results is None or results.reason in cut_off:
        return []
    seat, score = table.state.seats[0], session.players[0].score
    return [
        LeaderboardWrite(
            leaderboard_id=f"{DAILY_LEADERBOARDS}{table.date:%Y%m%d}",
            operator=Operator.BEST,
            owner_id=seat.user_id,
            username=seat.username,
            score=score,
            subscore=_merit(score, results),
            metadata=_metadata(table),
            expires_unix_ms=_day_end_unix_ms(table) + DAILY_GRACE_MS,
        )
    ]


def _metadata(table: Table) -> bytes:
    """Names the game, so that a repeated write can find out that it was done before (E34).

    The key of the record is not in it: leaderboards are public, and the key opens the record.
    """
    return msgspec.json.encode({"game": f"{table.match_id}.{table.state.game}"})


def _merit(score: int, results: Results) -> int:
    """The subscore: it holds the score too, because Nakama keeps the best of each by itself (E23)."""
    return score * DAY_MS + DAY_MS - results.duration_ms


def _counts_for_its_day(table: Table) -> bool:
    """A game with hints is practice, and one that ends after its day is over is not ranked (E21)."""
    if table.options.mode is not Mode.DAILY_CHALLENGE or table.options.hints:
        return False
    return table.unix_ms < _day_end_unix_ms(table)


def _day_end_unix_ms(table: Table) -> int:
    return (table.state.started_unix_ms // DAY_MS + 1) * DAY_MS


def forfeit(table: Table, seats: list[int]) -> None:
    """Takes players out of the running game for good."""
    session = table.session
    assert session is not None
    for index in seats:
        table.state.seats[index].reconnect_deadline_ms = None
    write_line(table, Line(table.now_ms, "forfeit", seats=seats))
    publish(table, session.forfeit(seats, table.now_ms))


def end_match(table: Table, reason: EndReason) -> None:
    """Ends whatever is going on and closes the match."""
    if table.session is not None and table.playing:
        write_line(table, Line(table.now_ms, "end", reason=reason.name))
        publish(table, table.session.end(reason, table.now_ms))
    elif table.session is None:
        table.out.to_all(OpCode.MATCH_ENDED, _unplayed_end(table, reason))
    table.state.closed = True


def _unplayed_end(table: Table, reason: EndReason) -> MatchEnded:
    return MatchEnded(
        seq=table.next_seq(),
        reason=views.END_REASONS[reason],
        draw=False,
        standings=[],
        duration_ms=0,
        deck=[],
        record_key="",
    )


def close_if_deserted(table: Table) -> None:
    """Closes an ended match that no player is left in: nobody can ask for a rematch."""
    if table.game_over and not table.connected_humans():
        table.state.closed = True
