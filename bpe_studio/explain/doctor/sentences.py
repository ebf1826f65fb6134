"""The findings of the doctor in the words of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.explain.doctor.examination import Examination, ExaminedToken
from bpe_studio.explain.doctor.reasons import Reason
from bpe_studio.explain.doctor.token_classes import TokenClass
from bpe_studio.explain.names import display_log_name, display_name, display_text, isolated
from bpe_studio.explain.wording import merge_name, number, plural

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run

_SPECIAL = "matched before the text is split"
_PARTIAL = {
    True: "part of a character; occurs only next to the rest of it",
    False: "its bytes never occur in valid UTF-8",
}


def verdict(found: Examination) -> str:
    """An examination in one sentence.

    >>> from bpe_studio import Corpus, TrainingConfig, doctor, train
    >>> config = TrainingConfig.preset("gpt2", merges=1, vocab_size=None)
    >>> verdict(doctor(train(Corpus.from_text("aa aa", config), config).tokenizer()))[:30]
    'All 258 tokens can be made, an'
    """
    n_failed = sum(not gate.passed for gate in found.gates)
    n_unreachable = found.counts[TokenClass.unreachable]
    made = f"All {plural(found.n_tokens, 'token')} can be made"
    if n_unreachable:
        are_never = "is" if n_unreachable == 1 else "are"
        made = (
            f"{number(n_unreachable)} of {plural(found.n_tokens, 'token')} {are_never} never made"
        )
    if n_failed:
        return f"{made}, and {number(n_failed)} of {plural(len(found.gates), 'check')} failed."
    return f"{made}, and all {plural(len(found.gates), 'check')} passed."


def why(token: ExaminedToken, run: Run) -> str:
    """Why a token is not reachable, as a phrase.

    Args:
        token: the token.
        run: the run whose tokenizer was examined.
    """
    if token.token_class is TokenClass.special:
        return _SPECIAL
    cause = token.cause
    if cause is None:
        return _PARTIAL[token.is_decodable]
    if cause.reason is Reason.normalization:
        return f"normalization turns it into {isolated(display_text(cause.by))}"
    if cause.reason is Reason.split:
        return f"the split cuts it: {_tokens(cause.by, run.config)}"
    rank = merge_rank(token, run)
    if rank is None:
        return f"other merges turn its text into {_tokens(cause.by, run.config)}"
    parts = (
        isolated(display_name(run, int(side[rank])))
        for side in (run.columns.left, run.columns.right)
    )
    return f"{merge_name(rank)} uses part of it first: {' + '.join(parts)}"


def merge_rank(token: ExaminedToken, run: Run) -> int | None:
    """The rank of the merge that takes a part of a token; `None` if the run has no such merge."""
    rank = None if token.cause is None else token.cause.merge_rank
    return rank if rank is not None and rank < len(run.columns) else None


def _tokens(names: str, config: TrainingConfig) -> str:
    return " · ".join(isolated(display_log_name(name, config)) for name in names.split(" "))
