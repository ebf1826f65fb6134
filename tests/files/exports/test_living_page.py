"""A run as a page: it shows what the run is at each step, its readers type and train, and nothing
in it gets out.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import bpe_studio as bpe
from bpe_studio.errors import SaveError
from bpe_studio.explain.candidates import list_candidates
from bpe_studio.files.exports import living_page as page_module
from bpe_studio.files.exports.living_page import PageView, living_page

CORPUS = (
    "low lower newest widest سلام دنیا می‌خواهم 👨‍👩‍👧 日本語 " * 9
    + "the end of the low lower words"
)
TYPED = "lower\nمی‌خواهم the 👨‍👩‍👧!\n日本 zebra\té"
HOSTILE = (
    "</script><script>alert(1)</script> <!-- \" ' & \u2028\u2029 \x00 \ud83d \udc80 {{script}} ]]>"
    " \\ low"
)


def _run(corpus: str = CORPUS, **options: Any) -> bpe.Run:
    config = bpe.TrainingConfig.preset(**{"merges": 60, **options})
    return bpe.train(bpe.Corpus.from_text(corpus, config), config)


@pytest.fixture(scope="module")
def run() -> bpe.Run:
    return _run()


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


def _data(page: bytes) -> dict[str, Any]:
    ((_, text),) = [
        each for each in _Reader(page.decode("utf-8")).scripts if each[0].get("id") == "data"
    ]
    return json.loads(text)


def _policy(page: str) -> str:
    return html.unescape(re.search('Content-Security-Policy" content="([^"]*)"', page)[1])


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


_DRIVER = """
const say = [], by = (id) => document.getElementById(id);
addEventListener("error", (event) => say.push(event.message));
addEventListener("unhandledrejection", (event) => say.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => say.push(event.violatedDirective + " " + event.blockedURI));
const type = (id, text) => { by(id).value = text; by(id).dispatchEvent(new Event("input", { bubbles: true })); };
const choose = (id, value) => { by(id).value = value; by(id).dispatchEvent(new Event("change", { bubbles: true })); };
const paste = (id, text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  by(id).dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
};
const key = (name) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
let saved = null;
URL.createObjectURL = (file) => { saved = file.text(); return "#"; };
const save = async (name) => {
  by("lesson-save").click();
  by("student").value = name;
  by("saving-form").requestSubmit();
  return saved;
};
const texts = (selector) => Array.from(document.querySelectorAll(selector), (node) => node.textContent);
// Timers run ahead of a worker, as their time is not the clock's; messages do not.
const { port1, port2 } = new MessageChannel();
const soon = () => new Promise((resume) => { port1.onmessage = resume; port2.postMessage(0); });
const until = async (done) => { for (let k = 0; k < 300000 && !done(); k++) await soon(); };
addEventListener("load", async () => {
  const found = await (async () => { SCRIPT })().catch((error) => say.push(String(error)));
  const node = document.createElement("pre");
  node.id = "found";
  node.textContent = JSON.stringify({ found, say });
  document.body.append(node);
});
"""


@cache
def browser() -> str:
    """Chromium, by whatever name it is installed; without it, the test is skipped, and fails where
    changes are checked.
    """
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        path = shutil.which(name)
        if path is not None:
            return path
    is_needed = sys.platform == "linux" and "BPE_STUDIO_SKIPS_NOTHING" in os.environ
    assert not is_needed, "Chromium is not installed"
    pytest.skip("Chromium is not installed")


def in_browser(folder: Path, page: bytes, script: str, address: str = "") -> Any:
    """What a script returns that does in a browser what a reader does.

    The address is what stands behind the page's own, such as "#step=3".

    The page's policy holds for everything else.
    """
    chromium = browser()
    driver = _DRIVER.replace("SCRIPT", script)
    text = page.decode("utf-8").replace(
        "script-src ", f"script-src {html.escape(_hash(driver))} ", 1
    )
    (folder / "page.html").write_text(
        text.replace("<style>", f"<script>{driver}</script><style>", 1), encoding="utf-8"
    )
    command = [
        chromium,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--window-size=1366,768",
        f"--user-data-dir={folder / 'profile'}",
    ]
    command += ["--virtual-time-budget=60000", "--dump-dom"]
    command.append((folder / "page.html").as_uri() + address)
    shown = subprocess.run(
        command, capture_output=True, encoding="utf-8", timeout=120, check=True
    ).stdout
    answer = re.search(r'<pre id="found">(.*?)</pre>', shown, re.DOTALL)
    assert answer is not None, shown[-500:]
    outcome = json.loads(html.unescape(answer[1]))
    assert outcome["say"] == []
    return outcome["found"]


_STEPS = """
by("apart").click();
key("End");
const steps = [], edits = EDITS.map((text) => {
  type("typed", text);
  return [by("text").textContent, parseInt(by("text-tokens").textContent), by("text").children.length];
});
key("Home");
for (;;) {
  const ids = texts("#tokens .num").map((id) => id === "" ? null : Number(id));
  steps.push({ ids, step: document.documentElement.dataset.step, text: by("text").textContent });
  if (by("next").disabled) return [edits, steps];
  key("ArrowRight");
}
"""


@pytest.mark.parametrize(
    "name", ["gpt2", "textbook", "sennrich", "subword-nmt", "sentencepiece", "llama2"]
)
def test_typed_text_is_cut_as_the_run_cuts_it_at_each_step(tmp_path: Path, name: str) -> None:
    run = _run(name=name, merges=30)
    page = living_page(run, PageView("x"))
    many = "low lower newest " * 20 + TYPED
    last = len(run.merges)
    typed = [
        many,
        many.replace("\n", "w"),
        f"{many}\n{many}",
        f"{many[:99]}\n{many[140:]}",
        many,
        TYPED,
    ]
    edits, steps = in_browser(tmp_path, page, _STEPS.replace("EDITS", json.dumps(typed)))
    assert edits == [
        [text, len(run.live(text).tokens(last).ids), text.count("\n") + 1] for text in typed
    ]
    assert [int(each["step"]) for each in steps] == list(range(len(run.merges) + 1))
    for each in steps:
        step = int(each["step"])
        live = run.live(TYPED)
        unknown = run.config.unknown and run.config.all_special.index(run.config.unknown)
        ids = [
            run.external_id(t, step) if t >= 0 else unknown for t in live.tokens(step).ids.tolist()
        ]
        assert each["ids"] == ids, (step, each["text"])
        assert each["text"] == TYPED


def test_a_reader_trains_a_text_of_their_own(tmp_path: Path, run: bpe.Run) -> None:
    script = f"""
    by("train").click();
    by("start").click();
    const refused = by("training-note").textContent;
    choose("option-preset", "textbook");
    by("option-merges").value = 12;
    choose("option-ties", "sentencepiece");
    type("corpus", {json.dumps(CORPUS)});
    by("start").click();
    await until(() => !by("training").open);
    key("End");
    const seen = {{ step: by("step").textContent, rows: texts("#rows .row > span:nth-child(2)"), refused }};
    by("return").click();
    return {{ ...seen, back: by("title").textContent }};
    """
    found = in_browser(tmp_path, living_page(run, PageView("first")), script)
    config = bpe.TrainingConfig.preset("textbook", merges=12, ties="sentencepiece")
    own = bpe.train(bpe.Corpus.from_text(CORPUS, config), config)
    assert found["rows"] == [
        f"{merge.left} + {merge.right} → {merge.token}" for merge in own.merges
    ]
    assert found["step"] == "Step 12 of 12"
    assert found["refused"] and found["back"] == "first"


def test_a_reader_guesses_the_next_pairs(tmp_path: Path) -> None:
    script = """
    const choices = () => Array.from(document.querySelectorAll("#lesson-choices .guess"));
    const isShown = (id) => by(id).getClientRects().length > 0;
    const pair = (choice) => choice.textContent.replace(/^\\S+ +|[\u2068\u2069]| +[(].*$/g, "");
    by("game").click();
    document.querySelector("#lesson-choices .hint").click();
    const rounds = [{ hint: choices()[0].textContent, others: choices().slice(1).map((choice) => choice.textContent) }];
    for (;;) {
      const isCovered = (id) => by(id).matches(".covered");
      const hidden = ["coming-part", "candidates-part"].every(isCovered) && !document.querySelector("#skyline .later, .row.later");
      const offered = choices().map(pair);
      choices()[0].click();
      const right = pair(choices().find((choice) => choice.classList.contains("answer")));
      const verdict = by("lesson-verdict").textContent[0], score = parseInt(by("lesson-score").textContent);
      rounds.push({ hidden, offered, right, verdict, score, words: texts(".word bdi:not(.chip)").length });
      if (by("lesson-next").textContent !== "Next") break;
      by("lesson-next").click();
    }
    const results = await save("Ada");
    by("lesson-back").click();
    return { rounds, results, isBack: isShown("merge") && !isShown("lesson") };
    """
    run = _run(
        "hug " * 10 + "pug " * 5 + "pun " * 12 + "bun " * 4 + "hugs " * 5, name="textbook", merges=5
    )
    found = in_browser(tmp_path, living_page(run, PageView("x")), script)
    hint = found["rounds"].pop(0)
    assert " times)" in hint["hint"] and not any("time" in other for other in hint["others"])
    assert [each["right"] for each in found["rounds"]] == [
        f"{merge.left} + {merge.right}" for merge in run.merges
    ]
    score = 0
    for hints, each in zip((1, 0, 0, 0, 0), found["rounds"], strict=True):
        assert each["hidden"] and each["right"] in each["offered"] and each["words"] == 5
        score += {"✓": 2, "≈": 1, "✗": 0}[each["verdict"]] * (5 - hints)
        assert (each["verdict"] == "✓") == (each["offered"][0] == each["right"]) and each[
            "score"
        ] == score
    results = json.loads(found["results"])
    assert (results["name"], results["lesson"], results["score"], results["out_of"]) == (
        "Ada",
        "game",
        score,
        100,
    )
    given = [
        ((each["offered"][0],), each["right"], each["verdict"] == "✓") for each in found["rounds"]
    ]
    assert [
        (tuple(each["given"]), each["answer"], each["right"]) for each in results["answers"]
    ] == given
    assert found["isBack"]


@pytest.mark.parametrize(
    ("pasted", "said", "step"),
    [
        ("u g\nu + n", "first 2 merges", 3),
        ("#version: 0.2\nu g\nh u", "Merge 2 should be u + n, which occurs 16 times", 1),
        ("[('u', 'g'), ('u', 'n'), ('p', 'un')]", "p + un occurs 12 times", 2),
        ('{("u","g"): 256, ("q","n"): 257}', "nowhere neighbours", 1),
        ("u g\nu n\nh ug\np un", "one too many", 3),
        (" \n", "Paste merges", 3),
    ],
)
def test_the_first_wrong_one_of_pasted_merges_is_said(
    tmp_path: Path, pasted: str, said: str, step: int
) -> None:
    words = "hug " * 10 + "pug " * 5 + "pun " * 12 + "bun " * 4 + "hugs " * 5
    page = living_page(_run(words, name="textbook", merges=3), PageView("x", "hug", 3))
    script = f"""
    by("check").click();
    by("checked").value = {json.dumps(pasted)};
    by("checking-form").requestSubmit();
    return [by("checking-note").textContent, Number(document.documentElement.dataset.step)];
    """
    note, at = in_browser(tmp_path, page, script)
    assert said in re.sub("[\u2068\u2069]", "", note) and at == step


def test_neighbours_never_share_a_colour(tmp_path: Path) -> None:
    script = """
    type("typed", "hmmm hmmmm " + "mm".repeat(90) + "\\nmmhm " + "hmm hm ".repeat(60));
    const found = [];
    for (;;) {
      const colours = Array.from(document.querySelectorAll("#text .t"), (node) => /c[0-5]/.exec(node.className)[0]);
      found.push(colours.length > 9 && colours.every((colour, k) => colour !== colours[k - 1]));
      const chips = Array.from(document.querySelectorAll(".word"), (word) => Array.from(word.querySelectorAll(".chip"), (node) => /c[0-5]/.exec(node.className)[0]));
      found.push(chips.length > 1 && chips.every((each) => each.every((colour, k) => colour !== each[k - 1])));
      if (by("next").disabled) return found;
      key("ArrowRight");
    }
    """
    run = _run("hmmm " * 9 + "hmmmm " * 5 + "ham", name="textbook", split="whitespace", merges=5)
    found = in_browser(tmp_path, living_page(run, PageView("x", "hm")), script)
    assert found and all(found)


def test_the_address_names_a_text_and_a_step(tmp_path: Path, run: bpe.Run) -> None:
    script = """
    const seen = () => [by("typed").value, Number(document.documentElement.dataset.step), by("text-note").textContent];
    const found = [seen()];
    for (const address of ["#text=low%20%3Cb%3E%26&step=9", "#step=900", "#step=x&text=%E0%A4%A", "#text=" + "a".repeat(1000000)]) {
      const arrived = new Promise((resume) => addEventListener("hashchange", resume, { once: true }));
      location.hash = address;
      await arrived;
      found.push(seen());
    }
    return [...found, document.querySelectorAll("#text b").length, by("blocked") === null];
    """
    page = living_page(run, PageView("x", "first", 2))
    found = in_browser(tmp_path, page, script, "#embed&text=new&step=3")
    first, both, beyond, broken, long, n_bold, is_alive = found
    assert (first, both) == (["new", 3, ""], ["low <b>&", 9, ""])
    assert beyond[:2] == ["low <b>&", 60] and "900" in beyond[2]
    assert broken[:2] == ["low <b>&", 60] and broken[2]
    assert long[:2] == ["low <b>&", 60] and "1,000,000" in long[2]
    assert n_bold == 0 and is_alive


def test_an_embedded_page_has_no_header_and_can_be_played(tmp_path: Path, run: bpe.Run) -> None:
    script = """
    by("next").click();
    const isShown = (id) => by(id).getClientRects().length > 0;
    return [isShown("title"), isShown("lists"), isShown("play"), isShown("text"), document.documentElement.dataset.step];
    """
    found = in_browser(tmp_path, living_page(run, PageView("x", "low")), script, "#embed")
    assert found == [False, False, True, True, "1"]


def test_a_page_plays_its_first_merges_and_asks_for_the_next_pair(
    tmp_path: Path, run: bpe.Run
) -> None:
    script = """
    const first = [by("typed").value, by("about").textContent];
    await new Promise((resume) => setTimeout(resume, 9000));
    const asked = [document.documentElement.dataset.step, document.querySelectorAll("#lesson-choices .guess").length];
    document.querySelector("#lesson-choices .guess").click();
    by("lesson-next").click();
    return [...first, ...asked, by("about").textContent, document.activeElement.id, by("lesson").hidden];
    """
    text, about, step, n_choices, then, focused, is_over = in_browser(
        tmp_path, living_page(run, PageView("x")), script
    )
    assert text.startswith("low") and about and (step, n_choices) == ("4", 4)
    assert then != about and (focused, is_over) == ("typed", True)


def test_whatever_a_reader_does_ends_the_beginning(tmp_path: Path, run: bpe.Run) -> None:
    script = """
    await new Promise((resume) => setTimeout(resume, 2500));
    type("typed", "mine");
    const at = document.documentElement.dataset.step;
    await new Promise((resume) => setTimeout(resume, 9000));
    return [at === document.documentElement.dataset.step, by("typed").value, by("lesson").hidden];
    """
    assert in_browser(tmp_path, living_page(run, PageView("x")), script) == [True, "mine", True]


@pytest.mark.parametrize("name", ["textbook", "sentencepiece"])
def test_the_skyline_is_saved_and_unknown_characters_are_named(tmp_path: Path, name: str) -> None:
    script = """
    type("typed", "low \\u0000\\ufeffzq <b>&");
    const drawn = by("skyline").innerHTML;
    by("picture").click();
    let picture = null;
    saved.then((content) => { picture = content; });
    await until(() => picture !== null);
    return [by("unknown").textContent, drawn, picture];
    """
    run = _run(name=name, merges=20)
    unknown, drawn, picture = in_browser(tmp_path, living_page(run, PageView("x", "low")), script)
    named = re.sub("[\u2068\u2069]", "", unknown)
    assert "q" in named and "b" in named and "l" not in named
    assert not re.search("Infinity|NaN", drawn + picture)
    root = ElementTree.fromstring(picture)
    assert "low" in "".join(root.itertext()) and "var(" not in picture and "class" not in picture


def test_the_text_is_shown_in_the_tokenizers_that_stand_beside_the_run(
    tmp_path: Path, run: bpe.Run
) -> None:
    other = _run("low lower newest widest", name="textbook", merges=4).tokenizer()
    script = """
    const rows = () => Array.from(by("others").children, (row) => [row.children[0].textContent, Number(row.children[1].textContent), Array.from(row.querySelectorAll(".chip"), (chip) => chip.textContent).join(" ")]);
    await until(() => by("others").children.length === 2);
    const first = rows();
    type("typed", "newest zebra");
    key("End");
    await until(() => rows()[1][2].startsWith("n"));
    return [first, rows(), by("others-note").hidden];
    """
    page = bpe.page(run, "lower", beside={"small <b>": other}).content
    first, then, is_well = in_browser(tmp_path, page, script)
    assert first[1] == ["small <b>", len(other.encode("lower").ids), "low e r"]
    assert then[0][1] == len(run.tokenizer().encode("newest zebra").ids)
    expected = other.encode("newest zebra").tokens
    assert then[1] == ["small <b>", len(expected), " ".join(expected)] and is_well


def test_no_printed_page_is_blank(tmp_path: Path) -> None:
    chromium = browser()
    run = _run(CORPUS + " ".join(map(str, range(2000))), merges=400)
    living = tmp_path / "page.html"
    living.write_bytes(living_page(run, PageView("x", "low", 100)))
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=4000"]
    printed = tmp_path / "page.pdf"
    command += [f"--print-to-pdf={printed}", "--no-pdf-header-footer", living.as_uri()]
    subprocess.run(command, capture_output=True, timeout=120, check=True)
    content = printed.read_bytes()
    objects = {
        int(n): part for n, part in re.findall(rb"(\d+) 0 obj(.*?)endobj", content, re.DOTALL)
    }
    pages = [part for part in objects.values() if re.search(rb"/Type\s*/Page\b", part)]
    for page in pages:
        stream = objects[int(re.search(rb"/Contents (\d+) 0 R", page)[1])]
        drawn = zlib.decompress(re.search(rb"stream\r?\n(.*)endstream", stream, re.DOTALL)[1])
        assert re.search(rb"\bT[jJ]\b", drawn)
    assert 1 < len(pages) < 6


def test_what_the_page_cannot_take_is_refused_with_a_sentence(tmp_path: Path) -> None:
    script = """
    const much = "ten megabytes ".repeat(750000), notes = [], data = () => new DataTransfer();
    const drop = async (on, data) => {
      note.textContent = "";
      by(on).dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      await until(() => note.textContent);
      notes.push(note.textContent);
    };
    const dropFile = (on, name, content) => {
      const given = data();
      given.items.add(new File([content], name));
      return drop(on, given);
    };
    let note = by("text-note");
    paste("typed", much);
    notes.push(note.textContent);
    await dropFile("words", "image.png", new Uint8Array([137, 80, 255]));
    let nStopped = 0;
    window.Worker = class { postMessage() {} terminate() { nStopped++; } }; // as one that splits for ever
    const later = () => new Promise((resume) => setTimeout(resume, 4000));
    type("typed", "aaaaac");
    await later();
    notes.push(note.textContent);
    note = by("training-note");
    await dropFile("words", "long.txt", "سلام ".repeat(50000));
    paste("corpus", much);
    notes.push(note.textContent);
    const text = data();
    text.setData("text/plain", "dropped " + much);
    await drop("corpus", text);
    type("corpus", "aaaaac");
    by("start").click();
    await later();
    notes.push(note.textContent);
    by("cancel").click();
    const kept = [nStopped, by("typed").value, by("corpus").value];
    window.Worker = null;
    dropFile("words", "short.txt", "b\\r\\nab");
    await until(() => by("text").textContent === "b\\nab");
    return [notes, ...kept, by("typed").value];
    """
    run = _run("aab ab aaab", split="regex:(a+)+b|[^ab]+|a+|b", merges=3)
    notes, *kept = in_browser(tmp_path, living_page(run, PageView("x", "aab")), script)
    parts = ("10,500,000", "image.png", "3 seconds", "250,000", "10.5 MB", "10.5 MB", "3 seconds")
    assert [part for part, note in zip(parts, notes, strict=True) if part not in note] == []
    assert kept == [2, "aab", "aaaaac", "b\nab"]


def test_the_tables_of_a_step_are_those_of_the_run(tmp_path: Path, run: bpe.Run) -> None:
    script = """
    await new Promise((resume) => setTimeout(resume, 200));
    by("kind-vocabulary").click();
    type("filter", "low");
    return {
      reason: by("reason").textContent, candidates: texts("#candidates td:nth-child(2)"),
      growth: by("growth").textContent, vocabulary: texts("#rows bdi"),
      trees: document.querySelectorAll("#skyline svg").length,
    };
    """
    found = in_browser(tmp_path, living_page(run, PageView("x", "low newest", 20)), script)
    expected = list_candidates(run, 20, 8)
    assert found["reason"] == expected.reason
    assert found["candidates"] == [f"{row.count:,}" for row in expected.rows]
    names = [run.token_name(token).replace("Ġ", "␣") for token in run.ids_at(20)]
    assert found["vocabulary"] == [name for name in names if "low" in name]
    assert found["trees"] == 2 and f"{run.n_tokens_at(20):,}" in found["growth"]


def test_overrides_are_explained_as_in_the_program() -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=5, force=("l o",), clean=("urls",))
    run = bpe.train(bpe.Corpus.from_text(CORPUS, config), config)
    data = _data(living_page(run, PageView("x")))["run"]
    assert data["forced"] == [0] and "force" in data["whys"][data["why"][0]][0]


def test_a_hostile_text_neither_breaks_out_nor_is_lost(run: bpe.Run) -> None:
    hostile = _run((HOSTILE + " ") * 3, merges=20)
    page = living_page(hostile, PageView("</title><b>x\ud800", HOSTILE))
    read = _Reader(page.decode("utf-8"))
    assert read.tags == _Reader(living_page(run, PageView("x")).decode()).tags
    data = _data(page)
    assert data["view"]["text"] == HOSTILE
    words = [word.encode("utf-8", "surrogateescape") for word, _ in data["run"]["words"]]
    assert sorted(words) == sorted(
        hostile.corpus.pre_token_bytes(k) for k in range(len(hostile.corpus))
    )
    body = page.decode("utf-8").split('id="data">')[1].split("</script>")[0]
    assert not re.search("[<>&\u2028\u2029\x00]", body)


def test_the_page_loads_nothing_and_lets_only_its_own_scripts_run(run: bpe.Run) -> None:
    page = living_page(run, PageView("x")).decode("utf-8")
    read = _Reader(page)
    policy = _policy(page)
    assert "default-src 'none'" in policy and "unsafe" not in policy
    scripts = [text for attributes, text in read.scripts if "type" not in attributes]
    assert len(scripts) == 8 and all(_hash(source) in policy for source in (*scripts, *read.styles))
    assert {name for name, _ in read.attributes} & {
        "src",
        "href",
        "style",
        "onclick",
        "srcset",
    } == set()
    ids = [value for name, value in read.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert "://" not in page and not re.search(r"\burl\(", page)
    assert (
        "JavaScript" in page.split('id="blocked"')[1].split("</p>")[0]
    )  # until its script takes it out
    own = len(page.encode()) - len(json.dumps(_data(page.encode())["run"]))
    assert own < 1_000_000


def test_what_cannot_be_a_page_is_said(run: bpe.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SaveError, match="has none"):
        living_page(_run(merges=0), PageView("x"))
    with pytest.raises(SaveError, match="type fewer"):
        living_page(run, PageView("x", "x" * 200_001))
    monkeypatch.setattr(page_module, "MOST_BYTES", 20_000)
    with pytest.raises(SaveError, match="share fewer merges"):
        living_page(run, PageView("x"))


def test_a_notebook_shows_a_page_in_a_frame_of_its_own(tmp_path: Path, run: bpe.Run) -> None:
    page = bpe.page(run, "low", step=3, title="Mine")
    page.save(tmp_path / "mine.html")
    view = _data((tmp_path / "mine.html").read_bytes())["view"]
    assert (view["title"], view["text"], view["step"]) == ("Mine", "low", 3)
    (frame,) = re.findall('<iframe srcdoc="([^"]*)"', page._repr_html_())
    assert html.unescape(frame).encode("utf-8") == page.content
    assert len(_data(bpe.page(run.tokenizer()).content)["run"]["merges"]) == len(run.merges)
