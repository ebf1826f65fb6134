"""The counts of a typed text, with their labels."""

from __future__ import annotations

from dataclasses import dataclass

from bpe_studio.explain.wording import number


@dataclass(frozen=True)
class TextCounts:
    """The counts of a text.

    Attributes:
        n_characters: code points.
        n_bytes: bytes as UTF-8.
        n_words: words separated by white space.
        n_tokens: None without a run.
        n_unknown: tokens outside the alphabet.
    """

    n_characters: int
    n_bytes: int
    n_words: int
    n_tokens: int | None = None
    n_unknown: int = 0

    def phrases(self) -> list[tuple[str, str]]:
        """Each number and its label."""
        found = [_with_noun(self.n_characters, "character"), _with_noun(self.n_bytes, "byte")]
        if self.n_tokens is not None:
            found.append(_with_noun(self.n_tokens, "token"))
            if self.n_tokens:
                found.append((number(self.n_characters / self.n_tokens, 2), "characters per token"))
            if self.n_words:
                found.append(
                    (
                        number(self.n_tokens / self.n_words, 2),
                        "tokens per whitespace word (fertility)",
                    )
                )
            if self.n_unknown:
                found.append((number(self.n_unknown), "unknown"))
        return found


def _with_noun(n: int, noun: str) -> tuple[str, str]:
    label = noun if n == 1 else f"{noun}s"
    return number(n), label
