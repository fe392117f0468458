"""The token from SET_MATCH_TOKEN or from a file."""

from pathlib import Path

import grpc
import pytest

from match_handler.service.auth import read_token
from match_handler.service.config import Settings, SettingsError
from match_handler.v1 import match_handler_pb2 as pb
from tests.service.processes import error_line, run, served
from tests.service.served import stub_at

TOKEN = "correct-horse"  # noqa: S105 - a token for tests


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n"])
def test_newlines_at_the_end_are_removed(tmp_path: Path, end: str) -> None:
    file = tmp_path / "token"
    file.write_bytes((TOKEN + end).encode())
    assert read_token(None, file) == TOKEN
    assert read_token("", file) == TOKEN
    assert read_token(TOKEN + end, None) == TOKEN


def test_without_token_there_is_no_authentication() -> None:
    assert read_token(None, None) is None
    assert read_token("", None) is None


@pytest.mark.parametrize("content", [b"", b"\n", b"\r\n"])
def test_empty_token_is_rejected(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"^token file: .*token is empty; at least one visible"):
        read_token(None, file)
    if content:
        with pytest.raises(SettingsError, match=r"^token is empty"):
            read_token(content.decode(), None)


def test_unreadable_token_file_is_named(tmp_path: Path) -> None:
    missing = run("serve", "--token-file", str(tmp_path / "missing"))
    folder = run("serve", SET_MATCH_TOKEN_FILE=str(tmp_path))
    assert error_line(missing).endswith("missing cannot be read: No such file or directory")
    assert error_line(folder) == f"set-match: token file: {tmp_path} cannot be read: Is a directory"


def test_token_and_token_file_exclude_each_other(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    outcome = run("serve", SET_MATCH_TOKEN=TOKEN, SET_MATCH_TOKEN_FILE=str(file))
    assert error_line(outcome) == "set-match: token: set SET_MATCH_TOKEN or SET_MATCH_TOKEN_FILE, not both"


@pytest.mark.parametrize("content", [b"open sesame", b"s\xe9same", b"\xef\xbb\xbfsesame", b"a\nb"])
def test_unusable_token_in_a_file_is_not_repeated(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    outcome = run("serve", "--token-file", str(file))
    assert error_line(outcome) == "set-match: token: only visible ASCII characters are allowed"


def test_token_is_not_in_the_text_of_the_settings() -> None:
    assert TOKEN not in repr(Settings(token=TOKEN))


def test_callers_need_the_token_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    with served(SET_MATCH_TOKEN_FILE=str(file)) as serving, stub_at(serving.port()) as stub:
        metadata = (("authorization", f"Bearer {TOKEN}"),)
        assert stub.MatchOptions(pb.MatchOptionsRequest(), metadata=metadata, timeout=30).seats == 2
        with pytest.raises(grpc.RpcError) as raised:
            stub.MatchOptions(pb.MatchOptionsRequest(), timeout=30)
    assert raised.value.code() is grpc.StatusCode.UNAUTHENTICATED
