"""The record of a game: all data that a replay needs to reach the same result (DESIGN section 7).

Every step returns the lines of its claims, forfeits and ends, and the shim collects them. When the game ends,
the rules service returns a header with the players, the deck and the results. The shim adds the lines to the
header and stores the record. A record contains no text from players: no names and no claim ids.
"""

from dataclasses import replace
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from match_handler.match.context import MatchContext
from match_handler.match.state import Seat
from match_handler.match.step import StorageWrite
from match_handler.match.views import END_REASONS
from match_handler.protocol.options import complete_form
from set_core.options import MatchOptions
from set_core.results import Results
from set_core.session import RULES_VERSION, GameSession

COLLECTION: Final = "set_matches"
"""Storage collection of records."""

RESCUE_COLLECTION: Final = "set_rescue"
"""Storage collection of matches that the shim had to close because of an outage."""

LINES_FIELD: Final = "log"
"""The field of a record in which the shim stores the lines."""

FORMAT: Final = 1
"""The version of the record format."""

NOBODY_READS: Final = 0
"""Nakama's read permission. Clients read a record by the RPC `set_record`, which requires its key."""

MAX_CLAIMS: Final = 1_000
"""Limit of judged claims per seat and game. It keeps a record of eight seats below 1 MiB (E63)."""


class Line(Struct, rename="camel", omit_defaults=True, frozen=True):
    """A claim, a forfeit or an end by the match. A replay derives all other changes from the time."""

    at_ms: int
    """Match clock, in milliseconds."""
    kind: Literal["claim", "forfeit", "end"]
    seat: int | None = None
    """The seat of a claim."""
    card_ids: list[int] | None = None
    """The three card ids of a claim."""
    seats: list[int] | None = None
    """The seats of a forfeit."""
    reason: str | None = None
    """The name of the `EndReason` of an end."""


class RecordedPlayer(Struct, rename="camel", frozen=True):
    """The player of a seat; `user_id` is empty for a bot."""

    user_id: str
    bot: bool


class RecordedStanding(Struct, rename="camel", frozen=True):
    """The standing of one player."""

    rank: int
    seat: int
    score: int
    sets_collected: int
    invalid_attempts: int


class RecordedResults(Struct, rename="camel", frozen=True):
    """The result of a game."""

    reason: str
    """The name of the `EndReason` with the prefix `END_REASON_`."""
    draw: bool
    duration_ms: int
    standings: list[RecordedStanding]
    """Best first."""
    winner_seat: int | UnsetType = UNSET
    """Unset if nobody won."""


class Header(Struct, rename="camel", frozen=True, kw_only=True):
    """A record without its lines. Times are match-clock milliseconds unless their name contains `unix`."""

    format: Literal[1] = FORMAT
    rules: int = RULES_VERSION
    match_id: str
    game: int
    """The number of the game in its match, from 1."""
    options: msgspec.Raw
    """The complete options as JSON, without the names of local players."""
    players: list[RecordedPlayer]
    """The players by seat."""
    deck: Annotated[list[Annotated[int, Meta(ge=0, le=80)]], Meta(min_length=12, max_length=81)]
    """Card ids from top to bottom."""
    started_unix_ms: int
    """The time of MatchInit, in milliseconds since 1970."""
    started_ms: int
    ended_ms: int
    results: RecordedResults


class Record(Header, kw_only=True, frozen=True):
    """A record with its lines."""

    log: list[Line]


def write_line(context: MatchContext, line: Line) -> None:
    """Append a line to the record of the running game."""
    context.out.log.append(msgspec.json.encode(line))


def recorded_results(results: Results, session: GameSession) -> RecordedResults:
    """Convert the results of a game to the form of a record."""
    standings = []
    for standing in results.standings:
        player = session.players[standing.seat]
        tally = (player.score, player.sets_collected, player.invalid_attempts)
        standings.append(RecordedStanding(standing.rank, standing.seat, *tally))
    winner = UNSET if results.winner_seat is None else results.winner_seat
    return RecordedResults(
        END_REASONS[results.reason], results.draw, results.duration_ms, standings, winner_seat=winner
    )


def _without_player_names(options: MatchOptions) -> MatchOptions:
    names = tuple(f"Player {number}" for number in range(1, len(options.local_players) + 1))
    return replace(options, local_players=names)


def _recorded_player(seat: Seat) -> RecordedPlayer:
    return RecordedPlayer(seat.user_id, seat.bot_level is not None)


def storage_write(context: MatchContext, session: GameSession, expires_unix_ms: int) -> StorageWrite:
    """Return the effect that stores the record of the game that has just ended.

    The effect is `create_only`, so a repeated write cannot replace the record.
    """
    results, started_ms = session.results, session.started_ms
    assert results is not None
    assert started_ms is not None
    header = Header(
        match_id=context.match_id,
        game=context.state.game,
        options=msgspec.Raw(complete_form(_without_player_names(context.options))),
        players=[_recorded_player(seat) for seat in context.state.seats],
        deck=list(session.deck.order),
        started_unix_ms=context.state.started_unix_ms,
        started_ms=started_ms,
        ended_ms=started_ms + results.duration_ms,
        results=recorded_results(results, session),
    )
    return StorageWrite(
        collection=COLLECTION,
        key=context.record_key,
        value=msgspec.json.encode(header),
        record_field=LINES_FIELD,
        permission_read=NOBODY_READS,
        create_only=True,
        expires_unix_ms=expires_unix_ms,
    )
