"""A token's tree: its parts in order, its bounds, and no depth that is too deep."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.analysis.derivation import derive
from tests.engine import texts


def _run(text: str, **options: object) -> bpe.Run:
    config = bpe.TrainingConfig.preset("raw", min_frequency=1, **options)
    return bpe.train(bpe.Corpus.from_text(text, config), config)


_RUN = _run(texts.mixed(80, seed=2), vocab_size=256 + 200)


@given(token=st.integers(0, 255 + 200), most=st.integers(1, 40))
def test_a_tree_is_made_of_the_merges(token: int, most: int) -> None:
    tree = derive(_RUN, token, most)
    whole = derive(_RUN, token)
    assert len(tree.nodes) <= most and not whole.is_cut_short
    assert tree.is_cut_short == (len(whole.nodes) > len(tree.nodes))
    assert tree.root.token == token and tree.root.n_symbols == len(_RUN.token_content(token))
    for node in tree.nodes:
        content = _RUN.token_content(node.token)
        assert node.n_symbols == len(content)
        assert content == _RUN.token_content(token)[node.start : node.start + node.n_symbols]
        info = _RUN.token_info(node.token)
        assert (node.rank, node.birth_count) == (info.rank, info.birth_count)
        if node.left is None or node.right is None:
            assert node.is_cut_short == (info.left is not None)
            continue
        left = tree.nodes[node.left]
        right = tree.nodes[node.right]
        assert (left.token, right.token) == (info.left, info.right)
        assert left.depth == right.depth == node.depth + 1
        assert (left.start, right.start) == (node.start, node.start + left.n_symbols)
    assert b"".join(_RUN.token_content(leaf.token) for leaf in tree.leaves()) == _RUN.token_content(
        token
    )


def test_no_such_token() -> None:
    with pytest.raises(bpe.BpeError, match="no token"):
        derive(_RUN, 256 + 200)
