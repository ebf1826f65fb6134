"""The tokenizers that are known by name: those that other programs keep on this computer, then
published ones.

The caches of Hugging Face and tiktoken are only read. `hub` fetches a published tokenizer when you
open it, and the cache of Hugging Face has it from then on. For models whose owners ask for an
agreement, the list names copies that ask for none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.third_party import hub

_FORMAT = "in the format of Hugging Face"
_COPY = "a copy that asks for no agreement"
_ENGLISH = "English"
_MANY = "many languages"
PUBLISHED = (
    ("GPT-2", "openai-community/gpt2", "", 50, _ENGLISH),
    ("GPT-4", "Xenova/gpt-4", _FORMAT, 100, ""),
    ("GPT-4o", "Xenova/gpt-4o", _FORMAT, 200, _MANY),
    ("Llama 3", "NousResearch/Meta-Llama-3-8B", _COPY, 128, _MANY),
    ("Qwen 2.5", "Qwen/Qwen2.5-7B", "", 152, _MANY),
    ("Gemma 2", "unsloth/gemma-2-2b", _COPY, 256, _MANY),
    ("Mistral", "unsloth/mistral-7b-v0.3", _COPY, 33, ""),
)
"""The name, the repository, a remark, the thousands of tokens, and the languages of each."""
_RANKS = {
    "r50k_base": ("GPT-3", 50, _ENGLISH),
    "p50k_base": ("Codex", 50, _ENGLISH),
    "cl100k_base": ("GPT-4", 100, ""),
    "o200k_base": ("GPT-4o", 200, _MANY),
}
"""The model that each encoding of tiktoken is known for, its thousands of tokens, and its
languages.
"""
_RANKS_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
_RANKS_BY_FILE = {
    hashlib.sha1(_RANKS_ADDRESS.format(name).encode(), usedforsecurity=False).hexdigest(): name
    for name in _RANKS
}
_USUAL_NAMES = frozenset(
    (
        "tokenizer.json",
        "vocab.json",
        "merges.txt",
        "tokenizer.model",
        "encoder.json",
        "vocab.bpe",
        "tekken.json",
    )
)
"""Names of files that say nothing about the tokenizer."""
_REPOSITORY = "models--"
_MOST_REPOSITORIES = 1000
_MOST_CONFIG_BYTES = 1_000_000
_MOST_TOKENS = 100_000_000


@dataclass(frozen=True)
class KnownTokenizer:
    """A tokenizer that can be opened.

    Attributes:
        name: its name, for a list.
        place: the path or `hf:OWNER/NAME` that opens it.
        source: its repository on the Hugging Face Hub, or its encoding of tiktoken.
        remark: what to know about it, as a phrase; "" for nothing.
        is_kept: whether it is on this computer.
        thousands: the number of its tokens in thousands, roughly; 0 if opening it is the only way
            to know.
        languages: the languages that it is made for; "" if they are not known.
    """

    name: str
    place: str
    source: str
    remark: str = ""
    is_kept: bool = False
    thousands: int = 0
    languages: str = ""


def known_tokenizers() -> list[KnownTokenizer]:
    """The tokenizers on this computer, by name, then the published ones that are not there."""
    published = {
        repository: KnownTokenizer(
            name,
            hub.PREFIX + repository,
            repository,
            remark,
            thousands=thousands,
            languages=languages,
        )
        for name, repository, remark, thousands, languages in PUBLISHED
    }
    kept = []
    for repository, folder in _repositories():
        known = published.pop(repository, None)
        if known is None:
            known = KnownTokenizer(repository, "", repository, thousands=_thousands(folder))
        kept.append(replace(known, place=str(folder), remark="", is_kept=True))
    for path in _rank_files():
        encoding = _RANKS_BY_FILE[path.name]
        name, thousands, languages = _RANKS[encoding]
        known = KnownTokenizer(
            name,
            str(path),
            encoding,
            "kept by tiktoken",
            is_kept=True,
            thousands=thousands,
            languages=languages,
        )
        kept.append(known)
    return sorted(kept, key=lambda each: each.name.lower()) + list(published.values())


def kept_of(encoding: str, repository: str) -> str:
    """The path at which a cache has an encoding of tiktoken or the files of a repository; "" if no
    cache has them.
    """
    files = (path for path in _rank_files() if _RANKS_BY_FILE[path.name] == encoding)
    folders = (folder for name, folder in _repositories() if name == repository)
    return str(next(chain(files, folders), ""))


def name_of(path: str | os.PathLike[str]) -> str:
    """The name of a tokenizer: its repository or encoding, or the name of its file; for a file with
    a usual name, that of its folder.

    >>> name_of("hf:openai-community/gpt2"), name_of("gpt2/tokenizer.json"), name_of("mine.tiktoken")
    ('openai-community/gpt2', 'gpt2', 'mine.tiktoken')
    """  # noqa: E501
    if hub.is_address(path):
        return hub.repository_of(path)
    place = Path(path).absolute()
    kept = kept_as(place)
    if kept is not None:
        return _RANKS_BY_FILE.get(kept.name) or _repository_in(kept)
    return place.parent.name if place.name in _USUAL_NAMES and place.parent.name else place.name


@contextlib.contextmanager
def named(path: str | os.PathLike[str], place: str) -> Iterator[None]:
    """Makes an error about a tokenizer in a cache name the tokenizer instead of the place, and say
    how to fetch it again.

    Args:
        path: the path or address that was opened.
        place: the file or folder in the cache.
    """
    try:
        yield
    except TokenizerFormatError as error:
        kept = kept_as(Path(place).absolute())
        if kept is None:
            raise
        name = os.fspath(path) if hub.is_address(path) else name_of(path)
        message = (
            str(error)
            .replace(place + os.sep, f"{name}/")
            .replace(place, name)
            .replace(kept.name, name)
        )
        raise TokenizerFormatError(
            f"{message}. If that was fetched incompletely, remove {kept}, and open it again"
        ) from None


def kept_as(place: Path) -> Path | None:
    """The thing in a cache that a file or folder belongs to: the folder of a repository, or a file
    of ranks; `None` outside of a cache.
    """
    if place.name in _RANKS_BY_FILE:
        return place
    return next((each for each in place.parents if each.name.startswith(_REPOSITORY)), None)


def _repository_in(folder: Path) -> str:
    return folder.name.removeprefix(_REPOSITORY).replace("--", "/")


def _repositories() -> Iterator[tuple[str, Path]]:
    """The repositories with a tokenizer in the cache of Hugging Face, each with the folder of its
    newest version.
    """
    for folder in _listed(hub.cache_folder(), f"{_REPOSITORY}*"):
        versions = _listed(folder / "snapshots", "*")
        found = [each for each in versions if _holds_tokenizer(each)]
        if found:
            yield _repository_in(folder), max(found, key=lambda version: version.stat().st_mtime)


def _holds_tokenizer(folder: Path) -> bool:
    return any(any(folder.glob(pattern)) for pattern in hub.FILES_THAT_SUFFICE)


def _thousands(folder: Path) -> int:
    """The thousands of tokens that a model has room for, as its settings say; 0 if they do not."""
    try:
        with (folder / "config.json").open("rb") as stream:
            config = json.loads(stream.read(_MOST_CONFIG_BYTES))
    except (OSError, ValueError, RecursionError):
        return 0
    size = config.get("vocab_size") if isinstance(config, dict) else None
    return round(size / 1000) if type(size) is int and 0 < size < _MOST_TOKENS else 0


def _rank_files() -> list[Path]:
    """The files of ranks in the cache of tiktoken."""
    given = (os.environ.get("TIKTOKEN_CACHE_DIR"), os.environ.get("DATA_GYM_CACHE_DIR"))
    usual = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    folder = next(filter(None, given), usual)
    paths = [Path(folder, name) for name in _RANKS_BY_FILE]
    return [path for path in paths if path.is_file()]


def _listed(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(islice(folder.glob(pattern), _MOST_REPOSITORIES))
    except OSError:
        return []
