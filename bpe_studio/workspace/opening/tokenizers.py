"""Opening a tokenizer to explore it: its merges as a run without words.

The run of one of our tokenizers cuts text as our encoder does (`engine/training/seeded_run.py`).
The run of a third-party tokenizer cuts text as its library does
(`files/third_party/opened_run.py`). Neither has a corpus, so its counts are unknown, and stored as
0.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.engine.generators import relay
from bpe_studio.errors import ConfigError, TokenizerFormatError
from bpe_studio.files.third_party.hub import is_address
from bpe_studio.files.third_party.known import name_of
from bpe_studio.workspace.corpus.compared_tokenizers import loading_progress
from bpe_studio.workspace.corpus.reading import NewRun
from bpe_studio.workspace.session import RunPosition, Session
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.backend import Backend


@dataclass(frozen=True)
class SplitQuestion:
    """A tokenizer whose file names no split; it is opened once a person has chosen one.

    Attributes:
        name: its name.
        key: its key in `Backend.splits`.
        guess: the likely split.
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
        own_config: the user's settings, for the next text: a tokenizer does not change them.
        asks_split: whether a person can choose the split if the file names none; otherwise it is
            guessed.

    Raises:
        TokenizerFormatError: it is not valid, or no run can have its merges.
    """
    name = name_of(path)
    tokenizer = yield from relay(backend.loading(path), partial(loading_progress, name))
    yield Progress(f"Reading {name}", 50, 100, "%")
    if asks_split and tokenizer.guessed_split:
        key = backend.key_of(path)
        if key:
            return SplitQuestion(name, key, tokenizer.guessed_split)
    try:
        run = backend.run_of(tokenizer)
    except ConfigError as error:
        raise TokenizerFormatError(
            f"The window cannot show {name}, but encode -t on the command line can use it. {error}"
        ) from None
    place = path if is_address(path) else path.absolute()
    return session_of(name, run, own_config, tokenizer.notices, place)


def session_of(
    name: str, run: Run, own_config: TrainingConfig, said: tuple[str, ...], path: Path | None = None
) -> Session:
    """A session with a tokenizer alone.

    Args:
        name: the name of the tokenizer.
        run: its merges.
        own_config: the user's settings, for the next text.
        said: sentences about it.
        path: its file, folder or address; None if it has none.
    """
    from bpe_studio.engine.training.trainer import Trainer

    said = (*said, run.why_no_merges) if run.why_no_merges else said
    # Not among the paths, because the file contains no text of a corpus.
    request = OpeningRequest(name, own_config=own_config, tokenizer=path)
    info = CorpusInfo(name, run.corpus, (), said, request)
    trainer = Trainer.finished_with(run)
    n_merges = len(run.merges)
    position = RunPosition(
        n_merges, n_merges, n_merges, "a tokenizer alone has no text to train on", was_run=True
    )
    return NewRun(info, trainer, run.config).as_session(position)
