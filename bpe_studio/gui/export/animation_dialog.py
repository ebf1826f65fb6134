"""The dialog "Export a range of steps": the first and the last step, what is shown, as a page, a GIF or a video.

It shows a preview and the size of the file before anything is written. It is not modal; after a failure it stays open
with all its fields, and closing it while it writes cancels the writing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFontInfo, QPalette, QPixmap, QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QSpinBox,
    QWidget,
)

from bpe_studio.explain.wording import number
from bpe_studio.files.exports.step_range import MOST_WORDS
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.export import video
from bpe_studio.gui.export.animation_frames import SIZES
from bpe_studio.gui.export.animation_job import AnimationExport, Ended, ExportRequest, Preview, preview_of
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.widgets.containers import GROUP_PX, MARGIN_PX, STRETCH, column, row
from bpe_studio.gui.widgets.controls import WholeNumber, finish_controls, named
from bpe_studio.gui.widgets.file_dialogs import ask_where_to_save_steps
from bpe_studio.gui.widgets.form_dialog import FORM_MARGINS, accept_or_cancel
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.progress_line import ProgressLine

if TYPE_CHECKING:
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

USUAL_MERGES = 20
USUAL_WORDS = 40
REST_MS = 150
PREVIEW = QSize(480, 270)
_FORMS = (("Web page (HTML)", "html"), ("Animation (GIF)", "gif"))
_THEMES = (("Same as the reader's system", "both"), ("Light", "light"), ("Dark", "dark"))


class AnimationDialog(FollowsLook, QDialog):
    """Asks, shows, and writes.

    Args:
        workspace: its run is exported.
        memory: has the folder that was chosen last.
        window: its parent; closing that cancels the writing.

    Signals:
        exported: str, a sentence that says that a file was written.
    """

    exported = Signal(str)

    def __init__(self, workspace: Workspace, memory: WindowSettings, window: QWidget) -> None:
        super().__init__(window)
        self._window, self._workspace, self._memory = window, workspace, memory
        self._request: ExportRequest | None = None
        self._is_leaving = False
        self._named_steps: list[QComboBox] = []
        self.setObjectName("export_range")
        self.setWindowTitle("Export a range of steps")
        self._preview_job = LatestAnswer(preview_of, self)
        self.export = AnimationExport(self)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._build()
        self._connect()
        self._on_form()
        self.follow_look()

    def _build(self) -> None:
        workspace = self._workspace
        last = workspace.step or min(USUAL_MERGES, workspace.n_merges)
        self.begin = self._number("begin", "From step", 0, workspace.n_merges - 1, max(0, last - USUAL_MERGES))
        self.end = self._number("end", "To step", 1, workspace.n_merges, last)
        self.begin.setToolTip("The first step that is shown: the number of merges that apply")
        self.end.setToolTip("The last step that is shown")
        self.every = self._number("every", "Merges per step", 1, 10_000, 1)
        self.every.setToolTip("How many merges each step takes; more than one shortens a long range")
        self.text = self._box("text", "The typed text", "Shows the typed text, tokenized at each step")
        self.words = self._box(
            "words", "Frequent words, at most", "Shows frequent words of the corpus, tokenized at each step"
        )
        self.n_words = self._number("n_words", "How many words", 1, MOST_WORDS, USUAL_WORDS)
        self.n_words.setToolTip("How many words, most frequent first; a picture shows as many as fit")
        self.changing = self._box(
            "changing", "Only words that change", "Leaves out words that none of these merges changes"
        )
        videos = [(f"Video ({name})", form) for form, name in video.FORMS.items()] if video.can_write_video() else []
        self.form = self._choice("form", "Format", [*_FORMS, *videos])
        self.form.setToolTip("Readers step through the page in any browser; animations and videos play by themselves")
        self.videos = named(Note(video.MISSING, "help", self), "export_range.videos", "Videos")
        self.videos.setVisible(not videos)
        self.colours = self._choice("theme", "Colours", _THEMES)
        self.colours.setToolTip("Light or dark; a page can follow its reader's system")
        self.size_of_pictures = self._choice("size", "Size", [(f"{s.width()} × {s.height()}", s) for s in SIZES])
        self.size_of_pictures.setToolTip("The size of the animation in pixels")
        tip = "How long each step is shown: first the pair, then the merged token"
        self.seconds = named(QDoubleSpinBox(self), "export_range.seconds", "Seconds per step", tip)
        self.seconds.setRange(0.1, 20)
        self.seconds.setSingleStep(0.1)
        self.seconds.setDecimals(1)
        self.seconds.setValue(1.5)
        self.preview = named(QLabel(self), "export_range.preview", "Preview")
        self.preview.setFixedSize(PREVIEW)
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.about = named(Note("", "plain", self), "export_range.about", "What will be exported")
        self.about.setMinimumHeight(3 * self.fontMetrics().lineSpacing())
        self.progress = named(ProgressLine(self), "export_range.progress", "Progress of the export")
        policy = self.progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(policy)
        self.progress.hide()
        self._buttons, self.save = accept_or_cancel(
            self, "save", "&Export…", "Asks for a file and writes it",
            cancel_tip="Stops writing, or closes this dialog; no partial file is left",
        )  # fmt: skip
        self.leave = self._buttons.button(QDialogButtonBox.StandardButton.Cancel)
        self._arrange()
        is_typed = bool(workspace.shown_text)
        self.text.setChecked(is_typed)
        self.text.setEnabled(is_typed)
        if not is_typed:
            self.text.setToolTip("Not now: no text is typed")
        has_words = workspace.corpus is not None and workspace.corpus.corpus is not None
        self.words.setChecked(has_words)
        self.changing.setChecked(True)

    def _arrange(self) -> None:
        form = QFormLayout()
        for label, field in (("&From step", self.begin), ("&To step", self.end)):
            both = row((field, 1), self._marks(field))
            form.addRow(label, both)
            text = form.labelForField(both)
            assert isinstance(text, QLabel)
            text.setBuddy(field)
        form.addRow("&Merges per step", self.every)
        form.addRow("Show", self.text)
        form.addRow("", row(self.words, (self.n_words, 1)))
        form.addRow("", self.changing)
        form.addRow("Fo&rmat", self.form)
        if not self.videos.isHidden():
            form.addRow("", self.videos)
        form.addRow("&Colours", self.colours)
        form.addRow("Si&ze", self.size_of_pictures)
        form.addRow("&Seconds per step", self.seconds)
        seen = column(self.preview, self.about, self.progress, STRETCH)
        whole = row(form, seen, spacing=GROUP_PX)
        column(whole, self._buttons, parent=self, spacing=MARGIN_PX, margins=FORM_MARGINS)
        finish_controls(self)

    def _connect(self) -> None:
        for field in (self.begin, self.end, self.every, self.n_words, self.seconds):
            field.valueChanged.connect(self._on_changed)
        for box in (self.text, self.words, self.changing):
            box.toggled.connect(self._on_changed)
        self.form.currentIndexChanged.connect(self._on_form)
        self.colours.currentIndexChanged.connect(self._on_changed)
        self.size_of_pictures.currentIndexChanged.connect(self._on_changed)
        self._rest.timeout.connect(self._ask)
        self._preview_job.answered.connect(self._on_preview)
        self.export.progressed.connect(self._on_progressed)
        self.export.ended.connect(self._on_ended)
        # Not the box's own signal, which is for a dialog that ends before anything is written.
        self.save.clicked.connect(self._on_save)
        self._workspace.run_changed.connect(self._on_run_changed)
        self._window.installEventFilter(self)
        self.finished.connect(self.deleteLater)

    def request(self) -> ExportRequest | None:
        """The chosen options; None while there is no run."""
        workspace = self._workspace
        run, info = workspace.run, workspace.corpus
        if run is None or info is None:
            return None
        chosen = self.colours.currentData()
        is_dark = theme.is_dark(self.palette()) if chosen == "both" else chosen == "dark"
        palette: QPalette = theme.dark_palette() if is_dark else theme.light_palette()
        return ExportRequest(
            run=run,
            corpus_name=info.name,
            first=self.begin.value(),
            last=self.end.value(),
            every=self.every.value(),
            text=workspace.shown_text if self.text.isChecked() else "",
            n_words=self.n_words.value() if self.words.isChecked() else 0,
            changing=self.changing.isChecked(),
            form=self.form.currentData(),
            theme=chosen,
            palette=palette,
            family=QFontInfo(self.font()).family(),
            size=self.size_of_pictures.currentData() if self._is_animation() else SIZES[0],
            seconds=self.seconds.value(),
        )

    @Slot()
    def _on_run_changed(self) -> None:
        """What was chosen is of another run."""
        self.reject()

    def reject(self) -> None:
        """Stops writing and closes."""
        if self.export.is_busy:
            self._is_leaving = True
            self.export.cancel()
            return
        super().reject()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Close and watched is self._window:
            self.export.cancel()
        return super().eventFilter(watched, event)

    def palette_changed(self) -> None:
        self._on_changed()

    def _is_animation(self) -> bool:
        return bool(self.form.currentData() != "html")

    @Slot()
    def _on_form(self) -> None:
        is_animation = self._is_animation()
        # A picture is one or the other.
        entries = self.colours.model()
        assert isinstance(entries, QStandardItemModel)
        entries.item(0).setEnabled(not is_animation)
        if is_animation and self.colours.currentIndex() == 0:
            self.colours.setCurrentIndex(2 if theme.is_dark(self.palette()) else 1)
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        if self.export.is_busy:
            return  # as when the theme is switched meanwhile
        self._request = None
        self._enable()
        self._rest.start()

    @Slot()
    def _ask(self) -> None:
        self._request = self.request()
        if self._request is not None:
            self.about.set_message("Drawing a preview…", "plain")
            self._preview_job.ask(self._request)

    @Slot(object)
    def _on_preview(self, found: Preview) -> None:
        if found.request is not self._request or self.export.is_busy:
            return
        self.about.set_message(found.message, "plain" if found.can_save else "warning")
        if found.picture is None:
            self.preview.clear()
        else:
            ratio = self.devicePixelRatioF()
            shown = QPixmap.fromImage(found.picture).scaled(
                PREVIEW * ratio, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
            shown.setDevicePixelRatio(ratio)
            self.preview.setPixmap(shown)
        self._enable(can_save=found.can_save)

    @Slot()
    def _on_save(self) -> None:
        request = self._request
        if request is None:
            return
        name = f"{request.corpus_name} steps {request.first}-{request.last}"
        path = ask_where_to_save_steps(self, self._memory, name, f".{request.form}")
        if path is not None:
            self.progress.setRange(0, 0)
            self.progress.show()
            self.export.start(request, path)
            self.about.set_message(f"Writing {path.name}…", "plain")
            self._enable()

    @Slot(object)
    def _on_progressed(self, progress: tuple[int, int]) -> None:
        done, of = progress
        self.progress.setRange(0, of)
        self.progress.setValue(done)

    @Slot(object)
    def _on_ended(self, ended: Ended) -> None:
        self.progress.hide()
        if ended.trouble:
            self.about.set_message(ended.trouble, "error")
            self._enable(can_save=True)
            self._is_leaving = False
        elif ended.path is not None:
            first, last = number(ended.request.first), number(ended.request.last)
            self.exported.emit(f"Steps {first} to {last} were saved as {ended.path}.")
            self.accept()
        elif self._is_leaving:
            super().reject()

    def _enable(self, *, can_save: bool = False) -> None:
        is_busy = self.export.is_busy
        self.save.setEnabled(can_save and not is_busy)
        is_animation, has_words = self._is_animation(), self.words.isChecked()
        fields: dict[QWidget, bool] = dict.fromkeys((self.begin, self.end, self.every, self.words, self.form), True)
        fields |= {self.colours: True, self.text: bool(self._workspace.shown_text)}
        fields |= {self.n_words: has_words, self.changing: has_words}
        fields |= {self.size_of_pictures: is_animation, self.seconds: is_animation}
        fields |= dict.fromkeys(self._named_steps, True)
        for field, is_wanted in fields.items():
            field.setEnabled(is_wanted and not is_busy)

    def _marks(self, field: QSpinBox) -> QComboBox:
        """A choice of named steps, which sets a field."""
        workspace = self._workspace
        marks = [("This step", workspace.step), ("The start", 0), ("The last merge", workspace.n_merges)]
        marks += [(mark.name, mark.step) for mark in sorted(workspace.marks.bookmarks, key=lambda mark: mark.step)]
        chooser = self._choice(f"{field.objectName().removeprefix('export_range.')}_mark", "Named steps", marks)
        chooser.setToolTip("Uses the step of a bookmark, or another named step")
        chooser.setPlaceholderText("Named step")
        chooser.setCurrentIndex(-1)
        chooser.activated.connect(partial(self._on_mark, field, chooser))
        self._named_steps.append(chooser)
        return chooser

    def _on_mark(self, field: QSpinBox, chooser: QComboBox, index: int) -> None:
        field.setValue(int(chooser.itemData(index)))

    def _number(self, name: str, label: str, low: int, high: int, value: int) -> QSpinBox:
        field = named(WholeNumber(self), f"export_range.{name}", label)
        field.setRange(low, max(low, high))
        field.setGroupSeparatorShown(True)
        field.setValue(value)
        return field

    def _box(self, name: str, label: str, tip: str) -> QCheckBox:
        return named(QCheckBox(label, self), f"export_range.{name}", tip=tip)

    def _choice(self, name: str, label: str, entries: Iterable[tuple[str, object]]) -> QComboBox:
        chooser = named(QComboBox(self), f"export_range.{name}", label)
        chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        chooser.setMinimumContentsLength(12)
        for text, value in entries:
            chooser.addItem(text, value)
        return chooser
