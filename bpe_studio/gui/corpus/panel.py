"""The panel Corpus: buttons to open a text, and the facts of the open one.

The panel requests files by a signal and opens samples through the workspace. The main window
handles dropped files and progress, even while this panel is hidden.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRegularExpression, Qt, Signal, Slot
from PySide6.QtGui import QAction, QRegularExpressionValidator
from PySide6.QtWidgets import (
    QFormLayout,
    QGridLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QWidget,
)

from bpe_studio.errors import BpeError, ConfigError
from bpe_studio.explain.merges import WITHOUT_TEXT
from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import data_size, number, part_of, percent
from bpe_studio.files.samples import Sample, list_samples
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.widgets.containers import (
    MARGIN_PX,
    SPACING_PX,
    STRETCH,
    TIGHT_PX,
    column,
    row,
    scrolled,
)
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import AccessibleLabel, ElidedLabel, Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.corpus.held_out import held_out_notice
from bpe_studio.workspace.state import CorpusInfo

if TYPE_CHECKING:
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.workspace.workspace import Workspace


_MOST_SOURCES = 5
_OF_TEXTS = ("size", "encoding", "form", "column", "documents", "characters")
"""The facts that only a text has, not words that were given with their counts."""
_OF_SOURCES = ("encoding", "form", "column")
"""The facts of each source that are shown if they are known."""
_MOST_CHARACTERS = 24
_COUNTED = "Given as words and their counts, without a text."
_DOCUMENTS_TIP = "Texts that are cut separately"
_LINES_TIP = "Each line is split separately, with its line break"
_FACTS = (
    ("size", "Size", "The text as UTF-8, in bytes"),
    ("encoding", "Encoding", "The detected encoding of the file"),
    ("form", "Format", "Format and compression, recognized from content and name"),
    ("column", "Column", "The column of its records that contains the text"),
    ("documents", "Documents", _DOCUMENTS_TIP),
    ("characters", "Characters", "Code points in the text"),
    ("n_words", "Words", "Pieces of the split, every occurrence counted"),
    ("n_distinct", "Distinct", "Different pieces of the split"),
)
MOST_FILES = 20
"""The most files that have a row; the settings have the weights of others, as patterns."""
_PARTS_OF_WEIGHTS = QRegularExpression(r"\d{1,9}([./]\d{0,9})?")
_WEIGHT_TIP = (
    "The number of times that this file counts: a number above 0, such as 2, 0.5 or 1/3. Another"
    " weight starts a new run; Undo brings this one back"
)
_SHARE_TIP = "The share of the text that is trained on, with weights"
_HEADS = (
    ("File", "The files of the corpus, in order"),
    ("Size", "The text of the file as UTF-8"),
    ("Share", _SHARE_TIP),
    ("Weight", _WEIGHT_TIP),
)


class CorpusPanel(QWidget):
    """The corpus that the run is trained on.

    Signals:
        open_requested: the user wants to choose files.
        paste_requested: the user wants to open the text on the clipboard.
        locate_requested: the user wants to choose the files of the text, which the open document
            does not contain.
        said_of_tokenizer: str, the notices about a tokenizer that is open alone; "" for none.
    """

    open_requested = Signal()
    paste_requested = Signal()
    locate_requested = Signal()
    said_of_tokenizer = Signal(str)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.open = named(
            QPushButton("Open…"),
            "corpus.open",
            "Open a text",
            "Opens one file or several as one corpus: plain text, JSON lines or tables, also"
            " compressed",
        )
        self.paste = named(
            QPushButton("Paste"),
            "corpus.paste",
            "Paste a text",
            "Opens the text on the clipboard as a corpus",
        )
        self.samples = named(
            QPushButton("Samples"),
            "corpus.samples",
            "Sample texts",
            "Opens one of the sample texts",
        )
        self.samples.setMenu(self._sample_menu())
        self.facts = _CorpusFacts(self)
        self.weight_error = named(Note(role="error"), "corpus.weight_error", "Error in a weight")
        self.weight_error.hide()
        self.words_only = named(Note(role="plain"), "corpus.words_only")
        self.words_only.set_message(
            "This document contains only the words of the text and their counts. Locate the text to"
            " search it or to split it differently."
        )
        self.locate = named(
            QPushButton("Locate text…"),
            "corpus.locate",
            "Locate the text",
            "Opens the text of these words from files",
        )
        self.transformers = named(
            Note(role="plain"), "corpus.transformers", "Compared with Transformers"
        )
        self._compared = LatestAnswer(_compared, self)
        self._build()
        self._connect()
        self._refresh()

    def _build(self) -> None:
        buttons = WrappingRow(self)
        for button in (self.open, self.paste, self.samples):
            buttons.add(button)
        inside = QWidget()
        column(
            buttons,
            self.facts,
            self.weight_error,
            self.transformers,
            self.words_only,
            row(self.locate, STRETCH),
            STRETCH,
            parent=inside,
            spacing=MARGIN_PX,
        )
        # With a large font, a low window has no room for everything.
        area = scrolled(inside, "corpus.area")
        column(area, parent=self, margins=(MARGIN_PX, 0, MARGIN_PX, MARGIN_PX))
        self.setMinimumWidth(240)

    def _connect(self) -> None:
        self.open.clicked.connect(self.open_requested)
        self.locate.clicked.connect(self.locate_requested)
        self.paste.clicked.connect(self.paste_requested)
        self.facts.files.weight_given.connect(self._on_weight_given)
        self._compared.answered.connect(self._on_compared)
        self._workspace.corpus_changed.connect(self._refresh)
        self._workspace.state_changed.connect(self._refresh)

    def _sample_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        found = samples()
        for sample in found:
            action = menu.addAction(sample.title)
            action.setObjectName(f"corpus.sample.{sample.id}")
            action.setToolTip(sample.about)
            action.setData(sample.id)
        menu.triggered.connect(self._on_sample_triggered)
        if not found:
            menu.addAction("No samples are installed").setEnabled(False)
        return menu

    @Slot(object)
    def _on_sample_triggered(self, action: QAction) -> None:
        self._workspace.opener.open_sample(str(action.data()))

    @Slot()
    def _refresh(self) -> None:
        info = self._workspace.corpus
        self.facts.setVisible(info is not None)
        for widget in (self.words_only, self.locate):
            widget.setVisible(info is not None and info.lacks_text)
        if info is not self.facts.info:
            self.facts.set_info(info)
            self._compare_with_transformers()
            self._say_of_tokenizer()

    @Slot(str, str, str)
    def _on_weight_given(self, path: str, name: str, weight: str) -> None:
        """Train again with another weight of a file."""
        from bpe_studio.engine.counting.source_weights import with_weight

        try:
            config = with_weight(self._workspace.config, path, name, weight)
        except ConfigError as error:
            self.weight_error.set_message(str(error))
            self.weight_error.show()
            return
        self.weight_error.hide()
        if config != self._workspace.config:
            self._workspace.settings.apply(config)

    def _compare_with_transformers(self) -> None:
        """Compare the ids of the open tokenizer with Transformers'; a line says if they differ."""
        self._compared.forget()
        self.transformers.setVisible(False)
        run = self._workspace.run
        if run is not None and not run.is_own and run.tokenizer().folder:
            self._compared.ask(run.tokenizer(), run.tokenizer().folder)

    @Slot(object)
    def _on_compared(self, found: tuple[bool, str]) -> None:
        is_same, said = found
        self.transformers.set_message(said)
        self.transformers.setVisible(not is_same)
        if not is_same:
            self._say_of_tokenizer(said)

    def _say_of_tokenizer(self, *more: str) -> None:
        """Pass the notices on, for the page of a tokenizer."""
        info = self.facts.info
        lines = () if info is None or info.has_words else (*info.notices, *more)
        self.said_of_tokenizer.emit("\n".join(lines))


def _compared(tokenizer: Tokenizer, folder: str) -> tuple[bool, str] | None:
    # Imported here, because it is not needed at the start.
    from bpe_studio.files.third_party.folders.transformers import compared_with_transformers

    return compared_with_transformers(tokenizer, folder)


def samples() -> tuple[Sample, ...]:
    """The sample texts of the program; empty if their list cannot be read."""
    try:
        return list_samples()
    except BpeError:
        return ()


class _CorpusFacts(QWidget):
    """The name of the open corpus, its sources, sizes and notices."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.info: CorpusInfo | None = None
        self.name = ElidedLabel(is_left_to_right=True)
        self.name.setObjectName("corpus.name")
        font = self.name.font()
        font.setBold(True)
        self.name.setFont(font)
        self.sources = Note()
        self.sources.setObjectName("corpus.sources")
        self.files = FilesView(self)
        self.notices = Note(role="warning")
        self.notices.setObjectName("corpus.notices")
        self.held_out = Note()
        self.held_out.setObjectName("corpus.held_out")
        self.held_out.setAccessibleName("The held-out text")
        self.held_out.setToolTip(
            "The part of the text that is not trained on; set it in Compare > Advice"
        )
        self.numbers: dict[str, QLabel] = {}
        self._titles: dict[str, QLabel] = {}
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(8)
        self._form.setVerticalSpacing(4)
        for key, label, _ in _FACTS:
            text = QLabel(label)
            number = AccessibleLabel()
            number.setObjectName(f"corpus.{key}")
            number.setAccessibleName(label)
            number.setFont(theme.numeric_font())
            number.setAlignment(Qt.AlignmentFlag.AlignRight)
            self._titles[key] = text
            self.numbers[key] = number
            self._form.addRow(text, number)
        column(
            self.name,
            self.sources,
            self.files,
            self._form,
            self.held_out,
            self.notices,
            parent=self,
            spacing=TIGHT_PX,
        )

    def _hidden(self) -> frozenset[str]:
        """The facts that the corpus does not have."""
        assert self.info is not None
        if not self.info.has_words:
            return frozenset(key for key, *_ in _FACTS)
        if self.info.corpus.is_counted:
            return frozenset(_OF_TEXTS)
        sources = self.info.sources
        hidden = set(_OF_SOURCES)
        for each in sources:
            hidden -= {key for key in hidden if getattr(each, key)}
        return frozenset(hidden)

    def set_info(self, info: CorpusInfo | None) -> None:
        """Show the facts of a corpus; None for none."""
        self.info = info
        if info is None:
            return
        self.name.setText(info.name)
        from bpe_studio.engine.counting.corpus import MOST_SOURCES
        from bpe_studio.files.text.encodings import nice_name

        lines = []
        has_files = len(info.corpus.sources) > 1
        self.files.setVisible(has_files)
        if has_files:
            self.files.set_info(info)
        elif len(info.sources) > 1:
            lines = [
                f"{source.name} ({nice_name(source.encoding)})"
                for source in info.sources[:_MOST_SOURCES]
            ]
            if (more := len(info.sources) - _MOST_SOURCES) > 0:
                lines.append(f"and {more:,} more")
            if len(info.sources) > MOST_SOURCES:
                lines.append(
                    f"Merges does not show the shares of more than {MOST_SOURCES} files, unless the"
                    " files have weights."
                )
        corpus = info.corpus
        if corpus.is_counted and not lines:
            kept = _COUNTED if info.has_words else WITHOUT_TEXT
            lines.append(kept)
        self.sources.set_message("\n".join(lines))
        self.sources.setVisible(bool(lines))
        documents = "Lines" if corpus.config.documents == "line" else "Documents"
        self._titles["documents"].setText(documents)
        self.numbers["documents"].setAccessibleName(documents)
        locale = grouping_locale()
        for key, value in (
            ("documents", corpus.n_documents),
            ("characters", corpus.n_characters),
            ("n_words", corpus.n_words),
            ("n_distinct", len(corpus)),
        ):
            self.numbers[key].setText(locale.toString(int(value)))
        self._show_sizes(info)
        for key in _OF_SOURCES:
            values = {getattr(source, key) for source in info.sources}
            values.discard("")
            shown = "several" if values else "none"
            if len(values) == 1:
                shown = values.pop()
                if key == "encoding":
                    shown = nice_name(shown)
            self.numbers[key].setText(elided(shown, _MOST_CHARACTERS))
        hidden = self._hidden()
        for key, value_label in self.numbers.items():
            self._form.setRowVisible(value_label, key not in hidden)
        # A held-out part is not a warning.
        held_out = "" if info.held_out is None else held_out_notice(info.held_out, corpus)
        self.held_out.set_message(held_out)
        self.held_out.setVisible(bool(held_out))
        warnings = [notice for notice in info.notices if notice != held_out]
        self.notices.set_message("\n".join(warnings))
        self.notices.setVisible(bool(warnings))

    def _show_sizes(self, info: CorpusInfo) -> None:
        """Show the sizes of the text, or of its training part if a part is held out."""
        held = info.held_out
        held_sizes: dict[str, str] = {}
        size = data_size(info.corpus.size_bytes)
        if held is not None:
            size = part_of(size, data_size(info.corpus.size_bytes + held.n_bytes))
            held_sizes = {
                "size": data_size(held.n_bytes),
                "characters": number(held.n_characters),
                "n_words": number(held.corpus.n_words),
                "n_distinct": number(len(held.corpus)),
            }
        self.numbers["size"].setText(size)
        for key, _, tip in _FACTS:
            aside = f"\nHeld-out part: {held_sizes[key]}" if key in held_sizes else ""
            if info.corpus.config.is_weighted and key not in _OF_SOURCES:
                aside += "\nWith the weights of the files"
            if key == "documents" and info.corpus.config.documents == "line":
                tip = _LINES_TIP
            for label in (self._titles[key], self.numbers[key]):
                label.setToolTip(tip + aside)


class FilesView(QWidget):
    """A row for each file, with a field for its weight.

    Signals:
        weight_given: the path of a file, its name, and the text typed as its weight.
    """

    weight_given = Signal(str, str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("corpus.files")
        self.setAccessibleName("The files of the corpus")
        self.weights: list[QLineEdit] = []
        self._shown: list[QWidget] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, SPACING_PX)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        for place, (title, tip) in enumerate(_HEADS):
            head = QLabel(title)
            head.setToolTip(tip)
            head.setForegroundRole(self.palette().ColorRole.PlaceholderText)
            if place:
                head.setAlignment(Qt.AlignmentFlag.AlignRight)
            self._grid.addWidget(head, 0, place)

    def set_info(self, info: CorpusInfo) -> None:
        """Show the files of a corpus that is open."""
        self._clear()
        corpus = info.corpus
        from bpe_studio.engine.counting.source_weights import weight_of

        files = zip(corpus.sources, corpus.source_names, strict=True)
        for place, (path, name) in enumerate(files):
            if place == MOST_FILES:
                more = f"and {len(corpus.sources) - place:,} more"
                self._add(QLabel(more), place, 0)
                break
            weight = QLineEdit(_written(weight_of(path, corpus.config)))
            named(weight, f"corpus.weight_{place}", f"Weight of {name}", _WEIGHT_TIP)
            weight.setAlignment(Qt.AlignmentFlag.AlignRight)
            weight.setValidator(QRegularExpressionValidator(_PARTS_OF_WEIGHTS, weight))
            weight.setFont(theme.numeric_font())
            weight.setFixedWidth(6 * self.fontMetrics().horizontalAdvance("0") + 12)
            weight.editingFinished.connect(partial(self._on_edited, weight, path, name))
            self.weights.append(weight)
            label = ElidedLabel(is_left_to_right=True)
            label.setText(name)
            self._add(label, place, 0)
            size = data_size(corpus.sources[path].size_bytes)
            self._add_number(place, 1, size, f"Size of {name}")
            self._add_number(place, 2, percent(_share(corpus, path)), f"Share of {name}")
            self._add(weight, place, 3)

    def _add_number(self, place: int, head: int, text: str, title: str) -> None:
        label = AccessibleLabel()
        label.setAccessibleName(title)
        label.setText(text)
        label.setFont(theme.numeric_font())
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        label.setToolTip(_HEADS[head][1])
        self._add(label, place, head)

    def _add(self, widget: QWidget, place: int, head: int) -> None:
        self._grid.addWidget(widget, place + 1, head)
        self._shown.append(widget)

    def _clear(self) -> None:
        self.weights = []
        for widget in self._shown:
            widget.hide()
            widget.deleteLater()
        self._shown = []

    def _on_edited(self, weight: QLineEdit, path: str, name: str) -> None:
        if weight.isModified():
            weight.setModified(False)
            self.weight_given.emit(path, name, weight.text() or "1")


def _written(weight: Fraction) -> str:
    """A weight as a decimal if that is exact."""
    text = f"{float(weight):.9g}"
    return text if Fraction(text) == weight else str(weight)


def _share(corpus: Corpus, path: str) -> float:
    counted = corpus.sources[path].size_bytes * corpus.repetitions[path]
    return counted / max(1, corpus.size_bytes)
