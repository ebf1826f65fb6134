"""`hf:OWNER/NAME`: the tokenizer's files of a model on the Hugging Face Hub, fetched once and then kept.

It needs the package `huggingface_hub`, which keeps the files and their versions in its own cache, the same as for other
programs. Nothing of the model's code or weights is fetched.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Iterator
from importlib.util import find_spec

from bpe_studio.errors import TokenizerFormatError

PREFIX = "hf:"
_ADDRESS = re.compile(r"hf:((?:[\w.-]+/)?[\w.-]+)(?:@([\w./-]+))?")
_FILES = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.jinja",
    "vocab.json", "merges.txt", "tokenizer.model*", "spiece.model", "sentencepiece.bpe.model", "tekken.json",
    "*.tiktoken",
)  # fmt: skip
_TIMEOUT_S = 15.0


def is_address(path: str | os.PathLike[str]) -> bool:
    """Whether a path is the address of a tokenizer on the Hub."""
    return os.fspath(path).startswith(PREFIX)


def fetched(address: str) -> str:
    """The folder with the tokenizer's files of an address, which are fetched if they are not there or have changed.

    Args:
        address: `hf:OWNER/NAME`, or `hf:OWNER/NAME@REVISION`.

    Raises:
        TokenizerFormatError: the package is missing, there is no such model, or it cannot be fetched.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise TokenizerFormatError(
            f"{address[:200]} is not an address: write hf:OWNER/NAME, such as hf:openai-community/gpt2"
        )
    if find_spec("huggingface_hub") is None:
        raise TokenizerFormatError(
            f"{address} needs the package huggingface_hub: install it with pip install huggingface_hub, or download "
            "the tokenizer's files and open their folder"
        )
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    endpoint = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    try:
        folder: str = snapshot_download(
            match[1],
            revision=match[2],
            allow_patterns=list(_FILES),
            endpoint=endpoint,
            etag_timeout=_TIMEOUT_S,
        )
    except Exception as error:  # the package has many kinds, and passes on those of its HTTP client
        raise TokenizerFormatError(f"{address} cannot be opened: {_reason(error, endpoint)}") from None
    if not os.path.isdir(folder) or not os.listdir(folder):
        raise TokenizerFormatError(f"{address} has no tokenizer in a known format: choose another model")
    return folder


@contextlib.contextmanager
def named(address: str, folder: str) -> Iterator[None]:
    """Names the address in the message of an error, instead of the folder of the package's cache."""
    try:
        yield
    except TokenizerFormatError as error:
        message = str(error).replace(folder + os.sep, f"{address}/").replace(folder, address)
        raise TokenizerFormatError(message) from None


def _reason(error: Exception, endpoint: str) -> str:
    kind = type(error).__name__
    if kind == "GatedRepoError":
        return f"its owner asks for an agreement first; accept it on {endpoint}, then log in with hf auth login"
    if kind == "RepositoryNotFoundError":
        return f"there is no such model on {endpoint}, or it is private; check the name"
    if kind == "RevisionNotFoundError":
        return "the model has no such revision; check what follows the @"
    if kind in ("LocalEntryNotFoundError", "OfflineModeIsEnabled", "ConnectionError", "ConnectError", "ConnectTimeout"):
        return f"{endpoint} cannot be reached, and its files are not in the cache; connect to the network and try again"
    lines = str(error).strip().splitlines() or [kind]
    return f"huggingface_hub says {lines[0][:200]!r}; check the name and the connection"
