"""Planted faults are named, the shortest text is the shortest, and equal tokenizers give no
alarm.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from sentencepiece import SentencePieceNormalizer
from sentencepiece.sentencepiece_model_pb2 import ModelProto

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer import Tokenizer, TokenizerModel
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.presets import PATTERNS
from bpe_studio.explain.tokenizer_diff.blame import Part
from bpe_studio.explain.tokenizer_diff.difference import TokenizerDifference, comparing
from bpe_studio.explain.tokenizer_diff.golden import checking, golden_lines
from bpe_studio.explain.tokenizer_diff.made_texts import sample
from bpe_studio.explain.tokenizer_diff.pair import TokenizerPair
from bpe_studio.explain.tokenizer_diff.sentences import kind_of_example, why
from bpe_studio.files.formats import sentencepiece
from bpe_studio.files.third_party.sentencepiece_model import SentencePieceLibrary
from bpe_studio.files.third_party.tokenizer import Steps, ThirdPartyTokenizer
from tests.explain.tokenizer_diff.faults import opened, planted
from tests.files.third_party import made

LONGEST = 6
TEXT = "abcab bcaabb cab abba cabbac aab bbc acc abcabc bca cba cab abc ab ba cc bcc"


def difference(
    a: Tokenizer, b: Tokenizer, texts: Sequence[str] = (), seconds: float = 600
) -> TokenizerDifference:
    return result_of(comparing(a, b, texts, seconds))


def parts(found: TokenizerDifference) -> list[Part]:
    return [text.blame.part for text in found.texts]


def small(seed: int) -> TokenizerModel:
    words = TEXT.split(" ")
    random.Random(seed).shuffle(words)
    config = bpe.TrainingConfig.preset("textbook", split="regex:[abc]+", merges=12, min_frequency=1)
    return bpe.train(bpe.Corpus.from_text(" ".join(words), config), config).tokenizer().model


def swapped(model: TokenizerModel, seed: int) -> TokenizerModel:
    merges = list(model.merges)
    i, j = random.Random(seed).sample(range(len(merges)), 2)
    merges[i], merges[j] = merges[j], merges[i]
    return replace(model, merges=tuple(merges))


def shortest_by_brute_force(a: Tokenizer, b: Tokenizer, characters: str) -> int | None:
    pair = TokenizerPair(a, b)
    for length in range(LONGEST + 1):
        if any(pair.differs("".join(chars)) for chars in product(characters, repeat=length)):
            return length
    return None


def with_config(model: TokenizerModel, **options: object) -> TokenizerModel:
    return replace(model, config=model.config.replace(**options))


SMALL_FAULTS: dict[str, tuple[Part, Callable[[TokenizerModel, int], TokenizerModel]]] = {
    "two merges swapped": (Part.merges, swapped),
    "one merge less": (Part.merges, lambda model, _: replace(model, merges=model.merges[:-1])),
    "another expression": (Part.cut, lambda model, _: with_config(model, split="regex:[ab]+|c+")),
    "another normalizer": (
        Part.normalizer,
        lambda model, _: with_config(model, normalize=("lowercase",)),
    ),
}
SLOW = pytest.mark.slow(buys="more tokenizers, each with another order of merges")
SEEDS = [0, *(pytest.param(seed, marks=SLOW) for seed in range(1, 4))]


@pytest.mark.usefixtures("few_texts")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", SMALL_FAULTS)
def test_the_shortest_text_is_the_shortest(fault: str, seed: int) -> None:
    part, change = SMALL_FAULTS[fault]
    model = small(seed)
    a = Tokenizer(model)
    b = Tokenizer(change(model, seed))
    found = difference(a, b)
    shortest = shortest_by_brute_force(a, b, "abcA ")
    if shortest is None:
        assert not found.texts or len(found.texts[0].text) > LONGEST
        assert not found.is_equal
    else:
        assert (len(found.texts[0].text), parts(found)) == (shortest, [part])
        assert found.texts[0].n_characters >= len("abc ")
        assert found.texts[0].is_shortest is (shortest <= 1)


@pytest.mark.usefixtures("few_texts")
def test_what_differs_is_said_before_a_text_and_the_reason_is_the_merge() -> None:
    model = small(0)
    left, right, _ = model.merges[0]
    pair = f"{model.tokens[left]}{model.tokens[right]}"
    less = replace(model, merges=model.merges[1:])
    found = difference(Tokenizer(model), Tokenizer(less), [pair])
    assert "same" in found.said[0] and "1 merge only in A" in found.said[-1]
    assert (
        "different merges" in why(found.texts[0])
        and kind_of_example(found.texts[0]) == "A short example"
    )
    swap = difference(Tokenizer(model), Tokenizer(swapped(model, 0)))
    assert "in another order" in swap.said[-1] and "in another order" in why(swap.texts[0])


def test_only_a_text_that_is_proved_to_be_the_shortest_is_called_so() -> None:
    model = small(0)
    lowered = replace(model, config=model.config.replace(normalize=("lowercase",)))
    one = difference(Tokenizer(model), Tokenizer(lowered)).texts[0]
    assert (len(one.text), one.text.isupper(), one.is_shortest) == (1, True, True)
    assert "shortest" in kind_of_example(one)


@pytest.mark.parametrize(
    "name",
    [
        "llama2",
        *(
            pytest.param(
                name,
                marks=pytest.mark.slow(
                    buys="the kinds of tokenizers in use, with the faults of each"
                ),
            )
            for name in ("gpt2", "qwen", "roberta", "clip", "word_piece", "unigram")
        ),
    ],
)
@pytest.mark.usefixtures("few_texts")
def test_planted_faults_are_named(name: str) -> None:
    root = json.loads(made.content_of(name))
    a = opened(root)
    n_named = 0
    for what, part, changed in planted(root, seed=1):
        found = difference(a, opened(changed))
        if found.texts:
            assert part in parts(found), (what, parts(found), found.texts[0].blame.because)
            n_named += 1
        else:
            # A fault that changes no ids, such as byte fallback where every byte has a token.
            assert not found.own.is_empty, what
            assert (
                len(
                    list(
                        filter(
                            TokenizerPair(a, opened(changed)).differs, made.strange_texts(300, 1)
                        )
                    )
                )
                == 0
            ), what
    assert n_named >= 4


@pytest.mark.parametrize(
    "form",
    [
        "gpt2",
        *(
            pytest.param(
                form, marks=pytest.mark.slow(buys="each format that holds such a tokenizer")
            )
            for form in ("huggingface", "minbpe", "tiktoken")
        ),
    ],
)
def test_the_same_tokenizer_in_two_formats_gives_no_alarm(form: str, tmp_path: Path) -> None:
    config = bpe.TrainingConfig.preset("gpt2", merges=60, special=(), ties="raw-ids")
    whole = bpe.train(bpe.Corpus.from_text(" ".join(made.TRAINING), config), config).tokenizer()
    whole.save(tmp_path / "a")
    whole.save(tmp_path / "b", form)
    found = difference(bpe.load(tmp_path / "a"), bpe.load(tmp_path / "b"))
    assert found.is_equal and found.is_complete and found.n_tried > 50_000, (found.own, found.texts)


@pytest.mark.parametrize(
    ("name", "n_swaps"),
    [
        ("gpt2", 6),
        *(
            pytest.param(name, 4, marks=pytest.mark.slow(buys="swaps in other kinds of tokenizers"))
            for name in ("llama2", "clip")
        ),
    ],
)
def test_a_golden_file_shows_swapped_merges(name: str, n_swaps: int, tmp_path: Path) -> None:
    root = json.loads(made.content_of(name))
    draw = random.Random(n_swaps)
    pairs = [pair.split(" ") if isinstance(pair, str) else pair for pair in root["model"]["merges"]]
    competing = [
        (i, j) for i, a in enumerate(pairs) for j, b in enumerate(pairs) if a[1] == b[0] and a != b
    ]
    a = opened(root)
    file = tmp_path / "golden.jsonl"
    n_shown = 0
    file.write_text("".join(golden_lines(a, sample(a))), "utf-8")
    for i, j in draw.sample(competing, n_swaps):
        merges = list(pairs)
        merges[i], merges[j] = merges[j], merges[i]
        b = opened({**root, "model": {**root["model"], "merges": merges}})
        if difference(a, b, seconds=0.5).texts:
            n_shown += 1
            assert result_of(checking(b, file)).n_drifted, (pairs[i], pairs[j])
    assert n_shown > n_swaps / 4


def _without_order(model: Any) -> None:
    """Equal scores: which of two pieces is joined first depends on their places, and there are no
    merges to compare.
    """
    for piece in model.pieces:
        piece.score = -1.0 if piece.type == 1 else 0.0


def _of_spaces(model: Any) -> None:
    model.normalizer_spec.add_dummy_prefix = not model.normalizer_spec.add_dummy_prefix


def _of_table(model: Any) -> None:
    table = SentencePieceNormalizer(rule_name="nmt_nfkc_cf").serialized_model_proto()
    model.normalizer_spec.precompiled_charsmap = ModelProto.FromString(
        table
    ).normalizer_spec.precompiled_charsmap


@pytest.mark.parametrize(
    ("part", "change", "said"),
    [
        (
            Part.merges,
            lambda model: setattr(model.pieces[-150], "score", -9.0),
            "the score -9.0 in B",
        ),
        (
            Part.added_token,
            lambda model: setattr(model.pieces[-150], "type", 4),
            "the kind user-defined in B",
        ),
        (Part.prefix_space, _of_spaces, "a space before a text"),
        (Part.normalizer, _of_table, "normalizes"),
    ],
)
def test_faults_in_a_sentencepiece_model_without_merges_are_named(
    part: Part, change: Callable[[Any], None], said: str
) -> None:
    model = ModelProto.FromString(made.sentencepiece_model("llama"))
    _without_order(model)
    a = _of_pieces(model)
    assert not a.n_merges
    change(model)
    text = difference(a, _of_pieces(model), seconds=20).texts[0]
    assert text.blame.part is part and said in text.blame.because


def _of_pieces(model: Any) -> Tokenizer:
    data = model.SerializeToString()
    library = SentencePieceLibrary(data, sentencepiece.parsed(data))
    return ThirdPartyTokenizer(library, partial(Steps.of, library.read_piece_merges))


@pytest.mark.usefixtures("few_texts")
def test_an_expression_that_leaves_a_space_to_the_next_word_is_the_split_to_blame() -> None:
    split = f"regex:{PATTERNS['gpt2']}"
    config = bpe.TrainingConfig.preset("gpt2", split=split, merges=60, special=())
    model = bpe.train(bpe.Corpus.from_text("  in  it\n  is " * 9, config), config).tokenizer().model
    other = with_config(model, split=split.replace(r"|\s+(?!\S)", ""))
    found = difference(Tokenizer(model), Tokenizer(other), seconds=20)
    assert parts(found) == [Part.cut], found.texts[0].blame.because


def test_the_merge_and_its_rank_in_the_other_are_named() -> None:
    model = small(0)
    a = Tokenizer(model)
    b = Tokenizer(replace(model, merges=model.merges[::-1]))
    blame = difference(a, b).texts[0].blame
    assert blame.part is Part.merges
    rank = blame.ranks[0]
    assert rank is not None
    assert (
        f"(merge {rank + 1})" in blame.because
        and f"as merge {len(model.merges) - rank}" in blame.because
    )


def test_a_golden_file_holds_every_token(tmp_path: Path) -> None:
    draw = random.Random(1)
    config = bpe.TrainingConfig.preset("gpt2", merges=6000, special=())
    words = " ".join("".join(draw.choices("abcdefghij", k=8)) for _ in range(2000))
    model = bpe.train(bpe.Corpus.from_text(words * 2, config), config).tokenizer().model
    (tmp_path / "golden.jsonl").write_text(
        "".join(golden_lines(Tokenizer(model), sample(Tokenizer(model)))), "utf-8"
    )
    for at in range(256, len(model.tokens), 900):
        tokens = (*model.tokens[:at], f"other {at}", *model.tokens[at + 1 :])
        other = replace(
            model, tokens=tokens, merges=tuple(each for each in model.merges if at not in each)
        )
        assert result_of(checking(Tokenizer(other), tmp_path / "golden.jsonl")).n_drifted, at


def test_a_given_text_is_tried_first_and_shortened() -> None:
    model = small(0)
    a = Tokenizer(model)
    b = Tokenizer(with_config(model, normalize=("nfkc",)))
    found = difference(a, b, ["abc\n" * 2000 + "\uff41" + "cab " * 2000])
    assert found.texts[0].text == "\uff41"
    assert found.texts[0].blame.part is Part.normalizer


@pytest.mark.usefixtures("few_texts")
def test_other_ids_of_the_same_tokens_are_told_apart_from_other_tokens() -> None:
    model = small(0)
    order = [*range(1, len(model.tokens)), 0]
    places = {old: new for new, old in enumerate(order)}
    renumbered = replace(
        model,
        tokens=tuple(model.tokens[old] for old in order),
        merges=tuple((places[a], places[b], places[c]) for a, b, c in model.merges),
        special_ids={name: places[number] for name, number in model.special_ids.items()},
        unknown_id=None if model.unknown_id is None else places[model.unknown_id],
    )
    found = difference(Tokenizer(model), Tokenizer(renumbered))
    assert len(found.own.values["ids"]) == len(model.tokens)
    assert not found.own.moved and not any(found.own.tokens)
    assert parts(found) == [Part.vocabulary] and len(found.texts[0].text) == 1
    late = difference(Tokenizer(model), Tokenizer(renumbered), ["abc cab "] * 9, seconds=0.01)
    assert late.texts and not late.is_complete


def test_the_time_is_kept_and_said() -> None:
    model = small(0)
    found = difference(Tokenizer(model), Tokenizer(model), seconds=0.05)
    assert not found.is_complete and found.seconds < 5
