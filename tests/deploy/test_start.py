"""The entry point of Nakama's container: settings, secrets and files become Nakama's configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.deploy.start_script import DEVELOPMENT, SECRETS, StartScript

if TYPE_CHECKING:
    from pathlib import Path

SPECIAL = ["a/b", "#a", "a%41", "50%", "a?b", "a@b:c", "a b", "ä€", "'\"\\$(id)`&;!", "+/==", "-n", "a,b]"]


@pytest.fixture
def start(tmp_path: Path) -> StartScript:
    return StartScript(tmp_path)


def test_every_setting_reaches_nakama(start: StartScript) -> None:
    more = {"NAKAMA_NAME": "node-1", "NAKAMA_GRACE_SEC": "30", "NAKAMA_CONSOLE_USER": "me"}
    started = start.started({**SECRETS, **more, "SET_RULES_ADDR": "rules:7400"}, "--logger.level", "debug")
    assert started.config == {
        "name": "node-1",
        "data_dir": f"{start.folder}/nakama",
        "shutdown_grace_sec": 30,
        "database": {"address": ["game@db:5432/set"]},
        "socket": {"server_key": "server-secret"},
        "session": {"encryption_key": "session-secret", "refresh_encryption_key": "refresh-secret"},
        "console": {"username": "me", "password": "console-secret", "signing_key": "signing-secret"},
        "runtime": {"http_key": "http-secret", "env": ["SET_RULES_ADDR=rules:7400"]},
    }
    files = f"--config /nakama/local.yml --config {start.folder}/nakama.yml --runtime.path /nakama/modules"
    assert started.calls == [f"migrate up {files} --logger.level debug", f"{files} --logger.level debug"]
    assert (start.folder / "nakama.yml").stat().st_mode & 0o077 == 0


def test_development_needs_only_a_database(start: StartScript) -> None:
    started = start.started({**DEVELOPMENT, "NAKAMA_SERVER_KEY": "", "NAKAMA_TELEMETRY": "0"})
    assert started.config.keys() == {"name", "data_dir", "shutdown_grace_sec", "database"}
    assert "PGPASSWORD" not in started.env


@pytest.mark.parametrize("password", SPECIAL)
def test_secrets_can_have_any_characters(start: StartScript, password: str) -> None:
    env = {"NAKAMA_DATABASE_PASSWORD": password, "NAKAMA_SESSION_KEY": password}
    started = start.started({**SECRETS, **env})
    assert started.env["PGPASSWORD"] == password
    assert started.config["database"] == {"address": ["game@db:5432/set"]}
    assert started.config["session"]["encryption_key"] == password


def test_password_in_the_address_is_taken_out(start: StartScript) -> None:
    address = "postgresql://game:old-Secret_1@db.example:6432/set?sslmode=verify-full"
    started = start.started({**SECRETS, "NAKAMA_DATABASE": address, "NAKAMA_DATABASE_PASSWORD": ""})
    assert started.config["database"] == {"address": ["game@db.example:6432/set?sslmode=verify-full"]}
    assert started.env["PGPASSWORD"] == "old-Secret_1"


@pytest.mark.parametrize("address", ["game@db", "a%40b@[::1]:5432/set", "g@10.0.0.1/a%20b", "g@db:1/s?x=%41"])
def test_address_without_password_is_unchanged(start: StartScript, address: str) -> None:
    started = start.started({**SECRETS, "NAKAMA_DATABASE": address})
    assert started.config["database"] == {"address": [address]}


@pytest.mark.parametrize("password", [each for each in SPECIAL if each != "-n"])
def test_special_password_in_the_address_is_refused(start: StartScript, password: str) -> None:
    line = start.refusal({**DEVELOPMENT, "NAKAMA_DATABASE": f"game:{password}@db:5432/set"})
    assert line == (
        "NAKAMA_DATABASE must be user@host:port/name; "
        "set the password in NAKAMA_DATABASE_PASSWORD, where it may contain any characters"
    )


@pytest.mark.parametrize("address", ["db:5432/set", "@db/set", "game@", "game@db:port/set", "game@/set"])
def test_malformed_database_address_is_refused(start: StartScript, address: str) -> None:
    line = start.refusal({**DEVELOPMENT, "NAKAMA_DATABASE": address})
    assert line.startswith("NAKAMA_DATABASE must be user@host:port/name")


def test_two_database_passwords_are_refused(start: StartScript) -> None:
    line = start.refusal({**SECRETS, "NAKAMA_DATABASE": "game:one@db/set"})
    assert line == "the password is in NAKAMA_DATABASE and in NAKAMA_DATABASE_PASSWORD; set only one of them"


def test_missing_database_is_named(start: StartScript) -> None:
    assert start.refusal({"NAKAMA_DEVELOPMENT": "1"}) == (
        "NAKAMA_DATABASE is not set; set it to user@host:port/name of a PostgreSQL database"
    )


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_every_secret_can_come_from_a_file(start: StartScript, end: bytes) -> None:
    expected = start.started(SECRETS)
    files = {f"{name}_FILE": start.file(name, value.encode() + end) for name, value in SECRETS.items()}
    (start.folder / "calls").unlink()
    started = start.started(files)
    assert (started.config, started.calls) == (expected.config, expected.calls)
    assert started.env["PGPASSWORD"] == SECRETS["NAKAMA_DATABASE_PASSWORD"]


def test_line_break_at_the_end_of_a_secret_is_removed(start: StartScript) -> None:
    expected = start.started(SECRETS).config
    assert start.started({name: f"{value}\n" for name, value in SECRETS.items()}).config == expected


@pytest.mark.parametrize("name", [*SECRETS, "SET_RULES_TOKEN"])
def test_secret_given_twice_is_refused(start: StartScript, name: str) -> None:
    env = {**SECRETS, name: "one-secret", f"{name}_FILE": start.file("secret", b"other-secret")}
    assert start.refusal(env) == f"{name} and {name}_FILE are both set; set only one of them"


@pytest.mark.parametrize("name", [*SECRETS, "SET_RULES_TOKEN"])
def test_unreadable_and_empty_files_are_refused(start: StartScript, name: str) -> None:
    env = {each: value for each, value in SECRETS.items() if each != name}
    missing = f"{start.folder}/missing"
    line = start.refusal({**env, f"{name}_FILE": missing})
    assert line.startswith(f"{name}_FILE: {missing} cannot be read by user ")
    empty = start.file("empty", b"\n")
    assert start.refusal({**env, f"{name}_FILE": empty}) == f"{name}_FILE: {empty} is empty"


@pytest.mark.parametrize("name", [*SECRETS, "SET_RULES_TOKEN"])
def test_control_character_in_a_secret_is_refused(start: StartScript, name: str) -> None:
    env = {each: value for each, value in SECRETS.items() if each != name}
    line = start.refusal({**env, f"{name}_FILE": start.file("secret", b"two\nlines")})
    assert line == f"{name} contains a control character, such as a line break"


@pytest.mark.parametrize("value", ["", "defaultencryptionkey", "defaultkey", "password", "development"])
def test_default_secret_is_refused_in_production(start: StartScript, value: str) -> None:
    line = start.refusal({**SECRETS, "NAKAMA_SESSION_KEY": value})
    assert line == (
        "not set, or set to a publicly known value: NAKAMA_SESSION_KEY; only NAKAMA_DEVELOPMENT=1 allows this"
    )


def test_all_missing_secrets_are_named_together(start: StartScript) -> None:
    env = {"NAKAMA_DATABASE": "game@db/set", "SET_RULES_TOKEN": "development"}
    names = start.refusal(env).split(": ")[1].split("; ")[0].split(", ")
    assert set(names) == SECRETS.keys() - {"NAKAMA_DATABASE"} | {"SET_RULES_TOKEN"}


@pytest.mark.parametrize("env", [DEVELOPMENT, SECRETS])
def test_misspelled_setting_is_refused(start: StartScript, env: dict[str, str]) -> None:
    line = start.refusal({**env, "NAKAMA_SERVERKEY": "a-secret", "NAKAMA_NAME_FILE": "/file"})
    wrong, known = line.split("; ", 1)
    assert wrong == "unknown settings: NAKAMA_NAME_FILE, NAKAMA_SERVERKEY"
    assert set(SECRETS) | {"NAKAMA_GRACE_SEC", "NAKAMA_TELEMETRY"} <= set(known.replace(",", "").split())


@pytest.mark.parametrize("value", ["yes", "true", "2"])
def test_development_setting_must_be_0_or_1(start: StartScript, value: str) -> None:
    assert start.refusal({**SECRETS, "NAKAMA_DEVELOPMENT": value}) == "NAKAMA_DEVELOPMENT must be 0 or 1"


@pytest.mark.parametrize("value", ["4", "0", "-5", "5s", "ten", "010", "3601", "99999999999999999999", "5.5"])
def test_wrong_grace_period_is_refused(start: StartScript, value: str) -> None:
    line = start.refusal({**SECRETS, "NAKAMA_GRACE_SEC": value})
    assert line.startswith("NAKAMA_GRACE_SEC must be a whole number of seconds from 5 to 3600")


@pytest.mark.parametrize(
    ("env", "grace"), [({}, 10), ({"NAKAMA_GRACE_SEC": "5"}, 5), ({"NAKAMA_GRACE_SEC": "3600"}, 3600)]
)
def test_grace_period_is_passed_on(start: StartScript, env: dict[str, str], grace: int) -> None:
    assert start.started({**SECRETS, **env}).config["shutdown_grace_sec"] == grace


def test_development_allows_no_grace_period(start: StartScript) -> None:
    assert start.started({**DEVELOPMENT, "NAKAMA_GRACE_SEC": "0"}).config["shutdown_grace_sec"] == 0


def test_token_file_is_passed_on_by_its_path(start: StartScript) -> None:
    path = start.file("token", b"a-token\n")
    started = start.started({**SECRETS, "SET_RULES_TOKEN_FILE": path})
    assert started.config["runtime"]["env"] == [f"SET_RULES_TOKEN_FILE={path}"]


def test_token_is_not_in_the_configuration(start: StartScript) -> None:
    started = start.started({**SECRETS, "SET_RULES_TOKEN": "a-token", "SET_RULES_TOKEN_FILE": ""})
    path = start.folder / "rules-token"
    assert started.config["runtime"]["env"] == [f"SET_RULES_TOKEN_FILE={path}"]
    assert path.read_text() == "a-token"
    assert path.stat().st_mode & 0o077 == 0


def test_plugin_settings_are_passed_on_unchanged(start: StartScript) -> None:
    env = {"SET_RULES_ADDR": "it's: #a\\b", "SET_RULES_TLS_CERT": "", "SET_RULES_OTHER": "x=y"}
    config = start.started({**SECRETS, "SET_RULES_TOKEN": "", **env}).config
    assert set(config["runtime"]["env"]) == {f"{name}={value}" for name, value in env.items()}


def test_line_break_in_a_plugin_setting_is_refused(start: StartScript) -> None:
    line = start.refusal({**SECRETS, "SET_RULES_ADDR": "one\nNAKAMA_TWO=2"})
    assert line == "SET_RULES_ADDR contains a control character, such as a line break"


def test_secrets_leave_the_environment_of_nakama(start: StartScript) -> None:
    env = start.started({**SECRETS, "SET_RULES_TOKEN": "a-token"}).env
    assert not (SECRETS.keys() | {"SET_RULES_TOKEN"}) & env.keys()
