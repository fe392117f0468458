"""The record of a game: everything needed to play it again, to the same end (DESIGN section 7).

A line is written for everything that moved the game. The header with the players, the deck and the results
is added when the game ends; the shim puts the lines into it and stores the whole in the collection
`set_matches`.
"""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from match_handler.option_form import complete_form
from match_handler.payloads import Results
from match_handler.state import Seat
from match_handler.step import StorageWrite
from match_handler.table import Table
from match_handler.views import record_key, results_view
from set_core.session import GameSession

COLLECTION: Final = "set_matches"
RESCUE_COLLECTION: Final = "set_matches"
"""Where the shim saves a match that it must close because the service stayed away."""

LINES_FIELD: Final = "log"
FORMAT: Final = 1
PUBLIC_READ: Final = 2


class Line(Struct, rename="camel", omit_defaults=True, frozen=True):
    """One thing that moved the game, at its match-clock millisecond."""

    at_ms: int
    kind: Literal["claim", "forfeit", "end", "connect", "disconnect"]
    seat: int | None = None
    claim_id: str | None = None
    card_ids: list[int] | None = None
    seats: list[int] | None = None
    reason: str | None = None


class RecordedPlayer(Struct, rename="camel", frozen=True):
    """Who sat where."""

    user_id: str
    username: str
    bot: bool


class Header(Struct, rename="camel", frozen=True, kw_only=True):
    """A record without its lines."""

    format: Literal[1] = FORMAT
    match_id: str
    game: int
    options: msgspec.Raw
    players: list[RecordedPlayer]
    deck: Annotated[list[Annotated[int, Meta(ge=0, le=80)]], Meta(min_length=12, max_length=81)]
    started_unix_ms: int
    started_ms: int
    ended_ms: int
    results: Results


class Record(Header, kw_only=True, frozen=True):
    """A whole record."""

    log: list[Line]


def write_line(table: Table, line: Line) -> None:
    """Adds a line to the record of the running game."""
    table.out.log.append(msgspec.json.encode(line))


def _recorded(seat: Seat) -> RecordedPlayer:
    return RecordedPlayer(seat.user_id, seat.username, seat.bot_level is not None)


def storage_write(table: Table, session: GameSession) -> StorageWrite:
    """The write that stores the record of the game that has just ended, once."""
    results, started_ms = session.results, session.started_ms
    assert results is not None
    assert started_ms is not None
    header = Header(
        match_id=table.match_id,
        game=table.state.game,
        options=msgspec.Raw(complete_form(table.options)),
        players=[_recorded(seat) for seat in table.state.seats],
        deck=list(session.deck.order),
        started_unix_ms=table.state.started_unix_ms,
        started_ms=started_ms,
        ended_ms=started_ms + results.duration_ms,
        results=results_view(table, results),
    )
    return StorageWrite(
        COLLECTION, record_key(table), msgspec.json.encode(header), LINES_FIELD, PUBLIC_READ, create_only=True
    )
