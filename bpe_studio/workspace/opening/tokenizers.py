"""Opening a tokenizer to explore it: its merges as a run without words.

Of our own tokenizers, a run with every merge forced, in the tokenizer's order, cuts a typed text just as the tokenizer
does, at every step. This is only possible if the run numbers its tokens as the tokenizer does. Those of other programs
are runs of their own (`files/foreign/opened_run.py`), whose library cuts the text. Neither has a corpus, so every count
is 0.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.errors import BpeError, TokenizerFormatError
from bpe_studio.workspace.corpus.reading import start_run
from bpe_studio.workspace.runs.training import train
from bpe_studio.workspace.session import ROOT, ROOT_NAME, RunEntry, RunPosition, Session
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.trainer import Trainer
    from bpe_studio.files.foreign.opened_run import OpenedRun
    from bpe_studio.workspace.backend import Backend

_ORDERS = ("huggingface", "raw-ids")
"""The tie rules that order an alphabet in different ways; a file that names none is read with the first."""


@dataclass(frozen=True)
class SplitQuestion:
    """A tokenizer whose file does not say how text is split; it is opened once a person has said it.

    Attributes:
        name: what it is called.
        key: its key in `Backend.splits`.
        guess: the split that is likely.
    """

    name: str
    key: str
    guess: str


def open_tokenizer(
    backend: Backend, path: Path, own_config: TrainingConfig, *, asks_split: bool = False
) -> Generator[Progress, None, Session | SplitQuestion]:
    """Reads a tokenizer and makes its merges a run.

    Args:
        backend: the file layer.
        path: the tokenizer.
        own_config: the user's settings, for the next text: those of the tokenizer force its merges.
        asks_split: whether somebody can say how text is split, if the file does not; otherwise it is guessed.

    Raises:
        TokenizerFormatError: it is not valid, or a run would number its tokens differently.
    """
    yield Progress(f"Reading {path.name}", 0, 0, "%")
    tokenizer = backend.load(path)
    yield Progress(f"Reading {path.name}", 50, 100, "%")
    if asks_split and tokenizer.guessed_split:
        key = backend.key_of(path)
        if key:
            return SplitQuestion(path.name, key, tokenizer.guessed_split)
    opened = backend.opened_run(tokenizer)
    if opened is not None:
        return session_of(path.name, opened, own_config, tokenizer.notices)
    model = tokenizer.model
    try:
        corpus, config = _without_words(model)
        # Without the path, because the file contains no text of a corpus.
        info = CorpusInfo(path.name, corpus, (), tokenizer.notices, OpeningRequest(path.name, own_config=own_config))
        trainer = (yield from start_run(backend, info, config)).trainer
        n_merges = len(model.merges)
        for growth in train(trainer, n_merges):
            yield Progress(f"Reading {path.name}", growth.n_merges, n_merges, "merges")
        why = "" if _is_same(trainer.run_record, model) else "its tokens are numbered differently from those of a run"
    except BpeError as error:
        why = str(error)
    if why:
        opened = backend.opened_run(backend.load(path, by_library=True))
        if opened is None:
            raise _other(path, why)
        return session_of(path.name, opened, own_config, tokenizer.notices)
    return _session(trainer, config, info)


def session_of(name: str, run: OpenedRun, own_config: TrainingConfig, said: tuple[str, ...]) -> Session:
    """What is open where a tokenizer of another program is.

    Args:
        name: what it is called.
        run: its merges.
        own_config: the user's settings, for the next text.
        said: what is to be said of it.
    """
    from bpe_studio.engine.training.trainer import Trainer

    notices = (*said, run.why_no_merges) if run.why_no_merges else said
    info = CorpusInfo(name, run.corpus, (), notices, OpeningRequest(name, own_config=own_config))
    return _session(Trainer.finished_with(run), run.config, info)


def _session(trainer: Trainer, config: TrainingConfig, info: CorpusInfo) -> Session:
    n_merges = len(trainer.run_record.merges)
    position = RunPosition(n_merges, n_merges, n_merges, "a tokenizer alone has no text to train on", was_run=True)
    return Session((RunEntry(ROOT, ROOT_NAME, None, None, trainer, config, position, info),))


def _without_words(model: TokenizerModel) -> tuple[Corpus, TrainingConfig]:
    """A table with the tokenizer's alphabet and no pairs, and settings that force its merges."""
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.training.corpus_array import lay_out

    misplaced = model.misplaced_merge
    if misplaced is not None:
        raise TokenizerFormatError(
            f"its merge {misplaced:,} uses a token that only a later merge makes, so no run can repeat them"
        )
    force = tuple((model.tokens[left], model.tokens[right]) for left, right, _ in model.merges)
    config = model.config.replace(force=force, forbid=(), merges=len(force))
    made = {new for _, _, new in model.merges}
    # A mark that is a symbol of its own is added at the end of every word.
    others = {*model.special_ids, config.word_end}
    symbols = [name for token, name in enumerate(model.tokens) if token not in made and name not in others]
    counts = {} if config.units == "bytes" else dict.fromkeys(symbols, 1)
    for ties in (config.ties, *_ORDERS):
        config = config.replace(ties=ties)
        corpus = Corpus.from_counts(counts, config)
        names = lay_out(corpus, config).alphabet.names
        if [name for name in names if name not in others] == symbols:
            break
    return corpus, config


def _is_same(run: Run, model: TokenizerModel) -> bool:
    made = run.tokenizer().model
    return all(getattr(made, name) == getattr(model, name) for name in ("tokens", "merges", "special_ids"))


def _other(path: Path, why: str) -> TokenizerFormatError:
    return TokenizerFormatError(
        f"{path.name} is a tokenizer that the window cannot show as it is ({why}): use it on the command line with "
        "encode -t, or open the text that it was trained from"
    )
