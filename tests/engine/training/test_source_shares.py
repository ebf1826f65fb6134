"""Which share of a merge's count each file gave, against a recount of every file at every step."""

from __future__ import annotations

import pickle
import random
from dataclasses import asdict, replace

import numpy as np
import pytest

import bpe_studio as bpe
from bpe_studio.engine.training.seeded_run import SeededRun
from tests.engine import texts
from tests.engine.counting.test_source_weights import corpus_of, random_config, random_files


def recounted(run: bpe.Run, rank: int) -> list[int]:
    """How often each file has the pair of a merge before it is made, with its weight."""
    stage = run.at(rank)
    corpus = stage.corpus
    words = stage.words_at(rank)
    rows = {word: row for row, word in enumerate(corpus.pre_tokens())}
    pair = int(run.columns.left[rank]), int(run.columns.right[rank])
    counts = []
    for path, source in corpus.sources.items():
        total = 0
        for word, count in source.items():
            tokens = words.cut(rows[word])
            total += (
                count
                * corpus.repetitions[path]
                * list(zip(tokens, tokens[1:], strict=False)).count(pair)
            )
        counts.append(total)
    return counts


@pytest.mark.parametrize("seed", range(25))
def test_shares_are_those_of_a_recount(seed: int) -> None:
    chance = random.Random(seed)
    files = random_files(chance)
    config = random_config(chance)
    weights = {path: chance.choice(("1", "3", "0.5")) for path, _ in files}
    alpha = chance.choice((1, 0.5))
    run = bpe.train(corpus_of(files, config), weight=weights, alpha=alpha)
    found = run.source_counts().counts
    assert found.sum(axis=0).tolist() == run.columns.count.tolist()
    for merge in run.merges:
        counts = recounted(run, merge.rank)
        assert found[:, merge.rank].tolist() == counts
        assert sum(merge.sources.values()) == pytest.approx(1)
        shares = [share * merge.count for share in merge.sources.values()]
        assert shares == pytest.approx(counts)


def test_shares_while_a_run_goes_on_branches_and_is_stored() -> None:
    files = [("x/a.txt", "low lower aaaa " * 3), ("y/a.txt", "new lower"), ("y/b.txt", "wide")]
    config = bpe.TrainingConfig.preset("textbook", merges=12)
    trainer = bpe.Trainer(corpus_of(files, config))
    trainer.run(2)
    assert list(trainer.run_record.merges[1].sources) == ["x/a.txt", "y/a.txt", "b.txt"]
    trainer.release()
    trainer.run(4)
    run = trainer.run_record
    assert run.merges[5].sources == pickle.loads(pickle.dumps(run)).merges[5].sources
    other = bpe.branch(run, bpe.Override(4, bpe.OverrideKind.force, "w", "i"))
    other.run(1)
    assert other.run_record.merges[4].sources == {"x/a.txt": 0.0, "y/a.txt": 0.0, "b.txt": 1.0}
    assert other.run_record.merges[3].sources == run.merges[3].sources


def test_no_shares_where_there_are_no_files_or_no_places() -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=2, force=[("o", "x")])
    run = bpe.train(corpus_of([("a", "lox lo"), ("b", "lo")], config))
    assert run.merges[0].sources == {"a": 1.0, "b": 0.0}
    run = bpe.train(corpus_of([("a", "lo x"), ("b", "lo")], config))
    assert run.merges[0].sources == {} and run.merges[1].sources == {"a": 0.5, "b": 0.5}
    assert (
        bpe.train(bpe.Corpus.from_text("low low", config.replace(force=()))).merges[0].sources == {}
    )


def test_a_tokenizers_merges_are_shared_too() -> None:
    files = [("a", texts.english(200)), ("b", texts.english(300, seed=1))]
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=400)
    model = bpe.train(bpe.Corpus.from_text(texts.english(250, seed=2), config)).tokenizer().model
    run = SeededRun.of_merges(model, corpus_of(files, config.replace(weight="b=2")))
    counts = run.source_counts().counts
    is_double = run.columns.left == run.columns.right
    assert np.array_equal(counts.sum(axis=0)[~is_double], run.columns.count[~is_double])


def test_a_copied_merge_leaves_its_run_behind() -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=2)
    run = bpe.train(corpus_of([("a", "low low"), ("b", "lo")], config))
    merge = run.merges[0]
    assert asdict(merge) == merge.to_log()
    stored = pickle.dumps(merge)
    assert b"Run" not in stored
    copied = pickle.loads(stored)
    assert copied == merge
    assert copied.sources == {}
    assert replace(merge, count=1).sources == merge.sources
