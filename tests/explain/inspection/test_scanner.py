"""The scanner finds what the definition finds, with the same places, however the text is divided
into pieces.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import random

import ftfy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.engine.text.cleaning import without_mojibake
from bpe_studio.explain.inspection.scanner import Scanner
from tests.examples import examples
from tests.explain.inspection.twin import found_in

CLEAN = {
    "Latin": "Voilà l’été : « Où est le cœur ? » Ελλάδα, Привет, don’t – naïve façade ½ №5…\nÅngström, œuvre.\n",
    "Persian": "می‌خواهم کتاب‌ها را بخوانم. این یک متن فارسی است؛ ۱۲۳ نفر آمدند.\nگفت: «بله»\n",
    "Arabic": "هذا كتابٌ جميلٌ، والقراءةُ مفيدةٌ. ١٢٣\n",
    "Hindi": "यह हिन्दी में लिखा हुआ पाठ है। क्षत्रिय\n",
    "CJK": "これはPythonのテストです。東京タワー、ＡＢＣ。中文文本，没有问题！한국어는 LG가 만들었다。\n",
    "emoji": "👩‍👩‍👧‍👦 ❤️ 🏳️‍🌈 👍🏽 🇩🇪 1️⃣ ok 🫨\n",
    "units": "a resistor of 10 kΩ or 5 MΩ, after 3 μs or 2 µs; /θɪŋk/, [ˈkaβa], Bach: [baχ]. Βέβαια, χθες: Ω.\n",
    "code": "def f(x):\n\treturn {'a': [1, 2]}  # Internationalization/LocalizationOfTheProgramsManual\n",
}
PARTS = [
    *CLEAN.values(),
    " ",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "a",
    "б",
    "раypal",
    "αβ",
    "аb1",
    "x\u0301б",
    "e\u0301",
    "\u0301",
    "\u0323\u0307",
    "\u0307\u0323",
    "q\u0307\u0323",
    "\u212b",
    "\u1100\u1161",
    "\ufb01",
    "\ufee1",
    "\ufdf2",
    "\u0640",
    "\u064a",
    "\u06cc",
    "\u0643",
    "\u06a9",
    "\u200b",
    "\u2060",
    "\ufeff",
    "\ufffd",
    "\udc80",
    "\udcff",
    "\x00",
    "\x7f",
    "\x85",
    "\xad",
    "\xa0",
    "\u202f",
    "\u200e",
    "\u2066",
    "\u2028",
    "\ue000",
    "\U0010fffd",
    "\u0378",
    "\U000e0080",
    "-" * 19,
    "-" * 20,
    "=" * 45,
    "é" * 20,
    " " * 30,
    "\u3000" * 25,
    "http://x.y/z",
    "ftp://",
    "://",
    "<|endoftext|>",
    "<s>",
    "</s>",
    "[MASK]",
    "<|im_start",
    "the same line, which is longer than forty characters\n",
    "eine Zeile, die länger als vierzig Zeichen ist, ja\r\n",
    hashlib.md5(b"").hexdigest(),
    hashlib.sha256(b"a").hexdigest(),
    base64.b64encode(random.Random(1).randbytes(60)).decode(),
    "Aa0" * 20,
    "x" * 31,
    "0123456789abcdef" * 2,
    "Ещё её, её. Пі ні ає «слово» е…",
    "—" * 19,
    "。" * 20,
    "χoλή",
    "kλ",
    "12б",
    "x_б",
    "μм",
    "the quick brown fox jumped over a lazy dog and went home " * 4,
    "быстрая лиса пошла домой спать " * 6,
    "文本，" * 50,
]
texts = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


def scanned(documents: list[str], cuts: list[int], specials: tuple[str, ...] = ()) -> Scanner:
    """A scanner that was fed with the documents in pieces."""
    scanner = Scanner(specials)
    scanner.begin_file("f")
    encoded = [document.encode("utf-8", "surrogatepass") for document in documents]
    content = b"".join(encoded)
    ends = [len(b"".join(encoded[: i + 1])) for i in range(len(encoded))]
    borders = sorted({0, len(content), *(cut % (len(content) + 1) for cut in cuts)})
    borders = [each for each in borders if each == len(content) or content[each] & 0xC0 != 0x80]
    low = 0
    for high in borders[1:] or [0]:
        scanner.feed(
            content[low:high], [end - low for end in ends if low < end <= high or end == low == 0]
        )
        low = high
    scanner.finish()
    return scanner


def counts_and_places(scanner: Scanner) -> dict[str, list[tuple[int, int]]]:
    found = {}
    for name, count in scanner.counts.items():
        if count and name != "mojibake":
            places = [(place.line, place.column) for place in scanner.places.get(name, [])]
            found[name] = places + [(0, 0)] * (count - len(places))
    return found


def same(scanner: Scanner, documents: list[str], specials: tuple[str, ...] = ()) -> None:
    expected = found_in(documents, specials)
    found = counts_and_places(scanner)
    assert {name: len(places) for name, places in found.items()} == {
        name: len(places) for name, places in expected.items()
    }
    for name, places in found.items():
        if name in ("mixed_yeh", "mixed_kaf", "boilerplate_lines"):
            # One place of each document, and of each line, is kept.
            assert {place for place in places if place != (0, 0)} <= set(expected[name])
        else:
            assert sorted(places) == sorted(expected[name]), name


@settings(max_examples=examples(40))
@given(st.lists(texts, min_size=1, max_size=4), st.lists(st.integers(0, 10_000), max_size=6))
def test_the_scanner_finds_what_the_definition_finds(documents: list[str], cuts: list[int]) -> None:
    scanner = scanned(documents, cuts)
    same(scanner, documents)
    assert scanner.n_documents == len(documents)
    assert scanner.n_bytes == sum(
        len(document.encode("utf-8", "surrogateescape")) for document in documents
    )


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_text_has_no_finding(name: str) -> None:
    scanner = scanned([CLEAN[name]], [])
    assert not +scanner.counts


@pytest.mark.parametrize("name", CLEAN)
def test_planted_dirt_is_counted_exactly(name: str) -> None:
    # A long clean text, so that pages, notes and tables of hashes run out in the middle.
    random_ = random.Random(name)
    lines = [f"{number} {line}" for number in range(3000) for line in CLEAN[name].splitlines()]
    planted = {
        "\ufffd": "replacement_character",
        "\u200b": "zero_width",
        "\xad": "soft_hyphen",
        "\x07": "control_characters",
        " раypal ": "mixed_scripts",
        " \ue123": "private_use",
        "\u202e": "bidi_controls",
        "\xa0": "no_break_space",
    }
    expected = dict.fromkeys(planted.values(), 0)
    for dirt, finding in planted.items():
        expected[finding] = random_.randrange(1, 2500)
        for _ in range(expected[finding]):
            number = random_.randrange(len(lines))
            lines[number] = f"{lines[number]} {dirt}"
    scanner = scanned(["\n".join(lines)], [random_.randrange(10**6) for _ in range(5)])
    assert +scanner.counts == expected
    assert all(len(places) == min(1000, expected[name]) for name, places in scanner.places.items())


def test_the_text_around_each_place() -> None:
    long = "x " * 100
    scanner = scanned([f"a\u200b\n{long}\u200b{long}", "\u200b", "\n\nöäü \u200b"], [3])
    assert scanner.excerpts["zero_width"] == [
        "a\u200b",
        "…" + "x " * 6 + "\u200b" + "x " * 33 + "x…",
        "\u200b",
        "öäü \u200b",
    ]


def test_the_scripts_of_each_tenth() -> None:
    shares = scanned(["latin " * 10_000 + "кириллица " * 6000], []).script_shares()
    assert len(shares) == 10
    assert [next(iter(tenth)) for tenth in shares] == ["Latin"] * 5 + ["Cyrillic"] * 5


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp1251", "mac-roman", "cp437"])
def test_what_ftfy_would_decode_again_is_looked_at(encoding: str) -> None:
    misread = []
    for text in (
        "don’t – “naïve” café à la carte",
        "Größe",
        "ещё «слово»",
        "日本語 のテスト",
        "ok 😀 ok",
        "می‌خواهم",
    ):
        for word in (text, *text.split()):
            with contextlib.suppress(UnicodeDecodeError):
                misread.append(word.encode().decode(encoding))
            misread.append(word.encode().decode(encoding, "replace"))
    lines = [line for line in misread if ftfy.fix_encoding(line) != line]
    assert len(lines) > 5
    scanner = scanned([f"{line}\n" for line in lines], [])
    assert scanner.counts["mojibake"] == len(lines)
    assert [without_mojibake(line) for line in lines] == [ftfy.fix_encoding(line) for line in lines]
