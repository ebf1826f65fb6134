"""A Python script that repeats a run through the public API, and reports any difference.

The script is what a user could have written: a corpus, settings, a run, and branches of it. It
reads the same files. A text that is not in a file is in the script, or in a second file if it is
long, and so are the counted words of a run whose text is not available. All values are written with
`repr`, so that no name or text can become code. The script is not run here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.overrides import Override

MOST_INLINE_BYTES = 100_000
"""A longer text, or longer counts, are in a second file."""
_DIGEST_MERGES = 2000
_N_SHOWN = 10


@dataclass(frozen=True)
class ScriptSource:
    """The run that a script repeats.

    Attributes:
        corpus: the counted words.
        config: the settings of the first run.
        run: the shown run; with overrides, that of the last branch.
        n_merges: the number of its merges.
        step: the number of merges that apply.
        overrides: the overrides of the branches, one after another.
        paths: the files, or their addresses; empty for a text that is not in a file.
        encoding: their encoding; `None` if it was detected.
        column: the column of their records that holds the text; `None` if it was found.
        text: the text that is not in a file; `None` for files, and if it is not available.
    """

    corpus: Corpus
    config: TrainingConfig
    run: Run
    n_merges: int
    step: int
    overrides: tuple[Override, ...] = ()
    paths: tuple[Path | str, ...] = ()
    encoding: str | None = None
    column: str | None = None
    text: str | None = None


def script_files(
    what: ScriptSource, name: str
) -> Generator[tuple[int, int], None, dict[str, bytes]]:
    """The script and its second file; yields (merges done, merges in all) every few milliseconds.

    Args:
        what: the run to repeat.
        name: the script's file name, such as "run.py"; the second file is named after it.
    """
    digest = yield from _digest(what)
    source, beside = _corpus_lines(what, Path(name).stem)
    yield what.n_merges, what.n_merges
    config = what.config
    if what.n_merges > config.target_merges(what.run.alphabet.n_own):
        config = config.replace(merges=what.n_merges)
    if not what.paths:
        # The counts are those with weights.
        config = config.unweighted
    import_of_path = ["from pathlib import Path"] if beside else []
    about_counts = []
    if what.text is None and not what.paths:
        about_counts = ["# The counts are of words that were cut before; nothing is cut here."]
    lines = [
        (
            f'"""Repeats a run of BPE Studio: {what.n_merges:,} merges, of which {what.step:,} '
            'apply."""'
        ),
        "",
        "import hashlib",
        *import_of_path,
        "",
        "import bpe_studio as bpe",
        "",
        *_call(
            "config = bpe.TrainingConfig.preset", [repr(config.preset_name)], _differences(config)
        ),
        *source,
        *_check("len(corpus)", len(what.corpus), "different words"),
        *about_counts,
        "trainer = bpe.Trainer(corpus, config)",
        *_learning(what),
        f"run, step = trainer.run_record, {what.step}",
        "",
        f"for merge in run.merges[:{min(_N_SHOWN, what.n_merges)}]:",
        "    print(merge.rank, merge.left, merge.right, merge.token, merge.count)",
        "",
        *_check("len(run.merges)", what.n_merges, "merges"),
        "digest = hashlib.sha256()",
        "for merge in run.merges:",
        '    line = f"{merge.left}\\t{merge.right}\\t{merge.count}\\n"',
        '    digest.update(line.encode("utf-8", "surrogatepass"))',
        f"if digest.hexdigest() != {digest!r}:",
        '    raise SystemExit("The merges have changed: the corpus or the program is different")',
        'print(f"The same {len(run.merges):,} merges as before")',
        "tokenizer = run.tokenizer(step)",
        "",
    ]
    files = {name: "\n".join(lines).encode("utf-8")}
    files.update(beside)
    return files


def _learning(what: ScriptSource) -> list[str]:
    """The lines that train: each branch from the run before it, which is trained up to the branch's
    step.
    """
    lines = []
    for override in what.overrides:
        lines += _run_to(override.step)
        given = ", ".join(f"{name}={value!r}" for name, value in override.to_dict().items())
        lines.append(f"trainer = bpe.branch(trainer, bpe.Override({given}))")
    return lines + _run_to(what.n_merges)


def _run_to(n_merges: int) -> list[str]:
    return [f"trainer.run({n_merges} - len(trainer.run_record.merges))"]


def _check(value: str, was: int, what: str) -> list[str]:
    said = (
        f"There are {{{value}:,}} {what}, but there were {was:,}: the corpus or the program is"
        " different"
    )
    return [f"if {value} != {was}:", f"    raise SystemExit(f{said!r})"]


def _digest(what: ScriptSource) -> Generator[tuple[int, int], None, str]:
    digest = hashlib.sha256()
    columns = what.run.columns
    name = what.run.token_name
    for rank in range(what.n_merges):
        left = name(int(columns.left[rank]))
        right = name(int(columns.right[rank]))
        digest.update(
            f"{left}\t{right}\t{int(columns.count[rank])}\n".encode("utf-8", "surrogatepass")
        )
        if rank % _DIGEST_MERGES == 0:
            yield rank, what.n_merges
    return digest.hexdigest()


def _differences(config: TrainingConfig) -> dict[str, Any]:
    """The options in which settings differ from their preset, as keyword arguments."""
    preset = type(config).preset(config.preset_name).to_dict()
    values = {name: value for name, value in config.to_dict().items() if preset.get(name) != value}
    return {name: _tuples(value) for name, value in values.items()}


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    return value


def _call(name: str, given: Sequence[str], named: Mapping[str, Any]) -> list[str]:
    parts = [*given, *(f"{key}={value!r}" for key, value in named.items())]
    line = f"{name}({', '.join(parts)})"
    if len(line) <= 100:
        return [line]
    return [f"{name}(", *(f"    {part}," for part in parts), ")"]


def _corpus_lines(what: ScriptSource, stem: str) -> tuple[list[str], dict[str, bytes]]:
    """The lines that make the corpus, and the second file, which they read."""
    if what.paths:
        paths = []
        for path in what.paths:
            place = str(path.absolute()) if isinstance(path, Path) else path
            paths.append(repr(place))
        chosen = {"encoding": what.encoding, "column": what.column}
        reading = [f"    {name}={value!r}," for name, value in chosen.items() if value is not None]
        return [
            "corpus = bpe.Corpus.from_files(",
            "    [",
            *(f"        {path}," for path in paths),
            "    ],",
            "    config,",
            *reading,
            ")",
        ], {}
    if what.text is not None:
        content = what.text.encode("utf-8", "surrogatepass")
        if len(content) <= MOST_INLINE_BYTES:
            return [f"corpus = bpe.Corpus.from_text({what.text!r}, config)"], {}
        name = f"{stem}.txt"
        # Read as bytes: reading as text would translate line breaks.
        return [
            f"content = Path(__file__).with_name({name!r}).read_bytes()",
            'corpus = bpe.Corpus.from_text(content.decode("utf-8", "surrogatepass"), config)',
        ], {name: content}
    pairs = list(what.corpus.named_items())
    size = sum(len(name) for name, _ in pairs)
    if size <= MOST_INLINE_BYTES:
        rows = [f"    {name!r}: {count}," for name, count in pairs]
        return ["counts = {", *rows, "}", "corpus = bpe.Corpus.from_counts(counts, config)"], {}
    name = f"{stem}.json"
    return [
        "import json",
        f"counts = json.loads(Path(__file__).with_name({name!r}).read_bytes())",
        "corpus = bpe.Corpus.from_counts(counts, config)",
    ], {name: json.dumps(pairs).encode("ascii")}
