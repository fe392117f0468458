"""Options as JSON: parsing, errors with the field name, complete form (DESIGN section 6)."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from match_handler.protocol.options import (
    MAX_OPTIONS_BYTES,
    complete_form,
    options_key,
    options_of,
    parse_options,
    public_form,
    stored_form,
)
from match_handler.v1 import client_pb2 as pb
from set_core.option_errors import OptionsError
from set_core.options import BotLevel, MatchOptions, Mode, Penalty
from tests.match.wire_form import round_trip

DEFAULTS: dict[str, Any] = {
    "mode": "MODE_ONLINE",
    "maxPlayers": 2,
    "minPlayers": 2,
    "timeLimitSeconds": 0,
    "penalty": "PENALTY_NONE",
    "timePenaltySeconds": 5,
    "tieBreakFewestInvalid": False,
    "penalizeStaleClaims": True,
    "reconnectWindowSeconds": 30,
    "animationMs": {"validSet": 400, "refill": 300, "invalidSet": 400, "expandBoard": 150},
    "bots": [],
    "allowSpectators": True,
    "localPlayers": [],
    "hints": False,
    "private": False,
    "claimOrder": "CLAIM_ORDER_TICK",
    "seed": 0,
}


def parsed(seed: bool = False, **options: Any) -> MatchOptions:  # noqa: FBT001, FBT002 - reads like an option
    return parse_options(json.dumps(options).encode(), allow_seed=seed)


def options_error(raw: bytes) -> OptionsError:
    with pytest.raises(OptionsError) as raised:
        parse_options(raw)
    assert "\n" not in str(raised.value)
    return raised.value


@pytest.mark.parametrize("raw", [b"", b"{}", b" {} "])
def test_empty_options_are_the_defaults(raw: bytes) -> None:
    assert json.loads(complete_form(parse_options(raw))) == DEFAULTS


def test_enum_values_may_be_short_or_full() -> None:
    short = parsed(mode="SINGLE_PLAYER", penalty="POINT", bots=[{"level": "HARD"}])
    full = parsed(mode="MODE_SINGLE_PLAYER", penalty="PENALTY_POINT", bots=[{"level": "BOT_LEVEL_HARD"}])
    assert short == full
    assert (short.mode, short.penalty, short.bots) == (Mode.SINGLE_PLAYER, Penalty.POINT, (BotLevel.HARD,))


@pytest.mark.parametrize(
    "raw",
    [
        b'{"maxPlayers":3.0,"minPlayers":2}',
        b'{"maxPlayers":3e0}',
        b'{"maxPlayers":0.3e1,"mode":null,"hints":null}',
        b'{"maxPlayers":3,"animationMs":null,"bots":null,"seed":null}',
        b'{"maxPlayers":3,"animationMs":{"refill":null}}',
    ],
)
def test_whole_numbers_in_any_notation_and_null_are_accepted(raw: bytes) -> None:
    assert parse_options(raw) == parsed(maxPlayers=3)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"timePenaltySeconds": 9}, {}),
        (
            {"maxPlayers": 4, "minPlayers": 1, "bots": [{"level": "EASY"}] * 3},
            {"maxPlayers": 4, "minPlayers": 4, "bots": [{"level": "EASY"}] * 3},
        ),
        ({"penalty": "POINT", "timePenaltySeconds": 9}, {"penalty": "POINT"}),
        (
            {"maxPlayers": 4, "bots": [{"level": "HARD"}, {"level": "EASY"}]},
            {"maxPlayers": 4, "bots": [{"level": "EASY"}, {"level": "HARD"}]},
        ),
    ],
)
def test_values_without_effect_do_not_change_the_key(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert parsed(**one) == parsed(**other)
    assert options_key(parsed(**one)) == options_key(parsed(**other))


def test_seeded_match_has_no_key_that_reveals_the_seed() -> None:
    seeded = parse_options(b'{"mode":"PASS_AND_PLAY","localPlayers":["Ada","Bob"],"seed":2026}')
    assert options_key(seeded) == ""
    assert options_key(replace(seeded, seed=0)) != ""


def test_key_depends_only_on_non_default_options() -> None:
    """So versions with more and with fewer options find the matches of each other."""
    assert options_key(parsed()) == "1d127ee38dc4b9a4"
    assert stored_form(parsed(animationMs={"refill": 0})).endswith(b'"animationMs":{"refill":0}}')


def test_stored_options_are_not_validated_again() -> None:
    """A running match keeps options that a newer version does not offer."""
    bots = [{"level": "BOT_LEVEL_EASY"}] * 40
    raw = json.dumps({"mode": "MODE_ONLINE", "maxPlayers": 50, "minPlayers": 41, "bots": bots}).encode()
    assert len(options_of(raw + b" " * MAX_OPTIONS_BYTES).bots) == 40


def test_animations_may_be_set_in_part() -> None:
    times = parsed(animationMs={"refill": 0}).animation_ms
    assert (times.valid_set, times.refill, times.invalid_set, times.expand_board) == (400, 0, 400, 150)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"maxPlayers":"2"}', "maxPlayers: expected a whole number, got a string"),
        (b'{"maxPlayers":2.5}', "maxPlayers: expected a whole number, got a fraction"),
        (b'{"mode":1}', "mode: expected a string, got a whole number"),
        (b'{"hints":1}', "hints: expected true or false, got a whole number"),
        (b'{"bots":{}}', "bots: expected a list, got an object"),
        (b'{"bots":[[]]}', "bots[0]: expected an object, got a list"),
    ],
)
def test_wrong_type_error_uses_json_type_names(raw: bytes, words: str) -> None:
    with pytest.raises(OptionsError) as caught:
        parse_options(raw)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (b"[]", "options"),
        (b"null", "options"),
        (b"7", "options"),
        (b"{", "options"),
        (b"\xff", "options"),
        (b"\xef\xbb\xbf{}", "options"),
        (b"[" * 4000, "options"),
        (b'{"mode":"\\ud800"}', "mode"),
        (b" " * (MAX_OPTIONS_BYTES + 1), "options"),
        (b'{"mode":"CHESS"}', "mode"),
        (b'{"mode":"ONLINE","mode":"ONLINE"}', "mode"),
        (b'{"animationMs":{"refill":1,"refill":1}}', "refill"),
        (b'{"maxPlayers":NaN}', "options"),
        (b'{"mode":"MODE_MODE_ONLINE"}', "mode"),
        (b'{"mode":"MODE_UNSPECIFIED"}', "mode"),
        (b'{"penalty":"DEATH"}', "penalty"),
        (b'{"penalty":"TIME"}', "penalty"),
        (b'{"claimOrder":"RANDOM"}', "claimOrder"),
        (b'{"maxPlayers":0}', "maxPlayers"),
        (b'{"maxPlayers":9}', "maxPlayers"),
        (b'{"maxPlayers":true}', "maxPlayers"),
        (b'{"maxPlayers":1e999}', "maxPlayers"),
        (b'{"maxPlayers":99999999999999999999999999}', "maxPlayers"),
        (b'{"maxPlayers":' + b"9" * 4_000 + b"}", "maxPlayers"),
        (b'{"minPlayers":3}', "minPlayers"),
        (b'{"timeLimitSeconds":-1}', "timeLimitSeconds"),
        (b'{"reconnectWindowSeconds":3601}', "reconnectWindowSeconds"),
        (b'{"hints":true}', "hints"),
        (b'{"seed":1}', "seed"),
        (b'{"animationMs":{"refill":-1}}', "animationMs.refill"),
        (b'{"animationMs":{"refill":"x"}}', "animationMs.refill"),
        (b'{"animationMs":{"jump":1}}', "animationMs.jump"),
        (b'{"animationMs":7}', "animationMs"),
        (b'{"bots":["EASY"]}', "bots[0]"),
        (b'{"bots":[{"level":"GOD"}]}', "bots.level"),
        (b'{"bots":[{"level":"EASY","name":"x"}]}', "bots[0].name"),
        (b'{"bots":[{}]}', "bots[0].level"),
        (b'{"bots":[null]}', "bots[0]"),
        (b'{"bots":[' + b",".join([b'{"level":"EASY"}'] * 8) + b"]}", "bots"),
        (b'{"localPlayers":["a"]}', "localPlayers"),
        (b'{"mode":"PASS_AND_PLAY"}', "localPlayers"),
        (b'{"mode":"PASS_AND_PLAY","localPlayers":["a","a"]}', "localPlayers"),
        (b'{"mode":"PASS_AND_PLAY","localPlayers":[7]}', "localPlayers[0]"),
        (b'{"colour":"red"}', "colour"),
        (b'{"max_players":2}', "max_players"),
        (b'{"a` - at `$.zzz":1}', "'a` - at `$.zzz'"),
        (b'{"bots":[{"` - at `$":1}]}', "'` - at `$'"),
        (b'{"\\ud800":1}', "'\\ud800'"),
        (b'{"":1}', "''"),
        (b'{"mode":"` - at `$.zzz"}', "mode"),
    ],
)
def test_bad_options_are_rejected_with_their_field(raw: bytes, field: str) -> None:
    error = options_error(raw)
    assert error.field == field
    assert str(error).startswith(field)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'{"mode":"CHESS"}', "ONLINE, SINGLE_PLAYER, PASS_AND_PLAY, DAILY_CHALLENGE"),
        (b'{"bots":[{"level":"GOD"}]}', "EASY, MEDIUM, HARD"),
        (b'{"colour":"red"}', "maxPlayers"),
        (b'{"animationMs":{"jump":1}}', "validSet, refill, invalidSet, expandBoard"),
        (b'{"bots":[{"level":"EASY","name":"x"}]}', "allowed are level"),
        (b'{"maxPlayers":9}', "1..8"),
    ],
)
def test_option_error_lists_the_allowed_values(raw: bytes, text: str) -> None:
    assert text in str(options_error(raw))


def test_option_error_does_not_repeat_long_input() -> None:
    assert len(str(options_error(b'{"mode":"' + b"x" * 3000 + b'"}'))) < 200
    assert len(str(options_error(b'{"' + b"x" * 3000 + b'":1}'))) < 500


def test_seed_needs_permission_only_online() -> None:
    assert parsed(seed=True, mode="ONLINE").seed == 0
    assert parse_options(b'{"seed":5}', allow_seed=True).seed == 5
    assert parse_options(b'{"mode":"SINGLE_PLAYER","seed":5}').seed == 5
    with pytest.raises(OptionsError, match="seed"):
        parse_options(b'{"mode":"DAILY_CHALLENGE","seed":5}', allow_seed=True)


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["ONLINE", "MODE_SINGLE_PLAYER", "PASS_AND_PLAY", "DAILY_CHALLENGE"]),
        "maxPlayers": st.integers(1, 8),
        "minPlayers": st.integers(1, 8),
        "timeLimitSeconds": st.sampled_from([0, 60, 86_400]),
        "penalty": st.sampled_from(["NONE", "PENALTY_POINT", "TIME"]),
        "tieBreakFewestInvalid": st.booleans(),
        "animationMs": st.fixed_dictionaries({}, optional={"refill": st.integers(0, 10_000)}),
        "bots": st.lists(st.sampled_from([{"level": "EASY"}, {"level": "BOT_LEVEL_HARD"}]), max_size=3),
        "localPlayers": st.lists(st.text(min_size=1, max_size=32), max_size=3, unique=True),
        "hints": st.booleans(),
        "claimOrder": st.sampled_from(["TICK", "CLAIM_ORDER_ARRIVAL"]),
        "seed": st.integers(0, 2**31 - 1),
    },
)


@settings(deadline=None)
@given(OPTIONS)
def test_complete_and_stored_form_parse_to_the_same_options(given_options: dict[str, Any]) -> None:
    try:
        options = parse_options(json.dumps(given_options).encode(), allow_seed=True)
    except OptionsError:
        return
    complete, stored = complete_form(options), stored_form(options)
    assert options_of(complete) == options_of(stored) == options
    assert parse_options(complete, allow_seed=True) == options
    assert set(json.loads(complete)) == set(DEFAULTS)


@settings(deadline=None)
@given(st.binary(max_size=80) | st.dictionaries(st.text(max_size=9), st.none() | st.integers() | st.text()))
def test_any_input_is_options_or_an_options_error(raw: bytes | dict[str, Any]) -> None:
    options: MatchOptions | OptionsError
    text = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
    try:
        options = parse_options(text)
    except OptionsError as error:
        options = error
    assert isinstance(options, MatchOptions) or str(options).startswith(options.field)


@pytest.mark.parametrize(
    "given_options",
    [
        {},
        {"maxPlayers": 4, "bots": [{"level": "EASY"}, {"level": "HARD"}], "claimOrder": "ARRIVAL"},
        {"mode": "PASS_AND_PLAY", "localPlayers": ["Ada", "Bob"], "seed": 77, "animationMs": {"refill": 0}},
    ],
)
def test_players_receive_every_option_except_the_seed(given_options: dict[str, Any]) -> None:
    options = parsed(**given_options)
    complete = json.loads(complete_form(options))
    del complete["seed"]
    public = bytes(public_form(options))
    assert json.loads(public) == complete
    assert round_trip(public, pb.MatchOptions) == complete
    assert "seed" not in {field.json_name for field in pb.MatchOptions.DESCRIPTOR.fields}


def test_claim_order_is_part_of_the_key_only_if_it_is_arrival() -> None:
    assert parsed(claimOrder="CLAIM_ORDER_ARRIVAL") == parsed(claimOrder="ARRIVAL")
    assert options_key(parsed(claimOrder="TICK")) == options_key(parsed())
    assert options_key(parsed(claimOrder="ARRIVAL")) != options_key(parsed())
