"""Reads YAML from strangers as texts, lists and mappings that know their lines.

Nothing else is ever made of it.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from bpe_studio.errors import LessonError, SourceError
from bpe_studio.files.text.regular_files import open_regular

MAX_BYTES = 1 << 18
MAX_NODES = 20_000


class Text(str):
    """A text as it is written, such as `no` or `007`."""

    line = 1


class Items(list["Part"]):
    """A list."""

    line = 1


class Parts(dict[str, "Part"]):
    """A mapping; `lines` are those of its names."""

    line = 1
    lines: dict[str, int]


Part = Text | Items | Parts


def read_text(path: Path) -> str:
    """The text of a lesson file.

    Raises:
        LessonError: it cannot be read, is too large, or is not UTF-8.
    """
    try:
        with open_regular(path) as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise LessonError(
            f"{path} does not exist: check the name, or choose another lesson"
        ) from None
    except SourceError:
        raise LessonError(f"{path} is not a file: choose a lesson") from None
    except OSError as error:
        raise LessonError(
            f"{path} cannot be read ({error.strerror or error}): choose another lesson"
        ) from error
    if len(data) > MAX_BYTES:
        raise LessonError(
            f"{path.name} is larger than {MAX_BYTES >> 10} kB: make its text shorter, or take a"
            " sample"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LessonError(
            "this line is not UTF-8: save the file as UTF-8 in your editor", line
        ) from None


def parse(text: str) -> Part:
    """The parts of a YAML text.

    Raises:
        LessonError: it is not YAML, or uses what lessons do not need.
    """
    try:
        root = yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        why = error.problem or error.context or "not YAML"
        # A quote that is not closed is named where it begins.
        is_open = "end of stream" in why
        mark = error.context_mark if is_open else error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        raise LessonError(
            f"this cannot be read ({why}): look at the indentation, the quotes and the colons here"
            ' and above; a text with a colon needs "quotes"',
            line,
        ) from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise LessonError("this is not YAML: start from the template for lessons") from None
    if not isinstance(root, (Text, Items, Parts)):
        raise LessonError("the lesson is empty: start from the template for lessons")
    return root


def text_of(part: Part, what: str, *, may_be_empty: bool = False) -> str:
    """A text, without white space around it.

    Raises:
        LessonError: it is not a text, or empty.
    """
    if not isinstance(part, Text):
        raise LessonError(
            f'{what} is {_kind(part)}: write a text, in "quotes" if it holds braces or colons',
            part.line,
        )
    if not part.strip() and not may_be_empty:
        raise LessonError(f"{what} is empty: write it, or leave the line out", part.line)
    return part.strip()


def items_of(part: Part, what: str) -> Items:
    """A list.

    Raises:
        LessonError: it is not a list.
    """
    if not isinstance(part, Items):
        raise LessonError(f"{what} is {_kind(part)}: write a list, one “- …” a line", part.line)
    return part


def parts_of(
    part: Part, what: str, names: tuple[str, ...] = (), needed: tuple[str, ...] = ()
) -> Parts:
    """A mapping.

    Args:
        part: the part.
        what: its name, for errors.
        names: the names that it may have; none for any.
        needed: the names that it must have.

    Raises:
        LessonError: it is not a mapping, or a name is not known or missing.
    """
    if not isinstance(part, Parts):
        raise LessonError(f"{what} is {_kind(part)}: write “name: value” lines", part.line)
    for name, line in part.lines.items():
        if names and name not in names:
            raise LessonError(f"{what} has no “{name}”: choose one of {', '.join(names)}", line)
    for name in needed:
        if name not in part:
            raise LessonError(f"{what} has no “{name}”: add a line “{name}: …”", part.line)
    return part


def number_of(part: Part, what: str, least: int = 0, most: int = 1_000_000_000) -> int:
    """A whole number.

    Raises:
        LessonError: it is not a whole number, or out of range.
    """
    text = text_of(part, what)
    if not (text.isascii() and text.isdigit() and len(text) < 16 and least <= int(text) <= most):
        raise LessonError(
            f"{what} is “{text[:40]}”: write a whole number from {least} to {most:,}", part.line
        )
    return int(text)


def _kind(part: Part) -> str:
    if not part:
        return "empty"
    return {Parts: "a group of names and values", Items: "a list", Text: "a text"}[type(part)]


class _Loader(yaml.SafeLoader):
    """Makes every scalar a text, whatever its tag says; refuses aliases and very many parts."""

    _n_nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node | None:
        event: yaml.NodeEvent = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1 if event.start_mark is not None else 1
        if isinstance(event, yaml.AliasEvent):
            raise LessonError(
                "“*” refers to another part, which lessons cannot do: write the text itself", line
            )
        self._n_nodes += 1
        if self._n_nodes > MAX_NODES:
            raise LessonError(
                f"more than {MAX_NODES:,} parts are too many for a lesson: make it shorter", line
            )
        node: yaml.Node | None = super().compose_node(parent, index)  # type: ignore[arg-type]
        return node

    def construct_document(self, node: yaml.Node) -> Part:
        return self._part(node)

    def _part(self, node: yaml.Node) -> Part:
        part: Part
        if isinstance(node, yaml.ScalarNode):
            part = Text(node.value)
        elif isinstance(node, yaml.SequenceNode):
            part = Items(self._part(each) for each in node.value)
        else:
            assert isinstance(node, yaml.MappingNode)
            part = self._mapping(node)
        part.line = node.start_mark.line + 1
        return part

    def _mapping(self, node: yaml.MappingNode) -> Part:
        if node.flow_style and len(node.value) == 1 and node.value[0][1].value == "":
            # It is a placeholder without quotes, such as {next}.
            return Text(f"{{{node.value[0][0].value}}}")
        parts = Parts()
        parts.lines = {}
        for key, value in node.value:
            name = self._part(key)
            line = key.start_mark.line + 1
            if not isinstance(name, Text):
                raise LessonError("a name is a list or a group: write “name: value” lines", line)
            if name in parts:
                raise LessonError(
                    f"“{name}” occurs twice, first on line {parts.lines[name]:,}: keep one", line
                )
            parts[name] = self._part(value)
            parts.lines[name] = line
        return parts
