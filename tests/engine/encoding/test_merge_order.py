"""Merges out of order, as files from elsewhere have them: every step is the textbook's
`encode_by_rank`.
"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.encoding import gap_closing
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.text.alphabet import byte_to_stand_in
from bpe_studio.engine.textbook import Merge, encode, encode_by_rank
from tests.engine.textbook_twin import symbols_of

MARKS: dict[str, dict[str, str]] = {
    "plain": {},
    "mark on the last character": {"word_end": "_", "word_end_as": "on-last-character"},
    "mark of its own": {"word_end": "_", "word_end_as": "own-symbol"},
    "prefix": {"continuing": "#"},
}


@st.composite
def shuffled_merges(draw: st.DrawFn, symbols: list[str], prefix: str = "") -> list[Merge]:
    """Merges of tokens that others of them make, before or after."""
    tokens = list(symbols)
    merges = []
    for _ in range(draw(st.integers(0, 9))):
        left = draw(st.sampled_from(tokens))
        right = draw(st.sampled_from(tokens))
        token = left + right.removeprefix(prefix)
        if len(token) > 24 or any((left, right) == (other.left, other.right) for other in merges):
            continue
        merges.append(Merge(left, right, token, 1))
        tokens = list(dict.fromkeys([*tokens, token]))
    return draw(st.permutations(merges))


def tokenizer_of(merges: list[Merge], symbols: list[str], **options: object) -> bpe.Tokenizer:
    names = list(dict.fromkeys([*symbols, *(merge.token for merge in merges)]))
    ids = {name: number for number, name in enumerate(names)}
    config = bpe.TrainingConfig.preset("gpt2" if len(symbols) == 256 else "textbook", **options)
    config = config.replace(special=(), unknown=None)
    rows = tuple((ids[merge.left], ids[merge.right], ids[merge.token]) for merge in merges)
    return bpe.Tokenizer(TokenizerModel(config, tuple(names), rows))


@pytest.mark.parametrize("marks", MARKS)
@given(data=st.data())
def test_every_step_is_the_textbooks(marks: str, data: st.DataObject) -> None:
    options = MARKS[marks]
    units = [
        symbol
        for word in ("a", "b", "ca", "cb", "abc")
        for symbol in symbols_of(word, **options)  # type: ignore[arg-type]
    ]
    symbols = sorted(set(units))
    merges = data.draw(shuffled_merges(symbols, options.get("continuing", "")))
    tokenizer = tokenizer_of(merges, symbols, split="whitespace", **options)
    words = data.draw(st.lists(st.sampled_from(["a", "b", "ca", "cb", "abc"]), max_size=3))
    text = " ".join(words)
    for step in range(len(merges) + 1):
        expected = [
            token
            for word in words
            for token in encode_by_rank(symbols_of(word, **options), merges[:step])  # type: ignore[arg-type]
        ]
        if tokenizer.model.misplaced_merge is None:
            in_order = [encode(symbols_of(word, **options), merges[:step]) for word in words]  # type: ignore[arg-type]
            assert [token for tokens in in_order for token in tokens] == expected
        assert tokenizer.encode(text, step=step).tokens == expected
        assert tokenizer.at(step).encode(text).tokens == expected
        assert set(expected) <= set(tokenizer.at(step).model.tokens)


@given(data=st.data())
@example(data=None)
def test_every_step_of_bytes_in_kernels_and_in_long_words(data: st.DataObject | None) -> None:
    if data is None:
        merges = [Merge("ab", "c", "abc", 1), Merge("a", "b", "ab", 1)]
        text = "abc ab cab" * 9
    else:
        merges = data.draw(shuffled_merges(list("abc")))
        text = data.draw(st.text("abc", min_size=1, max_size=90))
    tokenizer = tokenizer_of(merges, byte_to_stand_in, split="none")
    with pytest.MonkeyPatch.context() as patch:
        for work, short in ((-1, 0), (loader.PLAIN_WORK, 1 << 20)):
            patch.setattr(loader, "PLAIN_WORK", work)
            patch.setattr(gap_closing, "SHORT", short)
            for step in range(len(merges) + 1):
                expected = encode_by_rank(symbols_of(text, units="bytes"), merges[:step])
                assert tokenizer.encode(text, step=step).tokens == expected
                assert tokenizer.at(step).encode(text).tokens == expected
                ids = tokenizer.encode_ids(text, step=step).tolist()
                assert tokenizer.convert_ids_to_tokens(ids) == expected
                assert len(tokenizer.at(step).encode_ids(text)) == len(expected)
