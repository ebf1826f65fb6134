"""The merges that made a token, as a tree, down to the symbols of the alphabet.

The tree is a flat table instead of nested objects, and nothing here is recursive: a token of ten
thousand symbols may be as deep as it is long.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.engine.analysis.token_life import birth_step
from bpe_studio.engine.kernels.buffers import LENGTH

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MAX_NODES = 2000


@dataclass(frozen=True)
class Node:
    """One token in the tree.

    Attributes:
        token: its internal id.
        left: the number of the node of its left part; `None` for a symbol, and if its parts are
            left out.
        right: the number of the node of its right part.
        rank: the merge that made it; `None` for a symbol.
        birth_count: the count of that merge; `None` for a symbol.
        start: the number of symbols of the whole token before it.
        n_symbols: its length in symbols.
        depth: the number of nodes above it.
        is_cut_short: whether its parts are left out.
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
    """The tree of a token.

    Attributes:
        nodes: the token itself, then its parts, then theirs: level by level, each from left to
            right.
        is_cut_short: whether nodes were left out because there are too many.
    """

    nodes: tuple[Node, ...]
    is_cut_short: bool

    @property
    def root(self) -> Node:
        """The token itself."""
        return self.nodes[0]

    def leaves(self) -> list[Node]:
        """The leaves of the tree, from left to right."""
        return sorted(
            (node for node in self.nodes if node.left is None), key=lambda node: node.start
        )


def derive(run: Run, token: int, max_nodes: int = MAX_NODES) -> Derivation:
    """The tree of a token.

    Args:
        run: the run.
        token: an internal id.
        max_nodes: the maximum number of nodes; the deepest levels are left out.

    Raises:
        VocabularyError: there is no such token.
    """
    birth_step(run, token, len(run.columns))
    lengths: list[int] = run.facts_at(token)[:, LENGTH].tolist()
    columns = run.columns
    nodes: list[Node] = []
    waiting = deque([(token, 0, 0)])
    n_named = 1
    while waiting:
        part, start, depth = waiting.popleft()
        rank = run.rank_of(part)
        if rank < 0:
            nodes.append(Node(part, None, None, None, None, start, 1, depth, False))
            continue
        left = int(columns.left[rank])
        right = int(columns.right[rank])
        has_room = n_named + 2 <= max_nodes
        numbers = (n_named, n_named + 1) if has_room else (None, None)
        count = int(columns.count[rank])
        n_symbols = lengths[part]
        nodes.append(
            Node(part, numbers[0], numbers[1], rank, count, start, n_symbols, depth, not has_room)
        )
        if has_room:
            waiting += (left, start, depth + 1), (right, start + lengths[left], depth + 1)
            n_named += 2
    return Derivation(tuple(nodes), any(node.is_cut_short for node in nodes))
