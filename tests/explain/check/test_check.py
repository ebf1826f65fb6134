"""`bpe.check`: what it accepts, what it says, and that it raises no alarm for the trainers that the
presets follow.
"""

from __future__ import annotations

import contextlib
import html
import io
import json
import os
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio.explain.check import encoders, mistakes, split, trainer
from bpe_studio.explain.check.check import checking
from bpe_studio.explain.check.function import trainers_in
from tests.engine import texts
from tests.explain.check import planted

TEXT = (
    "the cat sat on the mat,\r\n\r\nthe cats ran to the hat\nand on the mat sat the rat aaaaaa "
    "aaa\n" * 4
)
CONFIG = bpe.TrainingConfig.preset("cs336", vocab_size=280)
ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "mistakes.md"


def merges_of(config: bpe.TrainingConfig, text: str = TEXT) -> list[tuple[str, str]]:
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    return [(merge.left, merge.right) for merge in run.merges]


def names(found: bpe.Check) -> list[str]:
    return [mistake.name for mistake in found.mistakes]


@pytest.mark.parametrize("kind", ["english", "persian", "mixed"])
@pytest.mark.parametrize(
    "preset", ["textbook", "sennrich", "raw", "gpt2", "subword-nmt", "sentencepiece", "cs336"]
)
def test_the_plain_trainer_follows_every_preset(preset: str, kind: str) -> None:
    config = bpe.TrainingConfig.preset(preset, merges=60)
    text = texts.KINDS[kind](n_words=80, seed=5)
    procedure = trainer.Procedure((text,), config, 60)
    assert list(trainer.PlainTrainer(procedure)) == merges_of(config, text)


@pytest.mark.parametrize("is_of_one_script", [False, True])
def test_the_plain_trainer_follows_a_text_that_is_not_split(is_of_one_script: bool) -> None:
    config = bpe.TrainingConfig.preset("raw", merges=300, one_script=is_of_one_script)
    text = texts.KINDS["mixed"](n_words=400, seed=6)  # as a word it becomes short
    procedure = trainer.Procedure((text,), config, 300)
    assert list(trainer.PlainTrainer(procedure)) == merges_of(config, text)


def test_no_alarm_for_other_trainers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sentencepiece
    from subword_nmt import learn_bpe
    from tiktoken._educational import bpe_train
    from tokenizers import ByteLevelBPETokenizer

    text = texts.KINDS["english"](n_words=300, seed=5).replace("\r", "")
    (tmp_path / "text.txt").write_bytes(text.encode())
    hugging_face = ByteLevelBPETokenizer()
    hugging_face.train(
        [str(tmp_path / "text.txt")], vocab_size=400, special_tokens=["<|endoftext|>"]
    )
    hugging_face.save_model(str(tmp_path))
    assert bpe.check(
        tmp_path / "merges.txt", text, bpe.TrainingConfig.preset("gpt2", vocab_size=400)
    ).correct

    monkeypatch.setattr(learn_bpe, "tqdm", lambda steps: steps)
    lines = "\n".join(" ".join(line.split()) for line in text.split("\n"))
    written = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        learn_bpe.learn_bpe(io.StringIO(lines), written, 100)
    (tmp_path / "codes").write_text(written.getvalue(), encoding="utf-8")
    assert bpe.check(
        tmp_path / "codes", lines, bpe.TrainingConfig.preset("subword-nmt", merges=100)
    ).correct

    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text.txt"),
        model_prefix=str(tmp_path / "m"),
        model_type="bpe",
        vocab_size=150,
        character_coverage=1.0,
        normalization_rule_name="identity",
        hard_vocab_limit=False,
        minloglevel=3,
    )
    config = bpe.TrainingConfig.preset(
        "sentencepiece", vocab_size=150, normalize=(), character_coverage=1.0
    )
    assert bpe.check(tmp_path / "m.model", text, config).correct

    config = bpe.TrainingConfig.preset("raw", split="gpt2", vocab_size=300)
    ranks = bpe_train(text, 300, trainer_pattern(), visualise=None)
    pairs = []
    made = {bytes([byte]) for byte in range(256)}
    for token in list(ranks)[256:]:
        # The two parts are the tokens that its own merges leave.
        parts = [bytes([byte]) for byte in token]
        while len(parts) > 2:
            joined = [
                (ranks.get(a + b, 10**9), k)
                for k, (a, b) in enumerate(zip(parts, parts[1:], strict=False))
            ]
            place = min(joined)[1]
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        pairs.append(parts)
        made.add(token)
    assert bpe.check(pairs, text, config).correct


def trainer_pattern() -> str:
    from bpe_studio.engine.presets import PATTERNS

    return PATTERNS["gpt2"]


def test_merges_of_other_settings_are_recognized() -> None:
    minbpe = bpe.TrainingConfig.preset("raw", min_frequency=1, merges=60)
    found = bpe.check(
        merges_of(minbpe.replace(split="cl100k")),
        TEXT,
        bpe.TrainingConfig.preset("gpt2", merges=60),
    )
    assert names(found) == ["settings-minbpe-split"] and "--split cl100k" in str(found)


def test_the_first_wrong_merge_has_its_facts() -> None:
    found = bpe.check(merges_of(CONFIG.replace(ties="first-seen")), TEXT, CONFIG)
    wrong = found.first_wrong
    assert (
        not found.correct
        and wrong is not None
        and wrong.given is not None
        and wrong.expected is not None
    )
    assert names(found) == ["ties-first-seen"] and wrong.given.count == wrong.expected.count
    assert wrong.given.words[0][0] in TEXT and str(wrong.given.count) in str(found)
    written = json.loads(json.dumps(found.as_json()))
    assert (
        written["first_wrong"]["rank"] == found.n_right
        and written["mistakes"][0]["name"] == "ties-first-seen"
    )
    assert written["mistakes"][0]["lesson"] in str(found)
    shown = html.unescape(re.sub("<[^>]*>", "", found._repr_html_()))
    assert found.sentences[0] in shown and "\n" not in repr(found)


def test_a_token_that_does_not_exist_a_short_list_and_a_long_one() -> None:
    right = merges_of(CONFIG)
    found = bpe.check([*right[:3], ("zz", "q"), *right[4:]], TEXT, CONFIG)
    assert found.first_wrong is not None and found.first_wrong.given is not None
    assert (found.n_right, found.first_wrong.given.count, names(found)) == (3, None, [])
    for n in (9, 0):
        assert bpe.check(right[:n], TEXT, CONFIG).first_wrong.given is None  # type: ignore[union-attr]
    assert bpe.check([], "", CONFIG).correct
    longer = bpe.check(merges_of(CONFIG.replace(vocab_size=281)), TEXT, CONFIG)
    assert longer.first_wrong is not None and longer.first_wrong.expected is None
    assert names(longer) == ["size-one-more", "size-without-specials"]


def test_words_may_be_given_instead_of_the_text() -> None:
    corpus = bpe.Corpus.from_text(TEXT, CONFIG)
    assert bpe.check(merges_of(CONFIG), corpus, CONFIG).correct
    assert names(bpe.check(merges_of(CONFIG.replace(ties="raw-ids")), corpus, CONFIG)) == [
        "ties-raw-ids"
    ]


def test_a_mistake_in_reading_a_file_is_seen(tmp_path: Path) -> None:
    text = "low\r\n\r\nlower " * 9
    config = CONFIG.replace(merges=8)
    (tmp_path / "text.txt").write_bytes(text.encode())
    wrong = merges_of(config, text.replace("\r\n", "\n"))
    assert "line-breaks-translated" in names(bpe.check(wrong, tmp_path / "text.txt", config))


@pytest.mark.parametrize(
    "written",
    [
        "#version: 0.2\nt h\nth e\nĠ the\n",
        "t h\r\nth e\r\nĠ the\r\n",
        "(b't', b'h')\n(b'th', b'e'),\n(b' ', b'the')\n",
        "b't' b'h'\nb'th' b'e'\nb' ' b'the'\n",
        "[(b't', b'h'), (b'th', b'e'), (b' ', b'the')]",
        '[["t", "h"], ["th", "e"], [" ", "the"]]',
        '{"merges": ["t h", "th e", "Ġ the"]}',
        "minbpe v1\n\n0\n116 104\n256 101\n32 257\n",
        "116\t104\n256\t101\n32\t257\n",
        (
            '{"rank": 0, "left": "t", "right": "h"}\n{"left": "th", "right": "e"}\n{"left": "Ġ",'
            ' "right": "the"}\n'
        ),
    ],
)
def test_a_list_in_any_form(written: str, tmp_path: Path) -> None:
    (tmp_path / "merges").write_bytes(written.encode())
    assert bpe.check(tmp_path / "merges", "the the the", CONFIG.replace(merges=3)).correct


@pytest.mark.parametrize(
    ("written", "word"),
    [
        (b"", "empty"),
        (b"\n", "no merges"),
        (b"one\n", "line 1"),
        (b"a b\nc d e\n", "line 2"),
        (b"\x80\x04\x95\x00", "list of merges"),
        ("é t\n".encode("utf-16"), "list of merges"),
        (b'{"a": 1}', "merges"),
        (b"[1, 2]", "merge 1"),
        (b"[[1.5, 2]]", "1.5"),
        (b"[" * 5000, "line 1"),
        (b"a b\n" * 1_000_001, "1,000,000"),
        (b"a " + b"b" * 1_000_001, "instead of a token"),
    ],
)
def test_what_is_no_list_is_refused(written: bytes, word: str, tmp_path: Path) -> None:
    (tmp_path / "merges").write_bytes(written)
    with pytest.raises(bpe.TokenizerFormatError, match=word) as raised:
        bpe.check(tmp_path / "merges", TEXT, CONFIG)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("given", "text", "encoded"),
    [(5, TEXT, ()), ([("t", "h")], 5, ()), (merges_of(CONFIG), TEXT, [("the", [5.5])])],
)
def test_arguments_of_other_types_are_refused(given: Any, text: Any, encoded: Any) -> None:
    with pytest.raises(bpe.BpeError, match="5"):
        bpe.check(given, text, CONFIG, encoded=encoded)


HOMEWORK = """
import os, sys, time
from collections import Counter

def train(text, vocab_size, special_tokens):
    words = {tuple(bytes([byte]) for byte in word.encode()): n for word, n in Counter(text.split()).items()}
    merges = []
    while len(merges) < vocab_size - 256 - len(special_tokens):
        counts = Counter()
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                counts[pair] += n
        if not counts:
            break
        best = max(counts.values())
        pair = choose({pair for pair in counts if counts[pair] == best})
        merges.append(pair)
        merged = {}
        for word, n in words.items():
            done = []
            for token in word:
                if done and (done[-1], token) == pair:
                    done[-1] += token
                    done.append(None)
                else:
                    done.append(token)
            merged[tuple(token for token in done if token is not None)] = n
        words = merged
    return list(range(256 + len(special_tokens) + len(merges))), merges

choose = max

def by_hash(*arguments):
    global choose
    choose = lambda tied: next(iter(tied))
    return train(*arguments)

def from_path(input_path, vocab_size, special_tokens):
    with open(input_path, newline="") as stream:
        return train(stream.read(), vocab_size, special_tokens)

def merges_alone(text, vocab_size):
    return train(text, vocab_size, [])[1][:-1]

def large_vocabulary(*arguments):
    return range(1000), train(*arguments)[1]

def prints(*arguments):
    print("x" * 100_000, file=sys.stderr)
    print("y" * 100_000, flush=True)
    return train(*arguments)

def forks(*arguments):
    os.fork()
    return train(*arguments)

def leaves_a_process(*arguments):
    if not os.fork():
        time.sleep(600)
    return train(*arguments)

def raises(*arguments): return [][1]
def never_returns(*arguments): time.sleep(600)
def returns_none(*arguments): return None
def returns_numbers(*arguments): return {}, [1, 2]
def returns_floats(*arguments): return {}, [(1.5, 2)]
def exits(*arguments): os._exit(3)
def takes_memory(*arguments): return bytearray(10**12)
def takes_nothing(): return []
"""
WORDS = CONFIG.replace(split="whitespace", vocab_size=275)


@pytest.fixture
def homework(tmp_path: Path) -> Path:
    path = tmp_path / "homework.py"
    path.write_text(HOMEWORK, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["", ":train", ":from_path", ":merges_alone", ":prints"])
def test_a_function_that_is_right(homework: Path, name: str) -> None:
    assert bpe.check(f"{homework}{name}", TEXT, WORDS).correct


@pytest.mark.skipif(
    sys.platform == "win32", reason="the stand-in for the program is a shell script"
)
def test_the_bundle_runs_a_function(
    homework: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bpe-studio"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT}/.ci/bundle/entry.py" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert bpe.check(homework, TEXT, WORDS).correct


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork a process")
@pytest.mark.parametrize("name", ["forks", "leaves_a_process"])
def test_a_function_that_starts_processes(homework: Path, name: str) -> None:
    assert bpe.check(f"{homework}:{name}", TEXT, WORDS).correct


def test_a_function_that_depends_on_hash_order(homework: Path) -> None:
    assert names(bpe.check(f"{homework}:by_hash", TEXT, WORDS)) == ["ties-by-hash-order"]


def test_the_size_of_the_vocabulary(homework: Path) -> None:
    found = bpe.check(f"{homework}:large_vocabulary", TEXT, WORDS)
    assert not found.correct and found.first_wrong is None and "1,000 tokens" in str(found)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("raises", "IndexError in line"),
        ("never_returns", "2 seconds"),
        ("returns_none", "None"),
        ("returns_numbers", "1 as merge 1"),
        ("returns_floats", "merge 1"),
        ("exits", "ends its process"),
        ("takes_memory", "memory"),
        ("takes_nothing", "takes 0"),
        ("missing", "no function missing"),
    ],
)
def test_a_function_that_fails(homework: Path, name: str, words: str) -> None:
    with pytest.raises(bpe.TrainingError, match=words) as raised:
        bpe.check(f"{homework}:{name}", TEXT, WORDS, seconds=2 if name == "never_returns" else 60)
    assert "\n" not in str(raised.value)


def test_a_function_object_runs_here() -> None:
    assert bpe.check(
        lambda text, vocab_size, special: ({}, merges_of(CONFIG))[1], TEXT, CONFIG
    ).correct
    with pytest.raises(bpe.ArgumentError, match="text"):
        bpe.check(merges_of, bpe.Corpus.from_text(TEXT, CONFIG), CONFIG)


def longest_match(word: bytes, merges: list[tuple[bytes, bytes]]) -> list[bytes]:
    vocabulary = {left + right for left, right in merges}
    tokens = []
    while word:
        n = max((n for n in range(2, len(word) + 1) if word[:n] in vocabulary), default=1)
        tokens = [*tokens, word[:n]]
        word = word[n:]
    return tokens


def leftmost_pair(word: bytes, merges: list[tuple[bytes, bytes]]) -> list[bytes]:
    tokens = [bytes([byte]) for byte in word]
    place = 0
    while place < len(tokens) - 1:
        if (tokens[place], tokens[place + 1]) in merges:
            tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
            place = 0
        else:
            place += 1
    return tokens


def by_rank(word: bytes, merges: list[tuple[bytes, bytes]]) -> list[bytes]:
    tokens = [bytes([byte]) for byte in word]
    while found := [pair for pair in zip(tokens, tokens[1:], strict=False) if pair in merges]:
        pair = min(found, key=merges.index)
        place = list(zip(tokens, tokens[1:], strict=False)).index(pair)
        tokens[place : place + 2] = [pair[0] + pair[1]]
    return tokens


@pytest.mark.parametrize("encode", [longest_match, leftmost_pair, by_rank])
def test_mistakes_of_an_encoder(encode: Callable[..., list[bytes]]) -> None:
    rng = random.Random(1)
    for seed in range(5):
        text = planted.random_text(random.Random(seed))
        merges = planted.merges_of(text, 285, [])
        words = ["".join(rng.choices("abcxyz", k=rng.randint(2, 9))) for _ in range(40)]
        encoded = [(word, encode(word.encode(), merges)) for word in words]
        config = bpe.TrainingConfig.preset("cs336", vocab_size=285)
        found = bpe.check(merges, text, config, encoded=encoded)
        right = [by_rank(word.encode(), merges) for word in words] == [
            tokens for _, tokens in encoded
        ]
        assert found.correct == right
        if found.wrong_encoding is not None:
            names = [name for name, _ in found.wrong_encoding.mistakes]
            assert f"encode-{encode.__name__.replace('_', '-')}" in names
            assert found.as_json()["wrong_encoding"]["sentence"] in str(found)


def test_the_encoder_beside_a_function(homework: Path) -> None:
    encoder = """
def encode(text, vocab, merges):
    known, ids = {token: number for number, token in vocab.items()}, []
    word = text.encode()
    while word:
        n = max((n for n in range(1, len(word) + 1) if word[:n] in known), default=1)
        ids, word = [*ids, known[word[:n]]], word[n:]
    return ids

def with_vocabulary(text, vocab_size, special):
    merges = train(text, vocab_size, special)[1]
    tokens = [*(bytes([byte]) for byte in range(256)), *special, *(left + right for left, right in merges)]
    return dict(enumerate(tokens)), merges
"""
    homework.write_text(HOMEWORK + encoder, encoding="utf-8")
    found = bpe.check(
        f"{homework}:with_vocabulary", "bc bc bc ab ab abc", WORDS.replace(vocab_size=259)
    )
    assert found.wrong_encoding is not None and found.first_wrong is None
    assert "encode-longest-match" in [name for name, _ in found.wrong_encoding.mistakes]
    for other in ("encode = None", "def encode(ids): return 1"):
        homework.write_text(f"{HOMEWORK}\n{other}", encoding="utf-8")
        assert bpe.check(f"{homework}:train", TEXT, WORDS).correct
    for wrong, why in (("[][1]", "IndexError in line"), ("[None]", "[None]"), ("3", "returns 3")):
        homework.write_text(
            f"{HOMEWORK}\ndef encode(text, vocab, merges): return {wrong}", encoding="utf-8"
        )
        found = bpe.check(f"{homework}:train", TEXT, WORDS)
        assert not found.correct and found.first_wrong is None and why in str(found)


def test_the_page_names_every_mistake() -> None:
    page = PAGE.read_text(encoding="utf-8")
    known = (*mistakes.MISTAKES, *mistakes.SETTINGS)
    names = [*(mistake.name for mistake in known), *encoders.ENCODERS, *encoders.DECODERS]
    names += [mistake.name for mistake in split.SPLIT_MISTAKES]
    assert [name for name in names if f"`{name}`" not in page] == []


def test_a_function_that_is_no_longer_wanted_ends_at_once(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(
        "import os, pathlib\ndef train(text, vocab_size, special_tokens):\n"
        "    pathlib.Path(__file__).with_suffix('.pid').write_text(str(os.getpid()))\n    while "
        "True: pass\n"
    )
    started = tmp_path / "endless.pid"
    job = checking(str(tmp_path / "endless.py"), (TEXT,), CONFIG)
    while not (started.exists() and started.read_text()):
        next(job)
    job.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


def test_the_functions_that_train_are_found_without_running_the_file(tmp_path: Path) -> None:
    homework = tmp_path / "homework.py"
    homework.write_text(
        "def merge(): pass\ndef train_bpe(): pass\ndef train(): pass\nraise SystemExit\n"
    )
    assert trainers_in(homework) == ("train_bpe", "train")
    for content in (b"def train(:", b"\xff\xfe", b"x = 1\0"):
        homework.write_bytes(content)
        assert trainers_in(homework) == ()
    assert trainers_in(tmp_path / "none.py") == ()


def test_headline_and_reason_make_up_the_first_sentence() -> None:
    right = merges_of(CONFIG)
    for given in (right[:5], merges_of(CONFIG.replace(ties="first-seen")), [*right, ("t", "h")]):
        found = bpe.check(given, TEXT, CONFIG)
        assert found.first_wrong is not None and found.explanation
        assert found.sentences[0] == f"{found.headline}: {found.reason}"
        expected = found.first_wrong.expected
        if expected is not None:
            assert found.words_with(expected).total == expected.count


def test_a_mistake_that_fits_until_the_time_is_over_is_a_guess(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "abcdefgh ijklmnop qrstuvwx " * 3  # every pair ties, so the first wrong merge is early
    config = bpe.TrainingConfig.preset("cs336", merges=20, vocab_size=None)
    given = merges_of(config.replace(ties="first-seen"), text)
    ticks = iter(range(10_000))
    module = sys.modules[checking.__module__]
    monkeypatch.setattr(module, "thread_time", lambda: next(ticks))
    found = bpe.check(given, text, config, seconds=3)
    assert not found.correct and not found.mistakes
    assert "ties-first-seen" in str(found) and "time" in str(found)
