"""Reads untrusted YAML, and returns its parts only if they have the expected type; every error names its line.

Nodes are inspected, never turned into objects. Aliases, deep nesting and large files are refused before any node is
made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import yaml
from yaml.nodes import Node

from bpe_studio.errors import LessonError, SourceError
from bpe_studio.files.text.regular_files import open_regular

MAX_BYTES = 1 << 18
MAX_DEPTH = 8
MAX_NODES = 20_000

_INDENTED = "this line begins too far left or right: indent it like the lines around it"
_INSTEAD = {
    "mapping values are not allowed here": 'a colon is not allowed here: put the text in "quotes", or write it on '
    "the lines below, after “>-”; a line that begins with a name may be indented too far",
    "found character '\\t' that cannot start any token": "there is a tab here: indent with spaces",
    "found unexpected end of stream": "a quote is not closed: write the closing quote",
    "expected ',' or": 'a comma or a closing bracket is missing: put each text between the brackets in "quotes"',
    "could not find expected ':'": "a colon is missing: write “name: value”, or indent a text that continues",
    "expected <block end>, but found '<block mapping start>'": _INDENTED,
    "expected <block end>, but found '?'": _INDENTED,
    "expected <block end>, but found '-'": _INDENTED,
    "expected <block end>, but found '<scalar>'": "a text continues after its closing quote: put all of it between two "
    "quotes, and none of that kind inside",
    "sequence entries are not allowed here": "a list cannot begin here: begin it on the next line, or put a text that "
    'begins with “-” in "quotes"',
}


def read_text(path: Path) -> str:
    """The text of a lesson file.

    Raises:
        LessonError: it cannot be read, is too large, empty, or not UTF-8.
    """
    try:
        with open_regular(path) as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise LessonError(f"{path} does not exist: check the name, or choose another lesson") from None
    except SourceError:
        if "\0" in str(path):
            raise LessonError(f"{path} cannot be read (its name is no name of a file): choose another lesson") from None
        kind = "a folder: choose the lesson file in it" if path.is_dir() else "no file: choose another lesson"
        raise LessonError(f"{path} is {kind}") from None
    except OSError as error:
        raise LessonError(f"{path} cannot be read ({error.strerror or error}): choose another lesson") from error
    if len(data) > MAX_BYTES:
        raise LessonError(
            f"{path.name} is larger than {MAX_BYTES >> 10} kB, which no lesson is: make its text shorter, or take one "
            "of the samples"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LessonError("this line is not UTF-8: save the file as UTF-8 in your editor", line) from None


def compose(text: str) -> Node:
    """The root node of a YAML text.

    Raises:
        LessonError: it is not YAML, or uses features that lessons do not need.
    """
    event: yaml.Event | None = None
    try:
        for depth, n_nodes, event in _counted(text):
            line = event.start_mark.line + 1 if event.start_mark is not None else 1
            if isinstance(event, yaml.AliasEvent):
                raise LessonError("“*” refers to another part, which lessons do not: write the text itself", line)
            if depth > MAX_DEPTH:
                raise LessonError("the parts are nested too deeply: look at the indentation and the brackets", line)
            if n_nodes > MAX_NODES:
                raise LessonError(f"more than {MAX_NODES:,} parts are too many for a lesson: make it shorter", line)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise _of_quote(event, error) or _of_yaml(error) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise LessonError(f"the character {_code(error.character)} is not allowed here: remove it", line) from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise LessonError("this is no YAML: begin with the template for lessons") from None
    if root is None:
        raise LessonError("the lesson is empty: begin with the template for lessons")
    return root


def first_texts(text: str, names: tuple[str, ...]) -> dict[str, str]:
    """Some texts of the outermost mapping, read only as far as needed; missing or wrong ones are left out."""
    found: dict[str, str] = {}
    depth, key = 0, None
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.ScalarEvent) and depth == 1:
                if key is None:
                    key = event.value
                    continue
                if key in names:
                    found.setdefault(key, event.value.strip())
                key = None
            elif isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
                key = None if depth == 1 else key
            if len(found) == len(names):
                break
    except (yaml.YAMLError, ValueError):
        pass
    return found


def line_of(node: Node) -> int:
    """The line on which a node begins, from 1."""
    return int(node.start_mark.line) + 1


def mapping(node: Node, what: str) -> dict[str, tuple[int, Node]]:
    """The parts of a mapping by name, each with the line of its name.

    Raises:
        LessonError: it is not a mapping, or a name occurs twice.
    """
    if not isinstance(node, yaml.MappingNode):
        raise LessonError(f"{what} is {_described(node)}: write “name: value” lines", line_of(node))
    parts: dict[str, tuple[int, Node]] = {}
    for key, value in node.value:
        name, line = scalar(key, f"a name in {what}"), line_of(key)
        if name in parts:
            raise LessonError(f"“{name}” occurs twice in {what}, first on line {parts[name][0]:,}: keep one", line)
        parts[name] = (line, value)
    return parts


def known_parts(node: Node, what: str, names: tuple[str, ...], needed: tuple[str, ...]) -> dict[str, tuple[int, Node]]:
    """The parts of a mapping, checked to have known names and to include the required ones.

    Raises:
        LessonError: a name is not known, missing, or occurs twice.
    """
    parts = mapping(node, what)
    for name, (line, _) in parts.items():
        if name not in names:
            raise LessonError(f"{what} has no “{name}”: choose one of {', '.join(names)}", line)
    for name in needed:
        if name not in parts:
            raise LessonError(f"{what} has no “{name}”: add a line “{name}: …”", line_of(node))
    return parts


def sequence(node: Node, what: str) -> list[Node]:
    """The parts of a list.

    Raises:
        LessonError: it is not a list.
    """
    if not isinstance(node, yaml.SequenceNode):
        raise LessonError(f"{what} is {_described(node)}: write a list, one “- …” a line", line_of(node))
    return list(node.value)


def scalar(node: Node, what: str) -> str:
    """The text of a scalar, as it is written.

    Raises:
        LessonError: it is not a scalar.
    """
    if not isinstance(node, yaml.ScalarNode):
        hint = 'put it in "quotes"' if node.start_mark.line == node.end_mark.line else "write a text"
        raise LessonError(f"{what} is {_described(node)}: {hint}", line_of(node))
    return str(node.value)


def required_text(node: Node, what: str) -> str:
    """A text that is not empty, without white space around it.

    Raises:
        LessonError: it is not a text, or empty.
    """
    text = scalar(node, what).strip()
    if not text:
        raise LessonError(f"{what} is empty: write it, or leave the line out", line_of(node))
    return text


def whole_number(node: Node, what: str, least: int = 0, most: int = 1_000_000_000) -> int:
    """A whole number.

    Raises:
        LessonError: it is not a whole number, or out of range.
    """
    text = scalar(node, what)
    if not re.fullmatch(r"[0-9]{1,15}", text) or not least <= int(text) <= most:
        raise LessonError(f"{what} is “{text[:40]}”: write a whole number from {least} to {most:,}", line_of(node))
    return int(text)


def is_null(node: Node) -> bool:
    """Whether nothing is written, or `null`, or `~`."""
    return isinstance(node, yaml.ScalarNode) and not node.style and str(node.value) in ("", "~", "null")


def braced(node: Node) -> str | None:
    """The text `{next}` of a node that YAML has read as a mapping because of its braces; `None` for any other node."""
    if isinstance(node, yaml.MappingNode) and node.flow_style and len(node.value) == 1:
        key, value = node.value[0]
        if isinstance(key, yaml.ScalarNode) and is_null(value):
            return f"{{{key.value}}}"
    return None


def _counted(text: str) -> Iterator[tuple[int, int, yaml.Event]]:
    """Every event of a YAML text with its depth and index."""
    depth = n_nodes = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        n_nodes += isinstance(event, yaml.NodeEvent)
        yield depth, n_nodes, event


def _of_quote(last: yaml.Event | None, error: yaml.MarkedYAMLError) -> LessonError | None:
    """The error for a missing closing quote, if the last quoted text ran on to the next quote some lines below."""
    if not isinstance(last, yaml.ScalarEvent) or last.style not in ("'", '"'):
        return None
    begun, ended, failed = last.start_mark, last.end_mark, error.problem_mark
    if begun is None or ended is None or failed is None or begun.line == ended.line or failed.line != ended.line:
        return None
    first, end = begun.line + 1, ended.line + 1
    return LessonError(f"the quote that begins here ends only on line {end:,}: write the closing quote", first)


def _of_yaml(error: yaml.MarkedYAMLError) -> LessonError:
    mark = error.problem_mark or error.context_mark
    line = None if mark is None else mark.line + 1
    problem = error.problem or error.context or "no YAML"
    if problem == "found unexpected end of stream" and error.context_mark is not None:
        line = error.context_mark.line + 1
    if problem.startswith("expected ',' or"):
        problem = "expected ',' or"
    instead = _INSTEAD.get(problem)
    begun = re.fullmatch(r"found character '(.)' that cannot start any token", problem)
    if instead is None and begun is not None:
        instead = f'a text cannot begin with “{begun[1]}”: put it in "quotes"'
    if instead is None:
        instead = f"this cannot be read ({problem}): look at the indentation, the quotes and the colons here"
    return LessonError(instead, line)


def _described(node: Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a group of names and values"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return "empty" if not str(node.value) else "a text"


def _code(character: object) -> str:
    return f"U+{character:04X}" if isinstance(character, int) else str(character)
