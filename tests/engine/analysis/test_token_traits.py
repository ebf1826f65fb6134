"""The traits of tokens, found from their parts, against their own bytes looked at whole."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.token_traits import TokenTraits
from bpe_studio.engine.text.unicode_scripts import SCRIPTS
from tests.engine import corpora
from tests.engine.rules import RULES, Rule

FEW = ("first-seen", "huggingface", "sentencepiece", "first-seen, ##")


OF_SCRIPT = {name: regex.compile(rf"\p{{Script={name}}}") for name in SCRIPTS[3:]}


def _script(text: str) -> str:
    found = {name for char in text for name, pattern in OF_SCRIPT.items() if pattern.match(char)}
    return "" if not text else "Common" if not found else "Mixed" if len(found) > 1 else found.pop()


@pytest.mark.parametrize("rule", [RULES[name] for name in FEW], ids=FEW)
@given(text=st.one_of(corpora.texts(max_words=6), corpora.any_text(16)), first=st.integers(0, 8))
def test_traits_are_those_of_the_tokens_own_bytes(rule: Rule, text: str, first: int) -> None:
    config = rule.config(merges=8)
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    traits = TokenTraits(run)
    traits.first(run.token_of(min(first, len(run.merges))))
    n = run.token_of(len(run.merges))
    found = traits.first(n)
    for token in range(n):
        content = run.token_content(token)
        try:
            whole = content.decode()
            is_partial = False
        except UnicodeDecodeError:
            whole = content.decode(errors="ignore")
            is_partial = True
        row = (
            found.n_bytes[token],
            found.n_characters[token],
            found.is_partial[token],
            SCRIPTS[found.scripts[token]],
        )
        assert row == (len(content), len(whole), is_partial, _script(whole))
