"""Finds the tokens that begin with a continuing symbol, or that end with the word-end mark.

The name of a token does not show this: with the mark `_`, the token `a_` may be an `a` at the end
of a word, or two characters of `snake_case`. The symbols that it was made from do. Without a mark
and a prefix, there is nothing to find out.
"""

from __future__ import annotations

from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.text.alphabet import marks_of_symbol

Marks = tuple[bool, bool]


class TokenMarks:
    """The marks of a tokenizer's tokens, computed on request.

    Attributes:
        has_any: whether its options have a prefix or a mark.
    """

    def __init__(self, model: TokenizerModel) -> None:
        self._model = model
        self._known: dict[int, Marks] = {}
        self._parts: dict[int, tuple[int, int]] = {}
        self.has_any = model.config.continuing is not None or model.config.word_end is not None
        if self.has_any:
            for left, right, new in model.merges:
                self._parts.setdefault(new, (left, right))

    def of(self, token: int) -> Marks:
        """Whether a token begins with a continuing symbol, and whether it ends with the word-end
        mark.
        """
        marks = self._known.get(token)
        if marks is None:
            is_continuing, _ = self._of_symbol(token, 0)
            _, ends_word = self._of_symbol(token, 1)
            marks = (is_continuing, ends_word)
            self._known[token] = marks
        return marks

    def _of_symbol(self, token: int, side: int) -> Marks:
        """The marks of the first symbol (side 0) or the last one (side 1) of a token."""
        config = self._model.config
        seen = {token}
        while (parts := self._parts.get(token)) is not None and parts[side] not in seen:
            token = parts[side]
            seen.add(token)
        name = self._model.tokens[token]
        marks = marks_of_symbol(name, config)
        if marks is not None:
            return marks
        # A token of several characters that no merge makes, which only third-party files have.
        prefix = config.continuing
        mark = config.word_end
        is_continuing = prefix is not None and name.startswith(prefix)
        ends_word = mark is not None and name.endswith(mark)
        return is_continuing, ends_word
