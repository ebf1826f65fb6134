"""Why a token is unreachable: because of normalization, the split, or an earlier merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.errors import BpeError, VocabularyError
from bpe_studio.explain.doctor.token_classes import ids_of, own_text


class Reason(Enum):
    """The step of encoding that keeps a token from being made."""

    split = "split"
    normalization = "normalization"
    merge = "merge"


@dataclass(frozen=True)
class Cause:
    """Why a token is unreachable.

    Attributes:
        reason: the kind of reason.
        by: the result instead: the normalized text, or the tokens of the text; or the pair of the
            merge.
        merge_rank: the rank of that merge; `None` if there is none, or it is not known.
    """

    reason: Reason
    by: str
    merge_rank: int | None = None


class Reasons:
    """Finds out why tokens of a tokenizer are unreachable.

    The first step of encoding that changes a token's text is the reason: if normalization changes
    it, the split and the merges are not looked at.

    Args:
        tokenizer: any tokenizer.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._ranks: dict[int, list[int]] = {}

    def of(self, number: int) -> Cause:
        """The reason why an unreachable token is unreachable."""
        text = self._text_of(number)
        normalized = self._tokenizer.normalized_text(text)
        if normalized != text:
            return Cause(Reason.normalization, normalized)
        ids = ids_of(self._tokenizer, text) or []
        instead = " ".join(self._tokenizer.convert_ids_to_tokens(ids))
        gaps = self._gap_ranks(text)
        if gaps is None:
            reason = Reason.split if self._is_cut(text) else Reason.merge
            return Cause(reason, instead)
        wanted = self._own_ranks(number)
        if len(gaps) != 1 or len(gaps[0]) < len(wanted):
            # The text is cut, or a part of it belongs to no piece.
            return Cause(Reason.split, instead)
        return self._merge_that_interferes(gaps[0], wanted, instead)

    def _text_of(self, number: int) -> str:
        """The text that a token decodes to; or that it stands for, if decoding drops a part."""
        own = own_text(self._tokenizer, number)
        content = self._tokenizer.content(number)
        for text in (own, content.decode()):
            ids = ids_of(self._tokenizer, text) or ()
            if b"".join(map(self._tokenizer.content, ids)) == content:
                return text
        return own

    def _is_cut(self, text: str) -> bool:
        try:
            return len(self._tokenizer.stages(text)[1]) > 1
        except VocabularyError:
            return False

    def _gap_ranks(self, text: str) -> list[list[int]] | None:
        """The gap ranks of each piece of a text; `None` if the tokenizer has no merges."""
        try:
            return [ranks.tolist() for ranks in self._tokenizer.gap_ranks(text)]
        except BpeError:
            return None

    def _merge_that_interferes(
        self, found: Sequence[int], wanted: Sequence[int], instead: str
    ) -> Cause:
        """The earliest merge in a token's text that does not help to make the token."""
        others = [rank for rank, own in zip(found, wanted, strict=False) if rank != own]
        rank = min(others, default=NEVER)
        if len(wanted) != len(found) or not 0 <= rank < len(self._merges):
            # No merge makes the token, or none takes a part of it.
            return Cause(Reason.merge, instead)
        left, right, _ = self._merges[rank]
        pair = " ".join(self._tokenizer.convert_ids_to_tokens([left, right]))
        return Cause(Reason.merge, pair, rank)

    def _own_ranks(self, number: int) -> list[int]:
        """The rank of the merge that closes each gap of a token; empty if no merge makes it."""
        # Parts before wholes, without recursion: a file may nest merges as deeply as it has tokens.
        waiting = [number]
        opened = set[int]()
        while waiting:
            token = waiting[-1]
            rank = self._made_by.get(token)
            if token in self._ranks or rank is None:
                self._ranks.setdefault(waiting.pop(), [])
                continue
            left, right, _ = self._merges[rank]
            missing = [part for part in (left, right) if part not in self._ranks]
            if not missing:
                self._ranks[waiting.pop()] = [*self._ranks[left], rank, *self._ranks[right]]
            elif token in opened:
                # It is a part of itself.
                self._ranks[waiting.pop()] = []
            else:
                opened.add(token)
                waiting += missing
        return self._ranks[number]

    @cached_property
    def _merges(self) -> Sequence[tuple[int, int, int]]:
        return self._tokenizer.merges

    @cached_property
    def _made_by(self) -> dict[int, int]:
        """The rank of the first merge that makes each token."""
        return {new: rank for rank, (_, _, new) in reversed(list(enumerate(self._merges)))}
