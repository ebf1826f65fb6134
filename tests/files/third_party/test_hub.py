"""`hf:OWNER/NAME` fetches a tokenizer's files from a server that speaks the paths of the Hub, and
then has them.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from pathlib import Path

import huggingface_hub  # noqa: F401 - where it is missing, this fails
import pytest

from bpe_studio.engine.generators import result_of
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.third_party import hub
from tests.files.third_party.made import content_of
from tests.hub_server import MODELS, Hub

PROGRAM = """
import sys
import bpe_studio as bpe
for address in sys.argv[1:]:
    try:
        print(bpe.load(address).encode("hugs").ids)
    except bpe.BpeError as error:
        print(error)
"""


def opened(endpoint: str, cache: Path, *addresses: str) -> list[str]:
    """What a program of its own prints of each address.

    It reads where the Hub is when it starts.
    """
    import os

    environment = {
        **os.environ,
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(cache),
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    environment |= {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", "HF_HUB_DISABLE_XET": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *addresses],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert not ran.stderr.strip()
    return ran.stdout.splitlines()


@pytest.mark.slow(buys="three starts of a program; each run asks the Hub in one")
def test_a_tokenizer_is_fetched_once_and_is_there_without_a_network(
    endpoint: str, tmp_path: Path
) -> None:
    (ids,) = opened(endpoint, tmp_path, "hf:someone/gpt2")
    assert ids.startswith("[")
    assert not any("safetensors" in path for path in Hub.asked), "no weights are fetched"
    fetched = [path for path in Hub.asked if "resolve" in path]
    assert opened(endpoint, tmp_path, "hf:someone/gpt2") == [ids]
    assert len([path for path in Hub.asked if "resolve" in path]) <= len(fetched) + 1
    assert opened("http://127.0.0.1:9", tmp_path, "hf:someone/gpt2") == [ids]


def test_what_is_there_is_read_and_what_is_not_is_said_in_a_sentence(
    endpoint: str, tmp_path: Path
) -> None:
    says = {
        "hf:someone/none": "there is no such model on http",
        "hf:someone/empty": "no tokenizer in a known format",
        "hf:a b": "write hf:OWNER/NAME",
        "hf:someone/broken": "/tokenizer.json is not valid JSON",
    }
    ids, *sentences = opened(endpoint, tmp_path, "hf:someone/gpt2", *says)
    assert ids.startswith("[") and len(sentences) == len(says)
    for sentence, (address, part) in zip(sentences, says.items(), strict=True):
        assert part in sentence and sentence.startswith(address)
    assert f"remove {tmp_path}/hub/models--someone--broken" in sentences[-1]


def test_without_a_network_it_says_so(tmp_path: Path) -> None:
    (sentence,) = opened("http://127.0.0.1:9", tmp_path, "hf:someone/gpt2")
    assert "cannot be reached, and its files are not in the cache" in sentence


@pytest.mark.usefixtures("here")
def test_fetching_can_be_stopped_and_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setitem(MODELS, "someone/slow", {"tokenizer.json": content_of("gpt2").encode()})
    plain = Hub._answer

    def slowly(self: Hub, *, is_head: bool) -> None:
        if "slow/resolve" in self.path and not is_head:
            released.wait(10)
        plain(self, is_head=is_head)

    monkeypatch.setattr(Hub, "_answer", slowly)
    work = hub.fetching("hf:someone/slow")
    assert next(work) == (0, 0)
    work.close()
    work = hub.fetching("hf:someone/slow")
    next(work)
    released.set()
    folder = result_of(work)
    assert (Path(folder) / "tokenizer.json").read_bytes() == MODELS["someone/slow"][
        "tokenizer.json"
    ]


def test_a_server_that_does_not_answer_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("HF_HOME", str(tmp_path))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setattr(hub, "STALLED_S", 0.3)
        with pytest.raises(
            TokenizerFormatError, match=r"nothing came .* or download its tokenizer.json from http"
        ):
            list(hub.fetching("hf:someone/gpt2"))
