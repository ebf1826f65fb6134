"""A server that speaks the paths of the Hub, for the tests that fetch a tokenizer."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.files.third_party.made import content_of

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MODELS = {
    "someone/gpt2": {
        "tokenizer.json": content_of("gpt2").encode(),
        "model.safetensors": b"x" * 100,
    },
    "someone/empty": {"README.md": b"nothing"},
    "someone/broken": {"tokenizer.json": b'{"model": {'},
}


class Hub(BaseHTTPRequestHandler):
    asked: list[str]

    def do_HEAD(self) -> None:
        self._answer(is_head=True)

    def do_GET(self) -> None:
        self._answer(is_head=False)

    def _answer(self, *, is_head: bool) -> None:
        type(self).asked.append(self.path)
        path = self.path.partition("?")[0]
        headers = {"X-Repo-Commit": COMMIT}
        status = 404
        body = b'{"error": "Repository not found"}'
        for name, files in MODELS.items():
            if path.startswith(f"/api/models/{name}"):
                tree = [
                    {"type": "file", "path": file, "size": len(files[file]), "oid": COMMIT}
                    for file in files
                ]
                entries = [{"rfilename": file} for file in files]
                info = {
                    "id": name,
                    "modelId": name,
                    "sha": COMMIT,
                    "siblings": entries,
                    "private": False,
                }
                status = 200
                body = json.dumps(tree if "/tree/" in path else info).encode()
                headers["Content-Type"] = "application/json"
            for file, content in files.items():
                if path.startswith(f"/{name}/resolve/") and path.endswith("/" + file):
                    status = 200
                    body = content
                    headers["ETag"] = f'"{hashlib.sha1(content).hexdigest()}"'
        if status == 404:
            headers["X-Error-Code"] = "RepoNotFound"
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        if not is_head:
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    Hub.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def here(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The Hub of this process."""
    for name, value in {
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(tmp_path),
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    return endpoint
