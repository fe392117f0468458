from __future__ import annotations

import threading
from functools import partial
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING

import httpx
import pytest

from demo.stack.page_server import PageHandler

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<title>SET</title>")
    (folder / "assets" / "index-abc.js").write_text("1")
    (tmp_path / "secret").write_text("no")
    handler = partial(PageHandler, directory=str(folder), nakama_port=17350)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        with httpx.Client(base_url=f"http://127.0.0.1:{server.server_port}", trust_env=False) as http:
            yield http
        server.shutdown()
        thread.join()


def test_config_contains_the_port_of_nakama(client: httpx.Client) -> None:
    for path in ("/config.json", "/config.json?query"):
        assert client.get(path).json() == {"nakamaPort": 17350}


def test_config_contains_a_changed_server_key(tmp_path: Path) -> None:
    handler = partial(PageHandler, directory=str(tmp_path), nakama_port=1, server_key='a "key"')
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        config = httpx.get(f"http://127.0.0.1:{server.server_port}/config.json", trust_env=False)
        thread.join()
    assert config.json() == {"nakamaPort": 1, "serverKey": 'a "key"'}


def test_the_page_is_revalidated_and_its_assets_are_cached(client: httpx.Client) -> None:
    assert client.get("/").headers["Cache-Control"] == "no-cache"
    asset = client.get("/assets/index-abc.js")
    assert "immutable" in asset.headers["Cache-Control"]
    assert asset.headers["Content-Type"] == "text/javascript"


def test_the_policy_allows_only_own_scripts(client: httpx.Client) -> None:
    policy = client.get("/").headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["/assets/", "/missing", "/../secret", "/%2e%2e/secret"])
def test_folders_and_outside_files_are_not_served(client: httpx.Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "no" not in response.text.split()
