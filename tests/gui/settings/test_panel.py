"""The settings: presets, drafts, what is lost, and the way every option gets into a configuration
and back.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QModelIndex
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPushButton, QSpinBox, QWidget

from bpe_studio.engine import presets
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.options import OPTIONS
from bpe_studio.errors import PatternError
from bpe_studio.gui.settings.draft import cut_text
from bpe_studio.gui.settings.editors import TARGET_CHOICES, OrderEdit
from bpe_studio.gui.settings.panel import SettingsPanel
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.workspace.state import State


@pytest.fixture
def panel(qtbot, workspace):
    panel = SettingsPanel(workspace)
    qtbot.addWidget(panel)
    return panel


def combo(panel: QWidget, name: str) -> QComboBox:
    return panel.findChild(QComboBox, f"settings.{name}")


def spin(panel: QWidget, name: str) -> QSpinBox:
    return panel.findChild(QSpinBox, f"settings.{name}")


def choose(panel: QWidget, name: str, value: str) -> None:
    box = combo(panel, name)
    index = box.findData(value)
    assert index >= 0, f"{value} cannot be chosen as {name}"
    box.setCurrentIndex(index)


def apply_button(panel: QWidget) -> QPushButton:
    return panel.findChild(QPushButton, "settings.apply")


def test_values_have_names_that_a_person_would_say(panel):
    for name in ("units", "split", "ties", "documents"):
        box = combo(panel, name)
        texts = [box.itemText(k) for k in range(box.count())]
        assert len(set(texts)) == len(texts)
        assert all(text[0].isupper() and text != box.itemData(k) for k, text in enumerate(texts)), (
            name
        )
    assert combo(panel, "split").itemText(combo(panel, "split").findData("gpt2")) == "GPT-2"


@pytest.mark.parametrize("name", presets.PRESETS)
def test_a_preset_goes_through_the_form_unchanged(panel, name):
    choose(panel, "preset", name)
    assert panel.draft == TrainingConfig.preset(name)
    assert presets.PRESETS[name].purpose in panel.help.text()
    assert not panel.reset.isEnabled()


def test_words_end_at_their_share_of_another_size(panel):
    choose(panel, "preset", "superbpe")
    for size in (600, 6000):
        spin(panel, "vocab_size").setValue(size)
        assert panel.draft == TrainingConfig.preset("superbpe", vocab_size=size)
    panel.findChild(QLineEdit, "settings.superwords_from").setText("1000")
    spin(panel, "vocab_size").setValue(2000)
    assert panel.draft.superwords_from == 1000


def test_any_configuration_goes_through_the_form_unchanged(panel):
    config = TrainingConfig.preset(
        "textbook",
        vocab_size=1234,
        split=r"regex:\p{L}+",
        normalize=("lowercase", "nfkc"),
        word_end="</w>",
        word_end_as="on-last-character",
        continuing="##",
        special=("<a>", "<b b>"),
        force=(("t", "h"), ("x", "y")),
        forbid=(("e", "r"),),
        documents="separator",
        ties="greatest-bytes",
        min_frequency=7,
        initial_alphabet="xyz",
        pad_token="<p>",
        template="<s> $A </s>",
        limit_alphabet=1200,
        max_token_length=9,
        one_script=True,
    )
    panel.area.show_config(config)
    assert panel.draft == config


def test_shares_and_what_depends_on_units_go_through_the_form(panel):
    config = TrainingConfig.preset(
        "llama2", character_coverage=0.98, byte_fallback=False, split_digits=False
    )
    panel.area.show_config(config)
    assert panel.draft == config
    coverage = panel.findChild(QWidget, "settings.character_coverage")
    coverage.setText("most")
    assert panel.draft is None and "not a number" in apply_button(panel).toolTip()
    coverage.setText("")
    assert panel.draft == config.replace(character_coverage=1.0)
    choose(panel, "units", "bytes")
    assert not panel.findChild(QWidget, "settings.byte_fallback").isEnabled()


def test_items_leave_out_what_is_about_letters(panel):
    choose(panel, "preset", "sennrich")
    choose(panel, "units", "items")
    assert panel.draft == TrainingConfig.preset("sennrich", units="items")
    assert not panel.findChild(QLineEdit, "settings.word_end").isEnabled()
    choose(panel, "units", "characters")
    assert panel.draft == TrainingConfig.preset("sennrich")
    assert panel.findChild(QLineEdit, "settings.word_end").isEnabled()


def test_nothing_is_applied_while_editing(panel, workspace):
    before = workspace.config
    choose(panel, "ties", "raw-ids")
    assert workspace.config == before
    panel.discard.click()
    assert panel.draft == before
    assert panel.discard.isHidden()


def test_changes_from_the_preset_are_marked_and_reset(panel):
    choose(panel, "documents", "file")
    assert "1 changed" in panel.form.more.text()
    assert panel.reset.isEnabled()
    panel.reset.click()
    assert panel.draft == TrainingConfig.preset("gpt2")
    assert panel.form.more.text() == "More options"


def test_an_invalid_draft_says_why_and_cannot_be_applied(panel):
    choose(panel, "split", "regex:")
    assert panel.draft is None
    assert not apply_button(panel).isEnabled()
    assert "pattern" in apply_button(panel).toolTip()
    pattern = panel.findChild(QLineEdit, "settings.pattern")
    pattern.setText("(a")
    assert "not valid" in apply_button(panel).toolTip()
    assert panel.form.has_blamed
    pattern.setText("(a)")
    assert panel.draft is not None and panel.draft.split == "regex:(a)"
    assert not panel.form.has_blamed
    assert apply_button(panel).isEnabled()


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_has_a_field_whose_help_is_shown_with_the_keyboard(panel, qapp, name):
    widget = panel.findChild(QWidget, f"settings.{name}")
    if name == "merges":
        choose(panel, "target", "merges")
    # Offscreen, no window is active, so that focus is announced here as Qt would.
    qapp.focusChanged.emit(None, widget)
    assert OPTIONS[name].help in panel.help.text()


@pytest.mark.parametrize(
    ("config", "text", "pieces"),
    [
        ({"split": "gpt2"}, "It's 12!", ["It", "'s", " 12", "!"]),
        ({"split": "words"}, "It's 12!", ["It", "'", "s", "12", "!"]),
        ({"split": "none"}, "a b", ["a b"]),
        ({"split": "none", "documents": "line"}, "a\nb", ["a\n", "b"]),
        ({"split": "words", "documents": "separator", "special": ("<s>",)}, "a<s>b", ["a", "b"]),
        ({"split": "words", "normalize": ("lowercase",)}, "AB", ["ab"]),
        ({"split": "regex:[ab]+"}, "abcba", ["ab", "ba"]),
    ],
)
def test_the_preview_cuts_as_a_corpus_would(config, text, pieces):
    config = TrainingConfig.preset("textbook", **{"documents": "file", **config})
    assert cut_text(text, config) == pieces


def test_an_endless_pattern_is_said_at_once():
    config = TrainingConfig.preset("textbook", split=r"regex:^(\w|\w\w|\s)+(?<=q)$")
    with pytest.raises(PatternError, match="too long"):
        cut_text("abcdefgh ijklmnop " * 8, config)


def test_a_vocabulary_below_the_alphabet_is_refused_in_place(qtbot, panel, workspace):
    spin(panel, "vocab_size").setValue(100)
    assert not apply_button(panel).isEnabled()
    notes = [note.text() for note in panel.form.findChildren(Note) if not note.isHidden()]
    assert any("too small" in note for note in notes)
    spin(panel, "vocab_size").setValue(257)
    assert apply_button(panel).isEnabled()
    choose(panel, "preset", "textbook")
    apply_button(panel).click()
    workspace.opener.open_text("abc abd", "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    spin(panel, "vocab_size").setValue(4)
    assert "4 symbols" in apply_button(panel).toolTip()
    spin(panel, "vocab_size").setValue(5)
    assert apply_button(panel).isEnabled()


def test_a_moved_row_is_told_once_also_after_a_switch_of_the_theme(qtbot):
    edit = OrderEdit(TARGET_CHOICES)
    qtbot.addWidget(edit)
    told = []
    edit.edited.connect(lambda: told.append(edit.value()))
    QApplication.sendEvent(edit, QEvent(QEvent.Type.PaletteChange))
    assert edit.list.model().moveRow(QModelIndex(), 1, QModelIndex(), 0)
    assert len(told) == 1
