"""The options that the commands share: files, tokenizers, and those for splitting and training with
the `TrainingConfig` that they form.

An option that is not given is not set, so that the preset decides. Guesses about a tokenizer are
reported on standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bpe_studio.commands.output import ProgressBar, say
from bpe_studio.engine import presets
from bpe_studio.engine.arguments import instead
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.options import OPTIONS, REGEX, Option
from bpe_studio.files.records.text_columns import TEXT_COLUMNS

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.files.text.reading import Reading

FILE_HELP = (
    "Text, JSON lines or arrays, CSV, TSV, Parquet or Arrow; also compressed, in a zip or tar, a"
    ' folder, a pattern in quotes or a URL; "-" is standard input'
)

_FACTORS = {"k": 1_000, "m": 1_000_000}
_WEIGHTS = ("weight", "alpha")
_DEFAULTS = (
    f"Defaults are those of the preset {presets.DEFAULT_PRESET}; other presets have their own."
)


def add_input_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options for reading files."""
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="The encoding of the files, such as utf-16 or cp1252; detected if omitted",
    )

    parser.add_argument(
        "--column",
        metavar="NAME",
        type=text_argument,
        help=f"The column of records that holds the text (if omitted: {', '.join(TEXT_COLUMNS)})",
    )
    parser.add_argument(
        "--plain-text",
        action="store_true",
        help="Read files of records, such as CSV, as plain text",
    )


def reading_from(options: argparse.Namespace) -> Reading:
    """The options for reading files as a `Reading`."""
    # Imported here, because a text on the command line does not need it.
    from bpe_studio.files.text.reading import Reading

    return Reading(options.encoding, options.column, options.plain_text)


def check_one_text(
    options: argparse.Namespace, parser: argparse.ArgumentParser, *, is_needed: bool = True
) -> None:
    """Makes sure that the text of a command is in a file, in --text, or on standard input."""
    if options.text is not None and options.file is not None:
        parser.error("give a file or --text, not both")
    is_given = options.text is not None or options.file is not None
    if is_needed and not is_given and sys.stdin is not None and sys.stdin.isatty():
        parser.error("give a file, --text, or a text on standard input")


def add_summary_option(parser: argparse.ArgumentParser, instead_of: str = "") -> None:
    """Adds --json to a command that writes a file."""
    parser.add_argument(
        "--json",
        action="store_true",
        help=f"Print what was done as one JSON object{instead_of}",
    )


def check_summary(parser: argparse.ArgumentParser, is_asked: bool, *places: str | None) -> None:
    """Makes sure that nothing but the summary of --json goes to standard output."""
    if is_asked and "-" in places:
        parser.error("--json and another result both go to standard output: name a file for that")


def add_split_option(parser: argparse.ArgumentParser) -> None:
    """Adds the option for files that name no split: ranks of tiktoken, and vocabularies of
    characters.
    """
    parser.add_argument(
        "--split",
        metavar="SPLIT",
        help=(
            "The split, if the tokenizer's file does not name it: for a tiktoken file"
            f" {', '.join(presets.KEEPING_SPLITS)}, or regex:PATTERN; for vocab.json and"
            " merges.txt with </w>, whitespace"
        ),
    )


def add_through_option(parser: argparse.ArgumentParser) -> None:
    """Adds the option for ids of Transformers, instead of those of the library that the file is
    for.
    """
    parser.add_argument(
        "--through",
        choices=("transformers",),
        help="Take the ids from the installed Transformers (AutoTokenizer)",
    )


def add_tokenizers_at_steps(parser: argparse.ArgumentParser) -> None:
    """Adds the options for several tokenizers, each at several numbers of merges."""
    parser.add_argument(
        "-t",
        "--tokenizer",
        metavar="TOK",
        action="append",
        required=True,
        help="A tokenizer (repeat it for more)",
    )
    parser.add_argument(
        "--steps", metavar="K,K,...", type=_steps, help="Numbers of merges (default: all merges)"
    )
    add_split_option(parser)
    add_through_option(parser)


def tokenizers_at_steps(options: argparse.Namespace) -> list[tuple[str, int, Tokenizer]]:
    """The path, the step and the tokenizer there, for each tokenizer and step of the options.

    Raises:
        TokenizerFormatError: a tokenizer cannot be read.
        VocabularyError: a tokenizer has no such step.
    """
    found = [
        (path, load_tokenizer(path, options.split, options.through)) for path in options.tokenizer
    ]
    at_steps = []
    for path, tokenizer in found:
        for step in options.steps or [tokenizer.n_merges]:
            at_steps.append((path, step, at_step(path, tokenizer, step)))
    return at_steps


def at_step(path: str, tokenizer: Tokenizer, step: int) -> Tokenizer:
    """The tokenizer at a step; a message says if it does not know its split there.

    Raises:
        VocabularyError: there are fewer merges.
    """
    found = tokenizer.at(step)
    if step < tokenizer.n_merges and tokenizer.hides_first_split:
        say(
            f"{path} does not say at which step its merges begin to join words, so the split of its"
            " last step cuts the text"
        )
    return found


def load_tokenizer(path: str, split: str | None = None, through: str | None = None) -> Tokenizer:
    """A tokenizer; guesses about it are reported on standard error.

    Args:
        path: a folder, a file or an address.
        split: the split, if the file names none.
        through: the library that opens it; `None` for the one that the file is for.

    Raises:
        TokenizerFormatError: as for `load`.
    """
    if through:
        # Imported here, because most calls do not need its modules.
        from bpe_studio.explain.tokenizer_diff.through import loading_through

        job = loading_through(through, path, split)
    else:
        from bpe_studio.files.loading import loading  # `train` does not need its modules

        job = loading(path, split=split)
    with ProgressBar(f"Fetching {path}") as bar:
        tokenizer = result_of(job, lambda fetched: bar.update(*fetched))
    for notice in tokenizer.notices:
        say(notice)
    return tokenizer


def add_cut_options(
    parser: argparse.ArgumentParser,
    types: Mapping[str, Callable[[str], Any]] = MappingProxyType({}),
) -> None:
    """Adds the options that decide which pre-tokens a text has.

    Args:
        parser: the parser that gets the options.
        types: argparse types for options that take other values than elsewhere.
    """
    group = parser.add_argument_group("how text is split", _DEFAULTS)
    group.add_argument(
        "--preset",
        choices=tuple(presets.PRESETS),
        help=f"{presets.PRESET_HELP} (default: {presets.DEFAULT_PRESET})",
    )
    for name, option in OPTIONS.items():
        if option.is_cut:
            _add(group, name, option, types.get(name))
    group.add_argument(
        "--no-special",
        dest="special",
        action="store_const",
        const=[],
        default=argparse.SUPPRESS,
        help="No special tokens, not even those of the preset",
    )


def add_training_options(parser: argparse.ArgumentParser, *, weighs_files: bool = True) -> None:
    """Adds the options that decide which merges are trained.

    Args:
        parser: the parser that gets the options.
        weighs_files: whether files can have weights.
    """
    group = parser.add_argument_group("training", _DEFAULTS)
    targets = group.add_mutually_exclusive_group()
    for name, option in OPTIONS.items():
        is_left_out = name in _WEIGHTS and not weighs_files
        if not option.is_cut and not is_left_out:
            group_of_option = targets if name in ("vocab_size", "merges") else group
            _add(group_of_option, name, option)


def config_from(options: argparse.Namespace, base: TrainingConfig | None = None) -> TrainingConfig:
    """The configuration that the options describe.

    Args:
        options: the parsed command line.
        base: the configuration to start from instead of the default preset; `--preset` takes
            precedence.

    Raises:
        ConfigError: the options contradict each other.
    """
    given = {name: value for name, value in vars(options).items() if name in presets.BASE_VALUES}
    if given.get("word_end", "") is None:
        given.setdefault("word_end_as", None)
    if options.preset is None and base is not None:
        return base.replace(**given)
    return TrainingConfig.preset(options.preset or presets.DEFAULT_PRESET, **given)


def _add(
    group: Any, name: str, option: Option, other_type: Callable[[str], Any] | None = None
) -> None:
    how: dict[str, Any] = {"metavar": option.metavar} if option.metavar else {}
    note = ""
    names = [each for each in option.choices if each != REGEX]
    match option.kind:
        case "number":
            how["type"] = _whole(option.least)
        case "share":
            how["type"] = _share
        case "exponent":
            how["type"] = _exponent
        case "choice":
            how["choices"] = names
        case "split":
            how["type"] = _split(names)
            note = f"{', '.join(names)}, or regex:PATTERN"
        case "order" | "set":
            how["type"] = _names(option)
            note = f"any of {', '.join(names)}; commas"
        case "text" | "template":
            how["type"] = _or_none
            note = '"" for none'
        case "characters":
            how["type"] = text_argument
            note = "as one text"
        case "flag":
            how["action"] = argparse.BooleanOptionalAction
        case "texts" | "pairs":
            how["type"] = text_argument if option.kind == "texts" else _pair
            how["action"] = "append"
            note = "repeat it for more"
    if other_type is not None:
        how["type"] = other_type
    words = option.help
    notes = "; ".join(filter(None, (note, _default_of(name))))
    if notes:
        words = f"{words} ({notes})"
    flags = ["--" + name.replace("_", "-")]
    if name == "unknown":
        flags.append("--unk-token")
    group.add_argument(*flags, default=argparse.SUPPRESS, help=words.replace("%", "%%"), **how)


def _default_of(name: str) -> str:
    """A note on the default of an option without a preset; "" for none."""
    value = presets.PRESETS[presets.DEFAULT_PRESET].values[name]
    if isinstance(value, bool):
        shown = "yes" if value else "no"
    elif isinstance(value, tuple):
        shown = ", ".join(value)
    else:
        shown = "" if value is None else str(value)
    return shown and f"default: {shown}"


def _whole(low: int) -> Any:
    def number(text: str) -> int:
        factor = _FACTORS.get(text[-1:].lower(), 1)
        digits = text if factor == 1 else text[:-1]
        try:
            value = int(digits) * factor
        except ValueError:
            value = low - 1
        if value < low:
            raise argparse.ArgumentTypeError(
                f"give a whole number of at least {low}, such as 8000 or 8k, not {text!r}"
            )
        return value

    return number


whole_number = _whole(0)
"""An argparse type: a whole number, 0 or more; 8k is 8,000, and 1M is 1,000,000."""


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"give a number above 0, and 1 at most, not {text!r}")
    return value


def _exponent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"give a number from 0 to 1, not {text!r}")
    return value


def text_argument(text: str) -> str:
    """An argparse type: a text, read as UTF-8 if the locale could not read it, as with LC_ALL=C."""
    if not any("\udc80" <= char <= "\udcff" for char in text):
        return text
    try:
        return os.fsencode(text).decode()
    except UnicodeError:
        return text


def _or_none(text: str) -> str | None:
    return text_argument(text) or None


def _no_such(what: str, name: str, names: Iterable[str]) -> str:
    """The message that there is no such name, with the name that was probably meant, or all."""
    return f"there is no {what} {name!r}{instead(name, names)}"


def is_split(text: str) -> bool:
    """Whether a text names a split, or is an expression."""
    return text in presets.NAMED_SPLITS or text.startswith(REGEX)


def _split(names: Sequence[str]) -> Any:
    def split(text: str) -> str:
        text = text_argument(text)
        if text in names or text.startswith(REGEX):
            return text
        raise argparse.ArgumentTypeError(_no_such("split", text, (*names, "regex:PATTERN")))

    return split


split_argument = _split(presets.NAMED_SPLITS)
"""An argparse type: a split."""


def _names(option: Option) -> Any:
    def names(text: str) -> tuple[str, ...]:
        found = tuple(name.strip() for name in text.split(",") if name.strip())
        for name in found:
            if name not in option.choices:
                raise argparse.ArgumentTypeError(
                    _no_such(option.label.lower(), name, option.choices)
                )
        return found

    return names


def _pair(text: str) -> tuple[str, str]:
    left, space, right = text_argument(text).partition(" ")
    if not (left and space and right) or " " in right:
        raise argparse.ArgumentTypeError(
            f'give two tokens with one space between them, such as "t h", not {text!r}'
        )
    return left, right


def _steps(text: str) -> list[int]:
    return [whole_number(part.strip()) for part in text.split(",")]
