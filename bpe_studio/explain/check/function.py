"""Runs somebody's `train(text, vocab_size, special_tokens)` or `split(text)` in a process of its
own, with limits on time and memory.

This limits the harm of mistakes: endless loops, crashes, processes that are left behind. It does
not protect against somebody who means harm, because the function can read and write all files that
the user can.
"""

from __future__ import annotations

import ast
import contextlib
import marshal
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, NamedTuple

from bpe_studio.errors import TokenizerFormatError, TrainingError
from bpe_studio.explain.check.function_process import size_of, sources_of, trained_by
from bpe_studio.files.merge_lists import Pair, Token, pairs_of, texts_of_pieces

SECONDS = 60
MEMORY_BYTES = 4 << 30
_POLL_S = 0.02
_START = "import runpy, sys; runpy.run_path(sys.argv[1])['main'](sys.argv[2])"
"""Runs the file that is the first argument; the bundle's Python runs code, but no files."""
_ADDRESS = re.compile(r"(.*\.(?:py|ipynb))(?::([^\W\d]\w*))?", re.DOTALL)


class Task(NamedTuple):
    """The task of a function; each of its arguments gets one of these values, or the text.

    Attributes:
        vocab_size: the size of the vocabulary.
        n_merges: the number of merges, for a function that wants it instead.
        special: the special tokens.
        min_frequency: the count that a pair must have.
        by_line: whether an argument for several texts gets the lines, or else one text.
    """

    vocab_size: int
    n_merges: int
    special: list[str]
    min_frequency: int
    by_line: bool = False


@dataclass(frozen=True)
class Trained:
    """The result of a function.

    Attributes:
        merges: its merges.
        n_tokens: the size of its vocabulary; `None` if it returned none.
        encoded: some texts with their tokens, if there is a function `encode` beside it.
        decoded: tokens with their texts, if there is a function `decode`; the text is `None` if it
            fails.
        why_not_encoded: a sentence on why `encode` fails, or "".
    """

    merges: list[Pair]
    n_tokens: int | None
    encoded: list[tuple[str, list[Token]]]
    decoded: list[tuple[list[Token], str | None]]
    why_not_encoded: str = ""


def is_function(given: object) -> bool:
    """Whether something is a function, or the address of one: FILE.py or FILE.py:NAME."""
    return callable(given) or (
        isinstance(given, str | os.PathLike) and bool(_ADDRESS.fullmatch(os.fspath(given)))
    )


def trainers_in(path: str | os.PathLike[str], verb: str = "train") -> tuple[str, ...]:
    """The names of the functions in a Python file or a notebook that train or split; of the classes
    that do if there are no such functions.

    The file is read, but not run.

    Args:
        path: the file.
        verb: "train" or "split".
    """
    parts: list[ast.stmt] = []
    try:
        for source in sources_of(os.fspath(path)):
            parts += ast.parse(source).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    functions = [part.name for part in parts if isinstance(part, ast.FunctionDef)]
    found = tuple(name for name in functions if verb in name.lower())
    classes = [part for part in parts if isinstance(part, ast.ClassDef)]
    return found or tuple(each.name for each in classes if _has_method(each, verb))


def _has_method(part: ast.ClassDef, name: str) -> bool:
    return any(isinstance(each, ast.FunctionDef) and each.name == name for each in part.body)


def trained(
    given: Callable[..., Any] | str | os.PathLike[str],
    text: str,
    task: Task,
    *,
    texts: tuple[Sequence[str], Sequence[str]] = ((), ()),
    seconds: float = SECONDS,
    hash_seed: int = 1,
) -> Generator[float, None, Trained]:
    """The merges of a function, as a job.

    A function that is given by its address runs in a process of its own, which ends if the job is
    closed.

    Args:
        given: the function, or its address; in an address without a name, the function that trains
            is looked for.
        text: the text that it trains on.
        task: its task.
        texts: words, and other texts, for an encoder beside it.
        seconds: its time limit.
        hash_seed: decides the order of sets in its process.

    Raises:
        TrainingError: it does not return merges; the sentence says why.
    """
    if callable(given):
        name = getattr(given, "__name__", "the function")
        with _values(text, task) as values:
            try:
                made = trained_by(given, values)
            except TypeError as error:
                raise TrainingError(f"{name} cannot be checked: {error}") from error
        merges: Any = made.pairs
        n_tokens = size_of(made.vocabulary)
        encoded: Any = []
        decoded: Any = []
    else:
        name = _parts(given)[1]
        job = _ran("train", given, text, task, texts, seconds, hash_seed)
        merges, n_tokens, encoded, decoded = yield from job
    try:
        if isinstance(encoded, str):
            why_not = f"The function encode cannot be checked: {encoded}."
            return Trained(pairs_of(merges), n_tokens, [], [], why_not)
        return Trained(pairs_of(merges), n_tokens, encoded, decoded)
    except TokenizerFormatError as error:
        raise TrainingError(f"{name or 'The trainer'} cannot be checked: {error}") from None


def pieces_by(
    given: str | os.PathLike[str], text: str, task: Task, *, seconds: float = SECONDS
) -> Generator[float, None, list[str]]:
    """The pieces into which a function cuts a text; it runs in a process of its own.

    Raises:
        TrainingError: it does not return pieces; the sentence says why.
    """
    pieces: list[str | bytes] = yield from _ran("split", given, text, task, ((), ()), seconds, 1)
    return texts_of_pieces(pieces)


def _parts(given: str | os.PathLike[str]) -> tuple[str, str]:
    """The absolute path and the name of a function's address."""
    match = _ADDRESS.fullmatch(os.fspath(given))
    assert match is not None
    return os.path.abspath(match[1]), match[2] or ""


@contextlib.contextmanager
def _values(text: str, task: Task) -> Iterator[dict[str, Any]]:
    """The values for the arguments of a function, with the path of a file that holds the text."""
    with tempfile.TemporaryDirectory(prefix="bpe-studio-") as folder:
        text_path = os.path.join(folder, "corpus.txt")
        with open(text_path, "w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
            stream.write(text)
        yield {**task._asdict(), "text_path": text_path}


def _ran(
    wanted: str,
    given: str | os.PathLike[str],
    text: str,
    task: Task,
    texts: tuple[Sequence[str], Sequence[str]],
    seconds: float,
    hash_seed: int,
) -> Generator[float, None, Any]:
    """The answer of the process that runs a function."""
    path, name = _parts(given)
    if not os.path.isfile(path):
        raise TrainingError(f"{path} does not exist: check the name of the file with the trainer")
    of = f"The function {name} of {os.path.basename(path)}" if name else os.path.basename(path)
    with _values(text, task) as values:
        request = wanted, path, name, values, *map(list, texts), MEMORY_BYTES, int(seconds) + 10
        folder = os.path.dirname(values["text_path"])
        message, answer = yield from _answer(request, folder, of, seconds, hash_seed)
    if message:
        raise TrainingError(f"{of} cannot be checked: {message}")
    return answer


def _answer(
    request: tuple[Any, ...], folder: str, of: str, seconds: float, hash_seed: int
) -> Generator[float, None, tuple[str, Any]]:
    with open(os.path.join(folder, "request"), "wb") as stream:
        marshal.dump(request, stream)
    program = os.path.join(os.path.dirname(__file__), "function_process.py")
    process = subprocess.Popen(
        [sys.executable, "-c", _START, program, folder],
        cwd=os.path.dirname(request[1]),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONSAFEPATH": "1"},
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    end_s = monotonic() + seconds
    try:
        while process.poll() is None:
            if monotonic() > end_s:
                raise TrainingError(
                    f"{of} does not return within {seconds:g} seconds; try it on less text, or"
                    " allow it more seconds"
                )
            yield 0.0
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_POLL_S)
    finally:
        process.kill()
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)  # also the processes that it has started
        process.wait()
    try:
        with open(os.path.join(folder, "answer"), "rb") as stream:
            message, answer = marshal.load(stream)
    except (OSError, EOFError, ValueError, TypeError):
        raise TrainingError(
            f"{of} ends its process, or needs more than {MEMORY_BYTES >> 30} GB of memory, and"
            " returns nothing"
        ) from None
    return message, answer
