"""What a lesson file says, with its numbers worked out by `plain_bpe.py` alone: nothing of the program is asked."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.gui.acceptance.compare_teach_take.plain_bpe import (
    Cut,
    PlainRun,
    Symbol,
    all_bytes,
    as_bytes,
    shown,
    symbols,
    words_of,
)

PRESETS = {
    "textbook": {"units": "characters", "split": "words", "ties": "first-seen", "min-frequency": 1,
                 "unknown": "[UNK]", "by_line": False},
    "sennrich": {"units": "characters", "split": "whitespace", "ties": "first-seen", "min-frequency": 1,
                 "mark": "</w>", "by_line": False},
    "raw": {"units": "bytes", "split": "none", "ties": "first-seen", "min-frequency": 2, "full-alphabet": True,
            "by_line": False},
    "gpt2": {"units": "bytes", "split": "gpt2", "ties": "huggingface", "min-frequency": 2, "full-alphabet": True,
             "special": "<|endoftext|>", "by_line": True},
}  # fmt: skip
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it was built
_QUANTITY = re.compile(r"\{(\w+)(?: of (.+?))?\}")


@dataclass
class Asked:
    """A question, and what is right."""

    text: str
    choices: tuple[str, ...]
    right: str | tuple[str, str]
    why: str


class PlainLesson:
    """A lesson file, played step by step.

    Attributes:
        file: what the file says.
        step: where the run stands.
        typed: what is typed.
    """

    def __init__(self, path: Path) -> None:
        self.file = yaml.load(path.read_text(encoding="utf-8"), _LOADER)
        self._settings = {"main": _with_preset(self.file["settings"])}
        self._runs: dict[str, PlainRun] = {}
        self._shown = "main"
        self.step, self.typed = 0, ""

    def enter(self, place: int) -> dict:
        """Goes to a step, and gives what the file says of it."""
        said = self.file["steps"][place]
        self.typed = said.get("type", self.typed)
        other = said.get("other")
        if isinstance(other, dict):
            self._shown = other["name"]
            given = other.get("settings") or {"ties": other["ties"]}
            self._settings.setdefault(self._shown, self._settings["main"] | given)
        elif other is not None:
            self._shown = other
        at = said.get("at")
        if at is not None:
            self.step = 0 if at == "start" else self.run.learn(self.n_merges) if at == "end" else self.run.learn(at)
        return said

    @property
    def settings(self) -> dict:
        """Those of the run that is shown."""
        return self._settings[self._shown]

    @property
    def run(self) -> PlainRun:
        """The run that is shown."""
        if self._shown not in self._runs:
            self._runs[self._shown] = self._begin()
        return self._runs[self._shown]

    @property
    def n_merges(self) -> int:
        """How many merges are asked for."""
        settings = self.settings
        if "vocab-size" in settings:
            return settings["vocab-size"] - len(self.run.alphabet) - self._n_special()
        return settings["merges"]

    def _n_special(self) -> int:
        return sum(bool(self.settings.get(name)) for name in ("special", "unknown"))

    def _begin(self) -> PlainRun:
        settings = self.settings
        counts: Counter[Cut] = Counter()
        if "counts" in self.file:
            for word, n in self.file["counts"].items():
                counts[self._symbols(word)] += n
        else:
            counts.update(self._words(self.file["text"]))
        forced = tuple(settings["force"].split()) if "force" in settings else ()
        if forced and settings["units"] == "bytes":
            forced = tuple(each.replace("Ġ", " ").encode() for each in forced)
        is_full = settings["units"] == "bytes" and settings["full-alphabet"] not in (False, "no")
        return PlainRun(
            counts, settings["ties"], settings["min-frequency"], (forced,) if forced else (),
            all_bytes() if is_full else (),
        )  # fmt: skip

    def _symbols(self, word: str) -> Cut:
        mark = self.settings.get("mark")
        return (*symbols(word, self.settings["units"]), *([mark] if mark else []))

    def _words(self, text: str) -> list[Cut]:
        settings = self.settings
        words = words_of(text, settings["split"], by_line=settings["by_line"], units=settings["units"])
        return [(*word, *([settings["mark"]] if "mark" in settings else [])) for word in words]

    def cut(self, text: str) -> list[str]:
        """A text as tokens, as they are shown."""
        known = set(self.run.alphabet)
        found = []
        for token in self.run.tokens(self._words(text), self.step):
            is_known = len(token) > 1 or token in known
            found.append(shown(token) if is_known else self.settings.get("unknown") or "?")
        return found

    def told(self, text: str) -> str:
        """A sentence with its quantities."""
        return _QUANTITY.sub(lambda found: self.value(found[1], found[2] or ""), text).strip()

    def value(self, name: str, of: str = "") -> str:
        """A quantity as it is read."""
        text, run, step = of or self.typed, self.run, self.step
        if name in ("next", "count", "ties") and not of:
            pair, count, n_tied = run.next(step)
            return " + ".join(map(shown, pair)) if name == "next" else f"{count if name == 'count' else n_tied:,}"
        if name == "count":
            return f"{run.pairs(step)[tuple(self._token(each) for each in of.split())]:,}"
        if name in ("last", "last_count"):
            pair, count, _ = run.merges[step - 1]
            return " + ".join(map(shown, pair)) if name == "last" else f"{count:,}"
        if name == "cut":
            return " · ".join(self.cut(text))
        if name == "fertility":
            return f"{len(self.cut(text)) / len(text.split()):.1f}"
        numbers = {
            "tokens": lambda: len(self.cut(text)),
            "bytes": lambda: len(text.encode()),
            "characters": lambda: len(text),
            "alphabet": lambda: len(run.alphabet),
            "vocabulary": lambda: len(run.alphabet) + step + self._n_special(),
            "step": lambda: step,
            "corpus_tokens": lambda: run.n_tokens(step),
        }
        return f"{numbers[name]():,}"

    def _token(self, name: str) -> Symbol:
        return name.encode() if self.settings["units"] == "bytes" else name

    def asked(self, place: int) -> Asked | None:
        """What a step asks, with the right answer."""
        ask = self.file["steps"][place].get("ask")
        if ask is None:
            return None
        choices = tuple(str(each) for each in ask.get("choices", ()))
        answer = str(ask["answer"])
        right: str | tuple[str, str] = self.told(answer)
        if answer == "{next}" and not choices:
            left, after = self.run.next(self.step)[0]
            right = (as_bytes(left).decode(), as_bytes(after).decode())
        return Asked(self.told(ask["text"]), choices, right, self.told(ask.get("why", "")))


def _with_preset(settings: dict) -> dict:
    preset = settings["preset"]
    return PRESETS[preset] | {name: value for name, value in settings.items() if name != "preset"}
