"""The parser of the command line: wrong usage is told in two lines, with the name that was probably meant."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from bpe_studio.engine.arguments import did_you_mean, instead

MISUSED = 2


class Parser(argparse.ArgumentParser):
    """Reads the arguments of a command, or of the window, which may be given in any order."""

    def __init__(self, name: str, description: str | None, **how: Any) -> None:
        super().__init__(name, description=description, formatter_class=_Help, allow_abbrev=False, **how)

    def error(self, message: str) -> NoReturn:
        """Ends the program because of wrong usage."""
        self.exit(MISUSED, f"{self.prog}: error: {message}\nSee {self.prog} --help\n")

    def parsed(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options; an unknown one is reported before what is missing because of it."""
        options = arguments[: arguments.index("--")] if "--" in arguments else arguments
        for name in (word.partition("=")[0] for word in options if word.startswith("--")):
            if name not in self._option_string_actions and " " not in name:
                self.error(f"there is no option {name}{did_you_mean(name, self._option_string_actions)}")
        return self.parse_intermixed_args(arguments)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, no_such("value", value, action.choices))


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help whose first line names only what a command needs: the options are listed below."""

    def add_usage(
        self, usage: str | None, actions: Iterable[argparse.Action], groups: Iterable[Any], prefix: str | None = None
    ) -> None:
        needed = [action for action in actions if action.required or not action.option_strings]
        super().add_usage(usage, [argparse.Action([], "[options]"), *needed], (), prefix)


def no_such(what: str, name: str, names: Iterable[str]) -> str:
    """The message that a name does not exist, with the one that was probably meant, or with all."""
    return f"there is no {what} {name!r}{instead(name, names)}"
