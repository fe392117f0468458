from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from demo.stack.ports import HOST, PortInUseError, Wanted, is_free, is_open, require_free
from demo.stack.settings import SettingError, from_environment, with_free_ports

if TYPE_CHECKING:
    from pathlib import Path


def test_default_ports_are_those_of_nakama() -> None:
    settings = from_environment({})
    assert (settings.api_port, settings.console_port) == (7350, 7351)


def test_ports_are_read_from_the_environment() -> None:
    settings = from_environment(
        {"SET_DEMO_PORT": "8000", "SET_DEMO_CONSOLE_PORT": "8100", "SET_DEMO_RULES_PORT": "8200"}
        | {"SET_DEMO_PAGE_PORT": "8300"},
    )
    assert [wanted.port for wanted in settings.wanted] == [8000, 7999, 8100, 8097, 8200, 8300]


def test_one_setting_changes_all_ports() -> None:
    settings = from_environment({"SET_DEMO_PORT": "17350"})
    assert [wanted.port for wanted in settings.wanted] == [17350, 17349, 17351, 17348, 17400, 17380]


@pytest.mark.parametrize("text", ["", "http", "80", "-1", "65536", "7350.0", " 7350"])
def test_invalid_port_error_lists_the_allowed_values(text: str) -> None:
    with pytest.raises(SettingError, match=r"SET_DEMO_PORT=.* is no port: 1024\.\.65535 are allowed"):
        from_environment({"SET_DEMO_PORT": text})


def test_two_services_on_one_port_are_rejected() -> None:
    with pytest.raises(SettingError, match="Nakama's API and the rules service both want port 7350"):
        from_environment({"SET_DEMO_RULES_PORT": "7350"})


def test_free_ports_are_free_and_different(tmp_path: Path) -> None:
    ports = [wanted.port for wanted in with_free_ports(tmp_path, {}).wanted]
    assert len(set(ports)) == 6
    assert all(is_free(port) for port in ports)


def test_busy_port_error_names_user_owner_and_fix() -> None:
    with socket.create_server((HOST, 0)) as busy:
        port = busy.getsockname()[1]
        assert is_open(port)
        with pytest.raises(PortInUseError) as refused:
            require_free(Wanted(port, "Nakama's API", "SET_DEMO_PORT"))
    message = str(refused.value)
    assert message.count("\n") == 0
    for part in (str(port), "(pid ", "Nakama's API", "SET_DEMO_PORT=PORT"):
        assert part in message


def test_closed_port_is_not_open() -> None:
    with socket.create_server((HOST, 0)) as closed:
        port = closed.getsockname()[1]
    assert not is_open(port)
    require_free(Wanted(port, "nobody", "NOTHING"))
