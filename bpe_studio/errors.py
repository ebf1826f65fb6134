"""Every error that this program raises on purpose.

BpeError
├── ArgumentError          a value of the wrong type; a TypeError, too
├── ConfigError            options that contradict each other, or a value out of range
│   └── PatternError       a regular expression that is invalid or takes too long
├── CorpusError            text that cannot be trained on
│   └── SourceError        a text file that cannot be read
├── TrainingError          a training step that is not possible (a forced merge of unknown tokens)
├── VocabularyError        a token, id or character that is not in the vocabulary
├── TokenizerFormatError   a tokenizer file that is not valid
├── LessonError            a lesson file that is not valid
├── SaveError              a file that cannot be written
└── DisplayError           a window that cannot open here

Each message is one plain sentence that says what happened, with the value, and what to do.
`Cancelled` is not a `BpeError`, because cancelling is not an error.
"""

from __future__ import annotations

MAX_CHARACTERS = 1_000
"""The longest message; a longer one is shortened in the middle."""


class BpeError(Exception):
    """The base of every error that a user can cause or meet; its text can be shown as it is."""

    def __str__(self) -> str:
        text = super().__str__()
        if len(text) <= MAX_CHARACTERS:
            return text
        return f"{text[: MAX_CHARACTERS // 2]} … {text[-MAX_CHARACTERS // 2 :]}"


class ArgumentError(BpeError, TypeError):
    """A value of the wrong type."""


class ConfigError(BpeError):
    """Options that contradict each other, or a value out of range."""


class PatternError(ConfigError):
    """A regular expression that is invalid or takes too long."""


class CorpusError(BpeError):
    """Text that cannot be trained on."""


class SourceError(CorpusError):
    """A text file that cannot be read."""


class TrainingError(BpeError):
    """A training step that is not possible."""


class VocabularyError(BpeError):
    """A token, id or character that is not in the vocabulary."""


class TokenizerFormatError(BpeError):
    """A tokenizer file that is not valid."""


class LessonError(BpeError):
    """A lesson file that is not valid.

    Attributes:
        line: the line of the error in the file, from 1; `None` if there is no such line.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        if line is not None:
            message = f"line {line:,}: {message}"
        super().__init__(message)
        self.line = line


class SaveError(BpeError):
    """A file that cannot be written."""


class DisplayError(BpeError):
    """A window that cannot open here."""


class Cancelled(Exception):  # noqa: N818 - cancelling is not an error
    """The user has cancelled a job."""
