"""The option `clean`: what is named is gone from the corpus, and everything else is there, however
the text is read.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.counting.cleaner import Cleaner
from bpe_studio.engine.presets import CLEANINGS
from bpe_studio.explain.inspection.findings import FIXES
from tests.explain.inspection.twin import found_in

LONG = "a line of forty characters and some more, for certain"
DIRTY = (
    "word",
    " ",
    "\n",
    "\n",
    "é",
    "سلام",
    "\r\n",
    LONG + "\n",
    LONG + "\r\n",
    "http://",
    "://",
    "a.b/c?d",
    ", ",
    "(",
    "<s>",
    "<",
    "s>",
    "[MASK]",
    "d41d8cd98f00b204e9800998ecf8427e",
    "TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuIEFuZCBtb3JlLg==",
    "=" * 12,
    "p\u0430y",
    "\ufb01",
    "\ufefc",
    "\udc80",
    "\u0378",
    "donâ€™t",
    "Ã",
    "©",
    "a" * 70_000,
    "漢",
)
OWN = {fix: [finding for finding, same in FIXES.items() if same == fix] for fix in CLEANINGS}


def cleaned(documents: list[str], names: list[str], cuts: int = 0) -> list[str]:
    """What is left of texts, fed in pieces that `cuts` chooses."""
    content = b""
    ends = []
    found = []
    parts = b""
    for document in documents:
        content += document.encode("utf-8", "surrogatepass")
        ends.append(len(content))
    random_ = random.Random(cuts)
    places = sorted(random_.sample(range(len(content) + 1), min(3, len(content)))) if cuts else []
    places = [place for place in places if place == len(content) or content[place] & 0xC0 != 0x80]
    cleaner = Cleaner(names)
    for low, high in zip([0, *places], [*places, len(content)], strict=True):
        # An end between two pieces belongs to the first one.
        some = [end - low for end in ends if low < end <= high or low == end == 0]
        for part, part_ends in cleaner.feed(content[low:high], some):
            parts += part
            if part_ends:
                found.append(parts.decode("utf-8", "surrogatepass"))
                parts = b""
    assert not parts
    return found


@example(["word", "wordword", "word\n"], "repeated-documents", 0)
@given(
    st.lists(
        st.lists(st.sampled_from(DIRTY), min_size=1, max_size=8).map("".join),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(CLEANINGS),
    st.integers(0, 1000),
)
def test_a_finding_is_gone_however_the_text_is_divided(
    documents: list[str], name: str, cuts: int
) -> None:
    left = cleaned(documents, [name])
    assert left == cleaned(documents, [name], cuts)
    after = found_in(left)
    own = [finding for finding in OWN[name] if finding not in ("boilerplate_lines", "mojibake")]
    assert not set(own) & set(after)
    if not set(OWN[name]) & {*found_in(documents), "mojibake"}:
        assert left == documents, "a text without it is as it was"


def test_a_corpus_is_counted_without_it_and_its_tokenizer_encodes_it() -> None:
    config = bpe.TrainingConfig.preset(
        "gpt2", merges=20, vocab_size=None, clean="repeated-lines,urls"
    )
    text = f"see http://x.org/ now\n{LONG}\n" * 3
    kept = f"see  now\n{LONG}\nsee  now\nsee  now\n"
    corpus = bpe.Corpus.from_text(text, config)
    plain = bpe.Corpus.from_text(kept, config.replace(clean=()))
    assert dict(corpus.items()) == dict(plain.items()) and corpus.size_bytes == plain.size_bytes
    tokenizer = bpe.train(corpus, config).tokenizer()
    assert tokenizer.decode(tokenizer.encode("http://x.org/").ids) == "http://x.org/"
    assert config.clean == ("urls", "repeated-lines"), "in one order"
    with pytest.raises(bpe.ConfigError, match="clean"):
        bpe.train(plain, config)
    with pytest.raises(bpe.ConfigError, match="leave clean out"):
        bpe.Counter(config)
    with pytest.raises(bpe.ConfigError, match="clean cannot be 'dirt'"):
        config.replace(clean="dirt")
