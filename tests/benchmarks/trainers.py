"""Every trainer that is measured, as a job: from a file to finished merges, each in its own
quickest published way.

Jobs run in a process of their own (`child.py`). What was learned is read out after the clock has
stopped."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import bpe_studio as bpe
from bpe_studio.engine.option_types import PresetName
from tests.benchmarks.child import peak_bytes, timed

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
END = "<|endoftext|>"
LONGEST_TOKEN = 128
WARM_VOCAB_SIZE = 2000

Tokens = list[bytes]
Pairs = list[tuple[bytes, bytes]] | None


def train_ours(
    path: str,
    warm: str,
    vocab_size: int,
    ties: str,
    documents: str,
    special: str = "",
    split: str = "gpt2",
) -> dict[str, Any]:
    """Ours, with the GPT-2 preset; counting and merging are also timed by themselves."""
    options = {
        "ties": ties,
        "documents": documents,
        "split": split,
        "special": (special,) if special else (),
    }
    outcome: dict[str, Any] = {}
    if warm:
        _ours(warm, {}, {**options, "vocab_size": WARM_VOCAB_SIZE})
    outcome["peak_before_bytes"] = peak_bytes()
    with timed(outcome):
        run = _ours(path, outcome, {**options, "vocab_size": vocab_size})
    first = run.n_alphabet
    n_merges = len(run.merges)
    left = run.columns.left.tolist()
    right = run.columns.right.tolist()
    pairs = [(run.token_content(a), run.token_content(b)) for a, b in zip(left, right, strict=True)]
    outcome["n_pre_tokens"] = len(run.corpus)
    return outcome | _learned([run.token_content(first + rank) for rank in range(n_merges)], pairs)


def train_superwords(path: str, warm: str, vocab_size: int, first_size: int) -> dict[str, Any]:
    """Ours in two stages, with the preset of SuperBPE.

    Args:
        path: the text.
        warm: a small text, by which kernels are loaded before.
        vocab_size: the size at the end.
        first_size: the size from which on merges join words.
    """
    outcome: dict[str, Any] = {}
    _ours(warm, {}, {"vocab_size": WARM_VOCAB_SIZE}, "superbpe")
    outcome["peak_before_bytes"] = peak_bytes()
    options = {"vocab_size": vocab_size, "superwords_from": first_size}
    with timed(outcome):
        run = _ours(path, outcome, options, "superbpe")
    outcome["bytes_per_token"] = [
        run.corpus.size_bytes / run.n_tokens_at(step) for step in (run.n_first, len(run.merges))
    ]
    return outcome


def _ours(
    path: str, outcome: dict[str, Any], options: dict[str, Any], preset: PresetName = "gpt2"
) -> bpe.Run:
    config = bpe.TrainingConfig.preset(preset, **options)
    with _timed_part(outcome, "count_s"):
        corpus = bpe.Corpus.from_files([path], config)
    with _timed_part(outcome, "merge_s"):
        return bpe.train(corpus, config)


@contextlib.contextmanager
def _timed_part(outcome: dict[str, Any], name: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    outcome[name] = time.perf_counter() - begun


def train_peer(name: str, path: str, warm: str, vocab_size: int) -> dict[str, Any]:
    """One of the others."""
    train, read_out = PEERS[name]
    outcome: dict[str, Any] = {}
    if warm:
        train(warm, WARM_VOCAB_SIZE)
    outcome["peak_before_bytes"] = peak_bytes()
    with timed(outcome):
        made = train(path, vocab_size)
    return outcome | _learned(*read_out(made))


def _learned(tokens: Tokens, pairs: Pairs) -> dict[str, Any]:
    digest = None
    if pairs is not None:
        digest = hashlib.sha256(repr(pairs).encode()).hexdigest()
    return {
        "n_merges": len(tokens),
        "pairs_digest": digest,
        "tokens": " ".join(token.hex() for token in tokens),
    }


def _tokenizers(path: str, vocab_size: int) -> Any:
    from tokenizers import ByteLevelBPETokenizer

    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train(
        path, vocab_size=vocab_size, min_frequency=2, special_tokens=[END], show_progress=False
    )
    return tokenizer


def _read_tokenizers(tokenizer: Any) -> tuple[Tokens, Pairs]:
    from bpe_studio.engine.text.alphabet import from_stand_ins

    merges = json.loads(tokenizer._tokenizer.to_str())["model"]["merges"]
    pairs = [(from_stand_ins(left), from_stand_ins(right)) for left, right in merges]
    return [left + right for left, right in pairs], pairs


def _rustbpe(path: str, vocab_size: int) -> Any:
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    with open(path, encoding="utf-8", newline="\n") as lines:
        # It counts the texts that it is given in parallel, so that lines are its quickest way.
        tokenizer.train_from_iterator(lines, vocab_size, pattern=GPT2)
    return tokenizer


def _read_rustbpe(tokenizer: Any) -> tuple[Tokens, Pairs]:
    return [bytes(token) for token, _ in tokenizer.get_mergeable_ranks()][256:], None


def _gigatoken(path: str, vocab_size: int) -> Any:
    import gigatoken

    return gigatoken.train_bpe(gigatoken.TextFileSource([path]), vocab_size, [])


def _read_gigatoken(made: Any) -> tuple[Tokens, Pairs]:
    return [left + right for left, right in made[1]], list(made[1])


def _ffbpe(path: str, vocab_size: int) -> Any:
    import ffbpe

    return ffbpe.train_bpe(_whole(path), vocab_size=vocab_size)


def _read_ffbpe(model: Any) -> tuple[Tokens, Pairs]:
    return _by_id(model.vocab), None


def _bpeasy(path: str, vocab_size: int) -> Any:
    import bpeasy

    return bpeasy.train_bpe(iter([_whole(path)]), GPT2, LONGEST_TOKEN, vocab_size)


def _whole(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as stream:
        return stream.read()


def _by_id(vocabulary: dict[bytes, int]) -> Tokens:
    return sorted(vocabulary, key=vocabulary.__getitem__)[256:]


def _read_bpeasy(vocabulary: Any) -> tuple[Tokens, Pairs]:
    return _by_id(vocabulary), None


PEERS: dict[str, tuple[Callable[[str, int], Any], Callable[[Any], tuple[Tokens, Pairs]]]] = {
    "tokenizers": (_tokenizers, _read_tokenizers),
    "rustbpe": (_rustbpe, _read_rustbpe),
    "gigatoken": (_gigatoken, _read_gigatoken),
    "ffbpe": (_ffbpe, _read_ffbpe),
    "bpeasy": (_bpeasy, _read_bpeasy),
}
"""Each peer: how it trains on a file, and how its tokens are read out, with their pairs where it
tells them.
"""
