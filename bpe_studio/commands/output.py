"""The output of a command: results on standard output, messages and a progress bar on standard
error.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from bpe_studio.engine import progress_bar
from bpe_studio.errors import SaveError

if TYPE_CHECKING:  # a Python that is too old for the program fails here before it can say so
    Value = str | int | float | None

_DIGITS = 6
"""The number of decimals that are written."""
_is_quiet = False


def write_result(text: str | bytes) -> None:
    """Writes to standard output exactly: as UTF-8, without translating line breaks, and with lone
    surrogates as U+FFFD.

    Raises:
        SaveError: standard output is closed, or cannot be written.
    """
    check_output()
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(data.decode("utf-8", "replace"))
        return
    try:
        sys.stdout.flush()
        buffer.write(data)
        buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_results()
        raise SaveError(
            f"The results could not be written to standard output ({error.strerror or error}); free"
            " some space, or redirect them elsewhere"
        ) from None


@contextlib.contextmanager
def without_native_messages() -> Iterator[None]:
    """Keeps messages of native code from standard error: pages about an error that we report in one
    sentence.
    """
    stream = sys.__stderr__
    if stream is None or stream is not sys.stderr:
        yield
        return
    stream.flush()
    number = stream.fileno()
    kept = os.dup(stream.fileno())
    with open(kept, "w", encoding=stream.encoding, errors=stream.errors, buffering=1) as ours:
        try:
            with open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), number)
            sys.stderr = ours
            yield
        finally:
            sys.stderr = stream
            ours.flush()
            os.dup2(kept, number)


def check_output() -> None:
    """Checks that there is a standard output.

    Raises:
        SaveError: it is closed.
    """
    if sys.stdout is None:
        raise SaveError(
            "Standard output is closed, so the results cannot be written; leave it open, or"
            " redirect it"
        )


def drop_results() -> None:
    """Discards results that standard output did not take; otherwise, the interpreter would try to
    write them again when it exits.
    """
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_rows(rows: Sequence[Mapping[str, Value]], as_json: bool) -> None:
    """Writes the rows of a table: as a JSON list of objects, or separated by tabs below a line of
    headings.

    `None` is an empty text between two tabs.
    """
    # Imported here, because a Python that is too old for the program cannot import it.
    from bpe_studio.explain.wording import json_line

    rows = list(map(_rounded, rows))
    if as_json:
        write_result(json_line(rows))
        return
    lines = ["\t".join(rows[0]), *("\t".join(map(_shown, row.values())) for row in rows)]
    write_result("\n".join(lines) + "\n")


def _rounded(row: Mapping[str, Value]) -> dict[str, Value]:
    rounded = dict(row)
    for name, value in row.items():
        if isinstance(value, float):
            rounded[name] = round(value, _DIGITS)
    return rounded


def _shown(value: object) -> str:
    return "" if value is None else str(value)


def on_one_line(token: str) -> str:
    """A token on one line: quoted and escaped if it holds line breaks, tabs or the like."""
    return token if token.isprintable() else repr(token)


def be_quiet(is_quiet: bool) -> None:
    """Sets whether messages and progress are suppressed."""
    global _is_quiet
    _is_quiet = is_quiet


def say(sentence: str) -> None:
    """Prints a message on standard error, as a sentence of its own."""
    if not _is_quiet:
        say_error(sentence)


def say_error(sentence: str) -> None:
    """Prints why a command failed, even if messages are suppressed."""
    if sys.stderr is None:
        return
    sentence = " ".join(sentence.split("\n"))
    if not sentence.endswith((".", "!", "?")):
        sentence = f"{sentence}."
    print(sentence, file=sys.stderr, flush=True)


class ProgressBar(progress_bar.ProgressBar):
    """Shows the progress of a long job on a terminal; prints nothing elsewhere."""

    def __init__(self, what: str) -> None:
        super().__init__(
            what, is_shown=sys.stderr is not None and sys.stderr.isatty() and not _is_quiet
        )
