"""The functions of the engine and of the file layer that the workspace calls, in one place.

They are imported when they are first needed, so that the window is painted before numpy and the
kernels are loaded. Tests replace them with slow or failing ones.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import sys
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.engine.generators import result_of
from bpe_studio.errors import BpeError, SourceError
from bpe_studio.files.text.addresses import address_of

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.counting.corpus import Corpus, CorpusBuilder
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.overrides import Override
    from bpe_studio.engine.training.trainer import Trainer
    from bpe_studio.files.document.records import StudioDocument
    from bpe_studio.files.recognition import Found
    from bpe_studio.files.text.columns import ColumnChoice
    from bpe_studio.files.text.reading import Reading
    from bpe_studio.files.text.sources import Source

_LARGEST_KEYED = 1 << 26
_log = logging.getLogger(__name__)


class Backend:
    """The real functions. Every method may raise a BpeError.

    Attributes:
        splits: the splits that a person has chosen for tokenizers whose files name none, by
            `key_of`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._warm_up: threading.Thread | None = None
        self.splits: dict[str, str] = {}

    def default_config(self) -> TrainingConfig:
        """The settings of a first start."""
        from bpe_studio.engine.config import TrainingConfig

        return TrainingConfig.preset("gpt2")

    def source(self, path: Path, reading: Reading) -> Source:
        """The file at `path`, or at the address that it stands for, opened as a text."""
        from bpe_studio.files.text.sources import open_source, opening_of

        return open_source(address_of(path) or path, opening_of(path), reading)

    def files_in(self, path: Path) -> list[Path] | None:
        """The files of a folder or of a pattern, sorted by name.

        None for a path that is neither.
        """
        from bpe_studio.files.text.places import places_of

        places = places_of(address_of(path) or path)
        if not places[0].is_found:
            return None
        return [Path(place.path) for place in places]

    def column_choice(
        self, paths: Sequence[Path], reading: Reading
    ) -> Iterator[ColumnChoice | None]:
        """Looks at the columns of files.

        Yields:
            None between the files; last, the choice that a person has to make.
        """
        from bpe_studio.files.text.columns import column_choice

        places = [address_of(path) or path for path in paths]
        return column_choice(places, replace(reading, is_lenient=False))

    def holds_text(self, path: Path, reading: Reading, left_out: list[str]) -> bool:
        """Whether a file of a folder holds any text; if not, adds the reason to `left_out`."""
        from bpe_studio.files.text.sources import open_found

        return open_found(address_of(path) or str(path), reading, left_out) is not None

    def is_empty(self, path: Path, reading: Reading, left_out: list[str]) -> bool:
        """Whether a file that was named is empty; if so, adds it to `left_out`.

        Reading the file reports anything else that is wrong.
        """
        from bpe_studio.files.text.regular_files import open_regular
        from bpe_studio.files.text.sources import open_named

        if address_of(path) is not None:
            return False
        try:
            return open_named(str(path), reading, left_out, partial(open_regular, path)) is None
        except BpeError:
            return False

    def builder(self, config: TrainingConfig) -> CorpusBuilder:
        """The object that splits and counts text."""
        from bpe_studio.engine.counting.corpus import CorpusBuilder

        return CorpusBuilder(config)

    def counted(self, counts: Iterable[tuple[str, int]], config: TrainingConfig) -> Corpus:
        """The corpus of words that were counted elsewhere, in the spelling of logs."""
        from bpe_studio.engine.counting.corpus import Corpus
        from bpe_studio.engine.text.alphabet import to_stand_ins

        if config.units == "bytes":
            counts = [
                (to_stand_ins(word.encode("utf-8", "surrogateescape")), count)
                for word, count in counts
            ]
        return Corpus.from_counts(counts, config)

    def trainer(self, corpus: Corpus, config: TrainingConfig) -> Trainer:
        """A trainer without merges, of a corpus that has words."""
        from bpe_studio.engine.training.trainer import Trainer

        if not len(corpus):
            raise SourceError("The text contains no words: type or open another text")
        return Trainer(corpus, config)

    def branch(self, run: Run, override: Override) -> Trainer:
        """A trainer that continues from a step of a run with an override."""
        from bpe_studio.engine.training.branch import branch

        return branch(run, override)

    def recognize(self, path: Path) -> Found:
        """Recognize a file or folder by its content."""
        from bpe_studio.files.recognition import recognize

        return recognize(path)

    def run_of(self, tokenizer: Tokenizer, saved: Sequence[int] = ()) -> Run:
        """The merges of a tokenizer as a run without words.

        Args:
            tokenizer: the tokenizer.
            saved: the tokens that the last merges of a third-party tokenizer save, if they were
                trained just now.

        Raises:
            ConfigError: no run can have its merges.
        """
        from bpe_studio.engine.training.seeded_run import SeededRun
        from bpe_studio.files.third_party.opened_run import OpenedRun
        from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

        if isinstance(tokenizer, ThirdPartyTokenizer):
            return OpenedRun(tokenizer, saved)
        return SeededRun.of_merges(tokenizer.model)

    def load(self, path: Path) -> Tokenizer:
        """Reads a tokenizer in any format."""
        return result_of(self.loading(path))

    def loading(self, path: Path) -> Generator[tuple[int, int], None, Tokenizer]:
        """Reads a tokenizer in any format; fetches it if necessary.

        Yields (bytes fetched, bytes in all).
        """
        from bpe_studio.files.loading import loading

        split = self.splits.get(self.key_of(path)) if self.splits else None
        return loading(path, split=split)

    def key_of(self, path: Path) -> str:
        """A key for the content of a file; "" for a very large file, and for anything else."""
        from bpe_studio.files.text.regular_files import is_regular, open_regular

        try:
            if not is_regular(path) or path.stat().st_size > _LARGEST_KEYED:
                return ""
            with open_regular(path) as stream:
                return hashlib.sha256(stream.read()).hexdigest()
        except (OSError, BpeError):
            return ""

    def read_document(self, path: Path) -> Generator[tuple[int, int], None, StudioDocument]:
        """Reads a studio document; yields (bytes done, bytes in all)."""
        from bpe_studio.files.document.reading import read_document

        return read_document(path)

    def pack_document(self, document: StudioDocument) -> Generator[tuple[int, int], None, bytes]:
        """Makes the bytes of a studio document; yields (bytes done, bytes in all)."""
        from bpe_studio.files.document.writing import pack_in_steps

        return pack_in_steps(document)

    def write(self, path: Path, data: bytes) -> None:
        """Writes a file atomically."""
        from bpe_studio.files.atomic_file import atomic_write

        atomic_write(path, data)

    def save(self, tokenizer: Tokenizer, path: Path, form: str) -> None:
        """Writes the tokenizer in the format named `form`."""
        from bpe_studio.files.saving import save

        save(tokenizer, path, form)

    def warm_up(self) -> None:
        """Compiles the engine's kernels if necessary, and imports modules for the first text."""
        from bpe_studio.engine import warm_up
        from bpe_studio.engine.encoding import editable_text

        assert editable_text
        warm_up.warm_up()

    def needs_kernels(self, corpus: Corpus) -> bool:
        """Whether the engine must compile its kernels before it can train from this corpus."""
        from bpe_studio.engine.kernels import loader

        return not loader.is_ready("merging") and loader.is_worth_compiling(
            len(corpus.blob), loader.PLAIN_WORK
        )

    def counts_with_kernels(self, size_bytes: int) -> bool:
        """Whether the engine must compile its kernels before it can count a text of that size."""
        from bpe_studio.engine.counting import corpus
        from bpe_studio.engine.kernels import loader

        return not loader.is_ready("counting") and loader.is_worth_compiling(
            size_bytes, corpus.FAST_CHARACTERS
        )

    def begin_warm_up(self) -> threading.Thread:
        """Warms up in a thread of its own, the same for every caller.

        Python does not exit before it ends.
        """
        with self._lock:
            if self._warm_up is None:
                self._warm_up = threading.Thread(
                    target=self._warm_up_quietly, name="kernels", daemon=False
                )
                self._warm_up.start()
            return self._warm_up

    def end_warm_up(self) -> None:
        """Stops compiling, and waits for the thread, which cannot be stopped during an import.

        Call it when the window is closed: a thread that still imports while Python exits may crash
        Python. A thread that waits for a server gives up, so that it does not delay the exit.
        """
        if "bpe_studio.files.text.remote" in sys.modules:
            from bpe_studio.files.text.remote import give_up

            give_up()
        if self._warm_up is not None:
            from bpe_studio.engine import warm_up

            warm_up.cancel()
            self._warm_up.join()

    def remove_abandoned(self) -> None:
        """Removes the temporary files of windows that were killed."""
        from bpe_studio.files.private_folder import remove_abandoned

        remove_abandoned()

    def _warm_up_quietly(self) -> None:
        try:
            self.remove_abandoned()
            self.warm_up()
        except Exception:
            _log.exception("The kernels could not be compiled ahead of their use.")
        if not gc.isenabled():
            # The window collects garbage itself. numba alone creates half a million objects that
            # live as long as the program; a collection that looks at them blocks the window for a
            # tenth of a second.
            gc.freeze()
