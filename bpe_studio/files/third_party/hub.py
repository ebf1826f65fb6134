"""`hf:OWNER/NAME`: the tokenizer's files of a model on the Hugging Face Hub, fetched once and then
kept.

It needs the package `huggingface_hub`, which keeps the files and their versions in a cache that
programs share. Of the model itself, only the small `config.json` is fetched, which names its type:
no code and no weights.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any

from bpe_studio.engine.arguments import as_path
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.extras import install_command

PREFIX = "hf:"
WELL_KNOWN: dict[str, tuple[str, str]] = {
    "gpt2": ("r50k_base", "openai-community/gpt2"),
    "r50k_base": ("r50k_base", "openai-community/gpt2"),
    "p50k_base": ("p50k_base", ""),
    "cl100k_base": ("cl100k_base", "Xenova/gpt-4"),
    "o200k_base": ("o200k_base", "Xenova/gpt-4o"),
    "gpt-4": ("cl100k_base", "Xenova/gpt-4"),
    "gpt-4o": ("o200k_base", "Xenova/gpt-4o"),
    "llama3": ("", "NousResearch/Meta-Llama-3-8B"),
    "qwen2.5": ("", "Qwen/Qwen2.5-7B"),
    "gemma2": ("", "unsloth/gemma-2-2b"),
    "mistral": ("", "unsloth/mistral-7b-v0.3"),
}
"""The encoding of tiktoken and the repository with the same ids, for each name that alone opens a
tokenizer.
"""
_ADDRESS = re.compile(r"hf:((?:[\w.-]+/)?[\w.-]+)(?:@([\w./-]+))?")
_NAME = re.compile(r"[\w-]+(?:/[\w.-]+)?")
_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.jinja",
    "additional_chat_templates/*.jinja",
    "config.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "tokenizer.model*",
    "spiece.model",
    "spm.model",
    "sentencepiece.bpe.model",
    "source.spm",
    "target.spm",
    "tekken.json",
    "*.tiktoken",
)
FILES_THAT_SUFFICE = (
    "tokenizer.json",
    "merges.txt",
    "vocab.txt",
    "tokenizer.model*",
    "*.bpe.model",
    "spiece.model",
    "source.spm",
    "tekken.json",
    "*.tiktoken",
)
"""Patterns of file names: any one such file makes a tokenizer."""
STALLED_S = 30.0
"""The longest that nothing may come before fetching is given up."""
_TIMEOUT_S = 15.0
_POLL_S = 0.05


def is_address(path: str | os.PathLike[str]) -> bool:
    """Whether a path is the address of a tokenizer on the Hub, or a well-known name that is not a
    file here.
    """
    name = as_path(path)
    return name.startswith(PREFIX) or (name in WELL_KNOWN and not os.path.lexists(name))


def could_be_address(path: str | os.PathLike[str]) -> bool:
    """Whether a path that does not exist may be meant as the name of a model on the Hub."""
    name = as_path(path)
    folder = os.path.dirname(name)
    return _NAME.fullmatch(name) is not None and not (folder and os.path.isdir(folder))


def is_installed() -> bool:
    """Whether the package that fetches is installed."""
    return find_spec("huggingface_hub") is not None


def repository_of(path: str | os.PathLike[str]) -> str:
    """The repository of an address: OWNER/NAME, with the revision if one is given."""
    return os.fspath(path).removeprefix(PREFIX).replace(os.sep, "/")


def cache_folder() -> Path:
    """The folder in which `huggingface_hub` keeps its files, the same for all programs."""
    if given := os.environ.get("HF_HUB_CACHE"):
        return Path(given).expanduser()
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(os.environ.get("HF_HOME") or caches, "hub").expanduser()


def fetching(path: str | os.PathLike[str]) -> Generator[tuple[int, int], None, str]:
    """Fetches the tokenizer's files of an address if they are missing or have changed; may be
    closed at any time.

    Args:
        path: `hf:OWNER/NAME`, or `hf:OWNER/NAME@REVISION`; or a well-known name, for which nothing
            is fetched if a cache of this computer has it.

    Yields:
        The number of bytes that have come, and of all; 0 while that is not known.

    Returns:
        The folder with the files, or the file.

    Raises:
        TokenizerFormatError: the package is missing, there is no such model, or it cannot be
            fetched.
    """
    name = os.fspath(path)
    if name in WELL_KNOWN:
        from bpe_studio.files.third_party.known import kept_of  # which uses this module

        encoding, repository = WELL_KNOWN[name]
        if kept := kept_of(encoding, repository):
            return kept
        if not repository:
            raise TokenizerFormatError(
                f"{name} is not in the cache of tiktoken: fetch it with"
                f" tiktoken.get_encoding({name!r}) in Python"
            )
        path = PREFIX + repository
    address = PREFIX + repository_of(path)
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise TokenizerFormatError(
            f"{address[:200]} is not an address: write hf:OWNER/NAME, such as"
            " hf:openai-community/gpt2"
        )
    endpoint = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    by_hand = f"download its tokenizer.json from {endpoint}/{match[1]}/tree/main and open that file"
    if not is_installed():
        raise TokenizerFormatError(
            f"{address} needs the package huggingface_hub: install it with "
            f"`{install_command('huggingface_hub')}`, or {by_hand}"
        )
    download = _Download(match[1], match[2], endpoint)
    # A daemon, which may wait for a server that never answers.
    threading.Thread(target=download.run, name="hub", daemon=True).start()
    try:
        while not download.has_ended.wait(_POLL_S):
            if monotonic() - download.last > STALLED_S:
                raise TokenizerFormatError(
                    f"{address} cannot be opened: nothing came from {endpoint} for {STALLED_S:g}"
                    f" seconds; try again later, or {by_hand}"
                )
            yield download.n_done, download.n_bytes
    finally:
        download.is_wanted = False
    if download.error is not None:
        raise TokenizerFormatError(
            f"{address} cannot be opened: {_reason(download.error, endpoint, by_hand)}"
        ) from None
    folder = download.folder
    if not os.path.isdir(folder) or not os.listdir(folder):
        raise TokenizerFormatError(
            f"{address} has no tokenizer in a known format: choose another model"
        )
    return folder


class _Download:
    """A download in a thread of its own.

    Attributes:
        n_done, n_bytes: the number of bytes that have come, and of all that are known.
        last: the time at which something came last.
        is_wanted: whether to go on.
        has_ended: set at the end.
        folder: the result.
        error: the error that ended it; `None` for none.
    """

    def __init__(self, repository: str, revision: str | None, endpoint: str) -> None:
        self._asked = (repository, revision, endpoint)
        self.n_done = 0
        self.n_bytes = 0
        self.last = monotonic()
        self.is_wanted = True
        self.has_ended = threading.Event()
        self.folder = ""
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self._fetch(*self._asked)
        except Exception as error:
            # The package has many kinds of errors, and passes on those of its HTTP client.
            self.error = error
        finally:
            self.has_ended.set()

    def _fetch(self, repository: str, revision: str | None, endpoint: str) -> None:
        from huggingface_hub import snapshot_download
        from huggingface_hub.utils.tqdm import tqdm

        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
        download = self

        class Bar(tqdm):
            """Notes the progress of the package, and shows nothing."""

            # No thread watches it.
            monitor_interval = 0

            def __init__(self, *arguments: Any, **options: Any) -> None:
                options.pop("name", None)
                super().__init__(*arguments, **options | {"disable": True})  # type: ignore[no-untyped-call]
                self.is_of_bytes = options.get("unit") == "B"

            def update(self, n: float | None = 1) -> None:
                if not download.is_wanted:
                    raise InterruptedError
                download.last = monotonic()
                if self.is_of_bytes:
                    download.n_done += int(n or 0)
                    download.n_bytes = max(download.n_done, int(self.total or 0))

        self.folder = snapshot_download(
            repository,
            revision=revision,
            cache_dir=cache_folder(),
            allow_patterns=list(_FILES),
            endpoint=endpoint,
            etag_timeout=_TIMEOUT_S,
            tqdm_class=Bar,
        )


def _reason(error: Exception, endpoint: str, by_hand: str) -> str:
    kind = type(error).__name__
    if kind == "GatedRepoError":
        return (
            f"its owner asks for an agreement first; accept it on {endpoint}, then log in with hf"
            " auth login"
        )
    if kind == "RepositoryNotFoundError":
        return f"there is no such model on {endpoint}, or it is private; check the name"
    if kind == "RevisionNotFoundError":
        return "the model has no such revision; check what follows the @"
    if kind in (
        "LocalEntryNotFoundError",
        "OfflineModeIsEnabled",
        "ConnectionError",
        "ConnectError",
        "ConnectTimeout",
    ):
        return (
            f"{endpoint} cannot be reached, and its files are not in the cache; connect to the"
            f" network, or {by_hand}"
        )
    lines = str(error).strip().splitlines() or [kind]
    return f"huggingface_hub says {lines[0][:200]!r}; check the name and the connection"
