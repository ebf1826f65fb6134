"""The parts of the engine and the files layer that the workspace uses, named in one place.

They are imported when they are first needed, so that the window can be painted before numpy and the kernels are
loaded; and the tests put slow or failing parts in their place.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.corpus import Corpus, CorpusBuilder
    from bpe_studio.engine.tokenizer import Tokenizer
    from bpe_studio.engine.trainer import Trainer
    from bpe_studio.files.sources import Source


class Parts:
    """The real parts. Every method may raise a BpeError."""

    def default_config(self) -> TrainingConfig:
        """The settings of a fresh start."""
        from bpe_studio.engine.config import TrainingConfig

        return TrainingConfig.preset("gpt2")

    def source(self, path: Path, encoding: str | None) -> Source:
        """The file at `path`, its encoding known."""
        from bpe_studio.files.sources import open_source

        return open_source(path, encoding)

    def builder(self, config: TrainingConfig) -> CorpusBuilder:
        """What cuts and counts text."""
        from bpe_studio.engine.corpus import CorpusBuilder

        return CorpusBuilder(config)

    def trainer(self, corpus: Corpus, config: TrainingConfig) -> Trainer:
        """A trainer with no merge learned."""
        from bpe_studio.engine.trainer import Trainer

        return Trainer(corpus, config)

    def is_tokenizer(self, path: Path) -> bool:
        """Whether the file or folder holds a tokenizer and not a text."""
        from bpe_studio.files.formats import FORMATS

        return any(form.recognizes(path) for form in FORMATS.values())

    def save(self, tokenizer: Tokenizer, path: Path, form: str) -> None:
        """Writes the tokenizer in the format named `form`."""
        from bpe_studio.files.formats import save

        save(tokenizer, path, form)

    def warm_up(self) -> None:
        """Compiles the engine's kernels where they are not compiled yet."""
        from bpe_studio.engine.kernels import warm_up

        warm_up()
