"""The program of the process in which `function` runs somebody's trainer; it imports nothing of
this program.

It reads a marshalled request from a file in the folder that is its argument, and writes a
marshalled (message, merges, number of tokens, encoded words) there: what went wrong, or "", and
what the function returned. If there is a function `encode(text, vocab, merges)` beside it, it
encodes some words, or the last value says why not. Whatever is printed is lost.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import marshal
import operator
import os
import sys
import traceback
from types import ModuleType
from typing import Any

MOST_MERGES = 1_000_001
"""One more than can be checked."""


def main(folder: str) -> None:
    """Runs the function and writes what it returned."""
    own = os.getpid()
    with open(os.path.join(folder, "request"), "rb") as stream:
        path, name, text_path, vocab_size, special, words, memory_bytes, cpu_s = marshal.load(
            stream
        )
    _limit(memory_bytes, cpu_s)
    with open(os.devnull, "w") as nowhere:
        for standard in (1, 2):
            os.dup2(nowhere.fileno(), standard)
    answer: tuple[str, Any, Any, Any]
    try:
        module = _module(path)
        function: Any = getattr(module, name, None)
        encode: Any = getattr(module, "encode", None)
        if not callable(function):
            raise AttributeError(f"it has no function {name}")
        pairs, vocabulary, merges = returned(function, text_path, vocab_size, special)
        answer = "", pairs, size_of(vocabulary), []
        try:
            inspect.signature(encode).bind("", vocabulary, merges)
        except TypeError:  # there is none, or it is for something else
            words = []
        try:
            encoded = [
                (word, _tokens(encode(word, vocabulary, merges), vocabulary)) for word in words
            ]
            answer = "", pairs, size_of(vocabulary), encoded
        except Exception as error:
            answer = "", pairs, size_of(vocabulary), _message(error, path)
    except BaseException as error:
        answer = _message(error, path), None, None, None
    if os.getpid() != own:  # a copy of this process, which the function made
        os._exit(0)
    with open(os.path.join(folder, "answer"), "wb") as stream:
        marshal.dump(answer, stream)
    os._exit(0)  # threads of the function may still run


def returned(
    function: Any, text_path: str, vocab_size: int, special: list[str]
) -> tuple[list[list[str | bytes | int]], Any, Any]:
    """The merges that a function returns, as lists of two tokens; and its vocabulary and merges as
    they are.

    A function whose first argument is called a path or a file gets the path of the text, others get
    the text.

    Raises:
        TypeError: it returns something else.
    """
    names = [
        name
        for name, each in inspect.signature(function).parameters.items()
        if each.kind < each.VAR_POSITIONAL
    ]
    with open(text_path, encoding="utf-8", errors="surrogateescape", newline="") as stream:
        text = stream.read()
    wants_path = bool(names) and any(word in names[0].lower() for word in ("path", "file"))
    arguments = [text_path if wants_path else text, vocab_size, special]
    result = function(*(arguments[: len(names)] if 0 < len(names) < 3 else arguments))
    vocabulary: Any
    vocabulary, merges = (
        result if isinstance(result, tuple) and len(result) == 2 else (None, result)
    )
    if merges is None or isinstance(merges, str | bytes) or not hasattr(merges, "__iter__"):
        raise TypeError(f"it returns {_shown(result)}, not the vocabulary and a list of merges")
    pairs: list[list[str | bytes | int]] = []
    for pair in merges:
        if len(pairs) == MOST_MERGES:
            break
        try:
            left, right = (_plain(token) for token in pair)
        except (TypeError, ValueError):
            raise TypeError(
                f"it returns {_shown(pair)} as merge {len(pairs) + 1}, not two tokens"
            ) from None
        pairs.append([left, right])
    return pairs, vocabulary, merges


def size_of(vocabulary: Any) -> int | None:
    """The size of a vocabulary, if it has one."""
    return len(vocabulary) if hasattr(vocabulary, "__len__") else None


def _tokens(encoded: Any, vocabulary: Any) -> list[str | bytes]:
    """Tokens from what an encoder returns: tokens, or ids of a vocabulary {id: token} or {token:
    id}.
    """
    if isinstance(vocabulary, dict) and not all(isinstance(key, int) for key in vocabulary):
        vocabulary = {number: token for token, number in vocabulary.items()}
    try:
        tokens = [
            token if isinstance(token, str | bytes) else vocabulary[operator.index(token)]
            for token in encoded
        ]
        if all(isinstance(token, str | bytes) for token in tokens):
            return tokens
    except (TypeError, LookupError):
        pass
    raise TypeError(f"it returns {_shown(encoded)}, not tokens or ids of the vocabulary")


def _plain(token: object) -> str | bytes | int:
    if isinstance(token, str):
        return str(token)
    return bytes(token) if isinstance(token, bytes | bytearray) else operator.index(token)  # type: ignore[arg-type]


def _module(path: str) -> ModuleType:
    sys.path.insert(0, os.path.dirname(path))
    name = os.path.basename(path).removesuffix(".py")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _message(error: BaseException, path: str) -> str:
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == path
    ]
    if isinstance(error, SyntaxError):
        lines = [error.lineno or 0]
    if not lines and isinstance(error, TypeError | AttributeError):
        return str(error)
    what = (
        "not enough memory" if isinstance(error, MemoryError) else str(error).split("\n")[0][:200]
    )
    where = f" in line {lines[-1]}" if lines else ""
    return f"it raises {type(error).__name__}{where}" + (f": {what}" if what else "")


def _shown(value: object) -> str:
    with contextlib.suppress(Exception):
        return repr(value)[:60]
    return f"a {type(value).__name__}"


def _limit(memory_bytes: int, cpu_s: int) -> None:
    """Limits this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    limits = [
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_CORE, 0),
    ]
    for kind, most in (*limits, (resource.RLIMIT_NPROC, 4096)):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))
