"""The command `bpe-studio`: opens the window, or runs one of the commands without one.

This module finds the command for the arguments, and turns errors into one sentence and an exit
status; each command is a module of `commands`. Neither Qt nor numpy is imported before it is
needed.

It uses argparse. Click would make each start 25 ms longer, and Typer 170 ms, to save the 40 lines
of `Parser`; with either, the options would still be made from `engine/options.py`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from glob import has_magic
from typing import Any, NoReturn

import bpe_studio
from bpe_studio import _bootstrap, _system, interrupts
from bpe_studio.commands.output import be_quiet, drop_results, say_error, without_native_messages
from bpe_studio.engine.arguments import did_you_mean, instead
from bpe_studio.errors import BpeError, Cancelled, DisplayError

COMMANDS = {
    "train": "train a tokenizer from text files and write it",
    "encode": "turn text into token ids",
    "decode": "turn token ids into text",
    "vocab": "list the tokens of a tokenizer",
    "compare": "count the tokens of a text under several tokenizers or vocabulary sizes",
    "measure": "measure how tokenizers cut a text, at any number of merges and by group",
    "diff": "find out why two tokenizers give different ids",
    "align": "line up the tokens of a text in two tokenizers",
    "export": "write a run or lessons as web pages in which others type, step and train",
    "convert": "write a tokenizer in another format",
    "doctor": "check a tokenizer, token by token",
    "check": "check your own trainer: its first wrong merge, and the mistake behind it",
    "inspect": "find what is wrong with a corpus",
    "extend": "train more merges on top of a tokenizer",
    "prune": "remove the tokens that a text uses least",
    "worksheet": "make a worksheet with its key, to merge by hand",
    "enough": "find how much of a text is enough to train on",
    "count": "count the pre-tokens of text files, to train from later",
    "warm-up": "compile the fast code of the program before it is needed",
}

SUCCEEDED = 0
FAILED = 1
MISUSED = 2


class Parser(argparse.ArgumentParser):
    """Reads the arguments of a command or of the window, in any order."""

    def __init__(self, name: str, description: str | None, **how: Any) -> None:
        super().__init__(
            name, description=description, formatter_class=_Help, allow_abbrev=False, **how
        )

    def error(self, message: str) -> NoReturn:
        """Ends the program because of wrong usage."""
        self.exit(MISUSED, f"{self.prog}: error: {message}\nSee {self.prog} --help\n")

    def parsed(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options. Reports an unknown one before an argument that is missing because of it."""
        options = arguments[: arguments.index("--")] if "--" in arguments else arguments
        for name in (word.partition("=")[0] for word in options if word.startswith("--")):
            if name not in self._option_string_actions and " " not in name:
                self.error(
                    f"there is no option {name}{did_you_mean(name, self._option_string_actions)}"
                )
        return self.parse_intermixed_args(arguments)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            meant = did_you_mean(value, action.choices)
            ending = f"{meant} Choose" if meant else "; choose"
            names = ", ".join(action.choices)
            raise argparse.ArgumentError(
                action, f"there is no value {value!r}{ending} one of {names}"
            )


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help whose first line names only required arguments; the options are listed below."""

    def __init__(self, prog: str, **how: Any) -> None:
        # argparse makes one for each argument, which would import `shutil` to find the width.
        super().__init__(prog, width=_columns() - 2, **how)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        needed = [action for action in actions if action.required or not action.option_strings]
        super().add_usage(usage, [argparse.Action([], "[options]"), *needed], (), prefix)


def _columns() -> int:
    try:
        return int(os.environ.get("COLUMNS", 0)) or os.get_terminal_size().columns
    except (OSError, ValueError):
        return 80


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        arguments: without the program's name; `None` for those of the process.

    Returns:
        The exit status: 0, 1 for a failure, 2 for wrong usage, 130 for an interrupt.
    """
    if arguments is None:
        arguments = sys.argv[1:]
    arguments = list(arguments)
    warnings.formatwarning = lambda message, *_, **__: f"{message}\n"
    try:
        try:
            if "_ARGCOMPLETE" in os.environ:
                _complete()
            status = _dispatch(arguments)
        except SystemExit as exit_:
            status = exit_.code if isinstance(exit_.code, int) else FAILED
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except (KeyboardInterrupt, Cancelled):
        say_error("Interrupted.")
        return interrupts.INTERRUPTED
    except BrokenPipeError:
        # The reader of the results has closed the pipe.
        drop_results()
        return SUCCEEDED
    except Exception as error:
        doing = next((name for name in arguments[:1] if name in COMMANDS), "the window")
        say_error(_sentence(error, doing))
        return FAILED


def _dispatch(arguments: list[str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        name = arguments[0]
        command = _command(name)
        interrupts.raise_interrupts()
        parser = parser_of(name)
        prepared = getattr(command, "prepared", list)
        options = parser.parsed(prepared(arguments[1:]))
        be_quiet(options.quiet)
        with without_native_messages():
            command.run(options, parser)
        return SUCCEEDED
    return _window(arguments)


def parser_of(name: str) -> Parser:
    """The parser of a command's arguments."""
    command = _command(name)
    parser = Parser(f"bpe-studio {name}", command.__doc__)
    _add_arguments(command, parser)
    return parser


def _command(name: str) -> Any:
    return importlib.import_module(f"bpe_studio.commands.{name.replace('-', '_')}")


def _add_arguments(command: Any, parser: argparse.ArgumentParser) -> None:
    command.add_arguments(parser)
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="Print results and errors, and nothing else"
    )


def _complete() -> None:
    """Completes a command line for a shell, which calls the program as argcomplete has told it."""
    import argcomplete

    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    for name in COMMANDS:
        added = commands.add_parser(name)
        if name in os.environ["COMP_LINE"].split():
            _add_arguments(_command(name), added)
    argcomplete.autocomplete(parser)


def _window(arguments: list[str]) -> int:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:{width}}  {what}" for name, what in COMMANDS.items())
    more = f"`{_system.program()} COMMAND --help` describes each of them."
    parser = Parser(
        "bpe-studio",
        "Watch a byte-pair-encoding tokenizer learn from your own text.",
        usage="bpe-studio [FILE ...]\n       bpe-studio --screenshot OUT.png [FILE ...]\n       bpe-studio COMMAND ...",  # noqa: E501
        epilog=f"commands that need no window:\n{commands}\n\n{more}",
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help="texts, a tokenizer or a studio document to open"
    )
    parser.add_argument(
        "--screenshot", metavar="OUT.png", help="save a picture of the window and exit"
    )
    parser.add_argument(
        "--version", action="version", version=f"bpe-studio {bpe_studio.__version__}"
    )
    from bpe_studio.files.third_party.hub import is_address  # commands do not need it

    first = "".join(arguments[:1])
    if not os.path.exists(first):
        meant = did_you_mean(first, COMMANDS)
        if meant or (first.isidentifier() and not is_address(first)):
            parser.error(f"there is no command or file {first!r}{instead(first, COMMANDS)}")
    options = parser.parsed(arguments)
    lacking = _bootstrap.missing_modules(window=True)
    if lacking:
        say_error(_no_window(_no_packages(lacking)))
        return FAILED
    try:
        app = importlib.import_module("bpe_studio.gui.app")
    except ImportError as error:
        if error.name is not None and error.name.startswith("bpe_studio"):
            raise
        say_error(_no_window(_no_qt(error)))
        return FAILED
    if options.screenshot is not None:
        from pathlib import Path  # commands do not need it

        return int(app.run_screenshot(Path(options.screenshot), options.files))
    try:
        return int(app.run_app(options.files))
    except DisplayError:
        for file in options.files:
            is_path = not has_magic(file) and ":" not in file and not is_address(file)
            if is_path and not os.path.exists(file):
                say_error(f"{file} does not exist: check the name, or choose another file")
                return FAILED
        raise


def _no_window(reason: str) -> str:
    works = f"the command line works without it: {_system.program()} train --help"
    return f"The window cannot open, because {reason}; {works}"


def _no_packages(names: list[str]) -> str:
    from bpe_studio.files.extras import install_command

    command = install_command('".[gui]"')
    return (
        f"{', '.join(names)} are not installed; run `{command}` in the folder of the program's"
        " source"
    )


def _no_qt(error: ImportError) -> str:
    reason = f"Qt cannot be loaded ({error})"
    if sys.platform == "linux":
        libraries = dict(_system.BASE_LIBRARIES)
        if os.environ.get("DISPLAY"):
            libraries |= _system.X11_LIBRARIES
        packages = sorted(set(_system.missing(libraries).values()))
        if packages:
            reason += (
                f"; on Debian or Ubuntu this adds what is missing: {_system.apt_line(packages)}"
            )
    return reason


def _sentence(error: Exception, doing: str) -> str:
    """An error as one plain sentence; an unexpected error is reported in a file."""
    if isinstance(error, BpeError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory; close other programs, or use a smaller text"
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return (
            f"{where}{error.strerror or error}; check the name, the permissions and the free space"
            " on the disk"
        )
    what = f"{type(error).__name__}: {error}".replace("\n", " ")
    from bpe_studio.error_report import report, reports_folder

    path = report(error, doing)
    if path is None:
        return f"Something unexpected went wrong ({what}), and {reports_folder()} cannot be written"
    return (
        f"Something unexpected went wrong ({what}); to report it, send {path}, which contains none"
        " of your text"
    )
