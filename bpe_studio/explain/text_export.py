"""The typed text and its tokens, in the form that `files/exports/html_text.py` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.explain.names import display_name
from bpe_studio.explain.text_counts import TextCounts
from bpe_studio.explain.token_facts import token_tip
from bpe_studio.explain.wording import number

if TYPE_CHECKING:
    from collections.abc import Callable

    from bpe_studio.engine.run import Run
    from bpe_studio.files.exports.html_text import CutText


def cut_text(
    run: Run,
    text: str,
    step: int,
    n_merges: int,
    corpus_name: str = "",
    colour_of: Callable[[str], int] | None = None,
) -> CutText:
    """A text and its tokens at a step of a run.

    Args:
        run: the run.
        text: the text.
        step: the number of merges that apply.
        n_merges: the number of merges of the run.
        corpus_name: the name of the run's corpus; "" for none.
        colour_of: the number of the colour of a token, by how it is shown; None where colours go by
            place.

    Raises:
        BpeError: the split takes too long.
    """
    # Imported here, so that start-up does not load it.
    from bpe_studio.files.exports.colours import apart
    from bpe_studio.files.exports.html_text import CutText

    spans = run.live(text).tokens(step)
    ids = spans.ids.tolist()
    unknown = frozenset(k for k, token in enumerate(ids) if token == UNKNOWN)
    colours = None
    if colour_of is not None:
        colour = {token: colour_of(display_name(run, token)) for token in set(ids)}
        colours = apart(colour[token] for token in ids)
    tips = {token: token_tip(run, token, step) for token in set(ids)}
    titles = [tips[token] for token in ids]
    counts = TextCounts(
        len(text),
        len(text.encode("utf-8", "surrogatepass")),
        len(text.split()),
        len(ids),
        len(unknown),
    )
    facts = [
        ("Step", f"{number(step)} of {number(n_merges)}"),
        ("Vocabulary", number(run.vocab_size_at(step))),
        *((what[:1].upper() + what[1:], value) for value, what in counts.phrases()),
    ]
    heading = f"Cut by the tokenizer of {corpus_name}" if corpus_name else "Text cut into tokens"
    return CutText(
        text,
        spans.starts.tolist(),
        spans.ends.tolist(),
        titles,
        unknown,
        heading=heading,
        facts=tuple(facts),
        colours=colours,
    )
