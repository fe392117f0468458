"""Effects at the end of a game: its record and its leaderboard writes (decisions E3, E21 and E69)."""

from dataclasses import replace
from typing import Final

import msgspec

from match_handler.match.context import DAY_MS, MatchContext
from match_handler.match.record import storage_write
from match_handler.match.state import Seat
from match_handler.match.step import Effect, LeaderboardWrite, Operator, Quota
from match_handler.protocol.options import parse_options
from set_core.options import Mode
from set_core.results import EndReason, Results
from set_core.session import GameSession

WRITE_EXPIRY_MS: Final = DAY_MS
"""How long the shim retries to write a record or a win."""

WINS_LEADERBOARD: Final = "set_wins"
PAIRS_COLLECTION: Final = "set_pairs"
"""Storage collection that counts the ranked wins of two users against each other per day."""

MAX_WINS_OF_A_PAIR: Final = 3
"""How many wins of two users against each other count per UTC day."""

SHORTEST_RANKED_MS: Final = 60_000
"""Default of the shortest duration of a game whose win counts."""

DAILY_LEADERBOARD_PREFIX: Final = "set_daily_"
"""Prefix of the names of daily leaderboards; the UTC date as `yyyymmdd` follows."""

DAILY_GRACE_MS: Final = 3_600_000
"""How long after its day a daily result can still be written. Then the ranking of the day is final."""

_RANKED_DAILY: Final = parse_options(b'{"mode":"DAILY_CHALLENGE"}')
"""The only ranked options of the daily challenge; `allowSpectators` may differ."""

_UNFINISHED: Final = frozenset({EndReason.ABANDONED, EndReason.TERMINATED})


def effects_of_end(context: MatchContext, session: GameSession) -> list[Effect]:
    """Return the effects of the game that has just ended."""
    results = session.results
    assert results is not None
    expires_unix_ms = context.unix_ms + WRITE_EXPIRY_MS
    effects: list[Effect] = []
    if context.record_key:
        effects.append(storage_write(context, session, expires_unix_ms))
    winner = _ranked_winner(context, session, results)
    if winner is not None:
        effects.append(_win_write(context, winner, _best_opponent(context, session, winner), expires_unix_ms))
    if _is_ranked_daily(context, results):
        effects.append(_daily_write(context, session, results))
    return effects


def _ranked_winner(context: MatchContext, session: GameSession, results: Results) -> int | None:
    """Return the seat whose win counts on `set_wins`; None if no win counts (decision E69)."""
    seat = results.winner_seat
    if seat is None or context.options.mode is not Mode.ONLINE or context.options.private:
        return None
    if results.duration_ms < context.state.ranked_ms or context.state.seats[seat].bot_level is not None:
        return None
    if results.reason is EndReason.CLOCK_PENALTY and session.has_spent_clock(seat):
        return None
    if results.reason is EndReason.LAST_PLAYER_STANDING and not session.players[seat].sets_collected:
        return None
    return seat if _opponents(session, seat) else None


def _opponents(session: GameSession, winner: int) -> list[int]:
    """Return the seats of the other users who stayed until the end or collected at least one Set."""
    return [
        seat
        for seat, player in enumerate(session.players)
        if seat != winner and not player.bot and (not player.forfeited or player.sets_collected)
    ]


def _best_opponent(context: MatchContext, session: GameSession, winner: int) -> Seat:
    best = max(_opponents(session, winner), key=lambda seat: session.players[seat].sets_collected)
    return context.state.seats[best]


def _win_write(context: MatchContext, winner: int, opponent: Seat, expires_unix_ms: int) -> LeaderboardWrite:
    seat = context.state.seats[winner]
    return LeaderboardWrite(
        leaderboard_id=WINS_LEADERBOARD,
        operator=Operator.INCREMENT,
        owner_id=seat.user_id,
        username=seat.username,
        score=1,
        subscore=0,
        metadata=_metadata(context),
        expires_unix_ms=expires_unix_ms,
        quota=Quota(PAIRS_COLLECTION, _pair_key(context, seat, opponent), MAX_WINS_OF_A_PAIR),
    )


def _pair_key(context: MatchContext, one: Seat, other: Seat) -> str:
    """Return a key from the date and both user ids, independent of which of them won."""
    return ".".join([f"{context.today:%Y%m%d}", *sorted([one.user_id, other.user_id])])


def _is_ranked_daily(context: MatchContext, results: Results) -> bool:
    """Return whether a daily game counts: with the ranked options, and finished on its day (E21)."""
    options = replace(context.options, allow_spectators=_RANKED_DAILY.allow_spectators)
    is_ranked = options == _RANKED_DAILY and results.reason not in _UNFINISHED
    return is_ranked and context.unix_ms < _day_end_unix_ms(context)


def _daily_write(context: MatchContext, session: GameSession, results: Results) -> LeaderboardWrite:
    """Return the write to the leaderboard of the day (E64); faster games rank first among equal scores."""
    seat, score = context.state.seats[0], session.players[0].score
    return LeaderboardWrite(
        leaderboard_id=f"{DAILY_LEADERBOARD_PREFIX}{context.date:%Y%m%d}",
        operator=Operator.BEST,
        owner_id=seat.user_id,
        username=seat.username,
        score=score,
        subscore=score * DAY_MS + DAY_MS - results.duration_ms,
        metadata=_metadata(context),
        expires_unix_ms=_day_end_unix_ms(context) + DAILY_GRACE_MS,
    )


def _metadata(context: MatchContext) -> bytes:
    """Return JSON that identifies the game, so that the shim detects a repeated write (E34).

    It must not contain the record key: leaderboards are public, and the key gives access to the record.
    """
    return msgspec.json.encode({"game": f"{context.match_id}.{context.state.game}"})


def _day_end_unix_ms(context: MatchContext) -> int:
    return (context.state.started_unix_ms // DAY_MS + 1) * DAY_MS
