"""Replay of a record (`set-match replay`), which checks the recorded results (DESIGN section 7)."""

import msgspec
from msgspec import Struct

from match_handler.match.record import FORMAT, Line, Record, RecordedResults, recorded_results
from match_handler.protocol.options import options_of
from set_core.deck import Deck
from set_core.results import EndReason
from set_core.session import RULES_VERSION, GameSession

_decoder = msgspec.json.Decoder(Record)


class _Versions(Struct):
    format: int
    rules: int


class _Log(Struct):
    log: list[dict[str, object]]


_versions_decoder = msgspec.json.Decoder(_Versions)
_log_decoder = msgspec.json.Decoder(_Log)


class RecordError(ValueError):
    """The record cannot be parsed or does not describe a game."""


def parse_record(raw: bytes) -> Record:
    """Parse a record from its JSON in storage.

    Raises:
        RecordError: the JSON is not a record, or the record has another version or is incomplete.
    """
    try:
        _check_versions(_versions_decoder.decode(raw))
        return _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"record: {_truncation(raw) or error}") from error


def _check_versions(versions: _Versions) -> None:
    for name, version, supported in (
        ("format", versions.format, FORMAT),
        ("rules", versions.rules, RULES_VERSION),
    ):
        if version != supported:
            raise RecordError(
                f"record: {name} version {version}, this set-match replays version {supported}; "
                "use the release of set-match that wrote the record"
            )


def _truncation(raw: bytes) -> str | None:
    """Return the error text for a record that the shim truncated because of its size (E33)."""
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


def _replay(record: Record) -> GameSession:
    bots = frozenset(seat for seat, player in enumerate(record.players) if player.bot)
    deck = Deck.from_order(record.deck)
    session = GameSession(options_of(bytes(record.options)), deck, len(record.players), bots)
    session.start(record.started_ms)
    for line in record.log:
        _apply(session, line)
    session.advance(record.ended_ms)
    return session


def _flatten(results: RecordedResults) -> dict[str, object]:
    """Return the results as a flat dict, so that each difference gets one line."""
    fields = msgspec.to_builtins(results)
    standings = fields.pop("standings")
    return {**fields, **{f"standings[{place}]": standing for place, standing in enumerate(standings)}}


def differences(record: Record) -> list[str]:
    """Replay a record and return one line of text per different result; an empty list means success.

    Raises:
        RecordError: the record does not describe a game.
    """
    try:
        session = _replay(record)
    except (ValueError, KeyError) as error:
        raise RecordError(f"record: cannot be played again: {error}") from error
    if session.results is None:
        return ["the replayed game does not end: the log is not complete"]
    recorded, replayed = _flatten(record.results), _flatten(recorded_results(session.results, session))
    return [
        f"{field}: recorded {recorded.get(field)}, replayed {replayed.get(field)}"
        for field in sorted(recorded.keys() | replayed.keys())
        if recorded.get(field) != replayed.get(field)
    ]
