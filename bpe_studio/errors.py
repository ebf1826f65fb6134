"""Every error that this program raises on purpose.

BpeError
├── ConfigError            options that make no sense together, or a value out of range
│   └── PatternError       a regular expression that is invalid or takes too long
├── CorpusError            text that cannot be trained from
│   └── SourceError        a text file that cannot be read
├── TrainingError          a step that cannot be taken (a forced merge of unknown tokens)
├── VocabularyError        a token, id or character that the vocabulary does not hold
├── TokenizerFormatError   a tokenizer file that cannot be understood
├── LessonError            a lesson file that cannot be followed
├── SaveError              a file that cannot be written
└── DisplayError           a window that cannot open here

Each message is one plain sentence: what happened, with the value, and what to do. `Cancelled` stands apart, because
a person who cancels has not met an error.
"""

from __future__ import annotations

MAX_CHARACTERS = 1_000
"""A longer message quotes something that nobody reads whole; its middle is left out."""


class BpeError(Exception):
    """The base of every error that a person can cause or meet; its text is fit to be shown."""

    def __str__(self) -> str:
        text = super().__str__()
        return (
            text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS // 2]} … {text[-MAX_CHARACTERS // 2 :]}"
        )


class ConfigError(BpeError):
    """Options that make no sense together, or a value out of range."""


class PatternError(ConfigError):
    """A regular expression that is invalid or takes too long."""


class CorpusError(BpeError):
    """Text that cannot be trained from."""


class SourceError(CorpusError):
    """A text file that cannot be read."""


class TrainingError(BpeError):
    """A training step that cannot be taken."""


class VocabularyError(BpeError):
    """A token, id or character that the vocabulary does not hold."""


class TokenizerFormatError(BpeError):
    """A tokenizer file that cannot be understood."""


class LessonError(BpeError):
    """A lesson file that cannot be followed.

    Attributes:
        line: the line of the file that is wrong, from 1 on; `None` where it is no line in particular.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line:,}: {message}")
        self.line = line


class SaveError(BpeError):
    """A file that cannot be written."""


class DisplayError(BpeError):
    """A window that cannot open here."""


class Cancelled(Exception):  # noqa: N818 - cancelling is not an error
    """A person stopped a job."""
