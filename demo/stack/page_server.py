"""Web server of the page: the files that vite built, and `config.json` with Nakama's address.

Usage: `python page_server.py FOLDER HOST PORT NAKAMA_PORT [SERVER_KEY]`

`config.json` is `{"nakamaPort": N, "serverKey": "..."}`, without the key if SERVER_KEY is not set.
The page connects to Nakama on the host that served the page.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

CONFIG = "/config.json"
HASHED = "/assets/"
CACHE_FOREVER = "public, max-age=31536000, immutable"
SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src *; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class PageHandler(SimpleHTTPRequestHandler):
    """Request handler for files and `config.json`. It does not list folders."""

    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript"}

    def __init__(
        self, *args: object, nakama_port: int, directory: str, server_key: str | None = None
    ) -> None:
        """Create a handler. `args` are the arguments of the base class."""
        key = {} if server_key is None else {"serverKey": server_key}
        self._config = json.dumps({"nakamaPort": nakama_port, **key}).encode()
        super().__init__(*args, directory=directory)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Handle a GET request."""
        if self.path.partition("?")[0] == CONFIG:
            self._send_config()
        else:
            super().do_GET()

    def end_headers(self) -> None:
        """Add the headers of all responses."""
        hashed = self.path.startswith(HASHED)
        self.send_header("Cache-Control", CACHE_FOREVER if hashed else "no-cache")
        self.send_header("Content-Security-Policy", SECURITY_POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        super().end_headers()

    def list_directory(self, path: str) -> None:  # type: ignore[override]
        """Return 404 instead of a list of the folder."""
        del path
        self.send_error(HTTPStatus.NOT_FOUND)

    def _send_config(self) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self._config)))
        self.end_headers()
        self.wfile.write(self._config)


def serve(folder: str, host: str, port: int, nakama_port: int, server_key: str | None = None) -> None:
    """Serve until the process is stopped."""
    handler = partial(PageHandler, directory=folder, nakama_port=nakama_port, server_key=server_key)
    with ThreadingHTTPServer((host, port), handler) as server:
        server.serve_forever()


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:6])
