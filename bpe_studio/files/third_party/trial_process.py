"""The program of the process in which `trial` loads a file with its library; it imports nothing of
BPE Studio.

It reads a marshalled (library, content, texts, memory in bytes, seconds) from standard input, and
writes the fields of a `trial.Answer`, marshalled, to standard output.
"""

from __future__ import annotations

import contextlib
import json
import marshal
import os
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

CONVERTER = "transformers: files"
"""The name that asks Transformers for the files, too."""
_MOST_NAMES = 20
_SETTINGS = (
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
    "padding_side",
    "truncation_side",
    "model_max_length",
    "model_input_names",
)
_FLAGS = ("split_special_tokens", "clean_up_tokenization_spaces")


def main() -> None:
    """Loads a file and encodes texts."""
    library, content, texts, memory_bytes, cpu_s = marshal.load(sys.stdin.buffer)
    _limit(memory_bytes, cpu_s)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    # Native code prints about a panic, which is not a message for a person.
    with open(os.devnull, "w") as nowhere, contextlib.suppress(OSError):
        os.dup2(nowhere.fileno(), 2)
    answers: list[list[int] | None] = []
    files: dict[str, bytes] = {}
    notice = ""
    try:
        encode = _loaded(library, content)
        if library == CONVERTER:
            files, notice = _files(encode.__self__, texts)
    except BaseException as error:
        # A panic of native code is not an `Exception`.
        message = str(error) or type(error).__name__
    else:
        message = ""
        for text in texts:
            # A text that cannot be encoded is not a fault of the file, but a crash, a hang or a
            # panic is.
            try:
                answers.append(list(encode(text)))
            except Exception:
                answers.append(None)
            except BaseException as error:
                message = f"panics at a page of text ({error})"
                break
    line = next(iter(message.strip().splitlines()), "")[:200]
    marshal.dump((line, answers, files, notice), sys.stdout.buffer)
    sys.stdout.flush()


def _loaded(library: str, content: bytes) -> Any:
    if library == "tokenizers":
        import tokenizers

        tokenizer = tokenizers.Tokenizer.from_str(content.decode())
        return lambda text: tokenizer.encode(text).ids
    if library in ("transformers", CONVERTER):
        import transformers

        folder = os.fsdecode(content)
        return transformers.AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        ).encode
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor()
    model.LoadFromSerializedProto(content)
    return model.EncodeAsIds


def _files(tokenizer: Any, texts: Sequence[str]) -> tuple[dict[str, bytes], str]:
    """The `tokenizer.json` and the settings of a tokenizer of Transformers, and a sentence if they
    decode in another way.

    Raises:
        ValueError: its class gives ids that a `tokenizer.json` cannot give.
    """
    import transformers

    name = type(tokenizer).__name__
    if not tokenizer.is_fast:
        raise ValueError(f"{name} is Python code")
    config = {key: getattr(tokenizer, key, None) for key in _SETTINGS}
    config |= {key: bool(getattr(tokenizer, key, False)) for key in _FLAGS}
    config["extra_special_tokens"] = list(map(str, tokenizer.extra_special_tokens))
    notice = ""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "tokenizer.json")
        settings = os.path.join(folder, "tokenizer_config.json")
        tokenizer.backend_tokenizer.save(file)
        with open(settings, "w", encoding="utf-8") as stream:
            json.dump(config, stream)
        again = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
        names = list(tokenizer.get_added_vocab())[:_MOST_NAMES]
        for text in [*texts, *names]:
            try:
                ids = tokenizer.encode(text)
            except Exception:
                # The text has an unknown character, and there is no token for it.
                continue
            if again.encode(text) != ids:
                raise ValueError(
                    f"{name} gives other ids than a tokenizer.json can, for example for {text!r}"
                )
            if _decoded(again, ids) != _decoded(tokenizer, ids):
                notice = (
                    f"{name} of Transformers decodes some ids to another text, for example those of"
                    f" {text!r}"
                )
        with open(file, "rb") as made, open(settings, "rb") as said:
            return {"tokenizer.json": made.read(), "tokenizer_config.json": said.read()}, notice


def _decoded(tokenizer: Any, ids: Sequence[int]) -> list[str]:
    return [tokenizer.decode(ids, skip_special_tokens=skips) for skips in (False, True)]


def _limit(memory_bytes: int, cpu_s: int) -> None:
    """Limits this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))
