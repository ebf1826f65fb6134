"""The program of the process in which `chat_templates` renders templates; it imports nothing of
this program.

It is started with its limits. For each line of standard input, [template, variables] as JSON, it
writes a line [why it failed, text]. A template without variables is only read, and one that takes
too long ends the process.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import sys
from datetime import datetime
from functools import lru_cache
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace


class Refusal(jinja2.TemplateError):
    """The refusal of a chat by a template."""


class GenerationTag(Extension):
    """The tag `generation`, which surrounds what the assistant wrote.

    It changes nothing in the text.
    """

    tags = {"generation"}  # noqa: RUF012 - as its base has it

    def parse(self, parser: Parser) -> nodes.Node:
        """The part between the tags."""
        line = next(parser.stream).lineno
        return nodes.Scope(
            parser.parse_statements(("name:endgeneration",), drop_needle=True)
        ).set_lineno(line)


class PlainNamespace(Namespace):
    """A namespace without the names that Python keeps for itself."""

    def __setitem__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            raise SecurityError(f"the name {name!r} begins with an underscore")
        super().__setitem__(name, value)


def main() -> None:
    """Renders templates until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the program that waits for a text
    seconds, memory_bytes, most_characters = map(int, json.loads(sys.stdin.buffer.readline()))
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    with open(os.devnull, "w") as nowhere:
        for line in sys.stdin.buffer:
            # It waits outside of the interpreter, whose lock a single long operation does not let
            # go.
            faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
            why, text = _rendered(*json.loads(line))
            if len(text) > most_characters:
                why = f"makes more than {most_characters:,} characters"
                text = ""
            faulthandler.cancel_dump_traceback_later()
            print(json.dumps([why, text]), flush=True)  # noqa: T201


def _rendered(template: str, variables: dict[str, Any] | None) -> tuple[str, str]:
    try:
        compiled = _compiled(template)
        text = "" if variables is None else compiled.render(variables)
        return "", text
    except Refusal as error:
        return f"refuses this chat: {error}", ""
    except jinja2.TemplateSyntaxError as error:
        return f"is not valid in line {error.lineno}: {error.message}", ""
    except MemoryError:
        return "needs too much memory", ""
    except Exception as error:
        return f"fails: {error or type(error).__name__}", ""


@lru_cache(maxsize=16)
def _compiled(template: str) -> jinja2.Template:
    """A template, with what Transformers adds to Jinja."""

    def to_json(
        value: Any,
        ensure_ascii: bool = False,
        indent: Any = None,
        separators: Any = None,
        sort_keys: bool = False,
    ) -> str:
        return json.dumps(
            value,
            ensure_ascii=ensure_ascii,
            indent=indent,
            separators=separators,
            sort_keys=sort_keys,
        )

    def refuse(message: object) -> None:
        raise Refusal(str(message))

    def now(layout: str) -> str:
        return datetime.now().strftime(layout)

    def dictionary(*args: Any, **named: Any) -> dict[Any, Any]:
        return dict(*args, **named)

    def namespace(*args: Any, **named: Any) -> PlainNamespace:
        found = PlainNamespace()
        for name, value in dict(*args, **named).items():
            found[name] = value
        return found

    extensions: list[str | type[Extension]] = [GenerationTag, loopcontrols]
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=extensions
    )
    environment.filters["tojson"] = to_json
    environment.globals.update(
        raise_exception=refuse, strftime_now=now, dict=dictionary, namespace=namespace
    )
    return environment.from_string(template)
