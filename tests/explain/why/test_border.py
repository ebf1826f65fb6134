"""Why a text is cut at a place, in words: borders that close, that stay, that no merge may
close.
"""

from __future__ import annotations

import pytest

import bpe_studio as bpe
from bpe_studio.explain.why.border import BorderPlace, answer_border, pair_at
from tests.facts import says

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def run_of(words=WORDS, preset="textbook", **options):
    config = bpe.TrainingConfig.preset(preset, **options)
    return bpe.train(bpe.Corpus.from_counts(words, config), config)


def ask(run, piece, place, step=None):
    n_merges = len(run.merges)
    at = BorderPlace(
        piece, place, cut=run.segmenter.word(piece) if run.segmenter.refresh() or piece else None
    )
    return answer_border(run, at, n_merges if step is None else step, n_merges)


def facts(answer):
    return {fact.label: fact.text for fact in answer.facts}


def test_a_border_that_the_run_closes_later_names_the_merge():
    answer = ask(run_of(merges=3), "hugs", 1, step=1)
    assert "Merge 3" in answer.sentence and "h + ug" in answer.sentence
    assert facts(answer) == {"occurs": "h + ug: 15 times in 2 words"}
    assert [
        (row.first_step, row.left.name, row.right.name, row.ended_by, row.then)
        for row in answer.meetings
    ] == [
        (0, "h", "u", 0, "merge 1 takes u into ug"),
        (1, "h", "ug", 2, "merge 3 joins the two"),
    ]
    assert [row.word for row in answer.words.rows] == [0, 4] and answer.words.total == 15


def test_a_border_that_is_gone_says_which_merge_it_was():
    answer = ask(run_of(merges=3), "hugs", 1, step=3)
    assert says(answer.sentence, "No border", "merge 3", "h + ug")
    assert answer.pair is None and not answer.words.rows and not answer.facts


def test_a_border_that_stays_says_about_which_rank_its_pair_would_have_and_from_what():
    answer = ask(run_of(merges=3), "hugs", 3)
    assert "hug + s" in answer.sentence and "5 times in 1 word" in answer.sentence
    assert answer.sentence.endswith("about merge 5")
    assert facts(answer)["estimate"].endswith("1 pair occurs more often, and 1 as often")


def test_an_earlier_merge_that_took_one_of_the_two():
    run = run_of({"ab": 10, "bc": 5}, merges=2)
    assert [(merge.left, merge.right) for merge in run.merges] == [("a", "b"), ("b", "c")]
    answer = ask(run, "abc", 2)
    assert facts(answer)["earlier merge"] == (
        "b had already gone into ab (merge 1), so b + c (merge 2) came too late"
    )
    assert "ab + c" in answer.sentence and "never occur next to each other" in answer.sentence
    answer = ask(run_of({"aa": 3}, merges=1), "aaa", 2)
    assert "a + a" in facts(answer)["earlier merge"]


@pytest.mark.parametrize(
    ("options", "piece", "place", "why"),
    [
        ({"merges": 3, "forbid": [("hug", "s")]}, "hugs", 3, "the pair is forbidden"),
        ({"merges": 3}, "héug", 1, "one of the two is outside the alphabet of this run"),
        (
            {"min_frequency": 6, "merges": 9},
            "hugs",
            3,
            "5 times at the end of the run, below the minimum frequency of 6",
        ),
    ],
)
def test_what_stands_in_the_way(options, piece, place, why):
    answer = ask(run_of(**options), piece, place)
    assert answer.sentence.endswith(why) and "estimate" not in facts(answer)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"one_script": True}, "a + б: it would join two scripts"),
        ({"whole_characters": True, "merges": 0}, "a + ⟨D0⟩: it would end inside a character"),
    ],
)
def test_a_rule_about_tokens_is_named(options, why):
    run = run_of({"aÐ±": 4}, preset="gpt2", **options)
    assert ask(run, "aб", 1).sentence.endswith(why)


def test_a_border_of_the_split():
    run = run_of(preset="gpt2", words={"Ġa": 3}, merges=0)
    answer = answer_border(run, BorderPlace("a", 1, " hug"), 0, 0)
    assert "split “GPT-2”" in answer.sentence and "a from ␣hug" in answer.sentence
    assert pair_at(run, BorderPlace("a", 1, " hug"), 0, 0) is None


def test_a_word_of_the_corpus_is_asked_about_by_its_number_and_its_next_borders_are_known():
    run = run_of(merges=2)
    answer = answer_border(run, BorderPlace("", 1, word=4), 2, 2)
    assert [piece.name for piece in answer.pair] == ["h", "ug"]
    assert (answer.before, answer.behind) == (0, 3)
    answer = answer_border(run, BorderPlace("", 3, word=4), 2, 2)
    assert (answer.before, answer.behind) == (1, 0)
    assert [piece.name for piece in pair_at(run, BorderPlace("", 3, word=4), 0, 2)] == ["g", "s"]
    assert pair_at(run, BorderPlace("", 2, word=4), 2, 2) is None
    assert answer_border(run, BorderPlace("", 99, word=4), 2, 2).trouble.startswith(
        "There is no gap 99"
    )
