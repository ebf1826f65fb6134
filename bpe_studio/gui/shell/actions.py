"""Every action of the window, in one table, and the one function that enables them.
The tooltip of an action has its purpose, its shortcut, and, while it is disabled, the reason. The
window connects the actions; menus and buttons show the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from bpe_studio.explain.wording import plural
from bpe_studio.gui.actions_on.table import (
    FOR_SELECTION,
    Action,
    why_not_selected,
    why_not_use_on_selection,
)
from bpe_studio.gui.look import icons
from bpe_studio.workspace.corpus.text_files import NO_TEXT, why_no_text
from bpe_studio.workspace.possible import (
    NO_MERGES,
    n_stops,
    why_no_merges,
    why_no_run,
    why_no_stop,
    why_reading,
    why_running,
)
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace

WhyNot = Callable[[Workspace], str]
"""Returns the reason why an action is disabled, as the end of "Not now: ...", or ""."""


def _always(workspace: Workspace) -> str:
    return ""


def _without_corpus(workspace: Workspace) -> str:
    return "" if workspace.corpus is not None else NO_TEXT


def _with_text(workspace: Workspace) -> str:
    info = workspace.corpus
    if info is not None and info.lacks_text:
        return why_reading(workspace)
    return "no document without its text is open"


def _without_text(workspace: Workspace) -> str:
    return why_no_run(workspace) or why_no_text(workspace.corpus)


def _complete(workspace: Workspace) -> str:
    if workspace.stop_reason:
        return workspace.stop_reason
    target = plural(workspace.target, "merge")
    return f"the target of {target} is reached; a larger vocabulary size in the settings trains on"


def _run(workspace: Workspace) -> str:
    if workspace.state is State.loading:
        return ""  # it runs as soon as the text is open
    why = why_no_run(workspace)
    if why or workspace.state is State.running:
        return why
    is_complete = bool(workspace.stop_reason) or workspace.n_merges >= workspace.target
    plays = not math.isinf(workspace.transport.speed) or n_stops(workspace) > 0
    has_more_to_play = plays and workspace.step < workspace.n_merges
    if is_complete and not has_more_to_play:
        return _complete(workspace)
    return ""


def _step(workspace: Workspace) -> str:
    if workspace.state is State.loading:
        return ""
    why = why_no_run(workspace)
    if why or workspace.step < workspace.n_merges or workspace.transport.can_train_more:
        return why
    return workspace.stop_reason


def _back(workspace: Workspace) -> str:
    why = why_no_run(workspace)
    return why if why or workspace.step > 0 else "this is step 0"


def _end(workspace: Workspace) -> str:
    why = why_no_run(workspace)
    if why or workspace.step < workspace.n_merges:
        return why
    return "this is the last merge so far" if workspace.n_merges else NO_MERGES


def _cancel(workspace: Workspace) -> str:
    progress = workspace.progress
    if workspace.state in (State.loading, State.running) or (
        progress is not None and progress.can_cancel
    ):
        return ""
    return "nothing is running"


def _new_run(workspace: Workspace) -> str:
    return why_no_run(workspace) or why_running(workspace)


def _extend(workspace: Workspace) -> str:
    return why_reading(workspace) or why_running(workspace)


def _select_back(workspace: Workspace) -> str:
    return "" if workspace.selection.can_go_back else "there is nothing to go back to"


def _select_forward(workspace: Workspace) -> str:
    return "" if workspace.selection.can_go_forward else "there is nothing to go forward to"


def _selected(workspace: Workspace) -> str:
    return "" if workspace.selection.current is not None else "nothing is selected"


def _lesson(workspace: Workspace) -> str:
    return "" if workspace.lesson.lesson is not None else "no lesson is open"


def _lesson_on(workspace: Workspace) -> str:
    lesson = workspace.lesson.lesson
    if lesson is None:
        return _lesson(workspace)
    is_last = workspace.lesson.place + 1 >= len(lesson.steps)
    return "this is the last step of the lesson" if is_last else ""


def _lesson_back(workspace: Workspace) -> str:
    if workspace.lesson.lesson is None:
        return _lesson(workspace)
    return "" if workspace.lesson.place else "this is the first step of the lesson"


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Attributes:
        id: the action's objectName.
        text: its text in a menu; "&" marks the mnemonic.
        tip: its purpose; the tooltip adds the shortcut.
        shortcuts: its shortcuts, of which the first is shown.
        icon: a name in `icons.GLYPHS`, or "".
        why_not: returns the reason why it is disabled, or "".
    """

    id: str
    text: str
    tip: str
    shortcuts: tuple[str, ...] = ()
    icon: str = ""
    why_not: WhyNot = _always


def _row_for_selection(action: Action) -> Row:
    shortcuts = (action.keys,) if action.keys else ()
    why_not = partial(why_not_selected, action)
    return Row(f"selection.{action.id}", action.text, action.tip, shortcuts, "", why_not)


_OF_SELECTION = tuple(map(_row_for_selection, FOR_SELECTION))

TABLE = (
    Row(
        "file.open",
        "&Open…",
        "Opens files as one corpus: plain text, JSON lines or tables, also compressed",
        ("Ctrl+O",),
        "open",
    ),
    Row(
        "file.open_address",
        "Open &address or folder…",
        "Opens the texts of a folder, a pattern or an address",
    ),
    Row(
        "file.look_at_tokenizer",
        "Look at a &tokenizer…",
        "Opens an existing tokenizer: a known one, any from the Hugging Face Hub, a file or a"
        " folder",
    ),
    Row(
        "file.locate_text",
        "&Locate text…",
        "Opens the text of a document that has only words and counts",
        why_not=_with_text,
    ),
    Row(
        "file.paste",
        "&Paste as corpus",
        "Opens the text on the clipboard as a corpus",
        ("Ctrl+Shift+V",),
        "paste",
    ),
    Row(
        "file.save_tokenizer",
        "&Save tokenizer…",
        "Saves the tokenizer, at this step or at the last one, in any of the formats",
        ("Ctrl+S",),
        "save",
        why_no_merges,
    ),
    Row(
        "file.save_document",
        "Save &document…",
        "Saves everything that is open: the counted words, every branch, the marks and the typed"
        " text",
        ("Ctrl+Shift+S",),
        "document",
        why_no_run,
    ),
    Row(
        "file.save_whole_document",
        "Save document &with its text…",
        "Saves everything that is open and the text of the corpus, so that you can change settings"
        " on any computer",
        (),
        "document",
        _without_text,
    ),
    Row("file.save_picture", "Save p&icture…", "Saves a picture of the window", (), "image"),
    Row(
        "file.share",
        "S&hare…",
        "Writes the run as one web page, on which others type, move through the steps and train on"
        " their own texts",
        (),
        "share",
        why_no_merges,
    ),
    Row(
        "file.export_animation",
        "&Export an animation…",
        "Plays some steps, as in a presentation, and saves them as an animated GIF or a video",
        (),
        "",
        why_no_merges,
    ),
    Row(
        "file.quit",
        "&Quit",
        "Closes the window; unsaved work is offered at the next start",
        ("Ctrl+Q",),
    ),
    Row("transport.run", "&Run", "Trains up to the target", ("F5",), "run", _run),
    Row(
        "transport.start",
        "Go to &start",
        "Goes to step 0, the alphabet alone",
        ("Alt+Home",),
        "start",
        _back,
    ),
    Row(
        "transport.back",
        "Step &back",
        "Goes back one merge; no merge is lost",
        ("F7", "Alt+Left"),
        "back",
        _back,
    ),
    Row(
        "transport.step",
        "S&tep",
        "Goes forward one merge, which is trained if it is new",
        ("F8", "Alt+Right"),
        "step",
        _step,
    ),
    Row(
        "transport.step_n",
        "Step by &n",
        "Goes forward by the number of merges in the field",
        ("Shift+F8",),
        "step_n",
        _step,
    ),
    Row("transport.end", "Go to &end", "Goes to the last merge", ("Alt+End",), "end", _end),
    Row(
        "transport.cancel",
        "&Cancel",
        "Stops what is running; the merges so far are kept",
        ("Esc",),
        "cancel",
        _cancel,
    ),
    Row(
        "transport.jump",
        "&Jump to a merge",
        "Goes to the step that you type",
        ("Ctrl+G",),
        "jump",
        why_no_merges,
    ),
    Row(
        "transport.new_run",
        "&New run with other settings…",
        "Trains the same text with other settings and compares the two runs",
        ("Ctrl+Shift+N",),
        "side_run",
        _new_run,
    ),
    Row(
        "transport.add_tokenizer",
        "&Add tokenizer to compare…",
        "Opens any tokenizer and compares it with the run, on the typed text and on the corpus",
        ("Ctrl+Shift+A",),
        "tokenizer",
        why_no_run,
    ),
    Row(
        "compare.every_tokenizer",
        "&Your text in every tokenizer",
        "Counts the tokens of each line of your text in the tokenizers of this computer, and in"
        " published ones",
        (),
        "tokenizer",
    ),
    Row(
        "doctor.show",
        "Examine the to&kenizer",
        "Finds tokens of this step that are never made, says why, and checks that every text"
        " round-trips",
        (),
        "",
        why_no_run,
    ),
    Row(
        "extend.show",
        "E&xtend a tokenizer…",
        "Trains more merges on top of a tokenizer; its tokens keep their ids",
        (),
        "",
        _extend,
    ),
    Row(
        "prune.show",
        "&Prune a tokenizer…",
        "Removes the tokens that a text uses least, after showing what that costs",
        (),
        "",
        _extend,
    ),
    Row(
        "check.show",
        "&Check a trainer…",
        "Finds the first wrong merge of a trainer that you or others have written, and names the"
        " mistake",
    ),
    Row(
        "edit.undo",
        "&Undo",
        "Undoes the last change of settings, branches or marks",
        ("Ctrl+Z",),
        "undo",
    ),
    Row(
        "edit.redo",
        "&Redo",
        "Redoes the change that was undone last",
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "redo",
    ),
    Row(
        "go.back",
        "&Back to the previous selection",
        "Goes back to the previous selection",
        ("Ctrl+[",),
        "",
        _select_back,
    ),
    Row(
        "go.forward",
        "&Forward to the next selection",
        "Goes forward to the next selection",
        ("Ctrl+]",),
        "",
        _select_forward,
    ),
    Row("go.nothing", "&Clear selection", "Removes the selection", (), "", _selected),
    *_OF_SELECTION,
    Row(
        "selection.menu",
        "Context &menu",
        "Opens the context menu of the row, token or field that has the focus",
        ("Shift+F10",),
    ),
    Row(
        "go.why",
        "Ask &why",
        "Shows why the next pair wins, or how the token at the text cursor came to be",
        ("Ctrl+I",),
        "why",
        why_no_run,
    ),
    Row(
        "go.why_border",
        "Why is the text &cut here",
        "Explains the border at the text cursor, or the first border of the selected word",
        ("Ctrl+Shift+I",),
        "",
        why_no_run,
    ),
    Row(
        "go.next_stop",
        "Next &stop",
        "Goes to the next breakpoint",
        ("F9",),
        "",
        why_no_stop,
    ),
    Row(
        "go.previous_stop",
        "&Previous stop",
        "Goes to the previous breakpoint",
        ("Shift+F9",),
        "",
        why_no_stop,
    ),
    Row(
        "go.bookmark",
        "Book&mark this step",
        "Names this step, so that you can return to it",
        ("Ctrl+D",),
        "bookmark",
        why_no_run,
    ),
    Row(
        "learn.open",
        "&Open a lesson file…",
        "Opens a lesson from a file; the lesson template explains the format",
        (),
        "open",
    ),
    Row(
        "learn.template",
        "&Save a lesson template…",
        "Saves a commented lesson file to start from",
        (),
        "save",
    ),
    Row(
        "learn.next",
        "&Next step of the lesson",
        "Goes to the next step of the lesson",
        ("Ctrl+PgDown",),
        "",
        _lesson_on,
    ),
    Row(
        "learn.back",
        "&Previous step of the lesson",
        "Goes to the previous step of the lesson",
        ("Ctrl+PgUp",),
        "",
        _lesson_back,
    ),
    Row(
        "learn.leave", "&Leave the lesson", "Ends the lesson; its text stays open", (), "", _lesson
    ),
    Row(
        "learn.game",
        "&Guess the next pair",
        "Plays a guessing game on the open corpus, from this step on",
        (),
        "game",
        _new_run,
    ),
    Row(
        "view.start",
        "&Home",
        "Shows the start page, where you can type or open another text",
        ("Ctrl+N",),
        "home",
    ),
    Row(
        "view.explore",
        "&Explore",
        "Shows the words, the typed text, the merges and the growth",
        ("Ctrl+1",),
    ),
    Row(
        "view.vocabulary",
        "&Vocabulary",
        "Shows every token of the step in one table",
        ("Ctrl+2",),
        why_not=_without_corpus,
    ),
    Row("view.compare", "&Compare", "Shows sizes and runs next to each other", ("Ctrl+3",)),
    Row(
        "view.corpus",
        "C&orpus",
        "Shows facts about the corpus, its words and the lines in which they occur",
        ("Ctrl+4",),
        why_not=_without_corpus,
    ),
    Row("view.learn", "&Learn", "Shows the lessons and the game", ("Ctrl+5",)),
    Row(
        "view.settings",
        "&Settings",
        "Opens or closes the settings of the run",
        ("Ctrl+,",),
        why_not=_without_corpus,
    ),
    Row(
        "view.marks",
        "Stops and book&marks",
        "Opens or closes the list of bookmarks and breakpoints",
        (),
        why_not=_without_corpus,
    ),
    Row(
        "view.maximize",
        "Maximi&ze panel",
        "Fills the view with the panel that has the focus, or restores the view",
        ("Ctrl+Shift+M",),
        why_not=_without_corpus,
    ),
    Row(
        "view.timeline_log",
        "&Log scale of the timeline",
        "Switches the timeline between a logarithmic and an even scale",
        ("Ctrl+Shift+L",),
        why_not=why_no_merges,
    ),
    Row(
        "view.timeline_fit",
        "Show all of the &timeline",
        "Shows all steps of the run again, after you have zoomed in with the wheel",
        ("Ctrl+Shift+0",),
        why_not=why_no_merges,
    ),
    Row(
        "view.reset_layout",
        "&Reset layout",
        "Restores the default sizes and places of the panels",
        (),
        "reset",
    ),
    Row("view.zoom_in", "Zoom &in", "Makes everything in the window larger", ("Ctrl++", "Ctrl+=")),
    Row("view.zoom_out", "Zoom &out", "Makes everything in the window smaller", ("Ctrl+-",)),
    Row(
        "view.zoom_reset",
        "Zoom to &100 %",
        "Resets the size of everything in the window",
        ("Ctrl+0",),
    ),
    Row(
        "view.present",
        "&Present",
        "Shows words, text, skyline and the next pair large, on the whole screen",
        ("F11",),
        "",
        _without_corpus,
    ),
    Row(
        "text.layer",
        "&Ids, then bytes, below the tokens",
        "Shows the ids of the tokens below them, then their bytes, then neither",
        ("Ctrl+B",),
    ),
    Row(
        "text.as_corpus", "Use the typed &text as the corpus", "Opens the typed text as the corpus"
    ),
    Row(
        "view.full_screen", "&Full screen", "Shows the window full screen, or restores its size", ()
    ),
    Row(
        "help.palette",
        "&Find anything…",
        "Finds an action, a merge, a token, a word, a run or a term by its name",
        ("Ctrl+K", "Ctrl+Shift+P"),
        "palette",
    ),
    Row("help.manual", "&Manual", "Opens the pages of the manual", ("F1",), "sample"),
    Row("help.glossary", "&Glossary", "Opens the list of terms and their meanings"),
    Row("help.shortcuts", "&Keyboard shortcuts", "Lists every shortcut", ("Shift+F1",), "keyboard"),
    Row("help.about", "&About BPE Studio", "Shows version and licence", (), "about"),
)


OF_UNDO = ("edit.undo", "edit.redo")
"""The actions that `undo.py` enables and names."""


GAME_IS_RUNNING = "a game is running; leave it first"
OF_PANELS = frozenset(
    {
        "file.share",
        "file.export_animation",
        "transport.run",
        "transport.start",
        "transport.back",
        "transport.step",
        "transport.step_n",
        "transport.end",
        "transport.jump",
        "transport.new_run",
        "transport.add_tokenizer",
        "compare.every_tokenizer",
        "go.why",
        "go.why_border",
        "go.next_stop",
        "go.previous_stop",
        "go.bookmark",
        "learn.next",
        "learn.back",
        "learn.game",
        "view.start",
        "view.explore",
        "view.vocabulary",
        "view.compare",
        "view.corpus",
        "view.learn",
        "view.settings",
        "view.marks",
        "view.maximize",
        "view.timeline_log",
        "view.timeline_fit",
        "doctor.show",
        "extend.show",
        "prune.show",
        "check.show",
        *(row.id for row in _OF_SELECTION),
    }
)
"""The actions that move the run, show its next merge or open its panels, which the game covers."""


class Actions(dict[str, QAction]):
    """The actions by their ids.

    Attributes:
        shown: for each id, the purpose and the reason in the action's tooltip.
    """

    def __init__(self) -> None:
        super().__init__()
        self.shown: dict[str, tuple[str, str]] = {}


def make_actions(parent: QObject) -> Actions:
    """An action for each row, by its id.
    `parent` owns them; their shortcuts work everywhere in its window.
    """
    actions = Actions()
    for row in TABLE:
        action = QAction(row.text, parent)
        action.setObjectName(row.id)
        shortcuts = [QKeySequence(keys) for keys in row.shortcuts]
        action.setShortcuts(shortcuts)
        action.setToolTip(_tip(row.tip, action, ""))
        action.setStatusTip("")
        if row.icon:
            action.setIcon(icons.icon(row.icon))
        actions[row.id] = action
    actions["transport.step_n"].setIconText("Step by")
    actions["view.timeline_log"].setIconText("Log")
    actions["view.timeline_log"].setCheckable(True)
    actions["view.timeline_fit"].setIconText("Fit")
    actions["file.quit"].setMenuRole(QAction.MenuRole.QuitRole)
    actions["help.about"].setMenuRole(QAction.MenuRole.AboutRole)
    return actions


def refresh_actions(actions: Actions, workspace: Workspace, *, is_playing: bool = False) -> None:
    """Enable the actions that can be used now; the tooltips of the others give the reason.

    Args:
        actions: the actions that `make_actions` made.
        workspace: the workspace, which the reasons depend on.
        is_playing: whether the game covers the panels.
    """
    for row in TABLE:
        if row.id in OF_UNDO:
            continue
        action = actions[row.id]
        why_not = GAME_IS_RUNNING if is_playing and row.id in OF_PANELS else row.why_not(workspace)
        tip = row.tip
        if row.id == "transport.run":
            tip = _set_run_or_pause(action, workspace)
        if actions.shown.get(row.id) != (tip, why_not):
            actions.shown[row.id] = tip, why_not
            action.setEnabled(not why_not)
            action.setToolTip(_tip(tip, action, why_not))


def refresh_selection_actions(actions: Actions, workspace: Workspace) -> None:
    """Enable the actions that can be used on the selection, before they are listed.
    This takes too long for every change of the selection. Until then they are enabled for every
    selection of a suitable kind, and give the reason when they are used.
    """
    for each in FOR_SELECTION:
        action = actions[f"selection.{each.id}"]
        if action.isEnabled():
            why_not = why_not_use_on_selection(each, workspace)
            actions.shown.pop(f"selection.{each.id}", None)
            action.setEnabled(not why_not)
            action.setToolTip(_tip(each.tip, action, why_not))


def _set_run_or_pause(action: QAction, workspace: Workspace) -> str:
    """Make the one action run or pause, and return its purpose."""
    is_running = workspace.state is State.running
    if action.property("pauses") != is_running:
        action.setProperty("pauses", is_running)
        if is_running:
            action.setText("&Pause")
            action.setIcon(icons.icon("pause"))
        else:
            action.setText("&Run")
            action.setIcon(icons.icon("run"))
    if is_running:
        return "Pauses at the current merge"
    stops = ""
    n = n_stops(workspace)
    if n == 1:
        stops = "; stops at the breakpoint that is on"
    elif n:
        stops = f"; stops at the {n} breakpoints that are on"
    if not math.isinf(workspace.transport.speed) and workspace.step < workspace.n_merges:
        return f"Plays the merges from this step on, at the chosen speed{stops}"
    if not workspace.target:
        return "Trains"
    return f"Trains up to the target of {plural(workspace.target, 'merge')}{stops}"


def _tip(tip: str, action: QAction, why_not: str) -> str:
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    shown = f"{tip} ({keys})" if keys else tip
    return f"{shown}\nNot now: {why_not}" if why_not else shown
