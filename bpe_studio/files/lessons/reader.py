"""Reads lesson files, and lists those of the program.

A lesson file is YAML that a teacher writes; `resources/lessons/template.yaml` shows everything that
it may contain. The settings have the names of the command line. Any problem is a `LessonError` that
names the line and says what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.options import OPTIONS
from bpe_studio.engine.presets import DEFAULT_PRESET, PRESETS
from bpe_studio.engine.text.pretokenization import compile_split
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.errors import ConfigError, LessonError, PatternError
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
from bpe_studio.files.lessons.yaml_parts import (
    Items,
    Part,
    Parts,
    Text,
    items_of,
    number_of,
    parse,
    parts_of,
    read_text,
    text_of,
)
from bpe_studio.files.samples import list_samples, resources_folder

__all__ = [
    "LessonError",
    "lessons_in",
    "list_lessons",
    "parse_lesson",
    "read_lesson",
    "template_path",
]

T = TypeVar("T")

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
_TITLES = {
    "typed text": "text",
    "compare sizes": "compare",
    "runs": "branches",
    "difference": "branches",
    "concordance": "lines",
    "stops and bookmarks": "marks",
}
"""The keys of panels by their names in the window, if the two differ."""

TEMPLATE = "template.yaml"
MAX_STEPS = 200
LESSON_KEYS = (
    "title",
    "about",
    "question",
    "group",
    "language",
    "text",
    "counts",
    "sample",
    "settings",
    "steps",
)
_SOURCES = ("text", "counts", "sample")
STEP_KEYS = ("heading", "say", "at", "type", "look", "pick", "other", "ask")
ASK_KEYS = ("text", "choices", "answer", "why")
OTHER_KEYS = ("name", "settings", "from", *OverrideKind)


_TRUTHS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


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
    parts = parts_of(parse(text), "the lesson", LESSON_KEYS, ("title", "steps"))
    given = [name for name in _SOURCES if name in parts]
    if len(given) != 1:
        what = "there is nothing to learn from"
        line = 1
        if given:
            what = f"“{given[0]}” and “{given[1]}” are both there"
            line = parts.lines[given[1]]
        raise LessonError(f"{what}: give one of text, counts and sample", line)
    settings = _read_settings(parts["settings"]) if "settings" in parts else TrainingConfig.preset()
    return Lesson(
        id=path.stem,
        title=_text(parts, "title"),
        about=_text(parts, "about"),
        question=_text(parts, "question"),
        group=_text(parts, "group"),
        language=_text(parts, "language") or "English",
        steps=_Steps(settings, parts.lines.get("settings", 1)).read(parts["steps"]),
        settings=settings,
        text=_if_given(parts, "text", _source_text),
        counts=_if_given(parts, "counts", _counts) or (),
        sample=_if_given(parts, "sample", _sample),
        path=path,
    )


def _if_given(parts: Parts, key: str, read: Callable[[Part], T]) -> T | None:
    return read(parts[key]) if key in parts else None


def list_lessons(folder: Path | None = None) -> tuple[LessonEntry, ...]:
    """The lessons of the program, in the order of the menu, a translation after its original.

    Of each file only the head is read.

    Args:
        folder: the folder of the lesson files; the program's own by default.
    """
    folder = folder if folder is not None else resources_folder() / "lessons"
    found = []
    for path in sorted(folder.glob("*.yaml"), key=lambda path: path.stem):
        if path.name == TEMPLATE:
            continue
        try:
            head = parse(read_text(path).split("\nsteps:", 1)[0])
        except LessonError:
            head = Parts()
        texts = {}
        if isinstance(head, Parts):
            texts = {key: part for key, part in head.items() if isinstance(part, Text)}
        found.append(
            LessonEntry(
                path.stem,
                str(texts.get("title") or path.stem),
                str(texts.get("about", "")),
                path,
                str(texts.get("group", "")),
                str(texts.get("language") or "English"),
            )
        )
    return tuple(found)


def lessons_in(language: str, entries: Iterable[LessonEntry]) -> tuple[LessonEntry, ...]:
    """Each lesson once: its translation into a language (`01-hug-pug.fa.yaml`), or the original
    where there is none.
    """
    found: dict[str, LessonEntry] = {}
    for entry in entries:
        name = entry.id.partition(".")[0]
        if name not in found or entry.language == language:
            found[name] = entry
    return tuple(found.values())


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

    def read(self, part: Part) -> tuple[LessonStep, ...]:
        steps = items_of(part, "“steps”")
        if not 0 < len(steps) <= MAX_STEPS:
            raise LessonError(f"there are {len(steps):,} steps: write 1 to {MAX_STEPS}", part.line)
        return tuple(self._step(step) for step in steps)

    def _step(self, part: Part) -> LessonStep:
        parts = parts_of(part, "the step", STEP_KEYS, ("heading", "say"))
        typed = None
        if "type" in parts:
            text_of(parts["type"], "“type”", may_be_empty=True)
            typed = str(parts["type"]).rstrip("\n")
        other = self._other_of(parts["other"]) if "other" in parts else None
        self._other = other or self._other
        self._is_typed = self._is_typed or bool(typed)
        return LessonStep(
            heading=_text(parts, "heading"),
            say=self._checked(parts["say"], "“say”"),
            at=_if_given(parts, "at", self._at),
            typed=typed,
            look=_if_given(parts, "look", _look),
            pick=_if_given(parts, "pick", _pick),
            other=other,
            ask=self._asked(parts),
            line=part.line,
        )

    def _asked(self, parts: Parts) -> Question | None:
        if "ask" not in parts:
            return None
        return self._ask(parts["ask"], parts.lines["ask"])

    def _at(self, part: Part) -> Place:
        text = text_of(part, "“at”")
        if text in ("start", "end"):
            return "start" if text == "start" else "end"
        if not text.isdigit():
            raise LessonError(
                f"“at” is “{text[:40]}”: write a number of merges, start or end", part.line
            )
        step = number_of(part, "“at”")
        most = self._settings.merges
        if most is not None and step > most and self._other.config is None:
            raise LessonError(
                f"“at” is step {step:,}, but the settings (line {self._settings_line:,}) ask for"
                f" {most:,} merges: choose an earlier step, or ask for more merges",
                part.line,
            )
        return step

    def _other_of(self, part: Part) -> OtherRun:
        if isinstance(part, Text):
            name = text_of(part, "“other”")
            if name not in self._others:
                known = ", ".join(self._others)
                raise LessonError(
                    f"no earlier step makes a run “{name}”: choose one of {known}", part.line
                )
            return self._others[name]
        parts = parts_of(part, "“other”", OTHER_KEYS, ("name",))
        name = _text(parts, "name")
        if name in self._others:
            raise LessonError(
                f"there is a run “{name}” already: to return to it, write “other: {name}”",
                part.line,
            )
        kinds = [kind for kind in ("settings", *OverrideKind) if kind in parts]
        if len(kinds) != 1:
            what = "it does not say what is different"
            if kinds:
                what = f"“{kinds[0]}” and “{kinds[1]}” are both there"
            raise LessonError(
                f"{what}: give one of {', '.join(('settings', *OverrideKind))}", part.line
            )
        (kind,) = kinds
        if kind == "settings":
            if "from" in parts:
                raise LessonError(
                    "a run by other settings begins at 0: leave “from” out", parts.lines["from"]
                )
            other = OtherRun(name, config=_read_settings(parts[kind], self._settings))
        else:
            step = number_of(parts["from"], "“from”") if "from" in parts else 0
            other = OtherRun(name, override=_override(step, OverrideKind(kind), parts[kind]))
        self._others[name] = other
        return other

    def _ask(self, part: Part, line: int) -> Question:
        parts = parts_of(part, "“ask”", ASK_KEYS, ("text", "answer"))
        text = self._checked(parts["text"], "“text”")
        why = self._checked(parts["why"], "“why”") if "why" in parts else ""
        given = items_of(parts["choices"], "“choices”") if "choices" in parts else Items()
        choices_with_reasons = [self._choice(each) for each in given]
        choices = tuple(choice for choice, _ in choices_with_reasons)
        reasons = tuple(reason for _, reason in choices_with_reasons)
        if "choices" in parts and (len(choices) < 2 or len(set(choices)) < len(choices)):
            raise LessonError(
                "a choice needs two different answers or more: write “- …” lines",
                parts.lines["choices"],
            )
        answer = self._checked(parts["answer"], "“answer”")
        computed = None
        kind: AnswerKind
        if re.fullmatch(r"\{[^{}]*\}", answer):
            computed = parse_quantity(answer[1:-1], parts["answer"].line)
            kind = QUANTITIES[computed.name].kind
            answer = ""
        elif choices and answer not in choices:
            raise LessonError(
                f"the answer “{answer}” is not one of the choices: copy it exactly, or use a value"
                " from the run such as {next}",
                parts.lines["answer"],
            )
        else:
            kind = "number" if re.fullmatch(r"\d+([.٫]\d+)?", answer) else "text"
        if choices:
            kind = "choice"
        return Question(text, kind, choices, reasons, answer, computed, why, line)

    def _choice(self, part: Part) -> tuple[str, str]:
        """A choice, and why it is wrong or ""."""
        if not part or not isinstance(part, Parts):
            return self._checked(part, "a choice"), ""
        if len(part) > 1:
            raise LessonError(
                "a choice has two reasons: begin each choice with “- ”, on a line of its own",
                part.line,
            )
        ((choice, reason),) = part.items()
        named = Text(choice)
        named.line = part.line
        return self._checked(named, "a choice"), self._checked(reason, "the reason of a choice")

    def _checked(self, part: Part, what: str) -> str:
        """A text whose placeholders are known, and say nothing of typed text before any is
        typed.
        """
        text = text_of(part, what)
        for quantity in quantities_of(text, part.line):
            if QUANTITIES[quantity.name].of == "text" and not quantity.of and not self._is_typed:
                raise LessonError(
                    f"{quantity} concerns the typed text, but nothing is typed yet: add “type: …”"
                    f" to this step or an earlier one, or write {{{quantity.name} of …}}",
                    part.line,
                )
        return text


def _read_settings(part: Part, base: TrainingConfig | None = None) -> TrainingConfig:
    """The settings in a part of a lesson.

    Args:
        part: the group of settings.
        base: the settings that the options change; a preset among the options replaces it.

    Raises:
        LessonError: an option is not known, or its value is not valid; the error names its line.
    """
    parts = parts_of(part, "“settings”")
    options = {name.replace("_", "-"): value for name, value in parts.items()}
    known = ("preset", *(name.replace("_", "-") for name in OPTIONS))
    for name, value in options.items():
        if name not in known:
            raise LessonError(
                f"there is no setting “{name}”: choose one of {', '.join(known)}", value.line
            )
    if "preset" in options:
        preset = text_of(options.pop("preset"), "“preset”")
        if preset not in PRESETS:
            known_presets = ", ".join(PRESETS)
            raise LessonError(
                f"there is no preset “{preset}”: choose one of {known_presets}",
                parts["preset"].line,
            )
        base = TrainingConfig.preset(PRESETS[preset].name)
    config = TrainingConfig.preset(DEFAULT_PRESET) if base is None else base
    values: dict[str, Any] = {}
    for name, value in options.items():
        option = name.replace("-", "_")
        values[option] = _value(option, name, value)
        try:
            changed = config.replace(**values)
            if option == "split" and changed.split != "none":
                compile_split(changed.split)
        except (ConfigError, PatternError) as error:
            # Options may only be valid together: `word-end-as` with `word-end`. Then the last one
            # is blamed.
            if name == list(options)[-1] or isinstance(error, PatternError):
                message = str(error)
                raise LessonError(message[0].lower() + message[1:], value.line) from None
    return config.replace(**values)


def _pair_of(part: Part, what: str) -> tuple[str, str]:
    """Two tokens: a text with one space between them, or a list of two.

    Raises:
        LessonError: it is not a pair.
    """
    names = list(map(str, part)) if isinstance(part, Items) else text_of(part, what).split()
    if len(names) != 2 or not all(names):
        raise LessonError(
            f"{what} needs a pair: two tokens with one space between them, such as u g", part.line
        )
    return names[0], names[1]


def _value(option: str, name: str, part: Part) -> object:
    what = f"“{name}”"
    kind = OPTIONS[option].kind
    is_list = isinstance(OPTIONS[option].base, tuple)
    if part == "null":
        return () if is_list else None
    if is_list:
        items = part if isinstance(part, Items) else [part]
        if kind == "pairs":
            return tuple(_pair_of(each, what) for each in items)
        return tuple(text_of(each, what) for each in items)
    if kind == "number":
        return number_of(part, what)
    text = text_of(part, what)
    if kind in ("share", "exponent"):
        try:
            return float(text)
        except ValueError:
            raise LessonError(
                f"{what} is “{text[:40]}”: write a number such as 0.9995", part.line
            ) from None
    if kind == "flag":
        if text.lower() not in _TRUTHS:
            raise LessonError(f"{what} is “{text[:40]}”: write yes or no", part.line)
        return _TRUTHS[text.lower()]
    return text


def _text(parts: Parts, name: str) -> str:
    return text_of(parts[name], f"“{name}”") if name in parts else ""


def _source_text(part: Part) -> str:
    text_of(part, "“text”")
    return str(part)


def _counts(part: Part) -> tuple[tuple[str, int], ...]:
    parts = parts_of(part, "“counts”")
    if not parts:
        raise LessonError("“counts” is empty: write “word: number” lines", part.line)
    for word, line in parts.lines.items():
        if not word.strip() or word != word.rstrip():
            raise LessonError(
                f"“{word}” ends in white space: a word may only begin with it, in quotes", line
            )
    return tuple(
        (str(word), number_of(count, f"the count of “{word}”", 1)) for word, count in parts.items()
    )


def _sample(part: Part) -> str:
    name = text_of(part, "“sample”")
    known = [sample.id for sample in list_samples()]
    if name not in known:
        raise LessonError(
            f"there is no sample “{name}”: choose one of {', '.join(known)}", part.line
        )
    return name


def _look(part: Part) -> str:
    name = text_of(part, "“look”")
    key = _TITLES.get(name.lower(), name.lower())
    if key not in PANELS:
        raise LessonError(
            f"there is no panel “{name}”: choose one of {', '.join(PANELS)}", part.line
        )
    return key


def _pick(part: Part) -> tuple[str, ...]:
    """The name of a token, or those of the tokens of a pair."""
    if isinstance(part, Items):
        names = tuple(map(str, part))
    else:
        names = tuple(text_of(part, "“pick”").split())
    if not 1 <= len(names) <= 2 or not all(names):
        raise LessonError(
            "“pick” names one token, or the two tokens of a pair with a space between them",
            part.line,
        )
    return names


def _override(step: int, kind: OverrideKind, part: Part) -> Override:
    try:
        if kind is OverrideKind.ties:
            rule: Any = text_of(part, "“ties”")  # which `Override` checks
            return Override(step, kind, ties=rule)
        left, right = _pair_of(part, f"“{kind}”")
        return Override(step, kind, left, right)
    except ConfigError as error:
        raise LessonError(str(error), part.line) from None
