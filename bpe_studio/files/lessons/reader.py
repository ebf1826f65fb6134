"""Reads lesson files, and lists those of the program.

A lesson file is YAML that a teacher writes; `resources/lessons/template.yaml` shows everything that it may contain. Any
problem is a `LessonError` that names the line and says what to write instead. `settings.py` reads the training
settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from yaml.nodes import Node

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.errors import ConfigError, LessonError
from bpe_studio.files.lessons.placeholders import QUANTITIES, parse_quantity, quantities_of
from bpe_studio.files.lessons.records import (
    MAIN,
    AnswerKind,
    Lesson,
    LessonEntry,
    LessonStep,
    OtherRun,
    Place,
    Question,
)
from bpe_studio.files.lessons.settings import pair_of, read_settings
from bpe_studio.files.lessons.yaml_nodes import (
    braced,
    compose,
    first_texts,
    known_parts,
    line_of,
    mapping,
    read_text,
    required_text,
    scalar,
    sequence,
    whole_number,
)
from bpe_studio.files.samples import list_samples, resources_folder

__all__ = ["LessonError", "list_lessons", "parse_lesson", "read_lesson", "template_path"]

PANELS = (
    "text",
    "corpus",
    "words",
    "settings",
    "marks",
    "skyline",
    "growth",
    "compare",
    "branches",
    "lines",
    "merges",
    "candidates",
    "why",
)
"""The keys of the window's panels that a step may refer to."""
_TITLES = {"typed text": "text", "compare sizes": "compare", "runs": "branches"}
"""Their names in the window, if they differ from the key."""

TEMPLATE = "template.yaml"
MAX_STEPS = 200
_LESSON = ("title", "about", "group", "language", "text", "counts", "sample", "settings", "steps")
_SOURCES = ("text", "counts", "sample")
_STEP = ("heading", "say", "at", "type", "look", "pick", "other", "ask")
_ASK = ("text", "choices", "answer", "why")
_OTHER = ("name", "settings", "from", *OverrideKind)


def read_lesson(path: str | PathLike[str]) -> Lesson:
    """The lesson in a file.

    Raises:
        LessonError: it cannot be read, or is not valid; the error names the line.
    """
    path = Path(path)
    return parse_lesson(read_text(path), path)


def parse_lesson(text: str, path: Path) -> Lesson:
    """The lesson in a text that was read from `path`.

    Raises:
        LessonError: it is not valid; the error names the line.
    """
    root = compose(text)
    parts = known_parts(root, "the lesson", _LESSON, ("title", "steps"))
    given = [name for name in _SOURCES if name in parts]
    if len(given) != 1:
        line = parts[given[1]][0] if given else line_of(root)
        what = f"“{given[0]}” and “{given[1]}” are both there" if given else "there is nothing to learn from"
        raise LessonError(f"{what}: give one of text, counts and sample", line)
    settings_line, settings = read_settings(parts.get("settings"), line_of(root))
    reader = _Steps(settings, settings_line)
    return Lesson(
        id=path.stem,
        title=_text(parts, "title"),
        about=_text(parts, "about"),
        group=_text(parts, "group"),
        language=_text(parts, "language") or "English",
        steps=reader.read(parts["steps"]),
        settings=settings,
        text=_source_text(parts["text"][1]) if "text" in parts else None,
        counts=_counts(parts["counts"][1]) if "counts" in parts else (),
        sample=_sample(parts["sample"][1]) if "sample" in parts else None,
        path=path,
    )


def list_lessons(folder: Path | None = None) -> tuple[LessonEntry, ...]:
    """The lessons of the program, in the order of the menu; see `find_lessons`."""
    return tuple(find_lessons(folder))


def find_lessons(folder: Path | None = None) -> Iterator[LessonEntry]:
    """The lessons of the program, in the order of the menu; their files are only read as far as needed.

    Args:
        folder: the folder of the lesson files; the program's own by default.
    """
    folder = folder if folder is not None else resources_folder() / "lessons"
    for path in sorted(folder.glob("*.yaml")):
        if path.name == TEMPLATE:
            continue
        try:
            head = first_texts(read_text(path), ("title", "about", "group"))
        except LessonError:
            head = {}
        title, about, group = head.get("title") or path.stem, head.get("about", ""), head.get("group", "")
        yield LessonEntry(path.stem, title, about, path, group)


def template_path() -> Path:
    """The commented lesson file that a teacher can start from."""
    return resources_folder() / "lessons" / TEMPLATE


class _Steps:
    """Reads the steps in order, because a step may return to a run that an earlier one made."""

    def __init__(self, settings: TrainingConfig, settings_line: int) -> None:
        self._settings = settings
        self._settings_line = settings_line
        self._others: dict[str, OtherRun] = {MAIN: OtherRun(MAIN)}
        self._other = self._others[MAIN]
        self._is_typed = False

    def read(self, part: tuple[int, Node]) -> tuple[LessonStep, ...]:
        nodes = sequence(part[1], "“steps”")
        if not nodes:
            raise LessonError("“steps” is empty: write at least one step", part[0])
        if len(nodes) > MAX_STEPS:
            raise LessonError(f"more than {MAX_STEPS} steps: make two lessons of them", line_of(nodes[MAX_STEPS]))
        return tuple(self._step(node) for node in nodes)

    def _step(self, node: Node) -> LessonStep:
        parts = known_parts(node, "the step", _STEP, ("heading", "say"))
        typed = scalar(parts["type"][1], "“type”").rstrip("\n") if "type" in parts else None
        other = self._other_of(*parts["other"]) if "other" in parts else None
        self._other = other or self._other
        self._is_typed = self._is_typed or bool(typed)
        say = required_text(parts["say"][1], "“say”")
        self._check(say, line_of(parts["say"][1]))
        return LessonStep(
            heading=_text(parts, "heading"),
            say=say,
            at=self._at(parts["at"][1], "“at”") if "at" in parts else None,
            typed=typed,
            look=_look(parts["look"][1]) if "look" in parts else None,
            pick=_pick(parts["pick"][1]) if "pick" in parts else None,
            other=other,
            ask=self._ask(*parts["ask"]) if "ask" in parts else None,
            line=line_of(node),
        )

    def _at(self, node: Node, what: str) -> Place:
        text = scalar(node, what).strip()
        if text in ("start", "end"):
            return "start" if text == "start" else "end"
        if not text.isascii() or not text.isdigit():
            raise LessonError(f"{what} is “{text[:40]}”: write a number of merges, start or end", line_of(node))
        step, most = whole_number(node, what), self._settings.merges
        if most is not None and step > most and self._other.config is None:
            raise LessonError(
                f"{what} is step {step:,}, but the settings (line {self._settings_line:,}) ask for {most:,} merges: "
                "choose an earlier step, or ask for more merges",
                line_of(node),
            )
        return step

    def _other_of(self, line: int, node: Node) -> OtherRun:
        if not hasattr(node, "value") or isinstance(node.value, str):
            name = required_text(node, "“other”")
            if name not in self._others:
                known = ", ".join(self._others)
                raise LessonError(f"no earlier step makes a run “{name}”: choose one of {known}", line)
            return self._others[name]
        parts = known_parts(node, "“other”", _OTHER, ("name",))
        name = _text(parts, "name")
        if name in self._others:
            raise LessonError(
                f"there is a run “{name}” already: to go back to it, write “other: {name}”", parts["name"][0]
            )
        kinds = [kind for kind in ("settings", *OverrideKind) if kind in parts]
        if len(kinds) != 1:
            what = f"“{kinds[0]}” and “{kinds[1]}” are both there" if kinds else "it does not say what is different"
            raise LessonError(f"{what}: give one of {', '.join(('settings', *OverrideKind))}", line)
        (kind,) = kinds
        if kind == "settings":
            if "from" in parts:
                raise LessonError("a run by other settings begins at 0: leave “from” out", parts["from"][0])
            _, config = read_settings(parts[kind], line, self._settings)
            other = OtherRun(name, config=config)
        else:
            step = whole_number(parts["from"][1], "“from”") if "from" in parts else 0
            other = OtherRun(name, override=_override(step, OverrideKind(kind), *parts[kind]))
        self._others[name] = other
        return other

    def _ask(self, line: int, node: Node) -> Question:
        parts = known_parts(node, "“ask”", _ASK, ("text", "answer"))
        text, why = _text(parts, "text"), _text(parts, "why")
        choices = (
            tuple(_choice(each) for each in sequence(parts["choices"][1], "“choices”")) if "choices" in parts else ()
        )
        for said, where in ((text, "text"), (why, "why"), *((choice, "choices") for choice in choices)):
            if said:
                self._check(said, line_of(parts[where][1]))
        if "choices" in parts and len(choices) < 2:
            raise LessonError("a choice needs two answers or more: add “- …” lines", parts["choices"][0])
        if len(set(choices)) < len(choices):
            twice = next(choice for choice in choices if choices.count(choice) > 1)
            raise LessonError(f"“{twice}” occurs twice among the choices: keep one", parts["choices"][0])
        answer_line, answer_node = parts["answer"]
        answer = (braced(answer_node) or required_text(answer_node, "“answer”")).strip()
        computed = None
        kind: AnswerKind
        if re.fullmatch(r"\{[^{}]*\}", answer):
            self._check(answer, answer_line)
            computed = parse_quantity(answer[1:-1], answer_line)
            kind, answer = QUANTITIES[computed.name].kind, ""
        elif choices and answer not in choices:
            raise LessonError(
                f"the answer “{answer}” is none of the choices: write it exactly as it is written there, "
                "or a value from the run such as {next}",
                answer_line,
            )
        elif not choices and re.fullmatch("[“„«].*[”“»]", answer) and getattr(answer_node, "style", "") is None:
            raise LessonError(
                f'the quotes around the answer are typographic ones, and would be part of it: write "{answer[1:-1]}"',
                answer_line,
            )
        else:
            kind = "number" if re.fullmatch(r"[0-9]+([.][0-9]+)?", answer) else "text"
        return Question(text, "choice" if choices else kind, choices, answer, computed, why, line)

    def _check(self, text: str, line: int) -> None:
        """Raises an error for an unknown placeholder, or one about typed text before any is typed."""
        for quantity in quantities_of(text, line):
            if QUANTITIES[quantity.name].of == "text" and not quantity.of and not self._is_typed:
                raise LessonError(
                    f"{quantity} concerns the typed text, but nothing is typed yet: add “type: …” to this step or an "
                    f"earlier one, or write {{{quantity.name} of …}}",
                    line,
                )


def _text(parts: dict[str, tuple[int, Node]], name: str) -> str:
    return required_text(parts[name][1], f"“{name}”") if name in parts else ""


def _choice(node: Node) -> str:
    return (braced(node) or required_text(node, "a choice")).strip()


def _source_text(node: Node) -> str:
    text = scalar(node, "“text”")
    if not text.strip():
        raise LessonError("“text” is empty: write what is to be learned from", line_of(node))
    return text


def _counts(node: Node) -> tuple[tuple[str, int], ...]:
    parts = mapping(node, "“counts”")
    if not parts:
        raise LessonError("“counts” is empty: write “word: number” lines", line_of(node))
    for word, (line, _) in parts.items():
        if not word.strip() or word != word.rstrip():
            raise LessonError(f"“{word}” ends in white space: a word may only begin with it, in quotes", line)
    return tuple((word, whole_number(value, f"the count of “{word}”", 1)) for word, (_, value) in parts.items())


def _sample(node: Node) -> str:
    name = required_text(node, "“sample”")
    known = [sample.id for sample in list_samples()]
    if name not in known:
        raise LessonError(f"there is no sample “{name}”: choose one of {', '.join(known)}", line_of(node))
    return name


def _look(node: Node) -> str:
    name = required_text(node, "“look”")
    key = _TITLES.get(name.lower(), name.lower())
    if key not in PANELS:
        raise LessonError(f"there is no panel “{name}”: choose one of {', '.join(PANELS)}", line_of(node))
    return key


def _pick(node: Node) -> tuple[str, ...]:
    """The name of a token, or those of the tokens of a pair."""
    if isinstance(getattr(node, "value", None), str):
        names = tuple(required_text(node, "“pick”").split())
    else:
        names = tuple(scalar(each, "a token to select") for each in sequence(node, "“pick”"))
    if not 1 <= len(names) <= 2 or not all(names):
        raise LessonError(
            "“pick” names one token, or the two tokens of a pair with a space between them", line_of(node)
        )
    return names


def _override(step: int, kind: OverrideKind, line: int, node: Node) -> Override:
    try:
        if kind is OverrideKind.ties:
            return Override(step, kind, ties=required_text(node, "“ties”"))
        left, right = pair_of(node, f"“{kind}”")
        return Override(step, kind, left, right)
    except ConfigError as error:
        raise LessonError(str(error), line) from None
