"""Encoders and decoders beside a trainer that is right."""

from __future__ import annotations

from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.explain.check import grading
from tests.cli.conftest import SAMPLES
from tests.engine.textbook_twin import stand_ins_of

TEXT = (SAMPLES / "bridge_story.txt").read_text(encoding="utf-8")[:4000] + " 中文 don't\n" * 9
CONFIG = bpe.TrainingConfig.preset("cs336", vocab_size=420, special=(), documents="file")
PROGRAM = """
from collections import Counter
import regex

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"


def joined(word, pair):
    done, place = [], 0
    while place < len(word):
        if tuple(word[place : place + 2]) == pair:
            done.append(pair[0] + pair[1])
            place += 2
        else:
            done.append(word[place])
            place += 1
    return tuple(done)


def train(text, vocab_size):
    words = {tuple(bytes([b]) for b in p.encode()): n for p, n in Counter(regex.findall(GPT2, text)).items()}
    merges = []
    while len(merges) < vocab_size - 256:
        counts = Counter()
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                counts[pair] += n
        pair = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(pair)
        words = {joined(word, pair): n for word, n in words.items()}
    tokens = [bytes([b]) for b in range(256)] + [a + b for a, b in merges]
    return dict(enumerate(tokens)), merges


def cut(piece, merges):
    word = tuple(bytes([b]) for b in piece.encode())
    for pair in merges:
        word = joined(word, pair)
    return list(word)


def ids(tokens, vocab):
    numbers = {token: number for number, token in vocab.items()}
    return [numbers[token] for token in tokens]
"""
RIGHT_ENCODER = """
def encode(text, vocab, merges):
    return ids([token for piece in regex.findall(GPT2, text) for token in cut(piece, merges)], vocab)
"""
CODERS = {
    "": RIGHT_ENCODER
    + """
def decode(ids, vocab):
    return b"".join(vocab[number] for number in ids).decode("utf-8", "replace")
""",
    "tokens and other arguments": """
def encode(text, merges):
    return [token for piece in regex.findall(GPT2, text) for token in cut(piece, merges)]
def decode(tokens, vocab):
    return b"".join(tokens).decode(errors="replace")
""",
    "a class": RIGHT_ENCODER.replace("encode", "_encode")
    + """
class Tokenizer:
    def __init__(self, vocab, merges, special_tokens=None):
        self.vocab, self.merges = vocab, merges
    def encode(self, text): return _encode(text, self.vocab, self.merges)
    def decode(self, ids): return b"".join(self.vocab[n] for n in ids).decode(errors="replace")
""",
    "words": "def encode(word, vocab, merges): return cut(word, merges) if ' ' not in word else None",
    "encode-longest-match": """
def encode(text, vocab, merges):
    done = []
    for piece in regex.findall(GPT2, text):
        rest = piece.encode()
        while rest:
            n = max(n for n in range(1, len(rest) + 1) if rest[:n] in vocab.values())
            done.append(rest[:n])
            rest = rest[n:]
    return done
""",
    "encode-leftmost-pair": """
def encode(text, vocab, merges):
    done = []
    for piece in regex.findall(GPT2, text):
        word = [bytes([b]) for b in piece.encode()]
        k = 0
        while k < len(word) - 1:
            if (word[k], word[k + 1]) in merges:
                word[k : k + 2] = [word[k] + word[k + 1]]
                k = 0
            else:
                k += 1
        done += word
    return done
""",
    "encode-most-frequent": """
def encode(text, vocab, merges):
    done = []
    for piece in regex.findall(GPT2, text):
        word = tuple(bytes([b]) for b in piece.encode())
        while True:
            counts = Counter(pair for pair in zip(word, word[1:]) if pair in merges)
            if not counts:
                break
            word = joined(word, max(counts, key=counts.get))
        done += word
    return done
""",
    "encode-first-occurrence-only": """
def encode(text, vocab, merges):
    done = []
    for piece in regex.findall(GPT2, text):
        word = [bytes([b]) for b in piece.encode()]
        for left, right in merges:
            for k in range(len(word) - 1):
                if word[k] == left and word[k + 1] == right:
                    word[k : k + 2] = [left + right]
                    break
        done += word
    return done
""",
    "encode-stops-early": """
def encode(text, vocab, merges):
    done = []
    for piece in regex.findall(GPT2, text):
        word = [bytes([b]) for b in piece.encode()]
        while len(word) > 1:
            ranks = [merges.index(p) if p in merges else -1 for p in zip(word, word[1:])]
            k = ranks.index(min(ranks))
            if ranks[k] < 0:
                break
            word[k : k + 2] = [word[k] + word[k + 1]]
        done += word
    return done
""",
    "encode-across-borders": "def encode(text, vocab, merges): return cut(text, merges)",
    "encode-bad-cache": """
cache = {}
def encode(text, vocab, merges):
    pieces = regex.findall(GPT2, text)
    for piece in pieces:
        if piece not in cache:
            cache[piece] = cut(piece, merges)
    done = cache[pieces[0]]
    for piece in pieces[1:]:
        done += cache[piece]
    return list(done)
""",
    "encode-bad-cache ": """
cache = {}
def encode(text, vocab, merges):
    done = []
    for piece in regex.findall(GPT2, text):
        done += cache.setdefault(piece.strip(), cut(piece, merges))
    return done
""",
    "decode-token-by-token": RIGHT_ENCODER
    + """
def decode(ids, vocab): return "".join(vocab[n].decode(errors="replace") for n in ids)
""",
    "decode-strict": RIGHT_ENCODER
    + """
def decode(ids, vocab): return b"".join(vocab[n] for n in ids).decode()
""",
    "decode-ignores": RIGHT_ENCODER
    + """
def decode(ids, vocab): return b"".join(vocab[n] for n in ids).decode(errors="ignore")
""",
    "decode-latin-1": RIGHT_ENCODER
    + """
def decode(ids, vocab): return b"".join(vocab[n] for n in ids).decode("latin-1")
""",
    "decode-stripped": RIGHT_ENCODER
    + """
def decode(ids, vocab): return b"".join(vocab[n] for n in ids).decode(errors="replace").strip()
""",
}


@pytest.mark.parametrize("name", CODERS)
def test_a_mistake_is_named_and_a_right_one_raises_no_alarm(tmp_path: Path, name: str) -> None:
    path = tmp_path / "homework.py"
    path.write_text(PROGRAM + CODERS[name], encoding="utf-8")
    found = bpe.check(str(path), TEXT, CONFIG)
    assert found.first_wrong is None and found.n_encoded, found
    wrong = found.wrong_encoding or found.wrong_decoding
    if not name.startswith(("encode", "decode")):
        assert wrong is None and found.correct, found
        return
    assert wrong is not None
    assert [mistake for mistake, _ in wrong.mistakes] == [name.strip()]
    assert name.strip() in str(found)


@pytest.mark.parametrize("order", ["settings", "merges last", "specials last", "specials first"])
def test_encoded_texts_may_have_ids(order: str) -> None:
    config = CONFIG.replace(special=("<|endoftext|>",))
    run = bpe.train(bpe.Corpus.from_text(TEXT, config), config)
    merges = [(merge.left, merge.right) for merge in run.merges]
    made = [left + right for left, right in merges]
    tokenizer = run.tokenizer()
    encoded = tokenizer.encode("the lowest")
    if order == "settings":
        assert bpe.check(merges, TEXT, config, encoded=[("the lowest", encoded.ids)]).correct
        return
    by_value = [stand_ins_of(bytes([byte])) for byte in range(256)]
    special = ["<|endoftext|>"]
    numbers = {
        "merges last": [*by_value, *special, *made],
        "specials last": [*by_value, *made, *special],
        "specials first": [*special, *by_value, *made],
    }[order]
    ids = [numbers.index(token) for token in encoded.tokens]
    assert bpe.check(merges, TEXT, config, encoded=[("the lowest", ids)]).correct
    found = bpe.check(merges, TEXT, config, encoded=[("the lowest", ids), ("the", ids[:1][:0])])
    assert found.wrong_encoding is not None and found.wrong_encoding.n_right == 1


def test_points_for_an_encoder_and_for_one_mistake() -> None:
    run = bpe.train(bpe.Corpus.from_text(TEXT, CONFIG), CONFIG)
    merges = [(merge.left, merge.right) for merge in run.merges]
    right = run.tokenizer().encode("the lowest").tokens
    encoder = grading.Test("encoder", 4, encoder=True, partial=True)
    one = grading.Test("one mistake", 3, mistakes=1)

    def scores(encoded: list[tuple[str, list[str]]], given: list[tuple[str, str]]) -> list[float]:
        found = bpe.check(given, TEXT, CONFIG, encoded=encoded)
        return [encoder.score(found), one.score(found)]

    assert scores([("the lowest", right)], merges) == [4, 3]
    assert scores([("the lowest", right), ("the", ["t", "h", "e"])], merges) == [2, 3]
    assert scores([], merges) == [0, 3]
    other = CONFIG.replace(ties="first-seen")
    wrong = bpe.train(bpe.Corpus.from_text(TEXT, other), other).merges
    assert scores([("the lowest", right)], [(m.left, m.right) for m in wrong]) == [0, 3]
    assert scores([("the lowest", right)], [*merges[:50], ("zz", "q")]) == [0, 0]
