"""The engine of the living page gives the same words, merges, ties, reasons, tokens and ids as the
program's.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import regex

import bpe_studio as bpe
from bpe_studio.engine.options import OPTIONS, ROLES
from bpe_studio.engine.presets import NAMED_SPLITS, NORMALIZATIONS
from bpe_studio.engine.presets import PRESETS as ALL_PRESETS
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.text.unicode_scripts import HAN_SCRIPTS, OTHER_SCRIPTS
from bpe_studio.engine.tie_rules import TIES
from bpe_studio.errors import BpeError, SaveError, VocabularyError
from bpe_studio.explain.candidates import list_candidates
from bpe_studio.explain.names import display_name, display_text, in_sentence
from bpe_studio.files.exports.living_page_settings import run_json, settings_json, tables_json
from bpe_studio.files.samples import resources_folder
from tests.campaigns import texts
from tests.campaigns.engine import random_options
from tests.javascript import run_javascript

PRESETS = {
    name: preset
    for name, preset in ALL_PRESETS.items()
    if preset.values["superwords_from"] is None  # which a page refuses
}
ENGINE = resources_folder() / "living_page" / "engine.js"
TRAINED = """
const engine = bpeEngine(data.tables);
const looked = (run, { steps, samples }) => {
  const { encode } = engine.makeEncoder(run);
  return {
    words: run.words.map(({ piece, count }) => [piece, count]),
    merges: run.merges.map(({ left, right, token, count, tied, nTokens }) =>
      [run.name(left), run.name(right), run.name(token), count, tied, nTokens]),
    shown: run.merges.map(({ token }) => run.shown(token)),
    candidates: steps.map((step) => {
      const { rows, reason } = engine.candidates(run, step, 8);
      const shown = ({ left, right, count, tied, mark, obstacle }) =>
        [run.shown(left), run.shown(right), count, tied, mark, obstacle];
      return [rows.map(shown), reason];
    }),
    ids: samples.map((text) => steps.map((step) => {
      const ids = encode(text).flatMap((word) => engine.cut(word, step, run).map(({ token }) => run.id(token, step)));
      return ids.includes(null) ? null : ids;
    })),
  };
};
return data.cases.map((item) => {
  try {
    if (item.run) return looked(engine.openRun(item.run), item);
    const trainer = engine.makeTrainer(item.text, item.settings);
    while (trainer.step());
    return { ...looked(trainer, item), stopReason: trainer.stopReason };
  } catch (error) {
    if (error.constructor !== Error) return { failed: error.stack };
    return { refused: error.message };
  }
});
"""
_ALPHABETS: tuple[dict[str, Any], ...] = (
    *({},) * 8,
    {"character_coverage": 0.8, "unknown": "<unk>", "full_alphabet": False},
    {
        "character_coverage": 0.97,
        "units": "characters",
        "byte_fallback": True,
        "full_alphabet": False,
    },
)


_tables = cache(tables_json)


def _javascript(folder: Path, script: str, **data: Any) -> Any:
    return run_javascript(folder, ENGINE.read_text("utf-8"), script, {"tables": _tables(), **data})


class Case:
    """Random options and texts: every split with every tie rule, 72 in all, and again with other
    options.

    Attributes:
        given: what the page gets.
        expected: what the program makes of it.
    """

    def __init__(self, seed: int) -> None:
        rng = random.Random(f"living page {seed}")
        settings = None
        while settings is None:
            options = {
                **random_options(rng),
                "ties": TIES[seed % len(TIES)],
                "clean": (),
            } | rng.choice(_ALPHABETS)
            if not options["split"].startswith("regex:"):
                options["split"] = NAMED_SPLITS[seed // len(TIES) % len(NAMED_SPLITS)]
            try:
                self.config = bpe.TrainingConfig.preset("raw", **{"vocab_size": None, **options})
                settings = settings_json(self.config)
            except BpeError:
                continue
        is_opened = seed % 4 == 3  # bytes that are no text reach a page only in the words of a run
        self.text = texts.text(rng, rng.choice((0, 1, 4, 14, 20, 40, 90)), strays=0.2 * is_opened)
        samples = [
            texts.text(rng, 9, strays=0),
            texts.text(rng, 9, strays=0) if is_opened else self.text,
        ]
        self.given = {"settings": settings, "text": self.text, "samples": samples, "steps": []}
        try:
            run = bpe.train(bpe.Corpus.from_text(self.text, self.config), self.config)
        except BpeError as error:
            self.expected: dict[str, Any] = {"refused": str(error)}
            return
        n = len(run.merges)
        self.given["steps"] = sorted({0, rng.randint(0, n), n})
        if is_opened:
            self.given["run"] = run_json(run)
        self.expected = _looked(run, self.given["steps"], self.given["samples"])

    def fault(self, found: dict[str, Any]) -> str:
        """What differs, or nothing."""
        if "special token" in self.expected.get("refused", ""):
            return ""  # the page trains all the same, and never merges into the special token
        if "refused" in self.expected:
            return (
                ""
                if "refused" in found
                else f"{self.config}\n{self.text!r}\n{self.expected} instead of {found}"
            )
        for name, value in self.expected.items():
            if found.get(name) != value:
                return f"{self.config}\n{self.text!r}\n{name}:\n{found.get(name, found)}\ninstead of\n{value}"
        return ""


def _looked(run: bpe.Run, steps: list[int], samples: list[str]) -> dict[str, Any]:
    candidates = [list_candidates(run, step, 8) for step in steps]
    return {
        "words": list(
            map(list, zip(run.corpus.pre_tokens(), run.corpus.counts.tolist(), strict=True))
        ),
        "merges": [[m.left, m.right, m.token, m.count, m.tied, m.n_tokens] for m in run.merges],
        "shown": [display_name(run, run.token_of(rank)) for rank in range(len(run.merges))],
        "candidates": [
            [
                [
                    [row.left, row.right, row.count, row.tied, row.mark, row.obstacle]
                    for row in found.rows
                ],
                found.reason,
            ]
            for found in candidates
        ],
        "ids": [[_ids(run, text, step) for step in steps] for text in samples],
    }


def _ids(run: bpe.Run, text: str, step: int) -> list[int] | None:
    try:
        return run.tokenizer(step).encode(text, recognize_special=False).ids
    except VocabularyError:
        return None


def _faults(folder: Path, seeds: range) -> list[str]:
    cases = [Case(seed) for seed in seeds]
    found = _javascript(folder, TRAINED, cases=[case.given for case in cases])
    faults = [case.fault(one) for case, one in zip(cases, found, strict=True)]
    return [f"seed {seed}: {fault}" for seed, fault in zip(seeds, faults, strict=True) if fault]


def test_a_training_with_each_split_and_tie_rule_equals_the_engine(tmp_path: Path) -> None:
    faults = _faults(tmp_path, range(len(TIES) * len(NAMED_SPLITS)))
    assert not faults, f"{len(faults)} differ\n" + "\n\n".join(faults[:3])


@pytest.mark.slow(buys="three times as many trainings, with other options and texts")
def test_many_trainings_equal_the_engine(tmp_path: Path) -> None:
    faults = _faults(tmp_path, range(1000, 1180))
    assert not faults, f"{len(faults)} differ\n" + "\n\n".join(faults[:3])


ENCODED = """
const engine = bpeEngine(data.tables);
return data.runs.map(({ settings, text }) => {
  const run = engine.makeTrainer(text, settings), { encode } = engine.makeEncoder(run);
  while (run.step());
  const step = run.merges.length, ids = (word) => engine.cut(word, step, run).map(({ token }) => run.id(token, step));
  return data.strings.map((string) => encode(string).flatMap(ids));
});
"""


@cache
def _letters() -> list[list[str]]:
    """The letters of each script."""
    every = "".join(map(chr, range(0xD800))) + "".join(map(chr, range(0xE000, 0x110000)))
    return [
        regex.findall(rf"\p{{Script={name}}}", every) for name in (*HAN_SCRIPTS, *OTHER_SCRIPTS)
    ]


def _strings(rng: random.Random, n: int) -> list[str]:
    """Strings in each of 102 scripts, one after the other, with white space, digits and punctuation
    between.
    """
    letters = _letters()
    found = []
    for number in range(n):
        own = letters[number % len(letters)]
        begin = rng.randrange(max(1, len(own) - 40))
        near = [*own[begin : begin + 40], rng.choice(own), *"  \n1'-"]
        end = rng.choice(("", "'ll", " 12345", "\r\n\t", "\u0301", "\u3000"))
        found.append("".join(rng.choices(near, k=rng.randint(1, 24))) + end)
    return found


def test_ids_in_every_script_equal_the_engine(tmp_path: Path) -> None:
    rng = random.Random(306)
    strings = _strings(rng, 306)
    text = "\n".join(_strings(rng, 2000))
    runs = []
    expected = []
    for name in PRESETS:
        unknown = (
            None
            if PRESETS[name].values["units"] == "bytes"
            else PRESETS[name].values["unknown"] or "[UNK]"
        )
        config = bpe.TrainingConfig.preset(name, merges=400, unknown=unknown)
        run = bpe.train(bpe.Corpus.from_text(text, config), config)
        runs.append({"settings": settings_json(config), "text": text})
        expected.append(run.tokenizer().encode_many(strings))
    found = _javascript(tmp_path, ENCODED, runs=runs, strings=strings)
    for name, ours, theirs in zip(PRESETS, expected, found, strict=True):
        wrong = [
            place
            for place, (one, other) in enumerate(zip(ours, theirs, strict=True))
            if one != other
        ]
        assert not wrong, f"{name}: {len(wrong)} differ, such as {strings[wrong[0]]!r}"


CHARACTERS = """
const engine = bpeEngine(data.tables), changed = {};
for (const name of data.names) {
  changed[name] = [];
  for (const code of data.codes) {
    const text = "a" + String.fromCodePoint(code) + "b", found = engine.normalize(text, { normalize: [name] });
    if (found !== text) changed[name].push([code, found]);
  }
}
const alphabet = data.codes.map((code) => 4 * code);
const run = engine.openRun({ settings: data.settings, alphabet, merges: [], passed: [], nTokens: 0, words: [] });
return { changed, shown: alphabet.map((_, token) => engine.inSentence(run.shown(token))) };
"""


@pytest.mark.slow(buys="every code point of the basic plane, and some of the others")
def test_each_character_is_changed_and_shown_as_in_the_program(tmp_path: Path) -> None:
    codes = [*range(0xD800), *range(0xE000, 0x10000), *range(0x10000, 0x110000, 370)]
    settings = settings_json(bpe.TrainingConfig.preset("textbook"))
    found = _javascript(tmp_path, CHARACTERS, codes=codes, names=NORMALIZATIONS, settings=settings)
    for name in NORMALIZATIONS:
        texts_of = {code: f"a{chr(code)}b" for code in codes}
        expected = {
            code: new for code, text in texts_of.items() if (new := normalize(text, [name])) != text
        }
        assert dict(found["changed"][name]) == expected, name
    assert found["shown"] == [in_sentence(display_text(chr(code))) for code in codes]


@pytest.mark.parametrize(
    "options",
    [
        {"clean": "urls"},
        {"weight": "b.txt=2"},
        {"force": [("a", "b")]},
        {"forbid": [("a", "b")]},
        {"superwords_from": 500},
        {"limit_alphabet": 99},
        {"initial_alphabet": "a"},
        {"whole_characters": True},
        {"one_script": True},
        {"split": r"regex:(?<=a)b"},
        {"split": r"regex:a++"},
        {"split": r"regex:b*|a"},
        {"word_end": "#_", "continuing": "##", "units": "characters"},
    ],
    ids=str,
)
def test_what_a_page_cannot_do_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SaveError):
        settings_json(bpe.TrainingConfig.preset("gpt2", **options))


@pytest.mark.parametrize("name", PRESETS)
def test_a_page_can_have_every_preset(name: Any) -> None:
    assert (
        settings_json(bpe.TrainingConfig.preset(name))["split"]
        == bpe.TrainingConfig.preset(name).split
    )


def test_a_page_knows_every_option_or_refuses_it() -> None:
    refused = {"clean", "force", "forbid", "initial_alphabet", "limit_alphabet"}
    refused |= {"weight", "alpha", "superwords_from", "superwords_split"}
    refused |= {"whole_characters", "one_script"}
    are_special = {*ROLES, "template"}  # a page has their tokens among the special ones
    known = {
        regex.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)
        for name in settings_json(bpe.TrainingConfig())
    }
    assert set(OPTIONS) - known == refused | are_special
