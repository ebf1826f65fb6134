"""A draft of the settings: a preset, every option, the help of one of them, a preview of the split.

Editing changes only the draft: the panel Settings applies it, and the dialog for a comparison run
trains with it. The draft scrolls; its owner places `help` and, in the dialog, `preview` outside it.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)

from bpe_studio.engine.options import ROLES
from bpe_studio.engine.presets import PRESET_HELP, PRESETS
from bpe_studio.errors import BpeError, PatternError
from bpe_studio.explain.names import display_text, is_right_to_left
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.settings.editors import ChoiceEdit
from bpe_studio.gui.settings.form import SettingsForm
from bpe_studio.gui.tokens.links import Link, TokenLinks
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, STRETCH, TIGHT_PX, Item, column, row
from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.corpus.text_files import why_no_text
from bpe_studio.workspace.excerpt import corpus_excerpt, pieces_of

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.workspace.workspace import Workspace

PREFIX = "settings"
_ALPHABET_FIELDS = (
    "units",
    "full_alphabet",
    "word_end",
    "word_end_as",
    "continuing",
    "initial_alphabet",
    "limit_alphabet",
    "character_coverage",
    "byte_fallback",
    "special",
    "unknown",
    *ROLES,
    "template",
)
_IS_PRESET = "Every option has the value of the preset"


_EXAMPLE = "It's 2024: don't stop, it costs 12,500 coins!"
_MOST_CHARACTERS = 600
_MOST_CHIPS = 80
_BEGINNING_CHARACTERS = 240
_PATTERN_TIMEOUT_S = 0.1
_DELAY_MS = 60


class HelpLine(Note):
    """The help of one option, with a fixed height, so that nothing moves when the focus does.

    Args:
        n_lines: the height in lines.
    """

    def __init__(self, n_lines: int, parent: QWidget | None = None) -> None:
        self._n_lines = n_lines
        super().__init__("", "help", parent)

    def font_changed(self) -> None:
        self.setFixedHeight(self._n_lines * self.fontMetrics().lineSpacing() + 2)


class SettingsDraft(QScrollArea):
    """The preset and the form, one below the other.

    Args:
        workspace: the open corpus; the preview takes its text from it, and a target below its
            alphabet is refused.
        prefix: the first part of the controls' object names.
        keeps_target: whether choosing a preset keeps the target.
        is_wide: whether there is room next to the form: the caller then places the preview, and the
            help has fewer lines.

    Attributes:
        help: the help of the option, or the preset, that has the keyboard focus; the caller places
            it.
        preview: the split of a text; the caller places it in a wide draft.

    Signals:
        edited: the draft has changed, or is no longer valid.
    """

    edited = Signal()

    def __init__(
        self,
        workspace: Workspace,
        prefix: str = PREFIX,
        *,
        keeps_target: bool = False,
        is_wide: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._keeps_target = keeps_target
        self._config: TrainingConfig | None = workspace.config
        self._error = ""
        self._is_filling = False
        presets = [(p.name, p.title, p.purpose) for p in PRESETS.values()]
        self.preset = ChoiceEdit(presets)
        named(self.preset, "settings.preset", "Preset", PRESET_HELP)
        self.preset.setAccessibleDescription(PRESET_HELP)
        n_lines = 2 if is_wide else 3
        self.help = named(HelpLine(n_lines, self), "settings.help", "Help")
        self.reset = named(QPushButton("Reset"), "settings.reset", "Reset to preset")
        self.reset.setAutoDefault(False)
        self._is_wide = is_wide
        self.preview = _SplitPreview(workspace, is_tall=is_wide, parent=self)
        preview = None if is_wide else self.preview
        self.form = SettingsForm(preview)
        self._asked: QWidget = self.preset
        self._build()
        self.setObjectName("settings.area")
        for widget in (self, *self.findChildren(QWidget)):
            if widget.objectName().startswith(f"{PREFIX}."):
                widget.setObjectName(prefix + widget.objectName().removeprefix(PREFIX))
        self.preset.edited.connect(self._on_preset_edited)
        self.reset.clicked.connect(self._on_preset_edited)
        self.form.edited.connect(self.refresh)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus_changed)
        workspace.run_changed.connect(self.refresh)

    def _build(self) -> None:
        label = QLabel("Preset")
        label.setBuddy(self.preset)
        label.setToolTip(PRESET_HELP)
        self.form.align(label)
        inside = QWidget()
        head = row(label, (self.preset, 1), self.reset)
        column(head, (self.form, 1), parent=inside, spacing=TIGHT_PX, margins=PANEL_MARGINS)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # It scrolls horizontally only if large text leaves no room for a label and its field.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    @property
    def config(self) -> TrainingConfig | None:
        """The settings as they are edited; None while they are not valid."""
        return self._config

    @property
    def error(self) -> str:
        """The reason why they are not valid, or ""."""
        return self._error

    def focus_chain(self) -> list[QWidget]:
        """The widgets that take the keyboard focus, in tab order."""
        preview: list[QWidget] = [self.preview.next_piece, self.preview.text]
        chain: list[QWidget] = [self.preset, self.reset, *self.form.focus_chain(True)]
        rest = [self.form.more, *self.form.focus_chain(False)]
        return [*chain, *rest, *preview] if self._is_wide else [*chain, *preview, *rest]

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, before: QWidget | None, now: QWidget | None) -> None:
        """Show the help of the option that has the keyboard focus, or had it last."""
        if now is not None and (now is self.preset or self.form.help_of(now)):
            self._asked = now
            self._show_help()

    def _show_help(self) -> None:
        """Show the help of the option that had the keyboard focus last."""
        self.help.set_message(
            self.form.help_of(self._asked) or PRESETS[str(self.preset.value())].purpose
        )

    def show_config(self, config: TrainingConfig) -> None:
        """Replace the draft by these settings."""
        self._is_filling = True
        try:
            self.preset.set_value(config.preset_name)
            self.form.set_config(config)
        finally:
            self._is_filling = False
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Read the draft from the form again, and show the result."""
        self._error = ""
        try:
            self._config = self.form.draft(str(self.preset.value()))
            self._check_target(self._config)
        except BpeError as error:
            self._config = None
            self._error = str(error)
        self.preview.set_draft(self._config)
        self._show_preset()
        self.edited.emit()

    @Slot()
    def _on_preset_edited(self) -> None:
        from bpe_studio.engine.config import TrainingConfig

        if self._is_filling:
            return
        config = TrainingConfig.preset(PRESETS[str(self.preset.value())].name)
        if self._keeps_target and self._config is not None:
            config = config.with_target_of(self._config)
        self.show_config(config)

    def _show_preset(self) -> None:
        name = str(self.preset.value())
        self._show_help()
        changed = _changed_from_preset(self._config) if self._config is not None else set()
        if self._config is not None:
            self.mark_changed(changed)
        can_reset = bool(changed) or self._config is None
        self.reset.setEnabled(can_reset)
        tip = (
            f"Sets every option to the value of {PRESETS[name].title}" if can_reset else _IS_PRESET
        )
        self.reset.setToolTip(tip)

    def mark_changed(self, options: set[str]) -> None:
        """Mark the options that differ from the preset; a dialog may mark others."""
        self.form.mark_changed(dict.fromkeys(options, "Changed from the preset"))

    def _check_target(self, draft: TrainingConfig) -> None:
        """Refuse a vocabulary size that is smaller than the alphabet, if the alphabet is known.

        Raises:
            ConfigError: the target is too small.
        """
        run = self._workspace.run
        if run is not None and _same_alphabet(draft, run.config):
            n_alphabet = run.alphabet.n_own
        elif draft.full_alphabet and draft.word_end is None and draft.continuing is None:
            n_alphabet = 256
        else:
            return
        try:
            draft.target_merges(n_alphabet)
        except BpeError as error:
            self.form.blame("vocab_size", error)
            raise


def _same_alphabet(one: TrainingConfig, other: TrainingConfig) -> bool:
    return one.same_cut(other) and all(
        getattr(one, name) == getattr(other, name) for name in _ALPHABET_FIELDS
    )


def _changed_from_preset(draft: TrainingConfig) -> set[str]:
    preset = type(draft).preset(draft.preset_name)
    return {
        field.name
        for field in fields(draft)
        if getattr(draft, field.name) != getattr(preset, field.name)
    }


class _SplitPreview(QWidget):
    """A text and its pre-tokens, each a chip, updated while the settings or the text change.

    The text is typed here or taken from the corpus. It is short and a regular expression may take
    only a tenth of a second for it, so a slow one never blocks the window.

    Args:
        workspace: the open corpus, which can give the text.
        is_tall: whether there is room for a text of several lines.
    """

    def __init__(
        self, workspace: Workspace, *, is_tall: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._draft: TrainingConfig | None = None
        self._pieces: list[str] | None = None
        self._n_taken = 0
        title = QLabel("Split preview")
        n_lines = 2
        below: list[Item] = []
        if is_tall:
            title = heading("Split preview")
            n_lines = 5
            below = [STRETCH]
        self.text = named(
            QPlainTextEdit(self), "settings.preview_text", "Sample text for the split"
        )
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(self.fontMetrics().lineSpacing() * n_lines + 14)
        title.setBuddy(self.text)
        self.next_piece = QPushButton("From the corpus")
        self.next_piece.setAutoDefault(False)
        named(self.next_piece, "settings.preview_corpus", "Use the next lines of the corpus")
        self.flow = named(TokenLinks(self), "settings.preview", "Pre-tokens of the text")
        self.note = Note()
        self.note.setToolTip(
            "Pre-tokens of the text above, each occurrence counted; distinct: how many differ"
        )
        top = WrappingRow()
        top.add(title)
        top.add_spring()
        top.add(self.next_piece)
        column(top, self.text, self.flow, self.note, *below, parent=self, spacing=TIGHT_PX)
        self._timer = QTimer(self, interval=_DELAY_MS, singleShot=True)
        self._connect()
        self._on_corpus_changed()

    def set_draft(self, draft: TrainingConfig | None) -> None:
        """Set the draft whose split is shown; None while it is not valid."""
        self._draft = draft
        self._timer.start()

    def set_text(self, text: str) -> None:
        """Set the text, for example to one that is selected elsewhere."""
        self.text.setPlainText(text[:_MOST_CHARACTERS])

    def show_beginning(self) -> None:
        """Set the text to the beginning of the corpus, if that can be read."""
        info = self._workspace.corpus
        beginning = "" if why_no_text(info) else corpus_excerpt(info)
        if len(beginning) > _BEGINNING_CHARACTERS:
            whole_words = beginning[:_BEGINNING_CHARACTERS].rsplit(maxsplit=1)
            beginning = whole_words[0] if len(whole_words) > 1 else beginning
        self.set_text(beginning)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()

    @Slot()
    def _on_due(self) -> None:
        # The import of the splits takes longer than opening the window, so a hidden preview waits.
        if self.isVisible():
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Cut the text and show the chips now."""
        self._timer.stop()
        if self._draft is None:
            self.flow.set_links(())
            self.note.set_message("The preview returns when the settings are valid")
            return
        text = self.text.toPlainText() or _EXAMPLE
        try:
            pieces = cut_text(text[:_MOST_CHARACTERS], self._draft)
        except BpeError as error:
            self.flow.set_links(())
            self.note.set_message(str(error), "error")
        else:
            chips = [Link(display_text(piece), tip=_tip(piece)) for piece in pieces[:_MOST_CHIPS]]
            self.flow.set_links(chips, is_rtl=is_right_to_left(text))
            self.note.set_message(self._summary(pieces, text), "help")

    def _summary(self, pieces: list[str], text: str) -> str:
        n = len(pieces)
        n_distinct = len(set(pieces))
        distinct = f", {number(n_distinct)} distinct" if n != 1 else ""
        words = plural(n, "pre-token") + distinct
        more = f", the first {_MOST_CHIPS} shown" if n > _MOST_CHIPS else ""
        assert self._draft is not None
        is_lossy = self._draft.drops_text and any(char.isspace() for char in text)
        dropped = "; white space between them is dropped" if is_lossy else ""
        return f"{words}{more}{dropped}"

    def _connect(self) -> None:
        self._timer.timeout.connect(self._on_due)
        self.text.textChanged.connect(self._timer.start)
        self.next_piece.clicked.connect(self._on_next_piece)
        self._workspace.corpus_changed.connect(self._on_corpus_changed)

    @Slot()
    def _on_next_piece(self) -> None:
        if self._pieces is None:
            self._pieces = pieces_of(corpus_excerpt(self._workspace.corpus))
            self._n_taken = 0
        if self._pieces:
            self.set_text(self._pieces[self._n_taken % len(self._pieces)])
            self._n_taken += 1

    @Slot()
    def _on_corpus_changed(self) -> None:
        self._pieces = None
        why_not = why_no_text(self._workspace.corpus)
        enable(self.next_piece, "Takes the next lines of the corpus", why_not)
        self.text.setPlaceholderText(_EXAMPLE)
        self._timer.start()


def cut_text(text: str, config: TrainingConfig) -> list[str]:
    """The pre-tokens of a short text under a configuration.

    Raises:
        PatternError: the regular expression is not valid, or takes too long.
    """
    from bpe_studio.engine.text.normalization import normalize
    from bpe_studio.engine.text.pretokenization import compile_split, pre_tokens
    from bpe_studio.engine.text.special_text import split_at_specials

    texts = [text]
    if config.documents == "line":
        texts = _lines(text)
    elif config.documents == "separator" and config.all_special:
        texts = split_at_specials(text, config.all_special)
    pieces: list[str] = []
    for part in texts:
        part = normalize(part, config.normalize)
        if config.cutting.startswith("regex:"):
            pattern = compile_split(config.cutting)
            try:
                found = pattern.finditer(part, timeout=_PATTERN_TIMEOUT_S, concurrent=True)
                found_pieces = [match.group() for match in found if match.group()]
                pieces.extend(found_pieces)
            except TimeoutError:
                raise PatternError(
                    f"The regular expression {pattern.pattern!r} takes too long on this text; "
                    "avoid nested repetitions, such as (a+)+"
                ) from None
        else:
            pieces.extend(pre_tokens(part, config.cutting))
    return pieces


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + [part for part in parts[-1:] if part]


def _tip(piece: str) -> str:
    n = len(piece)
    n_bytes = len(piece.encode("utf-8", "surrogatepass"))
    code_points = " ".join(f"U+{ord(char):04X}" for char in piece[:12])
    return f"{plural(n, 'character')}, {plural(n_bytes, 'byte')}\n{code_points}"
