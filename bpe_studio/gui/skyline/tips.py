"""What the skyline says of what is pointed at: a joint, a token at its letters, the line of the step.

It only words what the run knows; no pass over the corpus is made for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.explain.names import short_name
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tokens.tooltip import token_facts

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


def joint_sentence(run: Run, rank: int) -> str:
    """What a merge is: its rank, its pair, what it makes, and how often the pair stood in the corpus then."""
    columns, number = run.columns, grouping_locale().toString
    left, right = short_name(run, int(columns.left[rank])), short_name(run, int(columns.right[rank]))
    token = short_name(run, run.n_alphabet + rank)
    times = _times(int(columns.count[rank]))
    return f"Rank {number(rank)}: {left} + {right} → {token}, counted {times} in the corpus when it was merged"


def token_sentence(run: Run, token: int, step: int) -> str:
    """What a token of the text is: its name, id, bytes, and the merge that made it."""
    if token < 0:
        return "Unknown: not in the alphabet of this run, so it is never joined"
    facts, number = token_facts(run, token, step, counts=False), grouping_locale().toString
    head = f"{facts.name}, id {number(facts.external_id)}" + (f", bytes {facts.content}" if facts.content else "")
    if facts.parts is None:
        return f"{head}: a symbol of the alphabet"
    left, right = facts.parts
    times = _times(facts.birth_count or 0)
    return f"{head}: {left} + {right}, rank {number(facts.rank or 0)}, counted {times} in the corpus when it was merged"


def line_sentence(step: int, n_merges: int) -> str:
    """What the line of the step is."""
    number = grouping_locale().toString
    return (
        f"Step {number(step)} of {number(n_merges)} merges: what is joined below this line is a token. "
        "Drag it to choose the size of the vocabulary"
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{grouping_locale().toString(count)} times"
