"""Every option of training, through everything that lays a corpus out, and through everything that
counts its tokens.

A run is trained at once; with its buffers made again after each merge; in a branch that keeps its
tie rule; and from a document. All must have the same merges with the same counts. At any step, the
counts are those of the tokens that the tokenizer of that step makes of the texts, in which special
tokens are text like any other. Gap ranks cut any text where that tokenizer cuts it. `engine`
compares the merges with the definition."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import bpe_studio as bpe
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.encoding.corpus_tokens import tokens_in_corpus
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.presets import PRESETS
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.engine.training.seeded_run import SeededRun
from bpe_studio.errors import ConfigError, CorpusError, TrainingError, VocabularyError
from bpe_studio.files.document.reading import read_now
from bpe_studio.files.document.records import StoredBranch, StudioDocument, stored_columns
from bpe_studio.files.document.studio import tokenizer_of
from bpe_studio.files.document.writing import pack
from tests.campaigns import texts
from tests.campaigns.campaign import Campaign
from tests.campaigns.definition import Definition
from tests.campaigns.engine import random_options
from tests.engine.rules import log_of

_UNKNOWN = ("[UNK]", "<unk>", "?", "a", "\u2047", "é", "b")
_SPECIAL = ("<s>", "[PAD]", "<unk>", "a", "?", "az", "ab", "▁", "é", "0", "aza")
_STEPS_TRIED = 4


@dataclass
class Case:
    """One training, and texts to cut with it."""

    preset: str
    options: dict[str, Any]
    text: str
    counts: dict[str, int] | None
    samples: list[str]
    is_compiled: bool
    rng: random.Random


class OptionsCampaign(Campaign[Case]):
    """Every option, through every way in which a run begins or goes on."""

    name = "options"
    memory_bytes = 2 << 30

    def begin(self) -> None:
        from bpe_studio.engine import warm_up

        warm_up.warm_up()
        loader._ready.clear()
        self.place = self.folder / "run.studio"

    def make(self, rng: random.Random) -> Case:
        preset = rng.choice(list(PRESETS)) if rng.random() < 0.3 else "raw"
        options = _every_option(rng)
        if preset != "raw":
            options = dict(
                rng.sample(sorted(options.items()), min(len(options), rng.randint(0, 6)))
            )
        text = _text(rng, options)
        counts = None
        if rng.random() < 0.15 and options.get("units") == "characters":
            words = [texts.word(rng, rng.choice(texts.ALPHABETS)) for _ in range(rng.randint(1, 9))]
            counts = {word: rng.choice((1, 2, 3, 2**40)) for word in words}
        samples = [text, _text(rng, options)]
        return Case(preset, options, text, counts, samples, rng.random() < 0.7, rng)

    def describe(self, case: Case) -> str:
        source = f"counts = {case.counts!r}" if case.counts is not None else f"text = {case.text!r}"
        return (
            f"config = bpe.TrainingConfig.preset({case.preset!r}, **{case.options!r})\n{source}\n"
            f"samples = {case.samples!r}\ncompiled kernels: {case.is_compiled}"
        )

    def check(self, case: Case) -> Counter[str]:
        with mock.patch.object(loader, "PLAIN_WORK", -1 if case.is_compiled else 10**9):
            return _Check(self.place, case).run()


def _every_option(rng: random.Random) -> dict[str, Any]:
    options = random_options(rng)
    options["merges"] = rng.choice((0, 1, 3, 5, 8, 13, 21))
    if rng.random() < 0.35:
        options["limit_alphabet"] = rng.choice((1, 2, 2, 3, 4, 6))
    elif rng.random() < 0.25:
        options["character_coverage"] = rng.choice((0.3, 0.6, 0.8, 0.95))
    if rng.random() < 0.15:
        options["byte_fallback"] = True
    if rng.random() < 0.5:
        options["unknown"] = rng.choice(_UNKNOWN)
    if rng.random() < 0.3:
        options["special"] = tuple(rng.sample(_SPECIAL, rng.randint(1, 3)))
    for name in ("pad_token", "bos_token", "eos_token"):
        if rng.random() < 0.1:
            options[name] = rng.choice(_SPECIAL)
    if rng.random() < 0.1:
        options["template"] = f"{rng.choice(_SPECIAL)} $A"
    if {"limit_alphabet", "character_coverage", "byte_fallback"} & options.keys():
        options["full_alphabet"] = False
    if options.get("byte_fallback"):
        options |= {
            "units": "characters",
            "word_end": None,
            "word_end_as": None,
            "continuing": None,
        }
    for name in ("force", "forbid"):
        if rng.random() < 0.15:
            parts = (*"aabbcz?0", "ab", "##a", "a</w>", "</w>", "[UNK]", "<0x61>", "▁", "▁a", "Ġ")
            options[name] = tuple(
                {(rng.choice(parts), rng.choice(parts)) for _ in range(rng.choice((1, 1, 2)))}
            )
    return options


def _text(rng: random.Random, options: dict[str, Any]) -> str:
    """A text in which rare characters are inside, around and between the words of frequent ones."""
    text = texts.text(rng, rng.choice((0, 1, 4, 8, 14, 30)))
    if rng.random() < 0.6:
        rare = rng.choice(("z", "zxyw", "é漢", "?z", "😀", "z\u0301"))
        words = [
            "".join(rng.choice("aaabbc" + rare) for _ in range(rng.randint(1, 6)))
            for _ in range(12)
        ]
        words += [rng.choice(rare), rng.choice(rare) * 2]
        text = rng.choice((" ", "\n", " ", "")).join(
            [text, *rng.choices(words, k=rng.randint(4, 24))]
        )
    if options.get("special") and rng.random() < 0.2:
        text = rng.choice(options["special"]).join(text[k : k + 9] for k in range(0, len(text), 9))
    return text


class _Check:
    """One case, looked at from all sides."""

    def __init__(self, place: Path, case: Case) -> None:
        self.place = place
        self.case = case
        self.rng = case.rng
        self.tried: Counter[str] = Counter()

    def run(self) -> Counter[str]:
        tried = self.tried
        tried["trainings"] += 1
        try:
            self.config = TrainingConfig.preset(self.case.preset, **self.case.options)
            self.corpus = self._corpus()
            trainer = bpe.Trainer(self.corpus, self.config)
            trainer.run()
        except (ConfigError, CorpusError, TrainingError):
            tried["refused"] += 1
            return tried
        run = trainer.run_record
        tried["merges"] += len(run.merges)
        tried.update(name for name, value in self.case.options.items() if value)
        self._compare_released(run)
        self._compare_branch(trainer)
        self._compare_document(trainer)
        self._compare_continued(run)
        for step in self._steps(run):
            self._compare_counts(run, step, self._ids_of_corpus)
            for sample in self.case.samples:
                self._compare_cuts(run, sample, step)
        return tried

    def _corpus(self) -> bpe.Corpus:
        if self.case.counts is not None:
            return bpe.Corpus.from_counts(self.case.counts, self.config)
        return bpe.Corpus.from_text(self.case.text, self.config)

    def _steps(self, run: bpe.Run) -> list[int]:
        steps = range(len(run.merges) + 1)
        return sorted({0, len(run.merges), *self.rng.sample(steps, min(len(steps), _STEPS_TRIED))})

    def _compare_released(self, run: bpe.Run) -> None:
        trainer = bpe.Trainer(self.corpus, self.config)
        while not trainer.finished:
            trainer.release()
            trainer.run(1)
        assert log_of(trainer.run_record) == log_of(run), (
            "other merges if the buffers are made again"
        )
        self.tried["trained with buffers made again"] += 1

    def _compare_branch(self, trainer: bpe.Trainer) -> None:
        run = trainer.run_record
        step = self.rng.randint(0, len(run.merges))
        branch = bpe.branch(trainer, Override(step, OverrideKind.ties, ties=self.config.ties))
        branch.run()
        assert log_of(branch.run_record) == log_of(run), (
            f"other merges in a branch from step {step}"
        )
        self.tried["branches"] += 1

    def _compare_document(self, trainer: bpe.Trainer) -> None:
        run = trainer.run_record
        n = len(trainer.run_record.merges)
        branch = StoredBranch(
            0,
            "Main run",
            None,
            None,
            run.config,
            stored_columns(run.columns, n),
            n,
            n,
            was_run=True,
        )
        self.place.write_bytes(pack(StudioDocument("a", run.corpus, (branch,))))
        document = read_now(self.place)
        again = bpe.train(document.corpus, document.shown_branch.config)
        assert log_of(again) == log_of(run), "other merges from the document"
        assert tokenizer_of(document).model == run.tokenizer().model, (
            "another tokenizer from the document"
        )
        self.tried["documents"] += 1

    def _ids_of_corpus(self, tokenizer: bpe.Tokenizer) -> np.ndarray[Any, Any]:
        """How often each id occurs in the texts of the corpus."""
        if self.case.counts is not None:
            return result_of(tokens_in_corpus(tokenizer, self.corpus))
        counts = np.zeros(tokenizer.vocab_size, np.int64)
        definition = Definition(self.config)
        definition.specials = list(self.config.all_special)
        for document in definition.documents(definition.cleaned(self.case.text)):
            np.add.at(counts, tokenizer.encode_ids(document, recognize_special=False), 1)
        return counts

    def _compare_continued(self, run: bpe.Run) -> None:
        """A run that begins with the tokenizer of a step.

        Words that it does not know are not in its corpus.
        """
        model = run.tokenizer(self.rng.randint(0, len(run.merges))).model
        seeded = SeededRun.of_merges(model, self.corpus)
        trainer = bpe.Trainer.from_run(seeded, seeded.n_seed, seeded.plan, target=seeded.n_seed + 4)
        trainer.run()
        longer = trainer.run_record
        for step in self._steps(longer):
            self._compare_counts(
                longer,
                step,
                lambda tokenizer: result_of(tokens_in_corpus(tokenizer, longer.corpus)),
            )
        self.tried["runs that begin with a tokenizer"] += 1

    def _compare_counts(
        self,
        run: bpe.Run,
        step: int,
        ids_of_corpus: Callable[[bpe.Tokenizer], np.ndarray[Any, Any]],
    ) -> None:
        tokenizer = run.tokenizer(step)
        try:
            expected = ids_of_corpus(tokenizer)
        except VocabularyError:
            self.tried["corpora that no tokenizer encodes"] += 1
            return
        found = np.zeros_like(expected)
        np.add.at(
            found, run.external_ids(step)[len(run.lone_specials) :], run.token_counts_at(step)
        )
        names = tokenizer.model.tokens
        different = {
            names[k]: (int(found[k]), int(expected[k])) for k in np.flatnonzero(found != expected)
        }
        assert not different, f"step {step}: the run counts, and the tokenizer gives: {different}"
        n_tokens = int(expected.sum())
        assert run.n_tokens_at(step) == n_tokens, (
            f"step {step}: {run.n_tokens_at(step)} tokens instead of {n_tokens}"
        )
        assert int(run.measure("n_tokens")[step]) == n_tokens, "another measure"
        words = run.words_at(step)
        weights = run.at(step).corpus.counts.tolist()
        assert sum(words.n_tokens(k) * weight for k, weight in enumerate(weights)) == n_tokens, (
            "other words"
        )
        assert all(len(words.cut(k)) == words.n_tokens(k) for k in range(len(words))), (
            "words are cut in another way"
        )
        self.tried["counts of tokens"] += 1

    def _compare_cuts(self, run: bpe.Run, sample: str, step: int) -> None:
        if run.at(step) is not run.at(len(run.merges)):
            # A finished tokenizer of two stages cuts by the split of the second one only.
            self.tried["texts of a first stage"] += 1
            return
        tokenizer = run.tokenizer(step)
        last = run.tokenizer()
        try:
            expected = tokenizer.encode(sample)
        except VocabularyError:
            self.tried["texts that no tokenizer encodes"] += 1
            return
        assert last.encode(sample, step=step).tokens == expected.tokens, (
            f"cut in another way at step {step}"
        )
        assert tokenizer.encode_ids(sample).tolist() == expected.ids, "encode_ids differs"
        ranks = run.gap_ranks(sample)
        assert [gaps.tolist() for gaps in last.gap_ranks(sample)] == [
            gaps.tolist() for gaps in ranks
        ]
        n_tokens = sum(1 + int((gaps >= step).sum()) for gaps in ranks)
        assert n_tokens == len(expected.ids), (
            f"gap ranks cut {sample!r} in another way at step {step}"
        )
        for name, tokens in self._cuts(run, sample, step):
            found = [
                tokenizer.unknown_id if k == UNKNOWN else run.external_id(k, step) for k in tokens
            ]
            assert found == expected.ids, (
                f"{name} of {sample!r} at step {step}: {found} instead of {expected.ids}"
            )
        self.tried["texts cut"] += 1

    def _cuts(self, run: bpe.Run, sample: str, step: int) -> Iterator[tuple[str, list[int]]]:
        yield "the gaps", run.text_gaps(sample).ids(step).tolist()
        yield "a fresh segmenter's gaps", run.new_segmenter().text_gaps(sample).ids(step).tolist()
        yield "typed text", run.live(sample).tokens(step).ids.tolist()
