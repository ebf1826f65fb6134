"""What extending and pruning have in common, whether a run is made or a file is changed."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bpe_studio.explain.wording import number, percent, plural
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.session import Session
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.training.pruning import PruningPlan


@dataclass(frozen=True, eq=False)
class Change:
    """A tokenizer that was extended or pruned.

    Attributes:
        session: what is to be shown: its only run, or a run for the list.
        said: what has become of the tokenizer and the corpus, in a sentence.
        is_same: whether the tokenizer has not changed.
    """

    session: Session
    said: str
    is_same: bool = False


@dataclass(frozen=True, eq=False)
class Plan:
    """What can be removed from a tokenizer.

    Attributes:
        order: the tokens, in the order in which they go.
        pruning: the job that removes the first of them, for a vocabulary size and the user's settings.
    """

    order: PruningPlan
    pruning: Callable[[int, TrainingConfig], Generator[Progress, None, Change]]


class Changeable(Protocol):
    """A tokenizer that can be extended or pruned.

    Attributes:
        replaces_what_is_open: whether the result is opened in place of what is open, or else is a run in the list.
    """

    replaces_what_is_open: bool

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def vocab_size(self) -> int:
        """The number of its tokens."""

    def extending(
        self, backend: Backend, asked: CorpusInfo | OpeningRequest, vocab_size: int, own: TrainingConfig
    ) -> Generator[Progress, None, Change]:
        """The job that trains further merges.

        Args:
            backend: the engine and the file layer.
            asked: the open corpus, or what to read.
            vocab_size: the number of tokens in all.
            own: the user's settings, for the next text.

        Raises:
            BpeError: the text cannot be read again or has changed, or nothing can be merged.
        """

    def planning(self, backend: Backend, asked: CorpusInfo | OpeningRequest) -> Generator[Progress, None, Plan]:
        """The job that finds what can be removed.

        Raises:
            BpeError: the text cannot be read again or has changed, or nothing can be removed.
        """


def extended_sentence(name: str, n_new: int, vocab_size: int, n_tokens: tuple[int, int], stop_reason: str) -> str:
    """What has become of a tokenizer that was to be extended.

    Args:
        name: what it is called.
        n_new: how many merges were added.
        vocab_size: how many tokens it had.
        n_tokens: the tokens of the corpus before and after.
        stop_reason: why training has ended, if no merge was added; else "".
    """
    if stop_reason and not n_new:
        return f"No merge could be added to {name}, as {stop_reason}."
    return (
        f"{plural(n_new, 'merge')} added to the {number(vocab_size)} tokens of {name}: {_corpus_now(*n_tokens)} What "
        "each of them saves is its count in Merges."
    )


def pruned_sentence(name: str, n_removed: int, vocab_size: int, n_tokens: tuple[int, int]) -> str:
    """What has become of a tokenizer that was pruned; as for `extended_sentence`."""
    return f"{plural(n_removed, 'token')} removed from the {number(vocab_size)} of {name}: {_corpus_now(*n_tokens)}"


def _corpus_now(before: int, after: int) -> str:
    """The tokens of the corpus, and how many percent more or fewer these are."""
    change = ""
    if before and before != after:
        change = f" ({'+' if after > before else '−'}{percent(abs(after - before) / before)})"
    return f"the corpus has {number(after)} tokens instead of {number(before)}{change}."
