"""The skyline's text, letters and rows: pieces, where symbols stand, wrapping, and edits that lay
out little anew.
"""

from __future__ import annotations

import random

import pytest

from bpe_studio.files.loading import load
from bpe_studio.files.third_party.opened_run import OpenedRun
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer
from bpe_studio.gui.skyline.glyphs import WordShapes
from bpe_studio.gui.skyline.painting import cut_row
from bpe_studio.gui.skyline.rank_scale import Scale
from bpe_studio.gui.skyline.rows import Rows
from tests.engine.encoding.cut_afresh import cut_afresh
from tests.files.third_party import made
from tests.trained import run_of_text, skyline_text


@pytest.fixture(scope="module")
def run():
    return run_of_text()


def rows_of(run, typed, qapp, room=300.0, mark=""):
    rows = Rows(skyline_text(run, typed), WordShapes(qapp.font(), run.config.units, mark))
    rows.set_room(room)
    rows.set_scale(Scale(len(run.merges), 100.0))
    rows.extend()
    return rows


@pytest.mark.parametrize(
    "preset", ["gpt2", "textbook", "sentencepiece", "subword-nmt", "sennrich", "raw"]
)
def test_each_symbol_has_a_place(qapp, preset):
    run = run_of_text(preset=preset)
    typed = (
        "low lowest سلام، می‌خواهم 漢字かな aaaa e\u0301 👩‍💻🇮🇷 नमस्ते \u200c x\ty\n\nدنیا hello دنیا"
    )
    mark = (run.config.word_end or "") if run.config.word_end_as == "own-symbol" else ""
    rows = rows_of(run, typed, qapp, mark=mark)
    n = 0
    for number in range(len(rows.starts)):
        row = rows.row(number)
        assert row.first == n
        n = row.last
        assert len(row.lefts) == len(row.begins) == row.last - row.first
        assert (row.rights > row.lefts).all()
    assert n == len(rows.text.symbols)


def test_joining_letters_are_drawn_as_one(qapp):
    shapes = WordShapes(qapp.font(), "bytes")
    shape = shapes.shape(" سلام")
    assert [glyphs.text for glyphs in shape.glyphs] == ["␣", "سلام"]
    assert shape.glyphs[1].shaped is not None
    assert shape.glyphs[0].x > shape.glyphs[1].x
    assert [glyphs.text for glyphs in shapes.shape("می\u200cخواهم").glyphs] == ["می\u200cخواهم"]
    assert [glyphs.text for glyphs in shapes.shape("\u200c").glyphs] == ["⟨ZWNJ⟩"]


def test_items_are_drawn_whole(qapp):
    shape = WordShapes(qapp.font(), "items").shape("C4  Pitch_E4", n_symbols=2)
    assert [glyphs.text for glyphs in shape.glyphs] == ["C4", "Pitch_E4"]
    assert shape.lefts.tolist() == [glyphs.x for glyphs in shape.glyphs]


def test_rows_hold_what_fits_and_every_line_begins_one(qapp, run):
    rows = rows_of(run, "low lower newest widest " * 10 + "\nlow", qapp, room=200)
    assert rows.is_complete
    assert len(rows.starts) > 3
    for number in range(len(rows.starts)):
        assert rows.row(number).width <= 200 + 1e-6
    assert rows.text.piece(rows.starts[-1]) == "low"
    wide = rows_of(run, "widestnewestlower", qapp, room=40)
    assert len(wide.starts) == 1
    assert wide.widest > 40


def test_edits_leave_the_rows_as_if_laid_out_anew(qapp, run):
    chance = random.Random(4)
    typed = "low lower newest widest سلام دنیا\n" * 12 + "aaaa low " * 30
    rows = rows_of(run, typed, qapp)
    for _ in range(60):
        place = chance.randrange(len(typed) + 1)
        gone = chance.choice([0, 0, 1, 7])
        typed = (
            typed[:place]
            + chance.choice(["", "x", " ", "\n", "low lower", "سلام"])
            + typed[place + gone :]
        )
        rows.follow(typed)
        rows.extend()
        fresh = rows_of(run, typed, qapp)
        assert rows.starts == fresh.starts
        assert rows.text.offsets.tolist() == fresh.text.offsets.tolist()
        number = chance.randrange(len(rows.starts))
        assert rows.row(number).lefts.tolist() == pytest.approx(fresh.row(number).lefts.tolist())


def test_tokens_of_a_row_are_those_of_the_text(qapp, run):
    typed = "low lower newest 漢字 سلام low"
    rows = rows_of(run, typed, qapp, room=150)
    for step in (0, 3, 20, len(run.merges)):
        ids = []
        for number in range(len(rows.starts)):
            tokens = cut_row(rows.row(number), rows.text, step, run.n_alphabet)
            ids += tokens.ids.tolist()
            assert (tokens.rights > tokens.lefts).all()
        assert ids == cut_afresh(run, typed).tokens(step).ids.tolist()


@pytest.mark.parametrize("name", ["gpt2", "clip", "llama2"])
def test_each_symbol_of_a_tokenizer_of_others_has_a_place(qapp, tmp_path, name):
    path = tmp_path / "tokenizer.json"
    path.write_text(made.content_of(name), "utf-8")
    tokenizer = load(path)
    assert isinstance(tokenizer, ThirdPartyTokenizer)
    run = OpenedRun(tokenizer)
    text = "<|endoftext|><s> hugs 漢字かな 👩‍💻 سلام  \n\nx"
    assert run.segmenter.pieces_of("a\ud83d b")[0] == run.segmenter.pieces_of("a\ufffd b")[0]
    rows = rows_of(run, f"{text} a\ud83d b", qapp)
    lengths = [len(rows.row(number).lefts) for number in range(len(rows.starts))]
    assert sum(lengths) == len(rows.text.symbols)
    for number in range(len(rows.starts)):
        row = rows.row(number)
        assert len(row.legs) == len(row.ranks)
