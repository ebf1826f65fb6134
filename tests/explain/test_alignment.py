"""Two tokenizers are lined up as a search of every place does it, whatever they do with the text."""

from __future__ import annotations

import json
import random
from functools import cache, partial

import numpy as np
import pytest

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.explain.alignment import alone_sentences
from bpe_studio.files.formats import sentencepiece
from bpe_studio.files.third_party.sentencepiece_model import SentencePieceLibrary
from bpe_studio.files.third_party.tokenizer import Steps, ThirdPartyTokenizer
from tests.explain.tokenizer_diff.faults import opened
from tests.files.third_party import made

CHARACTERS = "aabbc  \n,漢é🎉ـم\u0301Aﬁ"
OWN = {
    "bytes": ("gpt2", {}),
    "dropped spaces": ("textbook", {}),
    "continued words": ("textbook", {"continuing": "##"}),
    "word ends": ("sennrich", {"unknown": "[UNK]"}),
    "word starts": ("sentencepiece", {"byte_fallback": True}),
    "compatible forms": ("gpt2", {"normalize": ("nfkc", "lowercase")}),
    "no accents": ("gpt2", {"normalize": ("nfd", "strip-accents")}),
}
LIBRARIES = ("llama2", "mistral", "llama", "usual", "suffix", "unigram")

pytestmark = pytest.mark.usefixtures("sound_files")


@cache
def own(name: str, seed: int) -> Tokenizer:
    draw = random.Random(seed)
    text = "".join(draw.choices(CHARACTERS, k=300))
    preset, options = OWN[name]
    config = bpe.TrainingConfig.preset(
        preset, vocab_size=None, merges=draw.choice((0, 8, 60)), **options
    )
    return bpe.train(bpe.Corpus.from_text(text, config), config).tokenizer()


@cache
def third_party(name: str) -> Tokenizer:
    if name not in made.SENTENCEPIECE:
        return opened(json.loads(made.content_of(name)))
    data = made.sentencepiece_model(name)
    library = SentencePieceLibrary(data, sentencepiece.parsed(data))
    return ThirdPartyTokenizer(library, partial(Steps.of, library.read_piece_merges))


def borders(tokenizer: Tokenizer, text: str) -> dict[int, int]:
    """How many tokens are before each border, by trying every place."""
    places = tokenizer.encode(text).offsets
    edges = {place for pair in places for place in pair}
    found = {}
    for place in range(1, len(text)):
        for n in range(len(places) + 1):
            is_after = all(end <= place for _, end in places[:n])
            is_before = all(start >= place for start, _ in places[n:])
            if place in edges and is_after and is_before:
                found[place] = n
                break
    return {0: 0, **found, len(text): len(places)}


def by_brute_force(a: Tokenizer, b: Tokenizer, text: str) -> list[bpe.Group]:
    of_a = borders(a, text)
    of_b = borders(b, text)
    common = sorted(of_a.keys() & of_b.keys())
    ids_a = a.encode(text).ids
    ids_b = b.encode(text).ids
    found = []
    for start, end in zip(common, common[1:], strict=False):
        of_group = ids_a[of_a[start] : of_a[end]], ids_b[of_b[start] : of_b[end]]
        found.append(bpe.Group(start, end, *of_group))
    return found


def check(a: Tokenizer, b: Tokenizer, text: str) -> bpe.Alignment:
    found = bpe.align(a, b, text)
    groups = list(found)
    assert groups == by_brute_force(a, b, text), text
    assert [found[k] for k in range(len(found))] == groups
    assert "".join(text[group.start : group.end] for group in groups) == text
    for side, tokenizer in (("a", a), ("b", b)):
        ids = [number for group in groups for number in getattr(group, side)]
        assert ids == tokenizer.encode(text).ids
    return found


def test_groups_are_those_of_a_search_of_every_place() -> None:
    draw = random.Random(5)
    n_split_characters = 0
    for seed in range(150):
        a, b = (own(draw.choice(list(OWN)), draw.randrange(3)) for _ in range(2))
        if seed % 3 == 0:
            b = third_party(draw.choice(LIBRARIES))
        if seed % 2:
            a, b = b, a
        text = "".join(draw.choices(CHARACTERS, k=draw.randrange(1, 25)))
        found = check(a, b, text)
        n_split_characters += sum(len(group.a) > group.end - group.start for group in found)
    assert n_split_characters > 50


def test_a_library_may_leave_spaces_out_of_places() -> None:
    trimmed = third_party("llama3")
    text = "The hugs of  it 我"
    starts = [text[start] for start, end in trimmed.encode(text).offsets if start < end]
    assert starts.count(" ") < 2
    config = bpe.TrainingConfig.preset("gpt2", merges=0, vocab_size=None)
    plain = bpe.train(bpe.Corpus.from_text("a", config), config).tokenizer()
    for group in bpe.align(trimmed, plain, text):
        of_b = plain.decode(group.b)
        assert of_b == text[group.start : group.end] == trimmed.decode(group.a)


def test_shares_and_what_cannot_be_lined_up() -> None:
    a = own("dropped spaces", 0)
    b = own("bytes", 0)
    found = bpe.align(a, b, "a  漢 ")
    assert [(group.start, group.end) for group in found if not group.a][-1] == (4, 5)
    for sentence in alone_sentences([found], a, b):
        assert "of B" in sentence and "␣" in sentence
    same = bpe.align(b, b, "ab 漢a")
    assert same.share_one_to_one == same.are_one_to_one.mean()
    assert alone_sentences([same], b, b) == []
    both_drop = bpe.align(a, a, "a b")
    assert [group.a for group in both_drop][1] == [] and both_drop.share_one_to_one == 1


def test_no_text_has_no_groups() -> None:
    assert list(bpe.align(own("bytes", 0), own("word ends", 0), "")) == []
    for name in LIBRARIES:
        b = third_party(name)
        groups = list(bpe.align(own("bytes", 0), b, ""))
        ids = b.encode("").ids
        assert groups == ([bpe.Group(0, 0, [], ids)] if ids else [])


def test_tokens_of_b_have_the_ids_of_a() -> None:
    a = own("bytes", 0)
    b = own("bytes", 1)
    found = bpe.id_map(a, b)
    assert found.dtype == np.int64 and len(found) == b.vocab_size
    for number, token in b.tokens.items():
        assert found[number] == a.get_vocab().get(token, -1)
    # Spaces are written in other ways.
    found = bpe.id_map(third_party("llama2"), third_party("llama3"))
    contents = [third_party("llama3").content(n) for n in np.flatnonzero(found >= 0).tolist()]
    assert contents == [third_party("llama2").content(n) for n in found[found >= 0].tolist()]
    assert any(content.startswith(b" ") for content in contents)


def test_a_megabyte_takes_seconds_at_most() -> None:
    a = own("bytes", 0)
    text = "ab 漢 cab, bca\n" * 70_000
    found = bpe.align(a, own("dropped spaces", 0), text)
    assert found.places[-1] == len(text)
    assert (np.diff(found.places) > 0).all()
