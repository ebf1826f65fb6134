"""Measures at many sizes of a run, against the tokenizers of those sizes and the measures
of each.
"""

from __future__ import annotations

import numpy as np
import pytest

import bpe_studio as bpe
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.comparison.measure_curves import (
    MEASURES,
    line_of_run,
    measuring_groups,
    point_of_tokenizer,
)
from bpe_studio.explain.comparison.subjects import ComparedTokenizer
from bpe_studio.explain.group_measures import ALL, GroupMeasures

TEXT = "low lower newest widest, slow 12 and slower\nسلام دنیا سلام \U0001f44d\U0001f44d é\n" * 8


@pytest.fixture(scope="module", params=[{"split": "gpt2"}, {"split": "none", "merges": 25}])
def run(request):
    config = bpe.TrainingConfig.preset("gpt2", **{"merges": 60} | request.param)
    return bpe.train(bpe.Corpus.from_text(TEXT, config), config)


@pytest.mark.parametrize("by", ["script", "file"])
def test_groups_are_those_of_the_tokenizer_at_each_step(run, by):
    texts = [("one", TEXT[:150]), ("two", TEXT[150:]), ("one", "سلام low")]
    found = result_of(measuring_groups(run, len(run.merges), texts, by))
    assert found.steps[0] == 0 and found.steps[-1] == len(run.merges) and found.share == 1
    for place, step in enumerate(found.steps):
        tokenizer = run.tokenizer(step)
        direct = GroupMeasures(tokenizer.vocab_size, by_script=by == "script")
        for group, text in texts:
            encoding = tokenizer.encode(text)
            direct.add(text, encoding.id_array, encoding.offset_array, group)
        assert {name: rows[place] for name, rows in found.groups.items()} == dict(direct.rows())
    assert next(iter(found.groups)) == ALL
    (measure,) = (each for each in MEASURES if each.key == "fertility")
    lines = found.lines(measure)
    assert lines[0].name == "all" and len(lines) == len(found.groups)
    assert lines[0].values[-1] == found.groups[ALL][-1]["fertility"]


def test_a_sample_has_lines_from_all_over_the_text(run):
    scripts = (
        "low lower 12\n" * 300,
        "سلام دنیا\n" * 300,
        "newest widest\n" * 300,
        "今天天气很好\n" * 300,
    )
    text = "".join(scripts)
    whole, part = (
        result_of(measuring_groups(run, 25, [("", text)], "script", share)) for share in (1.0, 0.2)
    )
    assert whole.share == 1 and part.share == pytest.approx(0.2, abs=0.06)
    assert set(part.groups) == set(whole.groups) >= {"Latin", "Arabic", "Han"}
    for name, rows in whole.groups.items():
        assert part.groups[name][-1]["chars_per_token"] == pytest.approx(
            rows[-1]["chars_per_token"], rel=0.05
        )
    assert "all over" in part.remark and "all over" not in whole.remark
    assert part.price[0].split(" pays")[0] == whole.price[0].split(" pays")[0]


def test_parallel_texts_stay_parallel_in_a_sample(run):
    texts = [("en", "low lower\n" * 700), ("fa", "سلام دنیا\n" * 700)]
    whole, part = (
        result_of(measuring_groups(run, 25, texts, "file", share)) for share in (1.0, 0.3)
    )
    assert "700 lines" in whole.price[0] and " lines each" in part.price[0]
    assert part.price[0].split(", ")[1] == whole.price[0].split(", ")[1]


def test_scripts_without_spaces_have_no_measure_of_words(run):
    found = result_of(measuring_groups(run, 25, [("", "low lower\n今天天气很好\n")], "script"))
    names = {
        key: {line.name for line in found.lines(each)} for each in MEASURES for key in [each.key]
    }
    assert "Han" in found.groups and "Han" in names["chars_per_token"]
    assert (
        "Latin" in names["fertility"]
        and "Han" not in names["fertility"] | names["single_token_words"]
    )


def test_a_measure_of_the_corpus_is_known_at_every_step(run):
    for measure in MEASURES:
        if measure.of_run:
            line = line_of_run(run, 9, measure, "corpus")
            assert line.sizes.tolist() == [run.vocab_size_at(step) for step in range(10)]
            assert line.values[9] == run.measure(measure.of_run)[9]


def test_a_tokenizer_is_a_point_with_the_measures_of_the_run_it_equals(run):
    n_merges = len(run.merges)
    counts = np.bincount(run.tokenizer().encode(TEXT).ids, minlength=run.vocab_size_at(n_merges))
    tokenizer = ComparedTokenizer(1, "same", run.tokenizer(), counts)
    for measure in MEASURES:
        if measure.of_run:
            point = point_of_tokenizer(tokenizer, run, measure)
            assert point.sizes.tolist() == [run.vocab_size_at(n_merges)]
            assert point.values[0] == pytest.approx(
                line_of_run(run, n_merges, measure, "").values[-1]
            )
    assert (
        point_of_tokenizer(ComparedTokenizer(1, "same", run.tokenizer()), run, MEASURES[0]) is None
    )


def test_of_many_groups_those_that_pay_most_and_least_are_kept(run):
    texts = []
    for place in range(20):
        # The later ones have more characters that no merge knows.
        words = "low lower newest widest slow " * (60 - 3 * place) + "é" * 60 * place
        texts.append((f"group {place:02}", words))
    found = result_of(measuring_groups(run, 25, texts, "file"))
    kept = [0, 1, 2, 3, 16, 17, 18, 19]
    assert set(found.groups) == {ALL, *(f"group {place:02}" for place in kept)}
    assert found.n_left_out == 12 and "12 others" in found.remark
    assert all(name.removeprefix("group ") in found.price[0] for name in ("group 19", "group 00"))
    few = result_of(measuring_groups(run, 25, texts[:8], "file"))
    assert len(few.groups) == 9 and "left out" not in few.remark


def test_the_sum_is_not_drawn_beside_its_parts(run):
    found = result_of(measuring_groups(run, 25, [("a", TEXT), ("b", TEXT)], "file"))
    names = {each.key: [line.name for line in found.lines(each)] for each in MEASURES}
    assert names["n_tokens"] == ["a", "b"]
    assert names["fertility"] == ["all", "a", "b"]
    alone = result_of(measuring_groups(run, 25, [("a", TEXT)], "file"))
    assert [line.name for line in alone.lines(MEASURES[0])] == ["all"]
