"""The result of calling a tokenizer: a dict of columns, which are attributes, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bpe_studio.engine.arguments import as_number
from bpe_studio.errors import ConfigError

WordIds = list[int | None]


class BatchEncoding(dict[str, Any]):
    """Model input, as in Transformers: `found["input_ids"]` is `found.input_ids`.

    Each column is a list for one text, a list of lists for several, or an array of shape (texts,
    tokens).

    Args:
        columns: the columns.
        words: for each row, the number of the word that each token belongs to; `None` if the texts
            were not given as words.

    Attributes:
        input_ids: token ids.
        attention_mask: 1 for tokens, 0 for padding.
        token_type_ids: the number of the text that each token belongs to.
        special_tokens_mask: 1 for tokens of the template and of padding.
        offset_mapping: (start, end) of each token in its text, or in its word.
        length: the number of tokens of each row.
        overflow_to_sample_mapping: the number of the text of each row.
    """

    input_ids: Any
    attention_mask: Any
    token_type_ids: Any
    special_tokens_mask: Any
    offset_mapping: Any
    length: Any
    overflow_to_sample_mapping: Any

    def __init__(
        self, columns: Mapping[str, Any] = {}, words: Sequence[WordIds] | None = None
    ) -> None:
        super().__init__(columns)
        self._words = words

    if not TYPE_CHECKING:  # so that type checkers find a wrong name

        def __getattr__(self, name: str) -> Any:
            if name in self:
                return self[name]
            raise AttributeError(
                f"There is no column {name!r}; there are {', '.join(self) or 'none'}"
            )

    def word_ids(self, batch_index: int = 0) -> WordIds:
        """The number of the word that each token of a row belongs to; `None` for tokens of the
        template and of padding.

        Args:
            batch_index: the number of the row; from the last one if it is negative.

        Raises:
            ConfigError: the texts were not given as words, or there is no such row.
        """
        if self._words is None:
            raise ConfigError(
                "Only a text that is given as words has word ids: give a list of words, and"
                " is_split_into_words=True"
            )
        number = as_number(batch_index, "A batch index")
        if not -len(self._words) <= number < len(self._words):
            raise ConfigError(
                f"There is no row {number:,}; the batch has {len(self._words):,}, from 0"
            )
        return self._words[number]
