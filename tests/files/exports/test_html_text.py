"""The coloured text as HTML: each token where it stands, shared characters once, nothing of a text
ever run.
"""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.files.exports.html_text import CutText, fragment, page_in_pieces, pieces_of

HOSTILE = (
    "</span><script>alert(1)</script> \"onmouseover='x' &amp; <!-- ]]> {}; \u202e\u2066 \x00\x1b"
)


def cut_of(text: str, step: int = 1000, **config) -> CutText:
    options = bpe.TrainingConfig.preset("raw", merges=30, **config)
    run = bpe.train(bpe.Corpus.from_text("سلام سلام the hugs 🙂🙂 the hug", options), options)
    spans = run.live(text).tokens(min(step, len(run.merges)))
    ids = spans.ids.tolist()
    return CutText(
        text,
        spans.starts.tolist(),
        spans.ends.tolist(),
        [str(token) for token in ids],
        frozenset(k for k, token in enumerate(ids) if token < 0),
        heading=text[:40],
        facts=(("Step", "30"), ("Tokens", str(len(ids)))),
    )


def page(cut: CutText) -> str:
    making = page_in_pieces(cut)
    while True:
        try:
            next(making)
        except StopIteration as stop:
            return stop.value.decode("utf-8")


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []
        self.text = ""
        self.is_in = False
        self.lines: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "p":
            self.is_in = True
            self.lines.append("")

    def handle_endtag(self, tag):
        self.is_in = self.is_in and tag != "p"

    def handle_data(self, data):
        if self.is_in:
            self.lines[-1] += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    return reader


def test_what_a_text_holds_is_never_markup():
    for html in (page(cut_of(HOSTILE)), fragment(cut_of(HOSTILE))):
        found = read(html)
        assert {tag for tag, _ in found.tags} <= {
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "main",
            "h1",
            "dl",
            "div",
            "dt",
            "dd",
            "p",
            "span",
        }
        assert not any(name.startswith("on") for _, attributes in found.tags for name in attributes)
        assert "<script>alert(1)</script>" in found.lines[0]
        assert "\x00" not in html and "\u202e" not in html


def test_letters_of_a_token_stand_in_one_stretch():
    found = cut_of("سلام the")
    words = ["".join(piece.text for piece in pieces) for _, pieces, _ in pieces_of(found)]
    assert words == ["سلام the"]
    (_, pieces, _), *_ = pieces_of(found)
    assert "سلام" in [piece.text.strip() for piece in pieces]
    assert '<p dir="auto">' in page(found)


def test_a_character_that_tokens_share_is_written_once_in_stripes():
    found = cut_of("a🙂b", step=0)
    (_, pieces, _), *_ = pieces_of(found)
    shared = [piece for piece in pieces if len(piece.tokens) > 1]
    assert [(piece.text, len(piece.tokens), piece.shares) for piece in shared] == [
        ("🙂", 4, (0.25, 0.5, 0.75, 1.0))
    ]
    assert page(found).count("🙂") == 3  # in the text, the title and the heading
    assert "linear-gradient(to right,var(--t1) 0% 25%,var(--t2) 25% 50%" in page(found)


@given(
    st.text(st.characters(exclude_categories=("Cc", "Cs", "Cf")), max_size=40), st.integers(0, 30)
)
def test_the_text_comes_out_as_it_went_in(text, step):
    found = cut_of(text, step)
    assert "\n".join(read(page(found)).lines) == text
    assert "\n".join(read(fragment(found)).lines) == text
    told = {
        token for _, pieces, _ in pieces_of(found) for piece in pieces for token in piece.tokens
    }
    wide = {k for k, (a, b) in enumerate(zip(found.starts, found.ends, strict=True)) if b > a}
    assert wide - told <= {
        k for k in wide if "\n" in text[int(found.starts[k]) : int(found.ends[k])]
    }
