"""The entries of the command palette: one for each action of a window, and one for a number.
The name of an entry says where the action is: "Run: Step back" or "File › Samples: Alice". A
disabled action has the reason from its tooltip. Nothing is drawn or sorted here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import shiboken6
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from bpe_studio.explain.wording import number

NOT_NOW = "Not now: "
_INSIDE = " › "
_BEFORE_THE_ACTION = ": "
_IN_NUMBERS = " ,.'\u00a0\u202f\u066c"
_IN_A_HEADING = ".menu_"
"""A part of the objectNames of actions that the menu of a heading repeats from the menu bar."""
_RARE = ("export.", "file.encoding.", "panel.window_", "skyline.export_", "candidates.ties_")
"""The beginnings of the objectNames of actions that exist in large numbers, such as exports."""


def _no_reason() -> str:
    return ""


def _no_state() -> str:
    return ""


@dataclass(frozen=True)
class Entry:
    """One line of the palette.

    Attributes:
        key: identifies it in the list of recently used entries; the objectName of an action.
        name: its name, such as "Run: Step back"; the main part follows the first ": ".
        run: called when it is chosen, after the palette is closed.
        about: one sentence that says what it does, and what its numbers are.
        keys: its shortcut, as this system writes it, or another short note.
        synonyms: words that find it besides those of its name.
        is_rare: whether it is one of many of a kind, and so listed last, and only if a word of its
            own finds it.
        why_not: returns why it is disabled, or ""; called whenever the entry is shown or chosen.
        state: returns "on" or "off" for a checkable action, otherwise ""; called whenever the entry
            is shown.
    """

    key: str
    name: str
    run: Callable[[], object]
    about: str = ""
    keys: str = ""
    synonyms: str = ""
    is_rare: bool = False
    why_not: Callable[[], str] = _no_reason
    state: Callable[[], str] = _no_state

    @property
    def main_from(self) -> int:
        """The index at which the main part of the name begins."""
        place = self.name.find(_BEFORE_THE_ACTION)
        return place + len(_BEFORE_THE_ACTION) if place >= 0 else 0

    @property
    def accessible_text(self) -> str:
        """The whole entry as a text for screen readers."""
        why_not = self.why_not()
        parts = [self.name, self.state(), self.keys]
        if why_not:
            parts.append(NOT_NOW + why_not)
        return ", ".join(part for part in parts if part)


def entries_of(window: QMainWindow) -> list[Entry]:
    """An entry for each action of a window: the actions of its menus, in their order, then others.
    Separators and openers of submenus have none, nor have actions without an objectName, which Qt
    and libraries make inside their widgets. An action that is in the menu bar and in the menu of a
    button has one entry.
    """
    entries: list[Entry] = []
    seen: set[QAction] = set()
    listed: set[tuple[str, str]] = set()
    for path, action in _in_menus(window):
        if action not in seen and action.isVisible():
            seen.add(action)
            listed.add(_what_it_says(action))
            entries.append(_entry(path, action))
    for action in window.findChildren(QAction):
        name = action.objectName()
        does_something = not action.isSeparator() and action.menu() is None and action.isVisible()
        is_named = bool(name and action.text()) and not name.startswith(("_q_", "qt_"))
        if action in seen or not does_something or not is_named:
            continue
        if _IN_A_HEADING in name or _what_it_says(action) in listed:
            continue
        seen.add(action)
        entries.append(_entry([_place(action, window)], action))
    return entries


def merge_entry(
    go_to_step: Callable[[int], object], last_step: Callable[[], int], text: str
) -> Entry | None:
    """The entry for a number that is typed; None for any other text.

    Args:
        go_to_step: goes to a step.
        last_step: the last step of the run.
        text: a number, or "merge" or "step" and a number; group separators are ignored, and digits
            of any script are accepted.
    """
    typed = text.lower().strip().removeprefix("go to ").removeprefix("merge ").removeprefix("step ")
    digits = "".join(letter for letter in typed if letter not in _IN_NUMBERS)
    if not digits.isdecimal():
        return None
    step = int(digits[:12])

    def why_not() -> str:
        return "" if step <= last_step() else f"the last merge is {number(last_step())}"

    return Entry(
        "",
        f"Go to merge {number(step)} of {number(last_step())}",
        partial(go_to_step, step),
        "Goes to this merge; 0 is the alphabet alone",
        why_not=why_not,
    )


def _in_menus(window: QMainWindow) -> Iterator[tuple[list[str | QMenu], QAction]]:
    for opener in window.menuBar().actions():
        menu = opener.menu()
        if isinstance(menu, QMenu):
            yield from _in_menu([menu], menu)


def _in_menu(path: list[str | QMenu], menu: QMenu) -> Iterator[tuple[list[str | QMenu], QAction]]:
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from _in_menu([*path, inner], inner)
        elif not action.isSeparator():
            yield path, action


def _entry(path: list[str | QMenu], action: QAction) -> Entry:
    titles = []
    openers = []
    for part in path:
        if isinstance(part, QMenu):
            titles.append(plain(part.title()))
            openers.append(part.menuAction())
        else:
            titles.append(part)
    where = _INSIDE.join(filter(None, titles))
    name = plain(action.text())
    if where:
        name = f"{where}{_BEFORE_THE_ACTION}{name}"
    key = action.objectName()
    return Entry(
        key=key or name,
        name=name,
        run=action.trigger,
        about=_about(action),
        keys=action.shortcut().toString(QKeySequence.SequenceFormat.NativeText),
        synonyms=_SYNONYMS.get(key, ""),
        is_rare=key.startswith(_RARE),
        why_not=partial(_why_not, action, openers),
        state=partial(_state, action),
    )


def plain(text: str) -> str:
    """The text of an action without the marks of its mnemonic and without a shortcut after a tab.

    Example:
        `plain("Save p&icture…")` is "Save picture…", and `plain("R&&D")` is "R&D".
    """
    return "&".join(part.replace("&", "") for part in text.partition("\t")[0].split("&&"))


def _about(action: QAction) -> str:
    """The tooltip without the shortcut and the reason; "" if it only repeats the text."""
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    lines = [line for line in action.toolTip().split("\n") if not line.startswith(NOT_NOW)]
    if lines and keys:
        lines[0] = lines[0].removesuffix(f" ({keys})")
    tip = ", ".join(lines)
    return "" if tip == plain(action.text()).removesuffix("…") else tip


def _why_not(action: QAction, openers: list[QAction]) -> str:
    for each in (action, *openers):
        if not shiboken6.isValid(each):
            # The menu has been filled again meanwhile.
            return "it no longer exists; open this list again"
        if not each.isEnabled():
            tip = each.toolTip()
            reason = tip.partition(NOT_NOW)[2]
            if each is not action and not reason:
                reason = tip
            if not reason:
                return "nothing that it applies to is open"
            return reason[:1].lower() + reason[1:]
    return ""


def _state(action: QAction) -> str:
    if not shiboken6.isValid(action) or not action.isCheckable():
        return ""
    return "on" if action.isChecked() else "off"


def _what_it_says(action: QAction) -> tuple[str, str]:
    return plain(action.text()), repr(action.data())


def _place(action: QAction, window: QMainWindow) -> str:
    """The prefix of the name of an action that is in no menu of the window: its panel's name."""
    parent = action.parent()
    while parent is not None and parent is not window:
        if isinstance(parent, QWidget) and parent.accessibleName():
            return parent.accessibleName()
        parent = parent.parent()
    return ""


_SYNONYMS = {
    "file.open": "load import read corpus file text dataset json csv parquet",
    "file.open_address": "url http s3 folder dataset download",
    "file.look_at_tokenizer": (
        "open load gpt llama qwen gemma mistral hugging face hub transformers tiktoken published"
    ),
    "file.paste": "clipboard insert text",
    "file.locate_text": "find source missing",
    "file.save_tokenizer": (
        "export write hugging face huggingface transformers tiktoken sentencepiece gpt2 minbpe"
        " vocab json format"
    ),
    "file.save_document": "project session studio export",
    "file.save_whole_document": "project session studio export",
    "file.save_picture": "screenshot image png",
    "file.share": "html web page site send publish students interactive",
    "file.export_animation": "gif animation video film range",
    "file.quit": "exit close",
    "transport.run": "train learn start play go",
    "transport.step": "next merge forward learn one",
    "transport.step_n": "several merges forward many",
    "transport.back": "undo merge previous unlearn",
    "transport.start": "begin first reset zero alphabet",
    "transport.end": "last finish",
    "transport.jump": "goto step number",
    "transport.cancel": "stop abort interrupt",
    "transport.new_run": "retrain options preset compare",
    "transport.add_tokenizer": "load open compare gpt llama qwen hugging face transformers",
    "compare.every_tokenizer": "count tokens how many gpt-4o llama gemma languages compare all",
    "doctor.show": "doctor check diagnose health unreachable dead tokens",
    "extend.show": "grow more merges larger vocabulary continue",
    "prune.show": "shrink smaller reduce remove vocabulary",
    "check.show": (
        "student homework assignment mistake wrong grade marks rubric verify test function merges"
    ),
    "selection.forbid": "ban block pair merge",
    "selection.force": "require pair merge first",
    "selection.skip": "leave out ignore pair once",
    "selection.stop": "breakpoint",
    "selection.lines": "concordance kwic context occurrences",
    "go.why": "explain reason cause",
    "go.why_border": "explain split boundary",
    "go.nothing": "deselect unselect",
    "go.bookmark": "mark name save step",
    "learn.game": "play quiz game",
    "view.start": "home new type text begin welcome",
    "view.explore": "main words text merges",
    "view.vocabulary": "vocab tokens entries list",
    "view.compare": "sizes versus difference curve advice",
    "view.corpus": "data text inspect clean dirt",
    "view.learn": "lesson tutorial teach course classroom",
    "view.settings": "options preferences preset vocabulary size split ties",
    "view.marks": "breakpoints",
    "view.maximize": "larger fill panel",
    "view.timeline_log": "logarithmic",
    "view.timeline_fit": "zoom out",
    "view.reset_layout": "default restore panels windows",
    "view.full_screen": "maximize screen",
    "view.present": "full screen projector presentation classroom slides",
    "view.zoom_in": "larger bigger magnify text size",
    "view.zoom_out": "smaller text size",
    "view.zoom_reset": "normal text size",
    "view.theme_dark": "night black mode",
    "view.theme_light": "day white bright mode",
    "view.theme_system": "automatic mode",
    "view.white_space": "spaces invisible characters",
    "view.colour_by_token": "color",
    "view.motion": "animation motion",
    "panel.show_lines": "kwic context occurrences",
    "panel.show_growth": "curve plot chart",
    "panel.show_skyline": "tree picture",
    "panel.show_candidates": "next pair",
    "help.palette": "command search find",
    "help.manual": "documentation docs pages guide",
    "help.shortcuts": "keys hotkeys",
    "help.about": "version licence license",
}
"""Words by which users look for an action besides its name, by its objectName."""
