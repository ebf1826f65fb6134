"""What is said of a tokenizer's tokens is what encoding each of them shows, and without the stated
cause it is made.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.text.alphabet import byte_to_stand_in
from bpe_studio.explain.doctor.gates import assigned_characters
from bpe_studio.explain.doctor.reasons import Cause, Reason, Reasons
from bpe_studio.explain.doctor.token_classes import TokenClass, classes_of
from tests.examples import examples

_LETTERS = [b[0] for b in (b"a", b"b", b"c", b"A", b" ", b"\n", b"'", b"s", b"1", b"\xc3", b"\xa9")]


def _model(
    pairs: list[tuple[int, int]],
    split: str = "none",
    normalize: tuple[str, ...] = (),
    special: tuple[str, ...] = (),
) -> TokenizerModel:
    """A tokenizer of bytes with any merges.

    Each number of a pair is that of a letter or of an earlier merge.
    """
    tokens = list(byte_to_stand_in)
    merges = list[tuple[int, int, int]]()
    numbers = list(_LETTERS)
    for a, b in pairs:
        left = numbers[a % len(numbers)]
        right = numbers[b % len(numbers)]
        name = tokens[left] + tokens[right]
        if name not in tokens and len(name) <= 12:
            merges.append((left, right, len(tokens)))
            numbers.append(len(tokens))
            tokens.append(name)
    config = bpe.TrainingConfig.preset("gpt2", special=special, split=split, normalize=normalize)
    specials = {name: len(tokens) + i for i, name in enumerate(special)}
    return TokenizerModel(config, (*tokens, *special), tuple(merges), specials)


models = st.builds(
    _model,
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=30),
    st.sampled_from(["none", "gpt2", "cl100k", "whitespace", r"regex:a+|[^a]"]),
    st.sampled_from([(), ("lowercase",), ("nfd",)]),
)


def _causes(tokenizer: bpe.Tokenizer) -> dict[str, Cause]:
    """Why each token that is never made is not, without the gates, which try every character."""
    reasons = Reasons(tokenizer)
    names = tokenizer.tokens
    return {
        names[n]: reasons.of(n)
        for n, kind in classes_of(tokenizer)
        if kind is TokenClass.unreachable
    }


def _brute_force(tokenizer: bpe.Tokenizer, number: int) -> TokenClass:
    if number in tokenizer.special_ids.values():
        return TokenClass.special
    try:
        text = tokenizer.decode_bytes([number]).decode()
    except UnicodeDecodeError:
        return TokenClass.partial
    return (
        TokenClass.reachable if tokenizer.encode(text).ids == [number] else TokenClass.unreachable
    )


def _without(cause: object, model: TokenizerModel) -> TokenizerModel:
    if cause.reason is Reason.normalization:
        return replace(model, config=model.config.replace(normalize=()))
    if cause.reason is Reason.split:
        return replace(model, config=model.config.replace(split="none"))
    return replace(
        model, merges=model.merges[: cause.merge_rank] + model.merges[cause.merge_rank + 1 :]
    )


@given(model=models)
@example(model=_model([(0, 1), (1, 2), (0, 12)], special=("<|end|>",)))
@example(model=_model([(9, 10), (4, 0), (12, 1), (3, 0)], "gpt2", ("lowercase",)))
def test_classes_are_those_of_encoding_each_token(model: TokenizerModel) -> None:
    tokenizer = bpe.Tokenizer(model)
    found = dict(classes_of(tokenizer))
    for number, kind in found.items():
        expected = _brute_force(tokenizer, number)
        if expected is TokenClass.unreachable:
            # A token may be made next to others alone: a line end and a space before another line
            # end.
            text = tokenizer.decode([number])
            texts = [
                before + text + after
                for before in ("", "a", "\n", " ")
                for after in ("", "a", "\n", " ")
            ]
            assert kind is TokenClass.reachable or not any(
                number in tokenizer.encode(one).ids for one in texts
            )
        else:
            assert kind is expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "PLAIN_WORK", -1)
        assert dict(classes_of(tokenizer)) == found


@given(model=models)
@example(model=_model([(0, 1), (1, 2), (0, 12)]))
@example(model=_model([(0, 1), (1, 2), (12, 2), (0, 12), (13, 1)]))
@example(model=_model([(0, 0), (0, 11)]))
@settings(max_examples=examples(40))
def test_without_the_stated_causes_a_token_is_made(model: TokenizerModel) -> None:
    unreachable = [
        n for n, kind in classes_of(bpe.Tokenizer(model)) if kind is TokenClass.unreachable
    ]
    for number in unreachable:
        changed = model
        for _ in range(len(model.merges) + 3):
            if _brute_force(bpe.Tokenizer(changed), number) is TokenClass.reachable:
                break
            reasons = Reasons(bpe.Tokenizer(changed))
            cause = reasons.of(number)
            if cause.merge_rank is not None and cause.merge_rank in reasons._own_ranks(number):
                # Of a + aa, the leftmost a a is merged first: one merge both makes the token and
                # takes a part of it.
                break
            changed = _without(cause, changed)
            assert changed != model
        else:
            pytest.fail(f"token {model.tokens[number]!r} is not made without {cause}")


def test_each_reason_by_hand(few_characters: None) -> None:
    def found(model: TokenizerModel) -> list[tuple[str, str, str]]:
        causes = _causes(bpe.Tokenizer(model))
        return [(token, cause.reason.value, cause.by) for token, cause in causes.items()]

    ab_first = _model([(0, 1), (1, 2), (0, 12)])
    assert ab_first.tokens[256:] == ("ab", "bc", "abc")
    assert found(ab_first) == [("abc", "merge", "a b")]
    assert found(_model([(0, 0), (0, 11)])) == [("aaa", "merge", "a a")]
    with_space = _model([(0, 4), (11, 1)], "gpt2")
    assert with_space.tokens[256:] == ("aĠ", "aĠb")
    assert found(with_space) == [("aĠ", "split", "a Ġ"), ("aĠb", "split", "a Ġ b")]
    upper = _model([(3, 0)], normalize=("lowercase",))
    assert [entry for entry in found(upper) if len(entry[0]) > 1] == [("Aa", "normalization", "aa")]


def test_a_split_is_the_reason_also_without_merges(tmp_path: Path) -> None:
    marks = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "[unused1]",
        "[",
        "]",
        "a",
        ".",
        "...",
        "un",
        "##used",
        "##1",
    ]
    (tmp_path / "vocab.txt").write_text("\n".join([*marks, "日", "##日"]) + "\n")
    found = {
        name: (cause.reason.value, cause.by) for name, cause in _causes(bpe.load(tmp_path)).items()
    }
    assert found["[unused1]"] == ("split", "[ un ##used ##1 ]")
    assert found["..."] == ("split", ". . .")
    assert found["##日"] == ("normalization", " 日 ")


def test_the_findings_as_json() -> None:
    model = _model([(0, 1), (1, 2), (0, 12), (9, 10)], special=("<|end|>",))
    found = bpe.doctor(bpe.Tokenizer(model), ["ab", "b <|end|>"]).as_json()
    assert found["n_tokens"] == 261
    assert found["classes"] == {"reachable": 131, "unreachable": 1, "partial": 128, "special": 1}
    assert {
        "id": 258,
        "token": "abc",
        "class": "unreachable",
        "reason": "merge",
        "by": "a b",
    } in found["tokens"]
    assert {"id": 260, "token": "<|end|>", "class": "special"} in found["tokens"]
    assert {"id": 255, "token": "ÿ", "class": "partial", "undecodable": True} in found["tokens"]
    assert {"id": 0xC3, "token": "Ã", "class": "partial"} in found["tokens"]
    assert len(found["tokens"]) == 130 and all(gate["passed"] for gate in found["gates"])
    assert found["n_unused"] == len(found["unused"]) == 261 - len({256, 260, *b"b "})


@pytest.mark.parametrize(
    "preset", ["textbook", "sennrich", "raw", "gpt2", "subword-nmt", "sentencepiece"]
)
def test_every_token_of_a_training_is_reachable(preset: str) -> None:
    text = "low lower lowest newest widest new news 'slow' slow-er the theme them\n" * 3
    config = bpe.TrainingConfig.preset(preset, merges=60, vocab_size=None)
    tokenizer = bpe.train(bpe.Corpus.from_text(text, config), config).tokenizer()
    assert [
        number for number, kind in classes_of(tokenizer) if kind is TokenClass.unreachable
    ] == []


def test_gates_that_fail(few_characters: None) -> None:
    def failed(tokenizer: bpe.Tokenizer) -> dict[str, str]:
        return {gate.name: gate.detail for gate in bpe.doctor(tokenizer).gates if not gate.passed}

    assert failed(bpe.Tokenizer(_model([(0, 1)]))) == {}
    folded = failed(bpe.Tokenizer(_model([], normalize=("nfc",))))
    assert set(folded) == {"every_code_point", "combining_marks"}
    assert "(U+0340) becomes" in folded["every_code_point"]
    assert "nfc_and_nfd" in failed(bpe.Tokenizer(_model([], normalize=("strip-accents",))))
    twice = _model([])
    twice = replace(twice, tokens=(*twice.tokens, "a", "a"))
    assert failed(bpe.Tokenizer(twice)) == {"no_duplicates": "1 token has several ids: 'a'"}
    config = bpe.TrainingConfig.preset("textbook", merges=2)
    small = failed(bpe.train(bpe.Corpus.from_text("hug hugs", config), config).tokenizer())
    assert {"every_byte", "every_code_point", "digits"} <= set(small)


@pytest.mark.slow(
    buys=(
        "every assigned character of a tokenizer that has few of them; fewer characters are in"
        " each run"
    )
)
def test_every_character_that_is_lost_is_counted() -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=2)
    gates = bpe.doctor(
        bpe.train(bpe.Corpus.from_text("hug hugs", config), config).tokenizer()
    ).gates
    n = len(assigned_characters())
    assert n > 140_000, "those of the Unicode version of Python"
    detail = next(gate.detail for gate in gates if gate.name == "every_code_point")
    assert detail.startswith(
        f"{n - 4:,} of {n:,} assigned code points do not round-trip: '\\x00' (U+0000) becomes"
    )
