"""Playing a record again (`set-match replay`): the results must agree (DESIGN section 7)."""

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
    """A record cannot be read or does not describe a game."""


def parse_record(raw: bytes) -> Record:
    """Reads a record as it stands in storage.

    Raises:
        RecordError: it is not one, or one of another version; the message names what is wrong.
    """
    try:
        _check_versions(_versions_decoder.decode(raw))
        return _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"record: {_cut_short(raw) or error}") from error


def _check_versions(found: _Versions) -> None:
    for name, version, own in (("format", found.format, FORMAT), ("rules", found.rules, RULES_VERSION)):
        if version != own:
            raise RecordError(
                f"record: {name} version {version}, this set-match replays version {own}; "
                "use the release of set-match that wrote the record"
            )


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


def _facts(results: RecordedResults) -> dict[str, object]:
    facts = msgspec.to_builtins(results)
    standings = facts.pop("standings")
    return {**facts, **{f"standings[{place}]": standing for place, standing in enumerate(standings)}}


def differences(record: Record) -> list[str]:
    """Plays a record again and returns a line for each result that differs; none: they agree.

    Raises:
        RecordError: the record does not describe a game.
    """
    try:
        session = _play(record)
    except (ValueError, KeyError) as error:
        raise RecordError(f"record: cannot be played again: {error}") from error
    if session.results is None:
        return ["the replayed game does not end: the log is not complete"]
    recorded, replayed = _facts(record.results), _facts(recorded_results(session.results, session))
    return [
        f"{fact}: recorded {recorded.get(fact)}, replayed {replayed.get(fact)}"
        for fact in sorted(recorded.keys() | replayed.keys())
        if recorded.get(fact) != replayed.get(fact)
    ]
