"""The name of the open corpus, its sources, and its sizes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from bpe_studio.explain.merges import WITHOUT_TEXT
from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import data_size, number, part_of
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.widgets.containers import TIGHT_PX, column
from bpe_studio.gui.widgets.labels import AccessibleLabel, ElidedLabel, Note
from bpe_studio.workspace.corpus.held_out import held_out_notice
from bpe_studio.workspace.state import CorpusInfo

MOST_SOURCES = 5
_OF_TEXTS = ("size", "encoding", "form", "column", "documents", "characters")
"""The facts that only a text has, not words that were given with their counts."""
_OF_SOURCES = ("encoding", "form", "column")
"""The facts of each source that are shown if they are known."""
_MOST_CHARACTERS = 24
COUNTED = "Given as words and their counts, without a text."
DOCUMENTS_TIP = "Texts that are cut separately"
LINES_TIP = "Each line is split separately, with its line break"
_FACTS = (
    ("size", "Size", "The text as UTF-8, in bytes"),
    ("encoding", "Encoding", "The detected encoding of the file"),
    ("form", "Format", "Format and compression, recognized from content and name"),
    ("column", "Column", "The column of its records that contains the text"),
    ("documents", "Documents", DOCUMENTS_TIP),
    ("characters", "Characters", "Code points in the text"),
    ("n_words", "Words", "Pieces of the split, every occurrence counted"),
    ("n_distinct", "Distinct", "Different pieces of the split"),
)


class CorpusFacts(QWidget):
    """Name, sources, numbers and the notices of a corpus."""

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
        return frozenset(
            key for key in _OF_SOURCES if not any(getattr(each, key) for each in sources)
        )

    def set_info(self, info: CorpusInfo | None) -> None:
        """Show the facts of a corpus; None for none."""
        self.info = info
        if info is None:
            return
        self.name.setText(info.name)
        from bpe_studio.files.text.encodings import nice_name

        lines = []
        if len(info.sources) > 1:
            lines = [
                f"{source.name} ({nice_name(source.encoding)})"
                for source in info.sources[:MOST_SOURCES]
            ]
            if (more := len(info.sources) - MOST_SOURCES) > 0:
                lines.append(f"and {more:,} more")
        corpus = info.corpus
        if corpus.is_counted and not lines:
            lines = [COUNTED if info.has_words else WITHOUT_TEXT]
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
            values = list(
                dict.fromkeys(value for source in info.sources if (value := getattr(source, key)))
            )
            values = [nice_name(value) for value in values] if key == "encoding" else values
            shown = values[0] if len(values) == 1 else "several" if values else "none"
            self.numbers[key].setText(elided(shown, _MOST_CHARACTERS))
        hidden = self._hidden()
        for key, value_label in self.numbers.items():
            self._form.setRowVisible(value_label, key not in hidden)
        # A held-out part is no warning.
        held_out = "" if info.held_out is None else held_out_notice(info.held_out, corpus)
        self.held_out.set_message(held_out)
        self.held_out.setVisible(bool(held_out))
        warnings = [notice for notice in info.notices if notice != held_out]
        self.notices.set_message("\n".join(warnings))
        self.notices.setVisible(bool(warnings))

    def _show_sizes(self, info: CorpusInfo) -> None:
        """Show the sizes of the text.

        With a held-out part, those of the part that is trained on.
        """
        held = info.held_out
        size = data_size(info.corpus.size_bytes)
        if held is not None:
            size = part_of(size, data_size(info.corpus.size_bytes + held.n_bytes))
        self.numbers["size"].setText(size)
        held_sizes = (
            {}
            if held is None
            else {
                "size": data_size(held.n_bytes),
                "characters": number(held.n_characters),
                "n_words": number(held.corpus.n_words),
                "n_distinct": number(len(held.corpus)),
            }
        )
        for key, _, tip in _FACTS:
            aside = f"\nHeld-out part: {held_sizes[key]}" if key in held_sizes else ""
            if key == "documents" and info.corpus.config.documents == "line":
                tip = LINES_TIP
            for label in (self._titles[key], self.numbers[key]):
                label.setToolTip(tip + aside)
