"""How a token was made: its merges as a tree, down to the symbols of the alphabet.

The tree is a flat table and no nest of objects, and nothing here calls itself: a token of ten thousand symbols may be
as deep as it is long.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.engine.analysis.token_life import birth_step, lengths_in_symbols

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MAX_NODES = 2000


@dataclass(frozen=True)
class Node:
    """One token in the tree.

    Attributes:
        token: its internal id.
        left: the number of the node of its left part; `None` for a symbol, and where the tree was cut short.
        right: the same of its right part.
        rank: the merge that made it; `None` for a symbol.
        birth_count: that merge's count; `None` for a symbol.
        start: how many symbols of the whole token are before it.
        n_symbols: how many symbols it has.
        depth: how many nodes are above it.
        is_cut_short: whether it has parts that the tree leaves out.
    """

    token: int
    left: int | None
    right: int | None
    rank: int | None
    birth_count: int | None
    start: int
    n_symbols: int
    depth: int
    is_cut_short: bool


@dataclass(frozen=True)
class Derivation:
    """A token's tree.

    Attributes:
        nodes: the token itself, then its parts, then theirs: level by level, each from left to right.
        is_cut_short: whether parts were left out, because there are too many.
    """

    nodes: tuple[Node, ...]
    is_cut_short: bool

    @property
    def root(self) -> Node:
        """The token itself."""
        return self.nodes[0]

    def leaves(self) -> list[Node]:
        """What the token is made of as far as the tree goes, from left to right."""
        return sorted((node for node in self.nodes if node.left is None), key=lambda node: node.start)


def derive(run: Run, token: int, max_nodes: int = MAX_NODES) -> Derivation:
    """A token's tree.

    Args:
        run: the run.
        token: an internal id.
        max_nodes: how many nodes there may be; below that the deepest levels are left out.

    Raises:
        VocabularyError: there is no such token.
    """
    birth_step(run, token, len(run.columns))
    lengths, columns, n_alphabet = lengths_in_symbols(run, token), run.columns, run.n_alphabet
    nodes: list[Node] = []
    waiting = deque([(token, 0, 0)])
    n_named = 1
    while waiting:
        part, start, depth = waiting.popleft()
        rank = part - n_alphabet
        if rank < 0:
            nodes.append(Node(part, None, None, None, None, start, 1, depth, False))
            continue
        left, right = int(columns.left[rank]), int(columns.right[rank])
        has_room = n_named + 2 <= max_nodes
        numbers = (n_named, n_named + 1) if has_room else (None, None)
        count, n_symbols = int(columns.count[rank]), lengths[part]
        nodes.append(Node(part, numbers[0], numbers[1], rank, count, start, n_symbols, depth, not has_room))
        if has_room:
            waiting += (left, start, depth + 1), (right, start + lengths.get(left, 1), depth + 1)
            n_named += 2
    return Derivation(tuple(nodes), any(node.is_cut_short for node in nodes))
