"""What is said of a step, a merge, a token, a text and two runs, without a window."""

from __future__ import annotations

import numpy as np
import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.explain.comparison.curves import CurveCounter
from bpe_studio.explain.merges import (
    comes_next,
    joint_sentence,
    just_made,
    line_sentence,
    step_in_words,
    tokens_in_words,
)
from bpe_studio.explain.text_counts import TextCounts
from bpe_studio.explain.text_export import cut_text
from bpe_studio.explain.token_facts import details_text, token_facts, token_sentence, token_tip
from tests.facts import says

TEXT = "the hug the hugs the pug the pun the bun " * 3


def run_of(text=TEXT, preset="textbook", **options):
    config = TrainingConfig.preset(preset, **options)
    return train(Corpus.from_text(text, config), config)


@pytest.fixture(scope="module")
def run():
    return run_of(merges=8)


def test_a_step_says_its_merge_its_count_and_its_tie(run):
    columns = run.columns
    name = run.token_name
    pair = f"{name(int(columns.left[0]))} + {name(int(columns.right[0]))} → {name(run.n_alphabet)}"
    assert says(step_in_words(run, 0), "alphabet")
    tie = f", a tie of {columns.tied[0]}" if columns.tied[0] > 1 else ""
    assert step_in_words(run, 1) == f"Merge 1: {pair}, counted {columns.count[0]} times{tie}"
    counted = f"counted {columns.count[0]} times in the corpus when it was merged"
    assert joint_sentence(run, 0) == f"Merge 1: {pair}, {counted}"
    assert tokens_in_words(run, 8).startswith(
        f"{run.n_tokens_at(8)} tokens left of {run.initial_n_tokens}"
    )
    assert line_sentence(3, 8).startswith("Step 3 of 8 merges")


def test_what_was_just_made_and_what_comes_next(run):
    columns = run.columns
    name = run.token_name
    tied = next(rank for rank in range(1, 8) if columns.tied[rank] > 1)
    pair = (
        f"{name(int(columns.left[tied]))} + {name(int(columns.right[tied]))} →"
        f" {run.merges[tied].token}"
    )
    count = columns.count[tied]
    n_tied = columns.tied[tied]
    made = just_made(run, tied + 1)
    tie = f"decided by a tie of {n_tied}"
    assert made[0] == f"Just made: {pair}, merge {tied + 1}, occurred {count} times, {tie}"
    assert comes_next(run, tied)[0] == f"Comes next: {pair}, {count} times, a tie of {n_tied}"
    for wordings in (made, comes_next(run, tied)):
        assert sorted(wordings, key=len, reverse=True) == list(wordings), "the longest first"


def test_a_token_is_told_with_its_id_its_bytes_and_its_merge(run):
    made = run.n_alphabet
    facts = token_facts(run, made, 8)
    assert (facts.rank, facts.birth_count) == (0, int(run.columns.count[0]))
    assert facts.count_now == run.token_info(made, 8).count_now
    assert facts.content == run.token_content(made).hex(" ").upper()
    assert f"·  bytes {facts.content}  ·" in details_text(facts), (
        "next to the id, a number without a name is none"
    )
    assert f"merge 1, when the pair occurred {facts.birth_count} times" in details_text(facts)
    assert details_text(facts).endswith(f"{facts.count_now} in the corpus now")
    assert "in the corpus now" not in details_text(token_facts(run, made, 8, counts=False))
    assert "a symbol of the alphabet" in details_text(token_facts(run, 0, 8))
    assert details_text(None).startswith("Unknown")
    assert token_sentence(run, -1, 8).startswith("Unknown")
    assert token_sentence(run, 0, 8).endswith("a symbol of the alphabet")
    assert "merge 1, when the pair occurred" in token_sentence(run, made, 8)


def test_a_text_is_counted_in_words():
    counts = TextCounts(1, 2, 1, 1, 0)
    assert counts.phrases()[:3] == [("1", "character"), ("2", "bytes"), ("1", "token")]
    assert ("0.50", "tokens per whitespace word (fertility)") in TextCounts(
        1500, 1500, 2, 1
    ).phrases()
    assert [what for _, what in TextCounts(3, 3, 1).phrases()] == ["characters", "bytes"]


def test_a_text_is_exported_as_the_run_cuts_it(run):
    cut = cut_text(run, "the hug?", 8, 8, "a.txt")
    ids = run.live("the hug?").tokens(8).ids.tolist()
    assert len(cut.starts) == len(cut.ends) == len(ids)
    assert says(cut.heading, "a.txt")
    assert dict(cut.facts)["Step"] == "8 of 8"
    assert cut.unknown == {k for k, token in enumerate(ids) if token < 0}
    assert cut_text(run, "the", 0, 8).heading == "Text cut into tokens"


def test_a_token_of_a_text_is_told_at_its_place(run):
    spans = run.live("the ?").tokens(8)
    said = [token_tip(run, token, 8) for token in spans.ids.tolist()]
    assert any("Unknown" in each for each in said)
    assert any("made by merge" in each for each in said)


def test_curves_are_the_counts_at_every_step(run):
    curves = CurveCounter().count(run, 8, "the hugs", "typed text", None)
    assert curves.corpus.n_tokens.tolist() == [run.n_tokens_at(step) for step in range(9)]
    assert curves.text is not None and curves.held_out is None
    live = run.live("the hugs")
    assert curves.text.n_tokens.tolist() == [live.n_tokens(step) for step in range(9)]
    assert curves.series == [curves.corpus, curves.text]
    assert curves.corpus.bytes_per_token[0] == run.corpus.size_bytes / run.n_tokens_at(0)


def test_a_held_out_part_has_a_curve_that_is_counted_once(run):
    held_out = Corpus.from_text("the hugs and the puns", run.config)
    counter = CurveCounter()
    first = counter.count(run, 8, "", "", held_out).held_out
    second = counter.count(run, 4, "", "", held_out).held_out
    assert first is not None and second is not None
    assert np.shares_memory(first.n_tokens, second.n_tokens)
    assert second.n_tokens.tolist() == first.n_tokens[:5].tolist()
