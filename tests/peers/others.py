"""`python -m tests.peers.others FOLDER`: opens every tokenizer in a folder, and compares it with
its own library.

The tokenizers are not in the repository; put files and folders of real ones into a folder. The text
has words in every script of Unicode, and the passages of the self-check. Of a tokenizer with
merges, the ids at its last step are
compared, too: those that our merges give inside the library's pieces.
"""

from __future__ import annotations

import base64
import json
import os
import random
import sys
import time
import unicodedata
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bpe_studio.engine.presets import PATTERNS
from bpe_studio.engine.text.unicode_scripts import script_name
from bpe_studio.errors import BpeError
from bpe_studio.files.formats.broad_text import usual_texts
from bpe_studio.files.formats.tokenizer_file import contents, lines_of
from bpe_studio.files.loading import load
from bpe_studio.files.recognition import recognize

Encode = Callable[[str], Sequence[int]]
_WORDS = 60


def broad_texts() -> list[str]:
    """Texts in every script, with words, punctuation, digits and line breaks."""
    rng = random.Random(1)
    by_script: dict[str, list[str]] = {}
    for point in range(33, 0x30000):
        char = chr(point)
        if unicodedata.category(char)[0] in "LMN":
            by_script.setdefault(script_name(char), []).append(char)
    texts = list(usual_texts())
    for chars in by_script.values():
        words = ("".join(rng.choices(chars, k=rng.randint(1, 9))) for _ in range(_WORDS))
        texts.append(
            "".join(
                word + rng.choice([" ", " ", " ", ", ", ".\n", "  ", "'s ", "\n\n"])
                for word in words
            )
        )
    return texts


def peer_of(path: Path) -> tuple[str, Encode | None]:
    """The library that a tokenizer is compared with, and how it encodes.

    `None` if there is none for the files.
    """
    found = recognize(path)
    file = found.files[0]
    if found.kind == "huggingface":
        import tokenizers

        whole = tokenizers.Tokenizer.from_str(json.dumps(_plain(json.loads(contents(file)))))
        return "tokenizers", lambda text: list(whole.encode(text, add_special_tokens=False).ids)
    if found.kind == "gpt2" and len(found.files) == 2:
        from tokenizers import ByteLevelBPETokenizer

        pair = ByteLevelBPETokenizer(*found.files)
        return "tokenizers", lambda text: list(pair.encode(text, add_special_tokens=False).ids)
    if found.kind == "sentencepiece":
        import sentencepiece

        model: Any = sentencepiece.SentencePieceProcessor(model_file=file)
        return "sentencepiece", lambda text: list(model.encode(text))
    if found.kind == "bert":
        from tokenizers import BertWordPieceTokenizer

        # As its class makes it, and not from the content that we make of the vocabulary.
        has_capitals = any(
            line != line.lower() for line in lines_of(file) if line.removeprefix("##").isalnum()
        )
        bert = BertWordPieceTokenizer(file, lowercase=not has_capitals)
        return "tokenizers", lambda text: list(bert.encode(text, add_special_tokens=False).ids)
    if found.kind in ("tiktoken", "tekken"):
        import tiktoken

        tokenizer = load(path)
        if found.kind == "tekken":
            root = json.loads(contents(file))
            n_special = root["config"]["default_num_special_tokens"]
            pattern = root["config"]["pattern"]
            n_tokens = root["config"]["default_vocab_size"] - n_special
            entries = root["vocab"][:n_tokens]
            ranks = {
                base64.b64decode(entry["token_bytes"]): entry["rank"] + n_special
                for entry in entries
            }
        else:
            split = getattr(tokenizer.native, "_split", "") if hasattr(tokenizer, "native") else ""
            pattern = PATTERNS[split or tokenizer.model.config.split]
            lines = [line.split() for line in contents(file).splitlines() if line]
            ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
        made = tiktoken.Encoding("peer", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        return "tiktoken", made.encode_ordinary
    return "", None


def row_of(path: Path, texts: Sequence[str]) -> list[str]:
    """What is said about one tokenizer."""
    begin = time.perf_counter()
    try:
        tokenizer = load(path)
    except BpeError as error:
        return [path.name, str(error), "", "", "", "", ""]
    opened_s = time.perf_counter() - begin
    library, encode = peer_of(path)
    step = tokenizer.n_merges or None
    n_characters = n_different = 0
    for text in texts if encode is not None else ():
        n_characters += len(text)
        expected = list(encode(text))
        own = tokenizer.encode_ids(text).tolist()
        merged = tokenizer.encode_ids(text, step=step).tolist()
        n_different += own != expected or merged != expected
    peer = f"{library} {version(library)}" if library else "none"
    exact = (
        f"{n_different} of {len(texts)} texts differ"
        if n_different
        else f"{n_characters:,} characters"
    )
    merges = f"{tokenizer.n_merges:,}" if tokenizer.n_merges else "none"
    kind = f"{recognize(path).kind}, {tokenizer.kind}"
    return [path.name, kind, f"{tokenizer.vocab_size:,}", merges, peer, exact, f"{opened_s:.1f} s"]


def _plain(root: dict[str, Any]) -> dict[str, Any]:
    return {**root, "truncation": None, "padding": None}


def main(arguments: Sequence[str]) -> int:
    """Prints the table."""
    texts = broad_texts()
    scripts = {script_name(char) for text in texts for char in text}
    rows = [["tokenizer", "kind", "tokens", "merges", "compared with", "equal on", "opens in"]]
    for name in sorted(os.listdir(arguments[0])):
        rows.append(row_of(Path(arguments[0], name), texts))
        sys.stdout.write("| " + " | ".join(rows[-1]) + " |\n")
        sys.stdout.flush()
    sys.stdout.write(f"{sum(map(len, texts)):,} characters of {len(scripts)} scripts\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
