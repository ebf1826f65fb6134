"""The unreachable tokens of a run, with the reasons.

They are found once for all steps, and kept as long as the run.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from bpe_studio.explain.doctor.examination import ExaminedToken, examined_tokens
from bpe_studio.explain.doctor.token_classes import TokenClass

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

_known: WeakKeyDictionary[Run, tuple[int, dict[int, ExaminedToken]]] = WeakKeyDictionary()
"""The number of examined tokens of each run, and the unreachable ones by their internal ids."""


def known_unreachable(run: Run, step: int) -> Mapping[int, ExaminedToken] | None:
    """The unreachable tokens of a step by their internal ids; `None` before all are examined."""
    n = run.token_of(step)
    n_known, found = _known.get(run, (0, {}))
    if n > n_known:
        return None
    return {token: one for token, one in found.items() if token < n}


def finding_unreachable(run: Run, step: int) -> Generator[None, None, bool]:
    """Examines the tokens of a step that were not examined yet, as a job; returns true.

    A token is examined once, at the first step that is asked about. At another step the answer
    differs only if a later merge absorbs the token everywhere, as `'ll` absorbs `'l`.

    Raises:
        BpeError: the tokenizer of the step cannot be made.
    """
    first = _known.get(run, (0, {}))[0]
    n = run.token_of(step)
    if first < n:
        found: dict[int, ExaminedToken] = {}
        ids = run.external_ids(step)[-n:][first:].tolist()
        for token, one in enumerate(examined_tokens(run.tokenizer(step), ids), first):
            if one is not None:
                found[token] = one
            yield
        remember_examined(run, range(first, n), found)
    return True


def remember_examined(run: Run, examined: range, found: Mapping[int, ExaminedToken]) -> None:
    """Keep the findings about tokens.

    Args:
        run: the run.
        examined: the internal ids of the examined tokens; the first one follows the last that was
            examined before.
        found: the examined tokens that are not reachable.
    """
    n_known, before = _known.get(run, (0, {}))
    others = {token: one for token, one in before.items() if token not in examined}
    unreachable = {
        token: one for token, one in found.items() if one.token_class is TokenClass.unreachable
    }
    _known[run] = max(n_known, examined.stop), others | unreachable
