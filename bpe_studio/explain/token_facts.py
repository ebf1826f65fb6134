"""The facts about one token of a run, and the line that shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.engine.text.outside_alphabet import LAST_SPECIAL, UNKNOWN
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.names import bytes_in_brief, display_name, in_sentence, short_name
from bpe_studio.explain.wording import merge_name, number, times

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

_UNKNOWN = "Unknown: not in the alphabet of this run"
_SPECIAL = "a special token, matched before the text is split"


@dataclass(frozen=True)
class TokenFacts:
    """The facts about a token at a step.

    Attributes:
        name: its name in the window.
        external_id: its id in the tokenizer of this step.
        content: its bytes in hex.
        parts: the names of the two tokens that it was made from; None for a symbol of the alphabet.
        rank: the rank of its merge; None for a symbol.
        birth_count: the count of that merge; None for a symbol, and without a corpus.
        count_now: its count in the corpus at this step; None if it was not counted.
        is_special: whether it is a special token; only its name and id are known.
    """

    name: str
    external_id: int
    content: str
    parts: tuple[str, str] | None
    rank: int | None
    birth_count: int | None
    count_now: int | None
    is_special: bool = False


def token_facts(run: Run, token: int, step: int, *, counts: bool = True) -> TokenFacts:
    """The facts about a token at a step.

    Args:
        run: the run that has the token.
        token: its internal id: a symbol, a token of the first `step` merges, or a special token.
        step: the number of merges that apply.
        counts: whether to count the token in the corpus, which takes a pass.
    """
    if token <= LAST_SPECIAL:
        name = in_sentence(run.config.all_special[LAST_SPECIAL - token])
        return TokenFacts(
            name, run.external_id(token, step), "", None, None, None, None, is_special=True
        )
    rank = run.rank_of(token)
    parts = None
    birth = None
    if rank >= 0:
        columns = run.columns
        parts = short_name(run, int(columns.left[rank])), short_name(run, int(columns.right[rank]))
        birth = int(columns.count[rank]) if has_pairs(run) else None
    count_now = None
    if counts and has_pairs(run):
        count_now = run.token_info(token, step).count_now
    rank_of_merge = rank if rank >= 0 else None
    return TokenFacts(
        name=short_name(run, token),
        external_id=run.external_id(token, step),
        content=bytes_in_brief(run.token_content(token)),
        parts=parts,
        rank=rank_of_merge,
        birth_count=birth,
        count_now=count_now,
    )


def details_text(facts: TokenFacts | None, *, is_pending: bool = False) -> str:
    """The facts in one line; the count comes last, so that nothing moves when it arrives.

    Args:
        facts: the facts; None for an unknown symbol.
        is_pending: whether the count is still to come.
    """
    if facts is None:
        return _UNKNOWN
    pieces = [facts.name, f"id {number(facts.external_id)}"]
    if facts.content:
        pieces.append(f"bytes {facts.content}")
    if facts.is_special:
        return "  ·  ".join([*pieces, _SPECIAL])
    if facts.parts is None:
        pieces.append("a symbol of the alphabet")
    else:
        pieces.append(f"{facts.parts[0]} + {facts.parts[1]}, {_birth(facts)}")
    if facts.count_now is not None:
        pieces.append(f"{number(facts.count_now)} in the corpus now")
    elif is_pending:
        pieces.append("…")
    return "  ·  ".join(pieces)


def _birth(facts: TokenFacts) -> str:
    made = merge_name(facts.rank or 0)
    if facts.birth_count is None:
        return made
    return f"{made}, when the pair occurred {times(facts.birth_count)}"


def token_sentence(run: Run, token: int, step: int) -> str:
    """A token of the text in a sentence: its name, id and bytes, and its merge."""
    if token == UNKNOWN:
        return "Unknown: not in the alphabet of this run, so it is never merged"
    facts = token_facts(run, token, step, counts=False)
    head = f"{facts.name}, id {number(facts.external_id)}"
    if facts.content:
        head = f"{head}, bytes {facts.content}"
    if facts.is_special:
        return f"{head}: {_SPECIAL}"
    if facts.parts is None:
        return f"{head}: a symbol of the alphabet"
    left, right = facts.parts
    said = f"{head}: {left} + {right}, {_birth(facts)}"
    return said if facts.birth_count is None else f"{said} in the corpus"


def token_tip(run: Run, token: int, step: int) -> str:
    """The tooltip of a token of a text at a step: its name, id and merge, and its bytes."""
    if token == UNKNOWN:
        return _UNKNOWN
    made = "a special token" if token < 0 else "in the alphabet"
    rank = run.rank_of(token)
    if rank >= 0:
        made = f"made by {merge_name(rank)}"
    content = b"" if token < 0 else run.token_content(token)
    lines = [display_name(run, token), f"id {run.external_id(token, step):,}, {made}"]
    if content:
        lines.append(f"bytes {bytes_in_brief(content)}")
    return "\n".join(lines)
