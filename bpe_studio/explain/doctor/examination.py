"""Examines a tokenizer: the class of every token, the cause of unreachable ones, and the gates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bpe_studio.engine.arguments import expect
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.corpus_tokens import can_share_pieces, tokens_in_corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.generators import relay, result_of
from bpe_studio.engine.progress_bar import ProgressBar
from bpe_studio.errors import BpeError
from bpe_studio.explain.doctor.gates import N_GATES, Gate, gates_of
from bpe_studio.explain.doctor.reasons import Cause, Reasons
from bpe_studio.explain.doctor.token_classes import (
    TokenClass,
    classes_of,
    ids_of,
    is_part_of_a_text,
)
from bpe_studio.explain.wording import json_line, plural

_SHARE = 256
"""A job can be paused after this many tokens."""
_OF_CLASSES = 0.6
_OF_GATES = 0.3
"""The shares of the work that the classes of the tokens and the gates take, about.

The rest is the corpus.
"""


@dataclass(frozen=True)
class ExaminedToken:
    """A token that is not reachable.

    Attributes:
        id: its id.
        token: as a file writes it.
        token_class: unreachable, partial or special.
        cause: why it is unreachable; `None` for the other classes.
        is_decodable: whether it can be part of a text; false for bytes that occur in no valid
            UTF-8.
    """

    id: int
    token: str
    token_class: TokenClass
    cause: Cause | None = None
    is_decodable: bool = True

    def as_json(self) -> dict[str, Any]:
        """The token as the command prints it."""
        found: dict[str, Any] = {
            "id": self.id,
            "token": self.token,
            "class": self.token_class.value,
        }
        if self.cause is not None:
            found |= {"reason": self.cause.reason.value, "by": self.cause.by}
        if not self.is_decodable:
            found["undecodable"] = True
        return found


@dataclass(frozen=True)
class Examination:
    """The findings of the doctor.

    Attributes:
        n_tokens: the number of tokens.
        counts: the number of tokens in each class.
        tokens: all tokens that are not reachable, by id.
        gates: the checks of the whole tokenizer.
        unused: the ids of the tokens that do not occur in the corpus; `None` without a corpus.
    """

    n_tokens: int
    counts: dict[TokenClass, int]
    tokens: list[ExaminedToken]
    gates: list[Gate]
    unused: list[int] | None = None

    def __repr__(self) -> str:
        n_unreachable = self.counts[TokenClass.unreachable]
        n_passed = sum(gate.passed for gate in self.gates)
        gates = f"{n_passed} of {plural(len(self.gates), 'gate')} passed"
        return (
            f"<Examination: {plural(self.n_tokens, 'token')}, {n_unreachable:,} unreachable,"
            f" {gates}>"
        )

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    @property
    def passed(self) -> bool:
        """Whether every gate passed."""
        return all(gate.passed for gate in self.gates)

    def as_line(self) -> str:
        """The findings as one line of JSON, as `bpe-studio doctor --json` prints them."""
        return json_line(self.as_json())

    def as_json(self) -> dict[str, Any]:
        """The findings as JSON values, as the command prints them."""
        found: dict[str, Any] = {
            "n_tokens": self.n_tokens,
            "classes": {kind.value: self.counts[kind] for kind in TokenClass},
            "tokens": [token.as_json() for token in self.tokens],
            "gates": [
                {"name": gate.name, "passed": gate.passed, "detail": gate.detail}
                for gate in self.gates
            ],
        }
        if self.unused is not None:
            found |= {"n_unused": len(self.unused), "unused": self.unused}
        return found


def doctor(
    tokenizer: Tokenizer,
    corpus: Corpus | str | Iterable[str] | None = None,
    *,
    progress: bool = False,
) -> Examination:
    """Examine a tokenizer, token by token.

    Args:
        tokenizer: any tokenizer.
        corpus: a text, several texts, or a `Corpus`, to find tokens that do not occur in it. The
            words of a `Corpus` are encoded one by one.
        progress: whether to show a progress bar.

    >>> from bpe_studio import Corpus, TrainingConfig, train
    >>> config = TrainingConfig.preset("gpt2", merges=3, vocab_size=None, force=("a b", "b c", "a bc"))
    >>> found = doctor(train(Corpus.from_text("abc", config), config).tokenizer())
    >>> [(token.token, token.cause.reason.value, token.cause.by) for token in found.tokens if token.cause]
    [('abc', 'merge', 'a b')]
    >>> found.passed
    True
    """  # noqa: E501
    expect(tokenizer, Tokenizer, "give one, such as load(path)")
    with ProgressBar("Examining", is_shown=progress) as bar:
        return result_of(examining(tokenizer, corpus), lambda share: bar.update(share, 1))


def examining(
    tokenizer: Tokenizer, corpus: Corpus | str | Iterable[str] | None = None
) -> Generator[float, None, Examination]:
    """`doctor` as a job; it yields the share that is done."""
    tokens: list[ExaminedToken] = []
    n_tokens = len(tokenizer.tokens)
    for place, token in enumerate(examined_tokens(tokenizer)):
        if token is not None:
            tokens.append(token)
        if place % _SHARE == 0:
            yield _OF_CLASSES * place / n_tokens
    gates: list[Gate] = []
    for gate in gates_of(tokenizer):
        gates.append(gate)
        yield _OF_CLASSES + _OF_GATES * len(gates) / N_GATES
    unused = None if corpus is None else (yield from _unused(tokenizer, corpus))
    n_of_class = Counter(token.token_class for token in tokens)
    n_of_class[TokenClass.reachable] = n_tokens - len(tokens)
    counts = {kind: n_of_class[kind] for kind in TokenClass}
    return Examination(n_tokens, counts, tokens, gates, unused)


def examined_tokens(
    tokenizer: Tokenizer, numbers: Sequence[int] | None = None
) -> Iterator[ExaminedToken | None]:
    """The finding about each token, in the order of `classes_of`; `None` for a reachable one."""
    reasons = Reasons(tokenizer)
    for number, kind in classes_of(tokenizer, numbers):
        if kind is TokenClass.reachable:
            yield None
            continue
        is_decodable = kind is not TokenClass.partial or is_part_of_a_text(
            tokenizer.content(number)
        )
        cause = reasons.of(number) if kind is TokenClass.unreachable else None
        yield ExaminedToken(number, tokenizer.tokens[number], kind, cause, is_decodable)


def _unused(
    tokenizer: Tokenizer, corpus: Corpus | str | Iterable[str]
) -> Generator[float, None, list[int]]:
    used = None
    if isinstance(corpus, Corpus):
        used = yield from _used_in_table(tokenizer, corpus)
    if used is None:
        used = set()
        texts: Iterable[str]
        if isinstance(corpus, str):
            texts = [corpus]
        elif isinstance(corpus, Corpus):
            texts = corpus.pre_tokens()
        else:
            texts = corpus
        for place, text in enumerate(texts):
            used.update(ids_of(tokenizer, text) or ())
            if place % _SHARE == 0:
                yield _OF_CLASSES + _OF_GATES
    return [number for number in tokenizer.tokens if number not in used]


def _used_in_table(tokenizer: Tokenizer, corpus: Corpus) -> Generator[float, None, set[int] | None]:
    """The ids that occur in a table of words; `None` if the tokenizer cuts words differently."""
    try:
        model = tokenizer.model
        if not can_share_pieces(model) or not (
            corpus.is_counted or model.config.same_cut(corpus.config)
        ):
            return None
        begun = _OF_CLASSES + _OF_GATES
        counts = yield from relay(
            tokens_in_corpus(tokenizer, corpus), lambda share: begun + (1 - begun) * share
        )
        return set(counts.nonzero()[0].tolist())
    except BpeError:
        return None
