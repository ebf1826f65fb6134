"""A worksheet as a PDF: its paper, its pages, and tokens in their direction."""

from __future__ import annotations

import re
import zlib
from contextlib import suppress

import pytest
from PySide6.QtCore import QLocale

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.explain.worksheet import make_worksheet
from bpe_studio.gui.worksheet.pdf import paper_of, worksheet_html, worksheet_pdf


def sheet_of(text, n_merges=8):
    config = TrainingConfig.preset("textbook")
    return make_worksheet(Corpus.from_text(text, config), config, "a <text>", n_merges)


@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
def test_the_sheet_and_its_key_are_on_pages_of_the_paper(qapp, paper, size):
    content = worksheet_pdf(sheet_of("low lower lowest newest newest"), paper)
    assert content.startswith(b"%PDF") and len(re.findall(rb"/Type /Page\b", content)) == 2
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)", content)
    assert tuple(map(float, box.groups())) == size


def test_more_merges_take_more_pages(qapp):
    text = "strengthening lengthening shortening weakening brightening darkening"
    assert len(re.findall(rb"/Type /Page\b", worksheet_pdf(sheet_of(text, 30), "a4"))) >= 4


def test_the_first_merge_is_done_and_only_the_key_answers_the_others():
    asked, key = worksheet_html(sheet_of("سلام سلام low low")).split("class='key'")
    assert "a &lt;text&gt;" in asked and "\u2067" in asked
    assert asked.count(" + ") == 1 and key.count(" + ") >= 5


@pytest.mark.parametrize("n_merges", [3, 8])
def test_the_rows_fill_the_page(qapp, n_merges):
    content = worksheet_pdf(sheet_of("low lower lowest newest newest", n_merges), "a4")
    assert len(re.findall(rb"/Type /Page\b", content)) == 2
    (drawn, *_) = _drawings(content)
    height = max(float(y) for y in re.findall(rb" ([\d.]+) l\s", drawn))
    lines = re.findall(rb"[\d.-]+ ([\d.]+) [\d.-]+ [\d.-]+ re\s", drawn)
    assert max(map(float, lines)) > 0.8 * height


def _drawings(content):
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL):
        with suppress(zlib.error):
            drawn = zlib.decompress(stream)
            if b" re\n" in drawn:
                yield drawn


def test_a_sheet_is_in_its_language(qapp):
    config = TrainingConfig.preset("textbook")
    corpus = Corpus.from_text("سلام سلام دنیا دنیا " * 60, config)
    sheet = make_worksheet(corpus, config, "متن", 3, "Persian")
    html = worksheet_html(sheet)
    assert (
        "تعداد" in html
        and "۲۰" in html
        and not re.search("[a-z]{3}", re.sub("<.*?>|&.*?;|aaa", "", html))
    )
    assert worksheet_pdf(sheet, "a4").startswith(b"%PDF")


def test_the_paper_is_that_of_the_country():
    assert [paper_of(QLocale(name)) for name in ("en_US", "de_DE", "fa_IR", "es_MX", "C")] == [
        "letter",
        "a4",
        "a4",
        "letter",
        "a4",
    ]
