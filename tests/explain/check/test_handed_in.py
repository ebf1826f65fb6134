"""Programs as students hand them in: whatever their arguments, results and files are called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bpe_studio as bpe
from bpe_studio.explain.check.mistakes import MISTAKES, changed
from bpe_studio.explain.check.trainer import Procedure, merges_of

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest widest"
CONFIG = bpe.TrainingConfig.preset("raw", ties="greatest-bytes", merges=9, special=())
TRAINER = """
from collections import Counter

def merges_of(text, n_merges):
    tokens = [bytes([byte]) for byte in text.encode()]
    merges = []
    while len(merges) < n_merges:
        counts = Counter(zip(tokens, tokens[1:]))
        pair = max(counts, key=lambda pair: (counts[pair], pair))
        if counts[pair] < 2:
            break
        merges.append(pair)
        done, place = [], 0
        while place < len(tokens):
            if tuple(tokens[place : place + 2]) == pair:
                done.append(pair[0] + pair[1])
                place += 2
            else:
                done.append(tokens[place])
                place += 1
        tokens = done
    return merges

def vocabulary_of(merges):
    tokens = [bytes([byte]) for byte in range(256)] + [a + b for a, b in merges]
    return dict(enumerate(tokens))
"""
HANDED_IN = {
    "number of merges": "def train(text, num_merges): return merges_of(text, num_merges)",
    "k": "def train_bpe(corpus, k): return merges_of(corpus, k)",
    "iterations": "def train(text, n_iter=3): return merges_of(text, n_iter)",
    "size": "def train(text, vocab_size): return merges_of(text, vocab_size - 256)",
    "profile": "def train(profile_text, n_merges): return merges_of(profile_text, n_merges)",
    "path": "def train(corpus_path, num_merges): return merges_of(open(corpus_path).read(), num_merges)",
    "more": "def train(text, num_merges, min_freq=2, verbose=False): return merges_of(text, num_merges)",
    "other sizes": """
def train(text, vocab_size, chunk_size=9, data=None, log_file=None):
    assert chunk_size == 9 and data is log_file is None
    return merges_of(text, vocab_size - 256)
""",
    "no argument by name": "def train(a, b, c): return vocabulary_of([]), merges_of(a, b - 256)",
    "other order": """
def train(text, vocab_size):
    merges = merges_of(text, vocab_size - 256)
    return merges, vocabulary_of(merges)
""",
    "with ids": """
def train(text, num_merges):
    merges = merges_of(text, num_merges)
    return [[a, b, 256 + k] for k, (a, b) in enumerate(merges)]
""",
    "with counts": "def train(text, num_merges): return [(p, 1) for p in merges_of(text, num_merges)]",
    "ids by pair": """
def train(text, vocab_size):
    merges = merges_of(text, vocab_size - 256)
    ids = {token: number for number, token in vocabulary_of(merges).items()}
    return {(ids[a], ids[b]): ids[a + b] for a, b in merges}
""",
    "lines": """
def train(text, num_merges):
    return [f"{a.decode()} {b.decode()}".replace("  ", " Ġ") for a, b in merges_of(text.replace(" ", "_"), num_merges)]
""",
    "dictionary": "def train(text, num_merges): return {'merges': merges_of(text, num_merges)}",
    "class": """
class Tokenizer:
    def __init__(self):
        self.merges = {}
    def train(self, text, vocab_size, verbose=False):
        assert not verbose
        self.merges = merges_of(text, vocab_size - 256)
        self.vocab = vocabulary_of(self.merges)
    def encode(self, text):
        tokens = [bytes([byte]) for byte in text.encode()]
        for pair in self.merges:
            k = 0
            while k < len(tokens) - 1:
                if (tokens[k], tokens[k + 1]) == pair:
                    tokens[k : k + 2] = [pair[0] + pair[1]]
                k += 1
        return tokens
""",
    "class that knows its size": """
class BPE:
    def __init__(self, vocab_size, special_tokens=None):
        self.size = vocab_size
    def fit(self, corpus):
        self.merges = merges_of(corpus, self.size - 256)
        return self
""",
    "class with other names": """
class BytePairs:
    def train(self, text, vocab_size, rules=[]):
        assert not rules
        self.rules = {pair: k for k, pair in enumerate(merges_of(text, vocab_size - 256))}
""",
    "one function that is not called so": "def learn_bpe(text, num_symbols): return merges_of(text, num_symbols)",
    "keywords only": "def train(text, *, num_merges=3): return merges_of(text, num_merges)",
    "lines of the text": "def train(lines, k): return merges_of(''.join(map(str.rstrip, lines)), k)",
    "a list of texts": """
def train(corpus: list[str], num_merges: int):
    assert isinstance(corpus, list)
    return merges_of("".join(corpus), num_merges)
""",
    "a list of words by place": """
def train(words: list[str], num_merges: int):
    assert isinstance(words, list)
    return merges_of("".join(words), num_merges)
""",
    "any arguments": """
def train(*args, verbose=False):
    text, vocab_size, special = args
    return merges_of(text, vocab_size - 256)
""",
    "a script that reads its arguments": """
import sys
size = int(sys.argv[1]) if len(sys.argv) > 1 else 265
def train(text): return merges_of(text, size - 256)
""",
    "with a script below": """
def train(text, num_merges): return merges_of(text, num_merges)
print(train(open("their own text.txt").read(), 10))
""",
}


def handed_in(tmp_path: Path, source: str) -> str:
    path = tmp_path / "homework.py"
    path.write_text(TRAINER + source, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", HANDED_IN)
def test_a_right_program_is_right(tmp_path: Path, name: str) -> None:
    text = TEXT.replace(" ", "_") if name == "lines" else TEXT
    found = bpe.check(handed_in(tmp_path, HANDED_IN[name]), text, CONFIG)
    assert found.first_wrong is None, found
    assert found.n_given == 9


def test_a_notebook_is_checked_like_a_file(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# My homework"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "!pip install regex\n", TRAINER]},
        {"cell_type": "code", "source": HANDED_IN["number of merges"]},
        {"cell_type": "code", "source": ["1 / 0"]},
    ]
    path = tmp_path / "homework.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert bpe.check(str(path), TEXT, CONFIG).correct
    path.write_text('{"cells": [{"cell_type"', encoding="utf-8")
    with pytest.raises(bpe.TrainingError, match="no notebook"):
        bpe.check(str(path), TEXT, CONFIG)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "def train"),
        ("def train(text, vocab_size, depth, shape): return []", "shape"),
        ("def train(text): return 3", "returns 3"),
        ("class Trainer: pass\n", "merges_of"),
        ("import nothing_of_that_name\n", "nothing_of_that_name"),
    ],
)
def test_what_does_not_fit_is_told_in_one_sentence(tmp_path: Path, source: str, says: str) -> None:
    with pytest.raises(bpe.TrainingError) as raised:
        bpe.check(handed_in(tmp_path, source), TEXT, CONFIG)
    assert says in str(raised.value) and "\n" not in str(raised.value)


def wrong_merges(name: str, n: int) -> list[tuple[str, str]]:
    procedure = Procedure((TEXT,), CONFIG, n)
    ((_, other),) = changed([each for each in MISTAKES if each.name == name], procedure)
    return list(merges_of(other))


@pytest.mark.parametrize("n", [5, 9, 14])
def test_a_wrong_number_does_not_hide_the_mistake(n: int) -> None:
    merges = wrong_merges("ties-smallest-bytes", n)
    found = bpe.check(merges, TEXT, CONFIG)
    assert "ties-smallest-bytes" in [mistake.name for mistake in found.mistakes]
    assert (f"There are {n} merges" in str(found)) == (n != 9)


def test_what_explains_most_is_said_as_a_guess() -> None:
    merges = wrong_merges("ties-smallest-bytes", 9)
    found = bpe.check([*merges[:-1], ("l", "n")], TEXT, CONFIG)
    assert not found.mistakes and found.guess is not None
    assert found.guess.name in str(found) and found.as_json()["guess"] == found.guess.name
    assert f"to {len(merges) - 1} of {len(merges)}" in str(found)


def test_an_impossible_id_is_the_answer_or_leaves_it_as_it_is() -> None:
    right = [(b"e", b"s"), (b"es", b"t"), (b"l", b"o")]
    ids = [(101, 115), (256, 116), (108, 111)]
    assert (
        bpe.check(ids, TEXT, CONFIG.replace(merges=3)).n_right
        == bpe.check(right, TEXT, CONFIG.replace(merges=3)).n_right
    )
    found = bpe.check([(108, 111), (256, 119), (10**9, 3)], TEXT, CONFIG.replace(merges=3))
    assert found.first_wrong is not None
    without = bpe.check([(108, 111), (256, 119)], TEXT, CONFIG.replace(merges=3))
    assert found.first_wrong.rank == without.first_wrong.rank
