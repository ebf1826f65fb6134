"""The shown run, with the runs that it branched off from, as the source of a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.errors import SaveError
from bpe_studio.files.text.addresses import address_of
from bpe_studio.workspace.corpus.reading import whole_characters

if TYPE_CHECKING:
    from pathlib import Path

    from bpe_studio.files.exports.run_script import ScriptSource
    from bpe_studio.workspace.open_state import OpenState
    from bpe_studio.workspace.runs.run_list import RunList
    from bpe_studio.workspace.session import RunEntry


def why_no_script(runs: RunList) -> str:
    """Why no script can repeat the shown run; "" if one can."""
    if runs.shown is None:
        return "There is no run to repeat: open a text and train on it first"
    for entry in _chain(runs):
        if not entry.run.is_own:
            return "A script cannot train a third-party tokenizer again: keep its own files"
        if entry.run.n_seed:
            return (
                "A run that begins with the merges of a tokenizer cannot be trained again from its"
                " words alone: save its tokenizer"
            )
    return ""


def script_source(open_state: OpenState, runs: RunList) -> ScriptSource:
    """The shown run, as the source of a script.

    Args:
        open_state: the open values.
        runs: all runs; a script repeats those that the shown run branched off from, too.

    Raises:
        SaveError: there is no run, or it cannot be trained again from its words.
    """
    from bpe_studio.files.exports.run_script import ScriptSource

    why_not = why_no_script(runs)
    if why_not:
        raise SaveError(why_not)
    chain = _chain(runs)
    info = chain[0].corpus
    request = info.request
    corpus = info.corpus
    # In these cases, a script cannot read the text itself, so it gets the words.
    has_counts = (
        corpus.is_counted
        or request.held_out > 0
        or request.is_words_only
        or request.inside is not None
        or request.reading.is_plain
    )
    paths: tuple[Path | str, ...] = ()
    text = None
    if not has_counts:
        paths = tuple(address_of(path) or path for path in request.paths)
        text = None if request.text is None else whole_characters(request.text)[0]
    return ScriptSource(
        corpus=corpus,
        config=chain[0].config,
        run=chain[-1].run,
        n_merges=open_state.n_merges,
        step=open_state.step,
        overrides=tuple(entry.override for entry in chain if entry.override is not None),
        paths=paths,
        encoding=request.reading.encoding,
        column=request.reading.column,
        text=text,
    )


def _chain(runs: RunList) -> list[RunEntry]:
    """The runs that the shown run branched off from, then the shown run."""
    by_number = {entry.number: entry for entry in runs.entries}
    shown = runs.shown
    chain = [] if shown is None else [shown]
    while chain and chain[0].parent is not None:
        chain.insert(0, by_number[chain[0].parent])
    return chain
