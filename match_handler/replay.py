"""Playing a record again (`set-match replay`): the results must agree (DESIGN section 7)."""

import msgspec
from msgspec import UNSET, Struct

from match_handler.option_form import options_of
from match_handler.payloads import Results
from match_handler.record import Line, Record
from match_handler.views import END_REASONS
from set_core.deck import Deck
from set_core.results import EndReason
from set_core.session import GameSession

_decoder = msgspec.json.Decoder(Record)


class _Log(Struct):
    log: list[dict[str, object]]


_log_decoder = msgspec.json.Decoder(_Log)


class RecordError(ValueError):
    """A record cannot be read or does not describe a game."""


def parse_record(raw: bytes) -> Record:
    """Reads a record as it stands in storage.

    Raises:
        RecordError: it is not one; the message names the field.
    """
    try:
        return _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"record: {_cut_short(raw) or error}") from error


def _cut_short(raw: bytes) -> str | None:
    """What the shim wrote in place of lines for which a record had no room (E33)."""
    try:
        last = _log_decoder.decode(raw).log[-1:]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    missing = last[0].get("missingLines") if last else None
    return None if missing is None else f"cut short, {missing} lines are missing"


def _apply(session: GameSession, line: Line) -> None:
    if line.kind == "claim" and line.seat is not None and line.card_ids is not None:
        session.claim(line.seat, line.card_ids, line.at_ms)
    elif line.kind == "forfeit" and line.seats is not None:
        session.forfeit(line.seats, line.at_ms)
    elif line.kind == "end" and line.reason is not None:
        session.end(EndReason[line.reason], line.at_ms)


def _play(record: Record) -> GameSession:
    bots = frozenset(seat for seat, player in enumerate(record.players) if player.bot)
    deck = Deck.from_order(record.deck)
    session = GameSession(options_of(bytes(record.options)), deck, len(record.players), bots)
    session.start(record.started_ms)
    for line in record.log:
        _apply(session, line)
    session.advance(record.ended_ms)
    return session


def _replayed(session: GameSession) -> dict[str, object]:
    results = session.results
    if results is None:
        return {}
    facts: dict[str, object] = {
        "reason": END_REASONS[results.reason],
        "winnerSeat": results.winner_seat,
        "draw": results.draw,
        "durationMs": results.duration_ms,
        "deck": list(session.deck.order),
    }
    for place, standing in enumerate(results.standings):
        player = session.players[standing.seat]
        tally = (player.score, player.sets_collected, player.invalid_attempts)
        facts[f"standings[{place}]"] = (standing.rank, standing.seat, *tally)
    return facts


def _recorded(results: Results) -> dict[str, object]:
    facts: dict[str, object] = {
        "reason": results.reason,
        "winnerSeat": None if results.winner_seat is UNSET else results.winner_seat,
        "draw": results.draw,
        "durationMs": results.duration_ms,
        "deck": results.deck,
    }
    for place, standing in enumerate(results.standings):
        player = standing.player
        tally = (player.score, player.sets_collected, player.invalid_attempts)
        facts[f"standings[{place}]"] = (standing.rank, player.seat, *tally)
    return facts


def differences(record: Record) -> list[str]:
    """Plays a record again and tells, a line each, where the results part; empty: they agree.

    Raises:
        RecordError: the record does not describe a game.
    """
    try:
        session = _play(record)
    except (ValueError, KeyError) as error:
        raise RecordError(f"record: cannot be played again: {error}") from error
    recorded, replayed = _recorded(record.results), _replayed(session)
    if not replayed:
        return ["the replayed game does not end: the log is not complete"]
    return [
        f"{fact}: recorded {recorded.get(fact)}, replayed {replayed.get(fact)}"
        for fact in sorted(recorded.keys() | replayed.keys())
        if recorded.get(fact) != replayed.get(fact)
    ]
