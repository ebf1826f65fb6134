"""A text under several subjects: what is measured, how it is cut, and what differs."""

from __future__ import annotations

import numpy as np
import pytest

import bpe_studio as bpe
from bpe_studio.explain.comparison.difference import compare, cost_words, facts, same_size
from bpe_studio.explain.comparison.measures import Measurer, Row, TextSize, shared_in_run
from bpe_studio.explain.comparison.subjects import ComparedTokenizer, LiveTexts, RunAt
from bpe_studio.explain.comparison.texts import ComparedText, CutDifferences
from bpe_studio.explain.cut_text import difference_words
from tests.engine.counting.test_source_weights import corpus_of
from tests.facts import says

TEXT = (
    "low lower newest widest, slow and slower, wider than the new and the lowest river banks that"
    " are there " * 10
)
OTHER = "the lowest river runs slower \U0001f44d سلام " * 10
TYPED = "lowest newest سلام \U0001f44d"


def run_of(text=TEXT, **options):
    config = bpe.TrainingConfig.preset("gpt2", **options)
    return bpe.train(bpe.Corpus.from_text(text, config), config)


@pytest.fixture(scope="module")
def run():
    return run_of(merges=30)


@pytest.fixture(scope="module")
def tokenizer():
    """A tokenizer, with its counts in the text."""
    tokenizer = run_of(OTHER, merges=40).tokenizer()
    return ComparedTokenizer(1, "other", tokenizer, np.bincount(tokenizer.encode(TEXT).ids))


def test_measures_are_those_of_the_tokenizer(run):
    text = "lowest newest سلام"
    size = TextSize.of(text)
    for step in (0, 3, len(run.merges)):
        n_tokens = len(run.tokenizer(step).encode(text).ids)
        row = Row.of(RunAt("size 1", "", run, step), run, size, n_tokens)
        assert row.vocab_size == run.vocab_size_at(step) and row.is_size
        assert row.bytes_per_token == pytest.approx(len(text.encode()) / n_tokens)
        assert row.characters_per_token == pytest.approx(len(text) / n_tokens)
        assert row.fertility == pytest.approx(n_tokens / 3)
        assert row.corpus_bytes_per_token == pytest.approx(len(TEXT) / run.n_tokens_at(step))
    nothing = Row.of(RunAt("size 1", "", run, 0), run, TextSize.of(""), 0)
    assert nothing.bytes_per_token is None and nothing.fertility is None


def test_the_use_of_each_vocabulary_is_that_of_a_recount(run, tokenizer):
    subjects = [
        RunAt("size 1", "", run, 5),
        RunAt("size 2", "", run, 30),
        RunAt("run 1", "run", run, 30),
        tokenizer,
    ]
    measurer = Measurer()
    found = measurer.measure(subjects, TYPED, 4)
    for subject in subjects:
        tokens = subject.tokens().tolist()
        measured = found[subject]
        own = tokenizer.tokenizer if subject is tokenizer else run.tokenizer(subject.step)
        counts = dict(zip(tokens, subject.counts().tolist(), strict=True))
        assert measured.n_tokens == len(own.encode(TYPED).ids)
        assert measured.use.corpus.n_unused == sum(not n for n in counts.values())
        assert measured.use.corpus.n_rare == sum(n < 4 for n in counts.values())
        assert measured.use.text.n_unused == len(tokens) - len(set(own.encode(TYPED).ids))
    contents = [
        {subject.content(token) for token in subject.tokens().tolist()} for subject in subjects
    ]
    for reference in (1, 3):
        n_shared = measurer.n_shared(subjects, subjects[reference])
        assert n_shared == [len(each & contents[reference]) for each in contents]
    assert [shared_in_run(each, subjects[1]) for each in subjects] == [
        *measurer.n_shared(subjects[:3], subjects[1]),
        None,
    ]


def test_what_differs_in_the_cuts_is_marked_by_the_least_and_the_greatest_size_and_the_others(
    run, tokenizer
):
    text = ComparedText(run, TYPED)
    (_, starts, other) = tokenizer.cut(TYPED, LiveTexts())
    cuts = [text.cut(step) for step in (0, 7, 30)] + [other]
    shared = set.intersection(*(set(each.starts.tolist()) for each in cuts))
    anywhere = set.union(*(set(each.starts.tolist()) for each in cuts))
    differences = CutDifferences([cuts[0], cuts[2], other, None])
    for each in cuts:
        marked = differences.marked(each)
        own = set(each.starts.tolist())
        assert (
            set(marked.cut_here.tolist()) == own - shared
            and set(marked.joined_here.tolist()) == anywhere - own
        )
    assert len(other.starts) == len(tokenizer.tokenizer.encode(TYPED).ids)
    assert starts.tolist() == [
        float(start) for start, _ in tokenizer.tokenizer.encode(TYPED).offsets
    ]
    assert "id " in other.tip(0) and "id " in cuts[0].tip(0)


def test_a_difference_is_said_in_words():
    a = np.array([0.0, 1, 2, 2.5, 3])
    b = np.array([0.0, 2, 3])
    c = np.array([0.0, 3])
    assert difference_words(b, a) == "2 boundaries of B merged"
    assert difference_words(a, c) == "3 boundaries more than B"
    assert difference_words(a, a) == "tokenized as B"
    assert difference_words(np.array([0.0, 1]), np.array([0.0, 2])) == "1 merged, 1 more than B"


def test_a_long_text_is_measured_whole_and_drawn_in_part(run):
    text = ComparedText(run, "newest " * 2000)
    assert text.n_drawn == len(text.cut(5).text) == 4000
    assert text.n_tokens(5) > len(text.cut(5).starts)


def test_two_runs_are_compared_in_words():
    runs = [run_of(merges=20, ties=ties) for ties in ("first-seen", "greatest-bytes")]
    a, b = (
        RunAt(f"run {k}", name, run, 20)
        for k, (name, run) in enumerate(zip("ab", runs, strict=True))
    )
    found = compare(a, b)
    assert [each[1:] for each in found.settings] == [
        ("Ties", "first in the text", "last by bytes (CS336)")
    ]
    assert facts(found)[0].name == f"merge {found.rank + 1}" and facts(found)[-2].a == str(
        a.n_corpus_tokens
    )
    assert found.divergence is not None and "A merges" in found.divergence.sentences[0]
    assert cost_words(found).startswith(("A needs", "Both need"))
    same = compare(a, a)
    assert same.divergence is None and says(cost_words(same), "same number of tokens")
    assert [each.step for each in same_size(a, b.at(5))] == [5, 5]
    assert [each.step for each in same_size(a, a.at(5))] == [20, 5], (
        "sizes of one run are compared as they are"
    )


def test_runs_with_other_weights_are_not_compared_by_the_tokens_of_the_corpus():
    config = bpe.TrainingConfig.preset("textbook", merges=5)
    corpus = corpus_of([("a", "low lower " * 4), ("b", "new newest newer " * 3)], config)
    runs = [bpe.train(corpus, config), bpe.train(corpus, config, weight="b=3")]
    found = compare(RunAt("run 0", "A", runs[0], 5), RunAt("run 1", "B", runs[1], 5))
    assert cost_words(found) == ""
    assert found.divergence is not None and "weights" in found.divergence.headline
    per_token = facts(found)[-1]
    sides = [f"{each.corpus.size_bytes / each.n_tokens_at(5):.3f}" for each in runs]
    assert [per_token.a, per_token.b] == sides


def test_a_run_and_a_tokenizer_are_compared_by_the_bytes_of_their_tokens(run, tokenizer):
    found = compare(RunAt("run 0", "run", run, 30), tokenizer)
    contents = [{side.content(token) for token in side.tokens().tolist()} for side in found.sides]
    for own, mine, other in zip(found.own, contents, contents[::-1], strict=True):
        assert {own.subject.content(token) for token in own.tokens.tolist()} == mine - other
        assert own.n_all == len(mine) and own.uses.tolist() == sorted(
            own.uses.tolist(), reverse=True
        )
    assert found.found is None and not found.settings and cost_words(found) == ""
