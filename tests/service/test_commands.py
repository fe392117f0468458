"""`set-match healthcheck` and `set-match replay` with their exit codes."""

import json
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from match_handler.cli import main
from tests.match.driver import play_to_the_end, started
from tests.service.processes import run
from tests.service.served import serving


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_healthcheck_of_a_ready_service_exits_0() -> None:
    with serving() as running:
        address = f"127.0.0.1:{running.port}"
        outcome = command("healthcheck", "--address", address, "--timeout", "20")
    assert (outcome.exit_code, outcome.output) == (0, f"{address} is ready\n")


def test_healthcheck_uses_the_address_of_the_service() -> None:
    with serving() as running:
        address = f"127.0.0.1:{running.port}"
        outcome = run("healthcheck", "--timeout", "20", SET_MATCH_LISTEN=address)
    assert (outcome.returncode, outcome.stdout) == (0, f"{address} is ready\n")


def test_healthcheck_of_a_wildcard_address_uses_localhost() -> None:
    with serving() as running:
        outcome = command("healthcheck", "--address", f"0.0.0.0:{running.port}", "--timeout", "20")
    assert outcome.exit_code == 0
    assert f"127.0.0.1:{running.port} is ready" in outcome.output


def test_healthcheck_of_a_draining_service_fails() -> None:
    with serving() as running:
        running._health.enter_graceful_shutdown()
        outcome = command("healthcheck", "--address", f"127.0.0.1:{running.port}", "--timeout", "20")
    assert outcome.exit_code == 1
    assert "not ready" in outcome.output


def test_healthcheck_without_a_service_fails() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        outcome = command("healthcheck", "--address", f"127.0.0.1:{held.getsockname()[1]}", "--timeout", "5")
    assert outcome.exit_code == 1
    assert "Connection refused" in outcome.output
    assert len(outcome.output.splitlines()) == 1


def test_healthcheck_with_a_bad_address_exits_2() -> None:
    outcome = command("healthcheck", "--address", "nowhere")
    assert outcome.exit_code == 2
    assert outcome.output.startswith("set-match: address: 'nowhere' is not host:port")


def test_healthcheck_with_timeout_0_exits_2() -> None:
    outcome = command("healthcheck", "--timeout", "0")
    assert outcome.exit_code == 2
    assert "0.0 is not in the range x>0" in outcome.output


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    driver = started()
    play_to_the_end(driver)
    path = tmp_path_factory.mktemp("records") / "record.json"
    path.write_bytes(next(iter(driver.records.values())))
    return path


def test_replay_of_an_intact_record_exits_0(record: Path) -> None:
    outcome = run("replay", str(record))
    lines = len(json.loads(record.read_bytes())["log"])
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout == f"{record}: {lines} lines replayed, the results agree\n"


def test_replay_of_a_changed_record_exits_1_with_differences(record: Path, tmp_path: Path) -> None:
    changed = json.loads(record.read_bytes())
    changed["results"]["durationMs"] += 1
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(changed))
    outcome = run("replay", str(path))
    assert outcome.returncode == 1
    assert outcome.stdout.startswith("durationMs: recorded ")
    assert outcome.stderr == f"set-match: {path}: the results differ\n"


@pytest.mark.parametrize("content", [b"", b"{}", b"\x00\xff", b'{"format":1}'])
def test_replay_of_an_invalid_record_exits_2_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(content)
    outcome = command("replay", str(path))
    assert outcome.exit_code == 2
    assert outcome.output.startswith(f"set-match: {path}: record: ")
    assert len(outcome.output.splitlines()) == 1


def test_replay_of_a_missing_file_exits_2(tmp_path: Path) -> None:
    outcome = command("replay", str(tmp_path / "missing.json"))
    assert outcome.exit_code == 2
    assert "does not exist" in outcome.output


def test_commands_have_a_help_text() -> None:
    outcome = run("--help")
    assert outcome.returncode == 0
    for word in ("serve", "healthcheck", "replay"):
        assert word in outcome.stdout
    assert run("--version").stdout.startswith("set-match, version ")
