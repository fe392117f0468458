"""The record of a game: everything needed to play it again, to the same end (DESIGN section 7).

A line is written for everything that moved the game. The header with the players, the deck and the results
is added when the game ends; the shim puts the lines into it and stores the whole. A record holds no text of
players: neither names nor claim ids.
"""

from dataclasses import replace
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from match_handler.match.context import Table
from match_handler.match.state import Seat
from match_handler.match.step import StorageWrite
from match_handler.match.views import END_REASONS
from match_handler.protocol.options import complete_form
from set_core.options import MatchOptions
from set_core.results import Results
from set_core.session import RULES_VERSION, GameSession

COLLECTION: Final = "set_matches"
RESCUE_COLLECTION: Final = "set_rescue"
"""Where the shim saves a match that it must close because the service stayed away."""

LINES_FIELD: Final = "log"
FORMAT: Final = 1
NOBODY_READS: Final = 0
"""Nakama's read permission: records are read by the RPC `set_record`, which needs their key."""

MAX_CLAIMS: Final = 1_000
"""Claims of one seat that are judged in a game: so a record of eight seats stays below 1 MiB (E63)."""


class Line(Struct, rename="camel", omit_defaults=True, frozen=True):
    """One thing that moved the game, at its match-clock millisecond."""

    at_ms: int
    kind: Literal["claim", "forfeit", "end"]
    seat: int | None = None
    card_ids: list[int] | None = None
    seats: list[int] | None = None
    reason: str | None = None


class RecordedPlayer(Struct, rename="camel", frozen=True):
    """Who sat where; `user_id` is empty for a bot."""

    user_id: str
    bot: bool


class RecordedStanding(Struct, rename="camel", frozen=True):
    """One line of the ranking, best first."""

    rank: int
    seat: int
    score: int
    sets_collected: int
    invalid_attempts: int


class RecordedResults(Struct, rename="camel", frozen=True):
    """How the game ended."""

    reason: str
    draw: bool
    duration_ms: int
    standings: list[RecordedStanding]
    winner_seat: int | UnsetType = UNSET


class Header(Struct, rename="camel", frozen=True, kw_only=True):
    """A record without its lines. Times without `unix` are match-clock milliseconds."""

    format: Literal[1] = FORMAT
    rules: int = RULES_VERSION
    match_id: str
    game: int
    options: msgspec.Raw
    players: list[RecordedPlayer]
    deck: Annotated[list[Annotated[int, Meta(ge=0, le=80)]], Meta(min_length=12, max_length=81)]
    started_unix_ms: int
    started_ms: int
    ended_ms: int
    results: RecordedResults


class Record(Header, kw_only=True, frozen=True):
    """A whole record."""

    log: list[Line]


def write_line(table: Table, line: Line) -> None:
    """Adds a line to the record of the running game."""
    table.out.log.append(msgspec.json.encode(line))


def recorded_results(results: Results, session: GameSession) -> RecordedResults:
    """The results as a record has them."""
    standings = []
    for standing in results.standings:
        player = session.players[standing.seat]
        tally = (player.score, player.sets_collected, player.invalid_attempts)
        standings.append(RecordedStanding(standing.rank, standing.seat, *tally))
    winner = UNSET if results.winner_seat is None else results.winner_seat
    return RecordedResults(
        END_REASONS[results.reason], results.draw, results.duration_ms, standings, winner_seat=winner
    )


def _without_names(options: MatchOptions) -> MatchOptions:
    numbered = tuple(f"Player {number}" for number in range(1, len(options.local_players) + 1))
    return replace(options, local_players=numbered)


def _recorded(seat: Seat) -> RecordedPlayer:
    return RecordedPlayer(seat.user_id, seat.bot_level is not None)


def storage_write(table: Table, session: GameSession, expires_unix_ms: int) -> StorageWrite:
    """The write that stores the record of the game that has just ended, once."""
    results, started_ms = session.results, session.started_ms
    assert results is not None
    assert started_ms is not None
    header = Header(
        match_id=table.match_id,
        game=table.state.game,
        options=msgspec.Raw(complete_form(_without_names(table.options))),
        players=[_recorded(seat) for seat in table.state.seats],
        deck=list(session.deck.order),
        started_unix_ms=table.state.started_unix_ms,
        started_ms=started_ms,
        ended_ms=started_ms + results.duration_ms,
        results=recorded_results(results, session),
    )
    return StorageWrite(
        collection=COLLECTION,
        key=table.record_key,
        value=msgspec.json.encode(header),
        record_field=LINES_FIELD,
        permission_read=NOBODY_READS,
        create_only=True,
        expires_unix_ms=expires_unix_ms,
    )
