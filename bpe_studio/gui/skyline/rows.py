"""Rows of the skyline: pieces of the text side by side, wrapped into lines, with their positions.

Only visible rows are laid out at once; the rest follows in slices (`extend`), so that a long text
never delays a key press. Positions are in pixels at a zoom of 100 %. Nothing here paints.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from time import perf_counter

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF

from bpe_studio.explain.merge_tree import Tree, grow_tree, part_places
from bpe_studio.explain.names import is_right_to_left
from bpe_studio.explain.text_pieces import SkylinePieces
from bpe_studio.gui.skyline.glyphs import WordShape, WordShapes
from bpe_studio.gui.skyline.rank_scale import Scale
from bpe_studio.gui.skyline.visual_order import visual_order

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

WORD_GAP_PX = 9.0
_MOST_TREES = 50_000
_MOST_ROWS = 48
_NEAR = 12
_MOST_BLANK = 100
"""A paragraph of more pieces than this is never treated as an empty line."""


class Row:
    """One row: its letters, symbols and joints, with their positions.

    Attributes:
        words: the pieces' shapes with their left edges, from left to right.
        first, last: the numbers of its symbols, [first, last).
        lefts, rights: (n,) float64, the edges of each symbol.
        begins: (n,) bool, whether it is the first symbol of its character.
        gaps: (j,) int64, the symbol after the gap that each joint closes, in the order of the text.
        ranks: (j,) int64, the merge that makes the joint.
        legs: (j, 2) float64, the x of its two legs.
        heights: (j, 3) float64, the heights of its roof, and of the feet of its legs.
        lows, highs: (j,) int64, its symbols, [low, high).
        is_rtl: the direction of the paragraph.
    """

    def __init__(
        self, pieces: list[tuple[float, WordShape, Tree]], first: int, is_rtl: bool, scale: Scale
    ) -> None:
        self.is_rtl = is_rtl
        words = [(x, shape) for x, shape, _ in pieces]
        self.words = sorted(words, key=lambda word: word[0])
        self.first = first
        lefts = [shape.lefts + x for x, shape, _ in pieces]
        self.lefts = _joined(lefts)
        rights = [shape.rights + x for x, shape, _ in pieces]
        self.rights = _joined(rights)
        begins = [shape.begins for _, shape, _ in pieces]
        self.begins = np.concatenate(begins)
        self.last = first + len(self.lefts)
        offsets = first + np.cumsum([0, *(len(shape.lefts) for _, shape, _ in pieces)])
        trees = [(tree, int(offset)) for (_, _, tree), offset in zip(pieces, offsets, strict=False)]
        ranks = [tree.ranks for tree, _ in trees]
        self.ranks = _joined(ranks).astype(np.int64)
        gaps = [tree.gaps + offset for tree, offset in trees]
        self.gaps = _joined(gaps).astype(np.int64)
        lows = [tree.lows + offset for tree, offset in trees]
        self.lows = _joined(lows).astype(np.int64)
        highs = [tree.highs + offset for tree, offset in trees]
        self.highs = _joined(highs).astype(np.int64)
        legs = [np.zeros((0, 2))]
        heights = [np.zeros((0, 3))]
        for x, shape, tree in pieces:
            left, right = part_places(tree, (shape.lefts + shape.rights) / 2 + x)
            legs.append(np.column_stack([left, right]))
            high = scale.heights(tree.ranks)
            low_left = _heights_of(tree.lefts, high)
            low_right = _heights_of(tree.rights, high)
            heights.append(np.column_stack([high, low_left, low_right]))
        self.legs = np.concatenate(legs)
        self.heights = np.concatenate(heights)
        self._order = np.argsort(self.ranks, kind="stable")
        self._sorted_ranks = self.ranks[self._order]
        self._lines: list[QLineF] | None = None

    @property
    def width(self) -> float:
        """The x of its right edge."""
        return float(self.rights.max(initial=0.0))

    def lines(self, step: int, base: float) -> tuple[list[QLineF], list[QLineF]]:
        """The brackets of the joints below a step, and of those above it.

        Args:
            base: the y of height 0, from the row's top.
        """
        if self._lines is None:
            self._lines = []
            for joint in self._order.tolist():
                self._lines += self.bracket(joint, base)
        n_made = 3 * int(np.searchsorted(self._sorted_ranks, step, "left"))
        return self._lines[:n_made], self._lines[n_made:]

    def bracket(self, joint: int, base: float) -> list[QLineF]:
        """The left leg, roof and right leg of one joint."""
        left, right = self.legs[joint].tolist()
        high, low_left, low_right = self.heights[joint].tolist()
        y = base - high
        return [
            QLineF(left, base - low_left, left, y),
            QLineF(left, y, right, y),
            QLineF(right, y, right, base - low_right),
        ]

    def joint_at(self, x: float, height: float, reach: float) -> int | None:
        """The joint whose bracket is nearest to a position, if it is within reach."""
        if not len(self.ranks):
            return None
        low = self.legs.min(axis=1)
        high = self.legs.max(axis=1)
        roof = np.hypot(x - np.clip(x, low, high), height - self.heights[:, 0])
        distances = roof
        for side in (0, 1):
            reached = np.clip(height, self.heights[:, 1 + side], self.heights[:, 0])
            # Roofs win over legs, because the foot of a leg is the roof of another joint.
            distances = np.minimum(
                distances, np.hypot(x - self.legs[:, side], height - reached) + reach / 3
            )
        joint = int(distances.argmin())
        return joint if distances[joint] <= reach else None


class Rows:
    """The rows of a text at a width.

    Args:
        text: the pieces.
        shapes: gives the shapes of words.
    """

    def __init__(self, text: SkylinePieces, shapes: WordShapes) -> None:
        self.text = text
        self.shapes = shapes
        self.room = 400.0
        self.scale = Scale(1, 100.0)
        self.starts: list[int] = []
        self.is_complete = not len(text)
        self.n_layouts = 0
        self.widest = 0.0
        self._end = 0
        self._old: list[int] = []
        self._old_widest = 0.0
        self._rows: dict[int, Row] = {}
        self._trees: dict[tuple[str, bytes], Tree] = {}
        self._directions: dict[int, bool] = {}

    def set_room(self, room: float) -> None:
        """Wrap at another width."""
        if room != self.room:
            self.room = room
            self.forget(0)

    def set_scale(self, scale: Scale) -> None:
        """Draw the trees at other heights."""
        if scale != self.scale:
            self.scale = scale
            self._rows.clear()

    def grow(self) -> None:
        """Show the merges that the run has added."""
        before = self.text.firsts
        self.text.grow()
        self._rows.clear()
        if not np.array_equal(before, self.text.firsts):
            self.forget(0)

    def follow(self, text: str | Sequence[str]) -> None:
        """Show another text."""
        before = len(self.text)
        first, behind = self.text.follow(text)
        delta = len(self.text) - before
        kept = self.starts[bisect_left(self.starts, behind - delta) :] if self.is_complete else []
        old = [start + delta for start in kept]
        widest = self.widest
        self._directions.clear()
        self.forget(first)
        self._old = old
        self._old_widest = widest

    def forget(self, first: int) -> None:
        """Lay out again from the row before the one with a piece."""
        self.n_layouts += 1
        kept = max(0, bisect_right(self.starts, first) - 2)
        del self.starts[kept + 1 :]
        self._end = self.starts[-1] if self.starts else 0
        if self.starts:
            self.starts.pop()
        self._rows = {number: row for number, row in self._rows.items() if number < kept}
        self._old = []
        self.is_complete = not len(self.text)
        if not kept:
            self.widest = 0.0

    @property
    def n_rows(self) -> int:
        """The number of rows; an estimate until all are laid out."""
        if self.is_complete or not self._end:
            return max(len(self.starts), int(len(self.text) > 0))
        return max(len(self.starts) + 1, round(len(self.starts) * len(self.text) / self._end))

    def extend(self, n_rows: int | None = None, budget_s: float | None = None) -> bool:
        """Lay out a number of rows, or for a time, and return whether all are laid out."""
        deadline = None if budget_s is None else perf_counter() + budget_s
        while not self.is_complete and (n_rows is None or len(self.starts) < n_rows):
            self._next_row()
            if deadline is not None and perf_counter() > deadline:
                break
        return self.is_complete

    def _next_row(self) -> None:
        text = self.text
        room = self.room
        first = k = self._end
        paragraph = int(text.paragraphs[first])
        n = len(text)
        x = 0.0
        while k < n:
            if text.paragraphs[k] != paragraph:
                if not self._is_blank(k):
                    break
                paragraph = int(text.paragraphs[k])
            width = self._shape(k).width
            gap = WORD_GAP_PX if k > first and not text.is_joined[k] else 0.0
            if k > first and x + gap + width > room:
                break
            x += gap + width
            k += 1
        self.widest = max(self.widest, x)
        self.starts.append(first)
        self._end = k
        old = self._old
        if old:
            place = bisect_left(old, k)
            if place < len(old) and old[place] == k:
                self.starts += old[place:]
                self._end = k = n
                self.widest = max(self.widest, self._old_widest)
        if k >= n:
            self.is_complete = True
            self._old = []

    def reach(self) -> float:
        """The right edge of the longest row; rows that run to the left end at the margin."""
        runs_left = any(self._runs_left(first) for first in self.starts)
        return max(self.widest, self.room) if runs_left else self.widest

    def row_of(self, piece: int) -> int:
        """The row of a piece; rows are laid out as far as needed."""
        while not self.is_complete and self._end <= piece:
            self._next_row()
        return bisect_right(self.starts, piece) - 1

    def pieces_of(self, number: int) -> tuple[int, int]:
        """The pieces of a row, [first, last)."""
        last = self.starts[number + 1] if number + 1 < len(self.starts) else self._end
        end = last if last > self.starts[number] else len(self.text)
        return self.starts[number], end

    def row(self, number: int) -> Row:
        row = self._rows.get(number)
        if row is None:
            if len(self._rows) >= _MOST_ROWS:
                self._rows.clear()
            row = self._rows[number] = self._place(number)
        return row

    def _place(self, number: int) -> Row:
        text = self.text
        first, last = self.pieces_of(number)
        shapes = [self._shape(k) for k in range(first, last)]
        is_rtl = self._runs_left(first)
        around = (self._strong(first - 1, -1), self._strong(last, 1))
        directions = [shape.direction for shape in shapes]
        order = visual_order(directions, is_rtl=is_rtl, around=around)
        places = [0.0] * len(shapes)
        x = 0.0
        for place, k in enumerate(order):
            if place:
                other = order[place - 1]
                is_one = abs(other - k) == 1 and text.is_joined[first + max(other, k)]
                x += 0.0 if is_one else WORD_GAP_PX
            places[k] = x
            x += shapes[k].width
        shift = max(0.0, self.room - x) if is_rtl else 0.0
        trees = [self._tree(first + k) for k in range(len(shapes))]
        pieces = [
            (place + shift, shape, tree)
            for place, shape, tree in zip(places, shapes, trees, strict=True)
        ]
        return Row(pieces, int(text.offsets[first]), is_rtl, self.scale)

    def _shape(self, piece: int) -> WordShape:
        text = self.text
        n_symbols = int(text.offsets[piece + 1]) - int(text.offsets[piece])
        return self.shapes.shape(text.piece(piece), text.ends_word(piece), n_symbols)

    def _tree(self, piece: int) -> Tree:
        text = self.text
        gaps = text.gaps[int(text.offsets[piece]) : int(text.offsets[piece + 1])]
        key = (text.piece(piece), gaps.tobytes())
        tree = self._trees.get(key)
        if tree is None:
            if len(self._trees) >= _MOST_TREES:
                self._trees.clear()
            tree = self._trees[key] = grow_tree(gaps.tolist())
        return tree

    def _strong(self, piece: int, way: int) -> int:
        """The direction of the nearest piece on one side, in the same paragraph, that has one."""
        text = self.text
        inner = piece - way
        for k in range(piece, piece + _NEAR * way, way):
            if not 0 <= k < len(text) or text.paragraphs[k] != text.paragraphs[inner]:
                break
            direction = self._shape(k).direction
            if direction in (1, -1):
                return direction
        return 0

    def _is_blank(self, piece: int) -> bool:
        """Whether the paragraph of a piece is an empty line, which takes no row of its own."""
        text = self.text
        end = int(np.searchsorted(text.paragraphs, text.paragraphs[piece], "right")) - 1
        if end - piece >= _MOST_BLANK:
            return False
        return not text.source[int(text.firsts[piece]) : int(text.lasts[end])].strip()

    def _runs_left(self, piece: int) -> bool:
        """Whether the paragraph of a piece runs to the left."""
        paragraph = int(self.text.paragraphs[piece])
        is_rtl = self._directions.get(paragraph)
        if is_rtl is None:
            begin = int(np.searchsorted(self.text.paragraphs, paragraph, "left"))
            start = int(self.text.firsts[begin])
            end = int(
                self.text.lasts[int(np.searchsorted(self.text.paragraphs, paragraph, "right")) - 1]
            )
            is_rtl = self._directions[paragraph] = is_right_to_left(
                self.text.source[start : min(end, start + 2000)]
            )
        return is_rtl


def _joined(parts: list[npt.NDArray[np.float64]] | list[IntArray]) -> npt.NDArray[np.float64]:
    return np.concatenate(parts) if parts else np.zeros(0)


def _heights_of(joints: IntArray, heights: FloatArray) -> FloatArray:
    """The heights of joints of a tree; 0 for a symbol, whose number is negative."""
    if not len(heights):
        return np.zeros(len(joints))
    return np.where(joints >= 0, heights[np.maximum(joints, 0)], 0.0)
