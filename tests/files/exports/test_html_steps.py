"""A range of steps as a page: it cuts as the run does at each step, nothing in it gets out."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser

import pytest

import bpe_studio as bpe
from bpe_studio.errors import SaveError
from bpe_studio.files.exports import html_steps as page_module
from bpe_studio.files.exports.html_steps import page_data, paragraphs, steps_page
from bpe_studio.files.exports.step_range import take_step_range

CORPUS = "low lower newest widest سلام دنیا می‌خواهم 👨‍👩‍👧 日本語 " * 9 + "the end of the low lower words"
TYPED = "lower\nمی‌خواهم the 👨‍👩‍👧!\r\n日本 zebra\t\u2028 é"
HOSTILE = "</script><script>alert(1)</script> <!-- \" ' & \u2028\u2029 \x00 \ud83d \udc80 {{script}} ]]> \\ low"


def _run(**options: object) -> bpe.Run:
    config = bpe.TrainingConfig.preset(**{"merges": 60, **options})
    return bpe.train(bpe.Corpus.from_text(CORPUS, config), config)


@pytest.fixture(scope="module")
def run() -> bpe.Run:
    return _run()


def _name(run: bpe.Run):
    return lambda token: f"{token}:{run.token_name(token)}"


class _Reader(HTMLParser):
    """What a browser takes for the page's scripts, styles and markup."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.styles: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self._open = tag
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag):
        self._open = ""

    def handle_data(self, data):
        if self._open == "script":
            attributes, before = self.scripts[-1]
            self.scripts[-1] = attributes, before + data
        elif self._open == "style":
            self.styles.append(data)


def _data(page: bytes) -> dict:
    ((_, text),) = [each for each in _Reader(page.decode("utf-8")).scripts if each[0].get("id") == "data"]
    return json.loads(text)


def _cut(data: dict, pieces: dict, step: int) -> list[str]:
    """The names of the tokens at a step, as the page's script finds them, written anew."""
    found: list[str] = []
    highest = -1
    for name, gap in zip(pieces["ids"], pieces["gaps"], strict=True):
        if not found or gap == -1 or gap >= step:
            found.append(data["names"][name])
            highest = -1
        elif gap > highest:
            highest = gap
            found[-1] = data["names"][data["merges"]["token"][gap - data["first"]]]
    return found


@pytest.mark.parametrize(
    "options", [{}, {"name": "subword-nmt"}, {"name": "sentencepiece"}, {"name": "textbook"}], ids=str
)
@pytest.mark.parametrize(("first", "last"), [(0, 30), (7, 25), (12, 13)])
def test_the_page_cuts_as_the_run_does_at_each_step(options: dict, first: int, last: int) -> None:
    run = _run(**options)
    step_range = take_step_range(run, first, last, text=TYPED, n_words=200)
    data = page_data(step_range, _name(run))
    live = run.live(TYPED)
    known = {word["word"]: word for word in data["words"]}
    assert len(known) == len(run.corpus)
    for step in range(first, last + 1):
        named = [_name(run)(token) if token >= 0 else "unknown" for token in live.tokens(step).ids.tolist()]
        assert _cut(data, data["pieces"], step) == named
        table = run.words_at(step)
        for number in range(len(run.corpus)):
            word = known[run.corpus.pre_token_bytes(number).decode("utf-8", "surrogateescape")]
            assert _cut(data, word, step) == [_name(run)(token) for token in table.cut(number)]
            assert word["count"] == run.corpus.counts[number]
    for k, merge in enumerate(run.merges[first:last]):
        columns = data["merges"]
        assert data["names"][columns["token"][k]].split(":", 1)[1] == merge.token
        assert (columns["count"][k], columns["tied"][k], columns["tokens"][k]) == (
            merge.count, merge.tied, merge.n_tokens,
        )  # fmt: skip


def test_the_lines_hold_all_of_the_text_and_tear_no_grapheme(run: bpe.Run) -> None:
    step_range = take_step_range(run, 0, 30, text=TYPED)
    lines = paragraphs(TYPED, step_range.starts.tolist(), step_range.ends.tolist())
    n_units = len(TYPED.encode("utf-16-le")) // 2
    assert sum(each[0] for line in lines for each in line) == n_units
    assert len(lines) == TYPED.count("\n") + 1
    family = "👨‍👩‍👧"
    (shared,) = [each for line in lines for each in line if each[0] == len(family.encode("utf-16-le")) // 2]
    assert len(shared) > 3 and sum(shared[2::2]) == pytest.approx(1, abs=0.02)
    pieces = {piece for line in lines for each in line for piece in each[1::2]}
    assert pieces == set(range(len(step_range.pieces)))


def test_a_hostile_text_neither_breaks_out_nor_is_lost(run: bpe.Run) -> None:
    config = bpe.TrainingConfig.preset(merges=20)
    hostile = bpe.train(bpe.Corpus.from_text((HOSTILE + " ") * 3, config), config)
    step_range = take_step_range(hostile, 0, 20, text=HOSTILE, n_words=100, corpus_name="</title><b>x\ud800")
    page = steps_page(step_range, hostile.token_name)
    plain = _Reader(steps_page(take_step_range(run, 0, 20, text="low", n_words=5), run.token_name).decode())
    read = _Reader(page.decode("utf-8"))
    assert read.tags == plain.tags
    data = _data(page)
    assert data["text"] == HOSTILE
    words = [each["word"].encode("utf-8", "surrogateescape") for each in data["words"]]
    assert sorted(words) == sorted(hostile.corpus.pre_token_bytes(k) for k in range(len(hostile.corpus)))
    body = page.decode("utf-8").split('id="data">')[1].split("</script>")[0]
    assert not re.search("[<>&\u2028\u2029\x00]", body)


def test_the_page_loads_nothing_and_lets_only_its_own_script_run(run: bpe.Run) -> None:
    page = steps_page(take_step_range(run, 0, 20, text="low"), run.token_name, "dark").decode("utf-8")
    read = _Reader(page)
    policy = html.unescape(re.search('Content-Security-Policy" content="([^"]*)"', page)[1])
    assert "default-src 'none'" in policy and "unsafe" not in policy
    (script,) = [text for attributes, text in read.scripts if not attributes]
    for source in (script, read.styles[0]):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert {name for name, _ in read.attributes} & {"src", "href", "style", "onclick", "srcset"} == set()
    assert "://" not in page and "url(" not in page
    assert ("data-theme", "dark") in read.attributes


def test_what_cannot_be_exported_is_said(run: bpe.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for first, last in ((5, 5), (-1, 4), (3, 2), (0, 61)):
        with pytest.raises(SaveError, match="no merge between step"):
            take_step_range(run, first, last)
    with pytest.raises(SaveError, match="type fewer"):
        take_step_range(run, 0, 1, text="x" * 200_001)
    monkeypatch.setattr(page_module, "MOST_BYTES", 20_000)
    with pytest.raises(SaveError, match="export fewer merges"):
        steps_page(take_step_range(run, 0, 50, text=TYPED, n_words=100), run.token_name)
