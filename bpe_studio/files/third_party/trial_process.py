"""The program of the process in which `trial` loads a file with its library; it imports nothing of this program.

It reads a marshalled (library, content, texts, limits) from standard input, and writes a marshalled (message, ids) to
standard output: what the library says against the file, or nothing; and the ids of each text, or `None`.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
from typing import Any


def main() -> None:
    """Loads a file and encodes texts."""
    library, content, texts, memory_bytes, cpu_s = marshal.load(sys.stdin.buffer)
    _limit(memory_bytes, cpu_s)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    # What native code prints about a panic is no message for a person.
    with open(os.devnull, "w") as nowhere, contextlib.suppress(OSError):
        os.dup2(nowhere.fileno(), 2)
    answers: list[list[int] | None] = []
    try:
        encode = _loaded(library, content)
    except BaseException as error:  # a panic of native code is not an Exception
        message = str(error) or type(error).__name__
    else:
        message = ""
        for text in texts:
            # A text that cannot be encoded is no fault of the file; only to crash, to hang or to panic is.
            try:
                answers.append(list(encode(text)))
            except Exception:
                answers.append(None)
            except BaseException as error:
                message = f"panics at a page of text ({error})"
                break
    marshal.dump((message[:1000], answers), sys.stdout.buffer)
    sys.stdout.flush()


def _loaded(library: str, content: bytes) -> Any:
    if library == "tokenizers":
        import tokenizers

        tokenizer = tokenizers.Tokenizer.from_str(content.decode())
        return lambda text: tokenizer.encode(text).ids
    if library == "transformers":
        import transformers

        folder = content.decode()
        return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False).encode
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor()
    model.LoadFromSerializedProto(content)
    return model.EncodeAsIds


def _limit(memory_bytes: int, cpu_s: int) -> None:
    """Limits this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_CPU, cpu_s), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))
