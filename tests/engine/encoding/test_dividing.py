"""Pre-tokens that are divided, and characters that are one symbol from the start, have the ids of
the plain way.

Merges are made at random and not by counting, so that many join parts of characters, or parts of
two of them."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.encoding import gap_closing
from bpe_studio.engine.encoding.bulk_encoding import BulkEncoder, Content
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels import dividing, loader
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.text.alphabet import byte_to_stand_in, from_stand_ins, to_stand_ins
from bpe_studio.engine.textbook import Merge, encode_by_rank

CHARACTERS = "日本旧木末語語吾の、한핞é߿ࠀ￿😀😁🙀𐀀a "
"""Of all lengths in bytes; many share their first or last bytes."""
"""Mostly of two bytes; many share their first or last bytes."""


@pytest.fixture(scope="module", autouse=True)
def always_compiled():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "PLAIN_WORK", -1)
        patch.setattr(gap_closing, "SHORT", 0)
        yield


def _model(
    rng: random.Random, n_merges: int, is_shuffled: bool, characters: str = CHARACTERS
) -> TokenizerModel:
    """A model of random merges of neighbours in random texts.

    Equal texts are one token, which may be made twice.
    """
    names = list(byte_to_stand_in)
    ids = {name: number for number, name in enumerate(names)}
    merges: dict[tuple[int, int], int] = {}
    alphabet = "".join(rng.sample(characters, rng.randint(2, 6)))
    n_inside = n_merges * rng.randint(0, 2) // 2
    if max(len(char.encode()) for char in alphabet) < 2:
        n_inside = 0
    while len(merges) < n_merges:
        # The first ones are inside characters, in some models.
        content = to_stand_ins(
            "".join(rng.choices(alphabet, k=4 if len(merges) >= n_inside else 1)).encode()
        )
        if len(content) < 2:
            continue
        start, middle, end = sorted(rng.sample(range(len(content) + 1), 3))
        left = content[start:middle]
        right = content[middle:end]
        if left not in ids or right not in ids or (ids[left], ids[right]) in merges:
            # Merges of two bytes can always be added until all are there.
            start = rng.randrange(len(content) - 1)
            left = content[start]
            right = content[start + 1]
        if (ids[left], ids[right]) in merges:
            n_merges = n_merges - 1
            n_inside = n_inside - 1
            continue
        if left + right not in ids:
            ids[left + right] = len(names)
            names.append(left + right)
        merges[ids[left], ids[right]] = ids[left + right]
    found = [(left, right, new) for (left, right), new in merges.items()]
    if is_shuffled:
        rng.shuffle(found)
    return TokenizerModel(
        bpe.TrainingConfig.preset("gpt2", split="none"), tuple(names), tuple(found)
    )


def _plain(model: TokenizerModel, text: str, limit: int) -> list[int]:
    names = model.tokens
    merges = [
        Merge(names[left], names[right], names[new], 1) for left, right, new in model.merges[:limit]
    ]
    ids = {name: number for number, name in enumerate(names)}
    return [ids[name] for name in encode_by_rank(to_stand_ins(text.encode()), merges)]


@given(
    seed=st.integers(0, 10**6),
    n_merges=st.integers(1, 60),
    is_shuffled=st.booleans(),
    text=st.text(CHARACTERS),
)
@example(seed=0, n_merges=40, is_shuffled=False, text="日本日本旧旧本木語語" * 9)
@example(seed=3, n_merges=60, is_shuffled=True, text="😀😁🙀𐀀" * 20)
@example(
    seed=660, n_merges=60, is_shuffled=False, text="a a"
)  # no character that has merges inside
def test_ids_of_random_merges(seed: int, n_merges: int, is_shuffled: bool, text: str) -> None:
    rng = random.Random(seed)
    model = _model(rng, n_merges, is_shuffled)
    common = [char for char in CHARACTERS if rng.random() < 0.3] or ["日"]
    text += "".join(rng.choices(common, k=40))
    encoder = BulkEncoder.of_model(model)
    content = Content.of(text)
    assert content is not None
    for limit in (len(model.merges), n_merges // 2):
        found = encoder.encode(content, limit)
        assert found is not None and found[0].tolist() == _plain(model, text, limit)
    gaps = encoder.gap_ranks(content)
    assert gaps is not None
    assert gaps.tolist() == [NEVER, *bpe.Tokenizer(model).gap_ranks(text)[0].tolist()]


@pytest.mark.parametrize("before", ["", "о", "оо", "日", "(", " ", "( ", "😀", "\x00"])
@pytest.mark.parametrize("after", ["", "о", "日", "(", " "])
def test_a_byte_of_a_character_is_merged_with_its_neighbour_first(before: str, after: str) -> None:
    names = list(byte_to_stand_in)
    merges = []
    lead, last = (list(byte_to_stand_in).index(name) for name in to_stand_ins("а".encode()))

    def merge(left: int, right: int) -> int:
        names.append(names[left] + names[right])
        merges.append((left, right, len(names) - 1))
        return len(names) - 1

    made = -1
    for name in to_stand_ins(before.encode()):
        byte = names.index(name)
        made = byte if made < 0 else merge(made, byte)
    if before:
        made = merge(made, lead)
    if after:
        merge(last, names.index(to_stand_ins(after.encode())[0]))
    merge(lead, last)
    if before:
        merge(made, last)
    model = TokenizerModel(
        bpe.TrainingConfig.preset("gpt2", split="none"), tuple(names), tuple(merges)
    )
    encoder = BulkEncoder.of_model(model)
    for word in (
        before + "а" + after,
        before + "а",
        "а" + after,
        "оа" + after,
        before + "аа",
        before + "б",
        " а" + after,
    ):
        content = Content.of(word)
        assert content is not None
        for limit in range(len(merges) + 1):
            found = encoder.encode(content, limit)
            assert found is not None and found[0].tolist() == _plain(model, word, limit)


@pytest.mark.parametrize("is_shuffled", [False, True])
def test_characters_are_apart_if_no_token_has_both(is_shuffled: bool) -> None:
    wide = [char for char in CHARACTERS if len(char.encode()) > 2]
    n_apart = n_wholes = 0
    for seed in range(40):
        model = _model(random.Random(seed), 60, is_shuffled)
        encoder = BulkEncoder.of_model(model)
        _, _, bits, wholes = encoder._pair_tables
        contents = [from_stand_ins(name) for name in model.tokens]
        for one in wide:
            for other in wide:
                if dividing.are_apart(bits, ord(one), ord(other)):
                    n_apart += 1
                    both = (one + other).encode()
                    middle = len(one.encode())
                    parts = {
                        both[a:b] for a in range(middle) for b in range(middle + 1, len(both) + 1)
                    }
                    assert not parts.intersection(contents), "no token is at the place between them"
        letters = wholes[dividing.LETTER : dividing.BOUNDS]
        n_wholes += int((wholes[: dividing.LETTER] != 0).sum()) + int(
            (letters >> 32 < len(model.merges)).sum()
        )
    # Where it is not known which bytes a token has, nothing is divided.
    assert n_apart > 200 if is_shuffled else n_apart > 1000 and n_wholes > 40
