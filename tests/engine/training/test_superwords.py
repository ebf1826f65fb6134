"""Merges that join words: two stages, against a recount of both and against plain runs."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import regex

from bpe_studio import Corpus, Override, OverrideKind, Run, TrainingConfig, branch, count, train
from bpe_studio import Counter as TextCounter
from bpe_studio.engine.analysis.concordance import TokenFinder
from bpe_studio.engine.analysis.decision import decide
from bpe_studio.engine.analysis.size_curves import (
    corpus_curve,
    table_curve,
    table_uses,
    text_curve,
)
from bpe_studio.engine.analysis.size_measures import TokenUses
from bpe_studio.engine.analysis.token_life import token_life
from bpe_studio.engine.analysis.words_containing import words_with_pair, words_with_token
from bpe_studio.engine.textbook import Merge as TextbookMerge
from bpe_studio.engine.textbook import encode, train_superwords
from bpe_studio.engine.training.candidates import rank_candidates
from bpe_studio.engine.training.trainer import Trainer
from tests.engine.rules import log_of, log_of_twin
from tests.engine.textbook_twin import Twin, content_of, count_words

WORDS = regex.compile(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
GPT2 = regex.compile(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
COARSE = regex.compile(r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)")
SPLITS = {"o200k-words": WORDS, "gpt2": GPT2}


def pieces_of(pattern: regex.Pattern[str], text: str) -> list[str]:
    """The matches of a pattern, and what is between them."""
    pieces = []
    end = 0
    for match in pattern.finditer(text):
        pieces += [text[end : match.start()], match.group()]
        end = match.end()
    return [piece for piece in [*pieces, text[end:]] if piece]


def is_superword(token: str, most: int) -> bool:
    content = content_of(token)
    return b": " not in content and len([part for part in content.split(b" ") if part]) <= most


def twin_of(
    text: str,
    config: TrainingConfig,
    coarse: regex.Pattern[str] = COARSE,
    allows: Callable[[str], bool] = lambda token: True,
) -> Twin:
    """Both stages, recounted before every merge, with another rule about tokens."""
    lines = [text] if config.documents == "file" else text.splitlines(keepends=True)
    words = [word for line in lines for word in SPLITS[config.split].findall(line)]
    pieces = [piece for line in lines for piece in pieces_of(coarse, line)]
    rules: dict[str, Any] = {
        "ties": config.ties,
        "min_frequency": config.min_frequency,
        "forbid": config.forbid,
    }
    twin = Twin(count_words(words, units="bytes"), force=config.force, allowed=allows, **rules)
    twin.alphabet = sorted(map(chr, {*range(33, 127), *range(161, 173), *range(174, 324)}))
    n_first = config.superwords_from - 256 - len(config.special)
    twin.train(n_first)
    if len(twin.merges) < n_first:
        return twin
    made = [(merge.left, merge.right, merge.token) for merge in twin.merges]
    records = [TextbookMerge(*merge, 0) for merge in made]
    cut = [
        (encode(symbols, records), count) for symbols, count in count_words(pieces, units="bytes")
    ]
    most = config.superwords_words
    later = Twin(cut, allowed=lambda token: is_superword(token, most) and allows(token), **rules)
    later.alphabet = twin.alphabet
    later.merges = twin.merges
    return later.train(config.target_merges(256) - n_first)


def random_text(seed: int) -> str:
    chance = random.Random(seed)
    words = ["the", "a", "way", "by", "don't", "it's", "n't", "x:", "no:", "12", "4567", "é", "--"]
    words += ["".join(chance.choices("ab't", k=chance.randint(1, 4))) for _ in range(5)]
    gaps = [" "] * 9 + ["  ", "\n", "", ": ", ", ", "\t", "   ", "!!\n"]
    n = chance.randint(5, 120)
    return "".join(chance.choice(words) + chance.choice(gaps) for _ in range(n))


def random_config(seed: int) -> TrainingConfig:
    chance = random.Random(seed + 10_000)
    size = chance.randint(258, 320)
    options: dict[str, Any] = {
        "split": chance.choice(["o200k-words", "gpt2"]),
        "vocab_size": size,
        "superwords_from": chance.randint(257, size - 1),
        "superwords_words": chance.randint(1, 4),
        "ties": chance.choice(["huggingface", "first-seen", "greatest-bytes", "raw-ids"]),
        "min_frequency": chance.randint(1, 3),
        "documents": chance.choice(["file", "line"]),
        "forbid": chance.choice([(), (("Ġ", "t"), ("eĠ", "b"))]),
    }
    return TrainingConfig.preset("superbpe", **options)


@pytest.mark.parametrize("seed", range(60))
def test_both_stages_are_those_of_a_recount(seed: int) -> None:
    text = random_text(seed)
    config = random_config(seed)
    trainer = Trainer(Corpus.from_text(text, config), config, use_compiled=seed % 3 == 0)
    trainer.run()
    twin = twin_of(text, config)
    assert log_of(trainer.run_record) == log_of_twin(twin)


@pytest.mark.parametrize(
    "coarse",
    ["t", r"[\s\S]", r"\S+", "(?:a|b)+"],
    ids=["in words", "everything", "words", "letters"],
)
@pytest.mark.parametrize("text", [random_text(70), "thewaytothewaythe", "at at"])
def test_any_second_split(coarse: str, text: str) -> None:
    config = TrainingConfig.preset(
        "superbpe",
        vocab_size=290,
        superwords_from=262,
        superwords_split=f"regex:{coarse}",
        min_frequency=1,
    )
    run = train(Corpus.from_text(text, config), config)
    assert log_of(run) == log_of_twin(twin_of(text, config, regex.compile(coarse)))
    for step in range(len(run.merges) + 1):
        n_tokens = [len(run.tokenizer(step).encode(line).ids) for line in text.splitlines(True)]
        assert run.n_tokens_at(step) == sum(n_tokens)


@pytest.mark.parametrize("seed", range(10))
def test_characters_are_trained_as_in_the_textbook(seed: int) -> None:
    text = random_text(seed)
    n_alphabet = len(set(text))
    n_first = random.Random(seed).randint(0, 29)
    config = TrainingConfig.preset(
        "superbpe",
        units="characters",
        documents="file",
        ties="first-seen",
        min_frequency=1,
        special=(),
        vocab_size=n_alphabet + 30,
        superwords_from=n_alphabet + n_first,
    )
    run = train(Corpus.from_text(text, config), config)
    merges = train_superwords(
        [(list(word), count) for word, count in Counter(WORDS.findall(text)).items()],
        [(list(piece), count) for piece, count in Counter(pieces_of(COARSE, text)).items()],
        n_first,
        30,
        lambda token: ": " not in token and len(list(filter(None, token.split(" ")))) <= 4,
    )
    assert [TextbookMerge(m.left, m.right, m.token, m.count) for m in run.merges] == merges


@pytest.mark.parametrize("split", ["superwords", r"regex:\n|[.:]+", "none"])
def test_a_large_text_has_the_tables_of_both_splits(split: str) -> None:
    text = "".join(map(random_text, range(3000)))
    config = TrainingConfig.preset("superbpe", documents="file", superwords_split=split)
    corpus = Corpus.from_text(text, config)
    assert corpus.first is not None
    coarse = COARSE if split == "superwords" else regex.compile(split.removeprefix("regex:"))
    pieces = [text] if split == "none" else pieces_of(coarse, text)
    assert list(corpus.items()) == list(Counter(pieces).items())
    assert list(corpus.first.items()) == list(Counter(WORDS.findall(text)).items())


def test_a_text_counted_in_parts_is_the_same_text(tmp_path: Path) -> None:
    parts = [random_text(seed) + "\n" for seed in range(6)]
    paths = [tmp_path / f"{number}.txt" for number in range(6)]
    for path, part in zip(paths, parts, strict=True):
        path.write_text(part, "utf-8", newline="")
    config = random_config(0).replace(documents="line")
    whole = Corpus.from_text("".join(parts), config)
    counters = [pickle.loads(pickle.dumps(counted(part, config))) for part in parts]
    for other in counters[1:]:
        counters[0].merge(other)
    with ThreadPoolExecutor(2) as executor:
        by_workers = count(paths, config, executor).corpus()
    for corpus in (counters[0].corpus(), by_workers):
        assert corpus.first is not None
        assert list(corpus.items()) == list(whole.items())
        assert list(corpus.first.items()) == list(whole.first.items())
        assert corpus.size_bytes == whole.size_bytes
        assert train(corpus, config).merges[:] == train(whole, config).merges[:]


@pytest.mark.parametrize("suffix", [".tsv", ".parquet"])
@pytest.mark.parametrize("seed", range(12))
def test_a_text_counted_in_saved_parts_is_the_same_text(
    seed: int, suffix: str, tmp_path: Path
) -> None:
    parts = [random_text(100 * seed + number) + "\n" for number in range(4)]
    (tmp_path / "counts").mkdir()
    config = random_config(seed)
    if seed % 4 == 0:
        config = config.replace(weight=["part-1.*=3"])
    for number, part in enumerate(parts):
        (tmp_path / f"part-{number}.txt").write_text(part, "utf-8", newline="")
        counter = counted(part, config.unweighted)
        counter.save(tmp_path / "counts" / f"part-{number}{suffix}")
    whole = train(Corpus.from_files(sorted(tmp_path.glob("*.txt")), config), config)
    again = TextCounter.load(tmp_path / "counts", config).corpus()
    assert train(again, config).merges[:] == whole.merges[:]
    for stage in config.unweighted.stages:
        saved = TextCounter.load(tmp_path / "counts", stage).corpus()
        direct = Corpus.from_files(sorted(tmp_path.glob("*.txt")), stage)
        assert list(saved.items()) == list(direct.items())


def counted(text: str, config: TrainingConfig) -> TextCounter:
    counter = TextCounter(config)
    counter.update(text)
    return counter


def stopped_at(run: Run, text: str, step: int) -> Run:
    """A run that was trained up to a step and no further."""
    config = run.config
    if step <= run.n_first:
        config = config.stages[0]
    config = config.replace(vocab_size=run.vocab_size_at(step))
    return train(Corpus.from_text(text, config), config)


@pytest.mark.parametrize("seed", range(20))
def test_every_step_is_that_of_a_run_that_ends_there(seed: int) -> None:
    text = random_text(seed)
    config = random_config(seed)
    run = train(Corpus.from_text(text, config), config)
    chance = random.Random(seed)
    steps = {chance.randint(0, len(run.merges)) for _ in range(4)}
    for step in sorted(
        {*steps, *(s for s in (run.n_first - 1, run.n_first) if 0 <= s <= len(run.merges))}
    ):
        end = stopped_at(run, text, step)
        tokenizer = run.tokenizer(step)
        if step != run.n_first:
            assert tokenizer.encode(text).tokens == end.tokenizer().encode(text).tokens
            assert run.n_tokens_at(step) == end.n_tokens_at(len(end.merges))
            assert run.token_counts_at(step).tolist() == end.token_counts_at(step).tolist()
        documents = [text] if config.documents == "file" else text.splitlines(keepends=True)
        ids = [
            run.external_id(token, step)
            for line in documents
            for token in run.text_gaps(line).ids(step).tolist()
        ]
        assert ids == [number for line in documents for number in tokenizer.encode(line).ids]
        assert len(ids) == run.n_tokens_at(step) == run.token_counts_at(step).sum()
        assert run.measure("n_tokens")[step] == len(ids)
        live = run.live(text)
        assert live.n_tokens(step) == len(live.tokens(step).ids) == len(tokenizer.encode(text).ids)
        words = run.words_at(step)
        corpus = run.at(step).corpus
        cut = [len(words.cut(k)) for k in range(len(words))]
        assert int((np.array(cut) * corpus.counts).sum()) == len(ids)


def test_a_merge_of_words_may_cross_their_borders_later() -> None:
    config = TrainingConfig.preset(
        "superbpe", split="gpt2", vocab_size=270, superwords_from=258, special=(), min_frequency=1
    )
    # "'t" is a word after a letter; after a space, the border of two words is inside it.
    run = train(Corpus.from_text("don't\ncan't\nwon't\nsix 't\nab\nab\n", config), config)
    assert [merge.token for merge in run.merges[:2]] == ["'t", "ab"]
    assert [run.tokenizer(step).encode("x 't").tokens for step in (1, 2)] == [
        ["x", "Ġ", "'", "t"],
        ["x", "Ġ", "'t"],
    ]
    assert [run.live("x 't").n_tokens(step) for step in (1, 2)] == [4, 3]


@pytest.mark.parametrize("seed", range(12))
def test_analyses_are_right_on_both_sides(seed: int, tmp_path: Path) -> None:
    text = random_text(seed)
    config = random_config(seed).replace(vocab_size=310, superwords_from=285)
    run = train(Corpus.from_text(text, config), config)
    n = len(run.merges)
    counts = [run.token_counts_at(step) for step in range(n + 1)]
    assert corpus_curve(run, n).tolist() == [int(each.sum()) for each in counts]
    assert run.measure("n_tokens").tolist() == [each.sum() for each in counts]
    for uses in (TokenUses.of_corpus(run, n), table_uses(run, run.corpus, n)):
        for step, found in uses.counts_at(range(n + 1)):
            assert found.tolist() == counts[step].tolist()
    assert table_curve(run, run.corpus, n).tolist() == corpus_curve(run, n).tolist()
    gold = tmp_path / "gold.tsv"
    gold.write_text("way\tw ay\ndon't\tdo n't\nthe\tth e\nabt'\tab t'\n", "utf-8")
    found = run.boundaries(gold)
    for step in {0, n // 2, run.n_first - 1, run.n_first, n} & set(range(n + 1)):
        end = stopped_at(run, text, step)
        if step != run.n_first:
            alone = end.boundaries(gold)
            assert [found.f1[step], found.whole_stems[step]] == [
                alone.f1[-1],
                alone.whole_stems[-1],
            ]
    gaps = run.text_gaps(text)
    assert text_curve(gaps, n).tolist() == [gaps.n_tokens(step) for step in range(n + 1)]
    for token in sorted({0, 32, 116, 257, *range(256, run.token_of(n), 7)}):
        life = token_life(run, token)
        for step in range(run.rank_of(token) + 1, n + 1):
            assert life.count_at(step) == counts[step][token]
            assert words_with_token(run, token, step).total == counts[step][token]
    for step in range(0, n, 5):
        decision = decide(run, step)
        assert decision.winner is not None
        assert decision.winner.count == run.merges[step].count
        pair = decision.winner.left, decision.winner.right
        assert words_with_pair(run, *pair, step).total == run.merges[step].count
        token = run.token_of(step)
        finder = TokenFinder(run, token, step + 1)
        documents = [text] if config.documents == "file" else text.splitlines(keepends=True)
        n_found = 0
        for line in documents:
            n_found += len([each for each in finder.lines([line]) if each is not None])
        assert n_found == counts[step + 1][token] == finder.n_in_corpus


@pytest.mark.parametrize("seed", range(10))
def test_branches_and_freed_trainers_go_on_alike(seed: int) -> None:
    text = random_text(seed)
    config = random_config(seed)
    trainer = Trainer(Corpus.from_text(text, config), config)
    trainer.run()
    run = trainer.run_record
    freed = Trainer(Corpus.from_text(text, config), config)
    while not freed.finished:
        freed.run(3)
        freed.release()
    assert freed.run_record.merges[:] == run.merges[:]
    nothing = ("Ā", "ā")
    for step in {0, run.n_first - 1, run.n_first, run.n_first + 1, len(run.merges)}:
        if 0 <= step <= len(run.merges):
            again = branch(trainer, Override(step, OverrideKind.forbid, *nothing))
            again.run()
            assert again.run_record.merges[:] == run.merges[:]
            assert np.array_equal(again.run_record.measure("n_tokens"), run.measure("n_tokens"))


@pytest.mark.parametrize("seed", range(10))
def test_the_best_candidate_is_the_next_merge(seed: int) -> None:
    text = random_text(seed)
    config = random_config(seed)
    run = train(Corpus.from_text(text, config), config)
    for step, merge in enumerate(run.merges):
        best = next(each for each in rank_candidates(run, step) if each.is_winner)
        assert (run.token_name(best.left), run.token_name(best.right)) == (merge.left, merge.right)
        assert best.count == merge.count


def test_digits_are_cut_before_superwords() -> None:
    config = TrainingConfig.preset("gpt2", split="superwords", split_digits=True)
    text = "of a 12 to 3, a b  4"
    pieces = [piece for part in regex.split(r"(\p{N})", text) for piece in pieces_of(COARSE, part)]
    assert list(Corpus.from_text(text, config).items()) == list(Counter(pieces).items())
