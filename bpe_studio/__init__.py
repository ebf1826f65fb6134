"""BPE Studio: train byte-pair-encoding tokenizers and see every step.

This is the public interface. Each name is imported when it is first used, so that `import
bpe_studio` is quick and imports neither numpy nor Qt.

>>> import bpe_studio as bpe
>>> config = bpe.TrainingConfig.preset("textbook", merges=3)
>>> corpus = bpe.Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, config)
>>> [merge.token for merge in bpe.train(corpus, config).merges]
['ug', 'un', 'hug']

The packages, from the top down:

    gui             the window
    commands        the commands, which need no window
    workspace       the texts and runs that are open in the window
    explain         answers questions about runs in words
    files           reads and writes
    engine          computes

The modules:

    errors          the errors of all packages
    cli             finds the command for the arguments, and turns errors into sentences
    interrupts      ends the program on an interrupt
    error_report    writes a file about an unexpected error
    user_folders    the folders for the user's files
    pytest_plugin   the fixture `bpe_check`
    _bootstrap      sets up a fresh checkout
    _system         finds the missing libraries and fonts of a Linux system
    _lazy_import    imports a package when it is first used
    _version        the version of the program

`docs/architecture.md` has more.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from bpe_studio._version import __version__
from bpe_studio.engine import file_access as _file_access

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from bpe_studio.engine.analysis.border import Border as Border
    from bpe_studio.engine.analysis.border import why_border as why_border
    from bpe_studio.engine.analysis.size_advice import ModelShape as ModelShape
    from bpe_studio.engine.config import TrainingConfig as TrainingConfig
    from bpe_studio.engine.counting.corpus import Corpus as Corpus
    from bpe_studio.engine.counting.corpus import CorpusBuilder
    from bpe_studio.engine.counting.counter import Counter as Counter
    from bpe_studio.engine.encoding.batch_encoding import BatchEncoding as BatchEncoding
    from bpe_studio.engine.encoding.boundaries import Boundaries as Boundaries
    from bpe_studio.engine.encoding.boundaries import GoldWord as GoldWord
    from bpe_studio.engine.encoding.encoded_texts import EncodedTexts as EncodedTexts
    from bpe_studio.engine.encoding.tokenizer import Encoding as Encoding
    from bpe_studio.engine.encoding.tokenizer import Tokenizer as Tokenizer
    from bpe_studio.engine.run import Run as Run
    from bpe_studio.engine.training.branch import branch as branch
    from bpe_studio.engine.training.merge_log import Merge as Merge
    from bpe_studio.engine.training.overrides import Override as Override
    from bpe_studio.engine.training.overrides import OverrideKind as OverrideKind
    from bpe_studio.engine.training.overrides import Plan as Plan
    from bpe_studio.engine.training.trainer import Trainer as Trainer
    from bpe_studio.engine.training.trainer import train as train
    from bpe_studio.errors import ArgumentError as ArgumentError
    from bpe_studio.errors import BpeError as BpeError
    from bpe_studio.errors import Cancelled as Cancelled
    from bpe_studio.errors import ConfigError as ConfigError
    from bpe_studio.errors import CorpusError as CorpusError
    from bpe_studio.errors import DisplayError as DisplayError
    from bpe_studio.errors import PatternError as PatternError
    from bpe_studio.errors import SaveError as SaveError
    from bpe_studio.errors import SourceError as SourceError
    from bpe_studio.errors import TokenizerFormatError as TokenizerFormatError
    from bpe_studio.errors import TrainingError as TrainingError
    from bpe_studio.errors import VocabularyError as VocabularyError
    from bpe_studio.explain.alignment import Alignment as Alignment
    from bpe_studio.explain.alignment import Group as Group
    from bpe_studio.explain.alignment import align as align
    from bpe_studio.explain.alignment import id_map as id_map
    from bpe_studio.explain.check.check import Check as Check
    from bpe_studio.explain.check.check import check as check
    from bpe_studio.explain.comparison.token_counts import Comparison as Comparison
    from bpe_studio.explain.comparison.token_counts import compare as compare
    from bpe_studio.explain.doctor.examination import Examination as Examination
    from bpe_studio.explain.doctor.examination import doctor as doctor
    from bpe_studio.explain.inspection.enough import Enough as Enough
    from bpe_studio.explain.inspection.enough import enough as enough
    from bpe_studio.explain.inspection.inspection import Inspection as Inspection
    from bpe_studio.explain.inspection.inspection import inspect as inspect
    from bpe_studio.files.changes.extend import Extension as Extension
    from bpe_studio.files.changes.extend import extend as extend
    from bpe_studio.files.changes.id_map import IdMap as IdMap
    from bpe_studio.files.changes.prune import Pruning as Pruning
    from bpe_studio.files.changes.prune import prune as prune
    from bpe_studio.files.counts.counting import count as count
    from bpe_studio.files.exports.living_page import Page as Page
    from bpe_studio.files.exports.living_page import page as page
    from bpe_studio.files.loading import load as load


_HOMES = {
    "TrainingConfig": "engine.config",
    "Corpus": "engine.counting.corpus",
    "Counter": "engine.counting.counter",
    "count": "files.counts.counting",
    "Trainer": "engine.training.trainer",
    "train": "engine.training.trainer",
    "Run": "engine.run",
    "Merge": "engine.training.merge_log",
    "branch": "engine.training.branch",
    "extend": "files.changes.extend",
    "Extension": "files.changes.extend",
    "prune": "files.changes.prune",
    "Pruning": "files.changes.prune",
    "IdMap": "files.changes.id_map",
    "Border": "engine.analysis.border",
    "Boundaries": "engine.encoding.boundaries",
    "GoldWord": "engine.encoding.boundaries",
    "ModelShape": "engine.analysis.size_advice",
    "why_border": "engine.analysis.border",
    "Override": "engine.training.overrides",
    "OverrideKind": "engine.training.overrides",
    "Plan": "engine.training.overrides",
    "Tokenizer": "engine.encoding.tokenizer",
    "Encoding": "engine.encoding.tokenizer",
    "BatchEncoding": "engine.encoding.batch_encoding",
    "EncodedTexts": "engine.encoding.encoded_texts",
    "align": "explain.alignment",
    "Alignment": "explain.alignment",
    "Group": "explain.alignment",
    "id_map": "explain.alignment",
    "check": "explain.check.check",
    "Check": "explain.check.check",
    "compare": "explain.comparison.token_counts",
    "Comparison": "explain.comparison.token_counts",
    "doctor": "explain.doctor.examination",
    "Examination": "explain.doctor.examination",
    "enough": "explain.inspection.enough",
    "Enough": "explain.inspection.enough",
    "inspect": "explain.inspection.inspection",
    "Inspection": "explain.inspection.inspection",
    "load": "files.loading",
    "page": "files.exports.living_page",
    "Page": "files.exports.living_page",
    "ArgumentError": "errors",
    "BpeError": "errors",
    "Cancelled": "errors",
    "ConfigError": "errors",
    "CorpusError": "errors",
    "DisplayError": "errors",
    "PatternError": "errors",
    "SaveError": "errors",
    "SourceError": "errors",
    "TokenizerFormatError": "errors",
    "TrainingError": "errors",
    "VocabularyError": "errors",
}

__all__ = ["__version__", *_HOMES]


class _Files:
    """The engine's way to `files` and `explain`, whose modules are imported when they are used."""

    def feed_files(
        self,
        builder: CorpusBuilder,
        paths: Iterable[_file_access.Path] | _file_access.Path,
        encoding: str | None,
        column: str | None,
        report: Callable[[int, int], object],
    ) -> None:
        from bpe_studio.engine.counting.source_weights import check_patterns
        from bpe_studio.files.text.places import paths_of
        from bpe_studio.files.text.reading import Reading
        from bpe_studio.files.text.sources import Sources

        files = Sources(paths_of(paths), Reading(encoding, column))
        check_patterns(builder.config, files.paths)
        for source in files:
            builder.begin_source(source.path)
            for content, ends, *_ in source.pieces():
                for _ in builder.feed(content, ends):
                    pass
                report(source.position_bytes, source.size_bytes)

    def lines_of(self, path: _file_access.Path) -> list[str]:
        from bpe_studio.files.text.reading import Reading
        from bpe_studio.files.text.sources import Sources

        contents: list[bytes] = []
        for source in Sources([path], Reading(is_plain=True)):
            contents += [piece.content for piece in source.pieces()]
        return b"".join(contents).decode("utf-8", "surrogatepass").splitlines()

    def save_counter(self, counter: Counter, path: _file_access.Path) -> None:
        from bpe_studio.files.counts.files import save_counter

        save_counter(counter, path)

    def load_counter(self, path: _file_access.Path, config: TrainingConfig | None) -> Counter:
        from bpe_studio.files.counts.files import load_counter

        return load_counter(path, config)

    def save_tokenizer(
        self, tokenizer: Tokenizer, path: _file_access.Path, format_name: str
    ) -> None:
        from bpe_studio.files.saving import save

        save(tokenizer, path, format_name)

    def chat_texts(
        self,
        tokenizer: Tokenizer,
        conversation: Any,
        variables: Any,
        chat_template: Any,
        continued: Any,
    ) -> str | list[str]:
        from bpe_studio.files.chat_templates import chat_texts

        return chat_texts(tokenizer, conversation, variables, chat_template, continued)

    def check_chat_template(self, template: Any) -> None:
        from bpe_studio.files.chat_templates import check

        check(template)

    def html_of(self, thing: Any) -> str:
        from bpe_studio.explain.notebook import html_of

        return html_of(thing)


_file_access.connect(_Files())


def __getattr__(name: str) -> object:
    """The object of a public name, imported from its module and kept."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'bpe_studio' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"bpe_studio.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, whether imported or not."""
    return sorted(__all__)
