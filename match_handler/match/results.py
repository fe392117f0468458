"""What a game leaves behind: its record and its results on leaderboards (decisions E3, E21, E69)."""

from dataclasses import replace
from typing import Final

import msgspec

from match_handler.match.context import DAY_MS, Table
from match_handler.match.record import storage_write
from match_handler.match.state import Seat
from match_handler.match.step import Effect, LeaderboardWrite, Operator, Quota
from match_handler.protocol.options import parse_options
from set_core.options import Mode
from set_core.results import EndReason, Results
from set_core.session import GameSession

KEEP_TRYING_MS: Final = DAY_MS
"""How long the record and a win are tried to be written."""

WINS_LEADERBOARD: Final = "set_wins"
PAIRS_COLLECTION: Final = "set_pairs"
"""Storage objects that count the ranked wins of two users against each other on one day."""

WINS_OF_A_PAIR: Final = 3
"""How many wins of two users against each other count on one UTC day."""

SHORTEST_RANKED_MS: Final = 60_000
"""How long a game must have lasted for its win to count, unless the operator sets another time."""

DAILY_LEADERBOARDS: Final = "set_daily_"
"""What the names of the daily leaderboards begin with; the UTC date as `yyyymmdd` follows."""

DAILY_GRACE_MS: Final = 3_600_000
"""How long after its day a daily result may still be written; then the ranking of that day is final."""

_RANKED_DAILY: Final = parse_options(b'{"mode":"DAILY_CHALLENGE"}')
"""The one configuration of the daily challenge that is ranked, apart from `allowSpectators`."""

_CUT_OFF: Final = frozenset({EndReason.ABANDONED, EndReason.TERMINATED})


def effects_of_end(table: Table, session: GameSession) -> list[Effect]:
    """The writes that follow from the end of the game that has just ended."""
    results = session.results
    assert results is not None
    expires_unix_ms = table.unix_ms + KEEP_TRYING_MS
    effects: list[Effect] = []
    if table.record_key:
        effects.append(storage_write(table, session, expires_unix_ms))
    winner = ranked_winner(table, session, results)
    if winner is not None:
        effects.append(_win(table, winner, _best_opponent(table, session, winner), expires_unix_ms))
    if _is_ranked_daily(table, results):
        effects.append(_daily(table, session, results))
    return effects


def ranked_winner(table: Table, session: GameSession, results: Results) -> int | None:
    """The seat whose win counts on `set_wins`; None if the game counts for nobody (decision E69)."""
    seat = results.winner_seat
    if seat is None or table.options.mode is not Mode.ONLINE or table.options.private:
        return None
    if results.duration_ms < table.state.ranked_ms or table.state.seats[seat].bot_level is not None:
        return None
    if results.reason is EndReason.CLOCK_PENALTY and session.has_spent_clock(seat):
        return None
    if results.reason is EndReason.LAST_PLAYER_STANDING and not session.players[seat].sets_collected:
        return None
    return seat if _opponents(session, seat) else None


def _opponents(session: GameSession, winner: int) -> list[int]:
    """The seats of the people who really played against the winner: to the end, or for at least one Set."""
    return [
        seat
        for seat, player in enumerate(session.players)
        if seat != winner and not player.bot and (not player.forfeited or player.sets_collected)
    ]


def _best_opponent(table: Table, session: GameSession, winner: int) -> Seat:
    best = max(_opponents(session, winner), key=lambda seat: session.players[seat].sets_collected)
    return table.state.seats[best]


def _win(table: Table, winner: int, opponent: Seat, expires_unix_ms: int) -> LeaderboardWrite:
    seat = table.state.seats[winner]
    return LeaderboardWrite(
        leaderboard_id=WINS_LEADERBOARD,
        operator=Operator.INCREMENT,
        owner_id=seat.user_id,
        username=seat.username,
        score=1,
        subscore=0,
        metadata=_metadata(table),
        expires_unix_ms=expires_unix_ms,
        quota=Quota(PAIRS_COLLECTION, _pair_key(table, seat, opponent), WINS_OF_A_PAIR),
    )


def _pair_key(table: Table, one: Seat, other: Seat) -> str:
    """The date and both users in an order that does not depend on who won."""
    return ".".join([f"{table.today:%Y%m%d}", *sorted([one.user_id, other.user_id])])


def _is_ranked_daily(table: Table, results: Results) -> bool:
    """Whether a daily game counts: the ranked configuration, played to an end on its own day (E21)."""
    options = replace(table.options, allow_spectators=_RANKED_DAILY.allow_spectators)
    is_ranked = options == _RANKED_DAILY and results.reason not in _CUT_OFF
    return is_ranked and table.unix_ms < _day_end_unix_ms(table)


def _daily(table: Table, session: GameSession, results: Results) -> LeaderboardWrite:
    """The day's score, faster games first among equal ones; each day has a leaderboard (E64)."""
    seat, score = table.state.seats[0], session.players[0].score
    return LeaderboardWrite(
        leaderboard_id=f"{DAILY_LEADERBOARDS}{table.date:%Y%m%d}",
        operator=Operator.BEST,
        owner_id=seat.user_id,
        username=seat.username,
        score=score,
        subscore=score * DAY_MS + DAY_MS - results.duration_ms,
        metadata=_metadata(table),
        expires_unix_ms=_day_end_unix_ms(table) + DAILY_GRACE_MS,
    )


def _metadata(table: Table) -> bytes:
    """Names the game, so that a repeated write can find out that it was done before (E34).

    The key of the record is not in it: leaderboards are public, and the key opens the record.
    """
    return msgspec.json.encode({"game": f"{table.match_id}.{table.state.game}"})


def _day_end_unix_ms(table: Table) -> int:
    return (table.state.started_unix_ms // DAY_MS + 1) * DAY_MS
