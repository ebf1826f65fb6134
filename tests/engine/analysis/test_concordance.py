"""Keyword in context: every place at which the whole text's segmentation has the token, and what is
shown of it.
"""

from __future__ import annotations

import math

import pytest
import regex
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis import concordance
from bpe_studio.engine.analysis.concordance import Found, StringFinder, TokenFinder
from bpe_studio.engine.encoding.editable_text import EditableText
from bpe_studio.engine.text.special_text import split_at_specials
from tests.engine import corpora, texts
from tests.examples import IN_EACH_OF_MANY, examples

_STRETCHES = r"regex:(?<=\d)\p{L}+?\b|[^\s\p{L}]+|\p{L}{2,4}(?!x)"
_BOUNDED = r"regex:\d+|\p{L}{1,5}"
_FREE = r"regex:(?<=x)\p{L}+|\p{L}+?\b|\s+$|."
_CONFIGS = {
    "gpt2": bpe.TrainingConfig.preset("gpt2", merges=60),
    "gpt2, whole": bpe.TrainingConfig.preset("gpt2", merges=60, documents="file"),
    "gpt2, separator": bpe.TrainingConfig.preset(
        "gpt2", merges=60, documents="separator", special=("<x>", "<x>y")
    ),
    "raw": bpe.TrainingConfig.preset("raw", merges=40),
    "raw, lines": bpe.TrainingConfig.preset("raw", merges=40, documents="line"),
    "cl100k": bpe.TrainingConfig.preset("cl100k", merges=60, documents="file"),
    "o200k": bpe.TrainingConfig.preset("o200k", merges=60, normalize=("nfc",)),
    "textbook": bpe.TrainingConfig.preset("textbook", merges=40),
    "lowercase": bpe.TrainingConfig.preset(
        "textbook", merges=40, normalize=("lowercase", "strip-accents")
    ),
    "nfkd, whole": bpe.TrainingConfig.preset(
        "gpt2", merges=40, normalize=("nfkd", "lowercase"), documents="file"
    ),
    "nfkc, separator": bpe.TrainingConfig.preset(
        "gpt2", merges=40, normalize=("nfkc",), documents="separator"
    ),
    "sennrich": bpe.TrainingConfig.preset("sennrich", merges=40),
    "subword-nmt": bpe.TrainingConfig.preset("subword-nmt", merges=40),
    "prefix": bpe.TrainingConfig.preset("textbook", merges=40, split="whitespace", continuing="##"),
    "sentencepiece": bpe.TrainingConfig.preset("sentencepiece", vocab_size=None, merges=40),
    "sentencepiece, bytes": bpe.TrainingConfig.preset("gpt2", merges=40, split="sentencepiece"),
    "bounded": bpe.TrainingConfig.preset("raw", merges=40, split=_BOUNDED),
    "bounded, whole": bpe.TrainingConfig.preset("raw", merges=40, split=_STRETCHES),
    "free": bpe.TrainingConfig.preset("raw", merges=40, split=_FREE),
}
every_config = pytest.mark.parametrize("name", list(_CONFIGS))
_SAMPLE = (
    texts.mixed(30, seed=7)
    + texts.cjk_and_emoji(20, seed=7)
    + "Ｆｕｌｌ ﬁne CAFE\u0301 I'll <x>y<x>\r\n\r\n\n  x  y"
)[:700]
_text = st.one_of(
    corpora.texts(),
    corpora.any_text(30),
    st.text(st.sampled_from("ab's1 \n\r.é😀e\u0301\u200dسل日ﬁＡ▁"), max_size=30),
    st.lists(
        st.sampled_from(["ab", "a", "<x>", "<x>y", "<|endoftext|>", "\n", " ", "é"]), max_size=14
    ).map("".join),
)


def _train(text: str, config: bpe.TrainingConfig) -> bpe.Run:
    try:
        return bpe.train(bpe.Corpus.from_text(text, config), config)
    except bpe.BpeError:
        reject()  # settings that refuse this text have nothing to say about it


def _documents(text: str, config: bpe.TrainingConfig) -> list[tuple[int, str]]:
    """The texts that are cut each by itself, and where they begin."""
    if config.documents == "line":
        parts = _by_lines(text)
    elif config.documents == "separator":
        parts = split_at_specials(text, config.all_special)
        place = 0
        found = []
        for part in parts:
            while not text.startswith(part, place) or _is_special(text, place, config):
                place += next(
                    (
                        len(s)
                        for s in sorted(config.all_special, key=len, reverse=True)
                        if text.startswith(s, place)
                    ),
                    1,
                )
            found.append((place, part))
            place += len(part)
        return found
    else:
        parts = [text]
    starts = [sum(map(len, parts[:k])) for k in range(len(parts))]
    return list(zip(starts, parts, strict=True))


def _by_lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + lines[-1:]


def _is_special(text: str, place: int, config: bpe.TrainingConfig) -> bool:
    return any(text.startswith(special, place) for special in config.all_special)


def _expected(run: bpe.Run, text: str, step: int) -> dict[int, list[tuple[float, float]]]:
    """Where each token stands, from the segmentation of every document as a whole."""
    places: dict[int, list[tuple[float, float]]] = {}
    for start, part in _documents(text, run.config):
        segmenter = run.new_segmenter()
        segmenter.recognize_special(False)  # in a corpus, special tokens are text
        whole = EditableText(segmenter)
        whole.set_text(part)
        spans = whole.tokens(step)
        for a, b, token in zip(
            spans.starts.tolist(), spans.ends.tolist(), spans.ids.tolist(), strict=True
        ):
            places.setdefault(token, []).append((round(start + a, 6), round(start + b, 6)))
    return places


def _found(
    run: bpe.Run, token: int, step: int, blocks: list[str | bytes], context: int = 60
) -> list[Found]:
    return [
        found for found in TokenFinder(run, token, step).lines(blocks, context) if found is not None
    ]


def _offset(found: Found, text: str) -> int:
    return len(
        text.encode("utf-8", "surrogatepass")[: found.offset_bytes].decode("utf-8", "surrogatepass")
    )


def _places(all_found: list[Found], text: str) -> list[tuple[float, float]]:
    return [
        (round(_offset(f, text) + f.start, 6), round(_offset(f, text) + f.end, 6))
        for f in all_found
    ]


def _is_right(found: Found, text: str, context: int) -> None:
    offset = _offset(found, text)
    assert text[offset : offset + len(found.text)] == found.text
    begin = offset + math.floor(found.start)
    assert found.line == 1 + text.count("\n", 0, begin)
    assert 0 <= found.start <= found.end <= len(found.text)
    before = found.text[: math.floor(found.start)]
    after = found.text[math.ceil(found.end) :]
    assert "\n" not in before and "\n" not in after
    borders = {match.start() for match in regex.finditer(r"\X", found.text)} | {len(found.text)}
    # A grapheme in which the token begins or ends is shown as a whole, however long.
    assert max(p for p in {0, *borders} if p <= len(before)) <= context or context == 0
    assert found.is_cut_before == (offset > text.rfind("\n", 0, begin) + 1)


def _blocks(text: str, size: int, as_bytes: bool) -> list[str | bytes]:
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    return [part.encode("utf-8", "surrogatepass") for part in parts] if as_bytes else list(parts)


@pytest.mark.slow(buys="nineteen settings on random texts in blocks of any size")
@every_config
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(
    text=_text,
    share=st.floats(0, 1),
    size=st.integers(1, 40),
    context=st.integers(0, 12),
    as_bytes=st.booleans(),
    most=st.sampled_from([0, 1, 64]),
)
@example(text=_SAMPLE, share=0, size=7, context=60, as_bytes=True, most=64)
@example(text=_SAMPLE, share=0.5, size=700, context=5, as_bytes=False, most=0)
@example(text=_SAMPLE, share=1, size=50, context=0, as_bytes=True, most=64)
@example(text="00000\x0c\n0", share=0, size=1, context=0, as_bytes=False, most=0)
@example(text=" \n\n \n", share=1, size=3, context=3, as_bytes=False, most=64)
@example(text="00\xc0\u0300", share=0, size=1, context=1, as_bytes=False, most=0)
def test_found_is_what_the_segmentation_has(
    name: str, text: str, share: float, size: int, context: int, as_bytes: bool, most: int
) -> None:
    run = _train(text, _CONFIGS[name])
    step = round(share * len(run.merges))
    with pytest.MonkeyPatch.context() as patch:
        # Small parts, so that a short text is divided.
        patch.setattr(concordance, "_CHUNK", 8)
        patch.setattr(concordance, "_UNIT", 2)
        patch.setattr(concordance, "_LONG_LINE", 20)
        patch.setattr(concordance, "_MOST_NEEDLES", most)
        expected = _expected(run, text, step)
        some = sorted(token for token in expected if token >= 0)
        for token in {*some[:4], *some[-6:], *range(run.n_alphabet, run.token_of(step))[-1:]}:
            found = _found(run, token, step, _blocks(text, size, as_bytes), context)
            assert _places(found, text) == expected.get(token, [])
            for one in found:
                _is_right(one, text, context)


@pytest.mark.parametrize("name", ["gpt2", "raw, lines", "textbook", "cl100k"])
def test_stray_bytes(name: str) -> None:
    content = b"caf\xe9 x\xff\xff ab \xc3 \xa9 caf\xe9\nab\x80ab na\xc3\xafve \xfe ab\n" * 3
    text = content.decode("utf-8", "surrogateescape")
    run = _train(text, _CONFIGS[name])
    for step in (0, len(run.merges) // 2, len(run.merges)):
        for token, places in _expected(run, text, step).items():
            found = _found(run, token, step, [text.encode("utf-8", "surrogatepass")])
            assert _places(found, text) == places
            for one in found:
                _is_right(one, text, 60)


@pytest.mark.slow(buys="every place of every token in texts of several scripts")
@pytest.mark.parametrize(
    "name", ["gpt2", "gpt2, whole", "raw, lines", "sentencepiece", "nfkd, whole", "free"]
)
@pytest.mark.parametrize("kind", ["english", "persian", "cjk_and_emoji"])
def test_longer_texts(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concordance, "_CHUNK", 1 << 11)
    text = getattr(texts, kind)(1500, seed=9)
    run = _train(text, _CONFIGS[name].replace(merges=200))
    step = min(150, len(run.merges))
    counts = run.token_counts_at(step)
    for token in [*range(run.token_of(step) - 12, run.token_of(step)), int(counts.argmax())]:
        assert len(_found(run, token, step, _blocks(text, 2500, True), 20)) == counts[token]


def test_a_string_is_found_wherever_it_is() -> None:
    text = "one hug, two hugs\nno hu-gs\nhughug \U0001f917 hug"
    found = [one for one in StringFinder("hug").lines(_blocks(text, 5, True), 4) if one is not None]
    assert [_offset(one, text) + one.start for one in found] == [
        m.start() for m in regex.finditer("hug", text)
    ]
    assert [(one.line, one.text) for one in found] == [
        (1, "one hug, tw"),
        (1, "two hugs"),
        (3, "hughug "),
        (3, "hughug \U0001f917 h"),
        (3, "g \U0001f917 hug"),
    ]


def test_a_token_that_is_gone_reads_nothing() -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=2)
    run = bpe.train(bpe.Corpus.from_text("abc abc", config), config)

    def blocks():
        raise AssertionError("the text was read")
        yield

    assert _found(run, run.n_alphabet, 1, ["abc abc"]) and not _found(
        run, run.n_alphabet, 2, blocks()
    )
    with pytest.raises(bpe.BpeError, match="no token"):
        TokenFinder(run, run.n_alphabet, 0)


def test_an_expression_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bpe_studio.engine.text.pretokenization.MATCH_TIMEOUT_S", 0.2)
    config = bpe.TrainingConfig.preset("raw", merges=2, split=r"regex:(a|aa)+b|(?<=x)y|x|a")
    run = bpe.train(bpe.Corpus.from_text("axa", config), config)
    with pytest.raises(bpe.BpeError, match="too long"):
        _found(run, 97, 0, ["a" * 60 + "c"])
