"""`hf:OWNER/NAME` fetches a tokenizer's files from a server that speaks the paths of the Hub, and then has them."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import huggingface_hub  # noqa: F401 - where it is missing, this fails
import pytest

from tests.files.foreign.made import content_of

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MODELS = {
    "someone/gpt2": {"tokenizer.json": content_of("gpt2").encode(), "model.safetensors": b"x" * 100},
    "someone/empty": {"README.md": b"nothing"},
}
PROGRAM = """
import sys
import bpe_studio as bpe
try:
    print(bpe.load(sys.argv[1]).encode("hugs").ids)
except bpe.BpeError as error:
    print(error)
"""


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
        status, body = 404, b'{"error": "Repository not found"}'
        for name, files in MODELS.items():
            if path.startswith(f"/api/models/{name}"):
                tree = [{"type": "file", "path": file, "size": len(files[file]), "oid": COMMIT} for file in files]
                entries = [{"rfilename": file} for file in files]
                info = {"id": name, "modelId": name, "sha": COMMIT, "siblings": entries, "private": False}
                status, body = 200, json.dumps(tree if "/tree/" in path else info).encode()
                headers["Content-Type"] = "application/json"
            for file, content in files.items():
                if path.startswith(f"/{name}/resolve/") and path.endswith("/" + file):
                    status, body = 200, content
                    headers["ETag"] = f'"{hashlib.sha1(content).hexdigest()}"'
        if status == 404:
            headers["X-Error-Code"] = "RepoNotFound"
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        if not is_head:
            self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name of the base class
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


def opened(address: str, endpoint: str, cache: Path) -> str:
    """What a program of its own prints, which reads the addresses when it starts."""
    import os

    environment = {**os.environ, "HF_ENDPOINT": endpoint, "HF_HOME": str(cache), "HF_HUB_DISABLE_TELEMETRY": "1"}
    environment |= {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", "HF_HUB_DISABLE_XET": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, address],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert not ran.stderr.strip()
    return ran.stdout.strip()


def test_a_tokenizer_is_fetched_once_and_is_there_without_a_network(endpoint: str, tmp_path: Path) -> None:
    ids = opened("hf:someone/gpt2", endpoint, tmp_path)
    assert ids.startswith("[")
    assert not any("safetensors" in path for path in Hub.asked), "no weights are fetched"
    fetched = [path for path in Hub.asked if "resolve" in path]
    assert opened("hf:someone/gpt2", endpoint, tmp_path) == ids
    assert len([path for path in Hub.asked if "resolve" in path]) <= len(fetched) + 1
    assert opened("hf:someone/gpt2", "http://127.0.0.1:9", tmp_path) == ids


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("hf:someone/none", "there is no such model on http"),
        ("hf:someone/empty", "no tokenizer in a known format"),
        ("hf:a b", "write hf:OWNER/NAME"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(address: str, says: str, endpoint: str, tmp_path: Path) -> None:
    sentence = opened(address, endpoint, tmp_path)
    assert says in sentence and sentence.startswith(address) and "\n" not in sentence


def test_without_a_network_it_says_so(tmp_path: Path) -> None:
    sentence = opened("hf:someone/gpt2", "http://127.0.0.1:9", tmp_path)
    assert "cannot be reached, and its files are not in the cache" in sentence and "\n" not in sentence
