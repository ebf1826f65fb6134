"""Random options on random texts, against the definition, and against `tokenizers` where that
trains the same.

Each case counts a text in random pieces, trains in random slices by the plain kernels or the
compiled ones, and then compares the words, the merges with their counts, the ids, the tokens of
other texts at any step, gap ranks, decoding, and a branch. What formats bring back is tried by
`tests/files/formats/round_trips.py`."""

from __future__ import annotations

import json
import random
import shutil
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import bpe_studio as bpe
from bpe_studio.engine import textbook
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting import corpus as counting
from bpe_studio.engine.counting.corpus import CorpusBuilder
from bpe_studio.engine.encoding import gap_closing
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.presets import NAMED_SPLITS, NORMALIZATIONS
from bpe_studio.engine.tie_rules import TIES
from bpe_studio.engine.training.candidates import rank_candidates
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.errors import (
    BpeError,
    ConfigError,
    CorpusError,
    SaveError,
    TrainingError,
    VocabularyError,
)
from tests.campaigns import texts
from tests.campaigns.campaign import Campaign
from tests.campaigns.definition import CLEANED, DIGITS, Definition, MarkedTwin
from tests.engine.counting.test_corpus import PUBLISHED
from tests.engine.rules import is_plain, log_of, log_of_twin
from tests.engine.textbook_twin import stand_ins_of

EXPRESSIONS = (
    r"regex:[aeiou]|[^aeiou\s]+",
    r"regex:\S",
    r"regex:\w+|\s+|[^\w\s]+",
    r"regex:(?s:.){1,3}",
    r"regex:a+|b*",
    r"regex:\p{L}+|\p{N}",
    r"regex:[^ ]+ ?",
    r"regex:(?i:ab)|.",
)
SPECIALS = ("<|endoftext|>", "<s>", "</s>", "[PAD]", "[UNK]", "<unk>", "\u2047", "ab", "aa", "a b")
MOST_COUNT = 2**45
_NO_MARKS: dict[str, Any] = {
    "word_end": None,
    "word_end_as": None,
    "continuing": None,
    "normalize": (),
    "unknown": None,
}
_PLAIN: tuple[dict[str, Any], ...] = (
    {**_NO_MARKS, "units": "bytes", "split": "gpt2", "documents": "file"},
    {**_NO_MARKS, "units": "bytes", "full_alphabet": True, "ties": "raw-ids", "documents": "file"},
    {**_NO_MARKS, "units": "bytes", "full_alphabet": True, "special": (), "documents": "file"},
    {
        **_NO_MARKS,
        "units": "characters",
        "split": "whitespace",
        "full_alphabet": False,
        "documents": "line",
        "word_end": "</w>",
        "word_end_as": "on-last-character",
    },
    {
        **_NO_MARKS,
        "units": "characters",
        "split": "sentencepiece",
        "full_alphabet": False,
        "documents": "line",
        "ties": "sentencepiece",
        "special": ("<unk>", "<s>", "</s>"),
        "unknown": "<unk>",
    },
)


@dataclass
class Case:
    """One training, what is looked at in it, and the random numbers for the rest."""

    options: dict[str, Any]
    text: str
    counts: dict[str, int] | None
    samples: list[str]
    is_compiled: bool
    is_fast: bool
    rng: random.Random


def random_options(rng: random.Random) -> dict[str, Any]:
    units = rng.choice(("bytes", "characters"))
    options: dict[str, Any] = {
        "units": units,
        "split": rng.choice(EXPRESSIONS) if rng.random() < 0.12 else rng.choice(NAMED_SPLITS),
        "documents": rng.choice(("file", "file", "line", "separator")),
        "ties": rng.choice(TIES),
        "min_frequency": rng.choice((0, 1, 1, 2, 2, 3, 5)),
        "full_alphabet": units == "bytes" and rng.random() < 0.25,
        "merges": rng.choice((0, 1, 2, 3, 5, 8, 13, 21, 34)),
    }
    if rng.random() < 0.15 and not options["split"].startswith(("regex:", "digits")):
        options["split_digits"] = True
    if rng.random() < 0.15:
        options["max_token_length"] = rng.choice((1, 2, 3, 4, 8))
    for name in ("whole_characters", "one_script"):
        if rng.random() < 0.15:
            options[name] = True
    if rng.random() < 0.15:
        options["superwords_words"] = rng.choice((1, 2))
    if rng.random() < 0.15:
        options["initial_alphabet"] = rng.choice(
            ("a", "zq1", "é" if units == "characters" else "Ġ")
        )
    if rng.random() < 0.3:
        options["normalize"] = tuple(rng.sample(NORMALIZATIONS, rng.choice((1, 1, 2, 3))))
    if rng.random() < 0.15:
        options["clean"] = tuple(rng.sample(CLEANED, rng.choice((1, 1, 2, 4))))
    if rng.random() < 0.3:
        options["word_end"] = rng.choice(
            ("</w>", "</w>", "_", "a", *(("\u2581", "é") if units == "characters" else ()))
        )
        options["word_end_as"] = rng.choice(("own-symbol", "on-last-character"))
    if rng.random() < 0.2:
        options["continuing"] = rng.choice(
            ("##", "##", "#", "@@", "a", *(("é",) if units == "characters" else ()))
        )
    if rng.random() < 0.5:
        options["special"] = tuple(
            rng.sample(SPECIALS[: 6 if rng.random() < 0.8 else None], rng.choice((1, 1, 2, 3)))
        )
    if rng.random() < 0.4:
        options["unknown"] = rng.choice(("[UNK]", "<unk>", "\u2047"))
    if options.get("continuing"):
        if options["split"] == "sentencepiece" and rng.random() < 0.95:
            options["split"] = "whitespace"
        if options.get("word_end_as") == "own-symbol" and rng.random() < 0.95:
            options["word_end_as"] = "on-last-character"
    if options["documents"] == "separator" and not (
        options.get("special") or options.get("unknown")
    ):
        options["documents"] = "file"
    if rng.random() < 0.2:  # what most formats hold
        options |= rng.choice(_PLAIN)
    elif rng.random() < 0.2:  # what `tokenizers` trains as well
        options |= {"units": "bytes", "ties": "huggingface", "normalize": (), "unknown": None}
        for name in ("word_end", "word_end_as", "continuing"):
            options.pop(name, None)
        if options["split"] in ("sentencepiece", "words"):
            options["split"] = "gpt2"
    return options


class EngineCampaign(Campaign[Case]):
    """Random options on random texts."""

    name = "engine"
    limit_s = 120.0

    def begin(self) -> None:
        from bpe_studio.engine import warm_up

        warm_up.warm_up()
        loader._ready.clear()
        import tokenizers

        self.tokenizers = tokenizers
        self.place = self.folder / "saved"

    def make(self, rng: random.Random) -> Case:
        n_words = rng.choice((0, 1, 2, 4, 8, 8, 14, 14, 20)) if rng.random() < 0.97 else 90
        options = random_options(rng)
        text = texts.text(rng, n_words)
        if options.get("special") and rng.random() < 0.3:
            text = rng.choice(options["special"]).join(
                text[k : k + 9] for k in range(0, len(text), 9)
            )
        if options.get("clean"):
            text = _dirty(rng, text)
        counts = None
        if rng.random() < 0.2:
            words = [texts.word(rng, rng.choice(texts.ALPHABETS)) for _ in range(rng.randint(1, 9))]
            high = rng.choice((4, 50, MOST_COUNT))
            counts = {word: rng.randint(0 if rng.random() < 0.1 else 1, high) for word in words}
            if options["units"] == "bytes":
                counts = {stand_ins_of(word.encode()): count for word, count in counts.items()}
        if not text and counts is None:
            options.pop("word_end", None)  # no symbol is the mark where there is no word
            options.pop("word_end_as", None)
        samples = [text, texts.text(rng, rng.choice((1, 3, 9))), _mixed(rng, text)]
        case = Case(options, text, counts, samples, rng.random() < 0.75, rng.random() < 0.3, rng)
        self._decide(case)
        return case

    def describe(self, case: Case) -> str:
        source = f"counts = {case.counts!r}" if case.counts is not None else f"text = {case.text!r}"
        return (
            f'config = bpe.TrainingConfig.preset("raw", vocab_size=None, **{case.options!r})\n'
            f"{source}\n"
            f"samples = {case.samples!r}\ncompiled kernels: {case.is_compiled}, fast counting: "
            f"{case.is_fast}"
        )

    def check(self, case: Case) -> Counter[str]:
        with (
            mock.patch.object(loader, "PLAIN_WORK", -1 if case.is_compiled else 10**9),
            mock.patch.object(gap_closing, "SHORT", 0 if case.is_compiled else 1 << 20),
            mock.patch.object(counting, "FAST_CHARACTERS", -1 if _counts_fast(case) else 1 << 19),
        ):
            return _Check(self, case).run()

    def _decide(self, case: Case) -> None:
        """Adds pairs to force and to forbid: such as the text has, or such as they make."""
        rng = case.rng
        if rng.random() > 0.25:
            return
        try:
            config = _config(case.options)
        except ConfigError:
            return
        twin = Definition(config).twin(_table(Definition(config), case))
        if twin.definition.is_ambiguous(twin.table):
            return
        for name in rng.sample(("force", "forbid"), rng.choice((1, 1, 2))):
            pairs = [pair for pair, _ in twin.ranking() if " " not in "".join(pair)]
            if rng.random() < 0.5:
                twin.step()
            if pairs:
                case.options[name] = tuple(
                    dict.fromkeys(rng.choice(pairs) for _ in range(rng.choice((1, 1, 2))))
                )
        if set(case.options.get("force", ())) & set(case.options.get("forbid", ())):
            del case.options["force"]


def _config(options: dict[str, Any]) -> TrainingConfig:
    return TrainingConfig.preset("raw", **{"vocab_size": None, **options})


def _dirty(rng: random.Random, text: str) -> str:
    """A text with what is cleaned: lines that occur again, long runs of a character, presentation
    forms.
    """
    line = texts.text(rng, 12).replace("\n", " ")[: rng.choice((30, 39, 40, 60))]
    for piece in rng.choices(
        (line, f"\n{line}\r\n", f"\n{line}\n", "-" * 20, "a" * 45, " " * 25, "\ufb01n", "\ufefc"),
        k=5,
    ):
        at = rng.randint(0, len(text))
        text = text[:at] + piece + text[at:]
    return text


def _mixed(rng: random.Random, text: str) -> str:
    """Pieces of a text in another order, now and then with what it has not."""
    pieces = [text[k : k + n] for k in range(0, len(text), 5) for n in (rng.choice((2, 5, 9)),)]
    rng.shuffle(pieces)
    if rng.random() < 0.4:
        pieces.insert(
            rng.randint(0, len(pieces)), rng.choice(("☃", "\ue001", "zq", "😈", "\udcfe", "\0"))
        )
    return "".join(pieces)[:60]


def _counts_fast(case: Case) -> bool:
    return case.is_fast and not case.options["split"].startswith("regex:")


def _table(definition: Definition, case: Case) -> dict[bytes, int]:
    if case.counts is None:
        return definition.table(case.text)
    if definition.config.units == "characters":
        return {word.encode("utf-8", "surrogateescape"): n for word, n in case.counts.items() if n}
    from tests.engine.textbook_twin import content_of

    return {content_of(word): n for word, n in case.counts.items() if n}


class _Check:
    """One case, looked at from all sides."""

    def __init__(self, campaign: EngineCampaign, case: Case) -> None:
        self.campaign = campaign
        self.case = case
        self.rng = case.rng
        self.tried: Counter[str] = Counter()

    def run(self) -> Counter[str]:
        tried = self.tried
        tried["trainings"] += 1
        try:
            self.config = _config(self.case.options)
        except ConfigError:
            tried["refused options"] += 1
            return tried
        self.definition = Definition(self.config)
        corpus = self._corpus()
        twin = self.definition.twin(_table(self.definition, self.case))
        assert [
            (corpus.pre_token_bytes(k), n) for k, n in enumerate(corpus.counts.tolist())
        ] == list(twin.table.items()), "other words"
        tried["words counted"] += len(corpus)
        try:
            trainer = bpe.Trainer(corpus, self.config)
        except (CorpusError, ConfigError) as error:
            assert self._is_refused_rightly(twin), f"refused: {error}"
            tried["refused corpora"] += 1
            return tried
        if self.definition.is_ambiguous(twin.table):
            raise AssertionError("two symbols are written alike")
        try:
            self._learn(trainer)
        except TrainingError:
            assert self.config.force, "refused without a forced merge"
            tried["refused forced merges"] += 1
            return tried
        run = trainer.run_record
        twin.train(self.config.merges or 0)
        assert _log(log_of(run)) == _log(log_of_twin(twin)), _difference(
            _log(log_of(run)), _log(log_of_twin(twin))
        )
        tried["merges"] += len(run.merges)
        self._compare_tokenizer(run, twin)
        if self.rng.random() < 0.15:
            self._compare_candidates(run, twin)
        if self.rng.random() < 0.25:
            self._branch(trainer, twin)
        if self.rng.random() < 0.7:
            self._compare_with_tokenizers(run)
        return tried

    def _corpus(self) -> bpe.Corpus:
        case = self.case
        if case.counts is not None:
            return bpe.Corpus.from_counts(case.counts, self.config)
        builder = CorpusBuilder(self.config)
        at = 0
        while at < len(case.text):
            n = self.rng.choice((1, 3, 8, 20, 1000))
            piece = case.text[at : at + n]
            builder.add_text(piece)
            at += n
        builder.end_document()
        self.tried[
            "texts counted by kernels" if _counts_fast(case) else "texts counted plainly"
        ] += 1
        return builder.finish()

    def _is_refused_rightly(self, twin: MarkedTwin) -> bool:
        """Whether a special token is a symbol or inside a word, or two symbols are written
        alike.
        """
        config = self.config
        specials = self.definition.specials
        of_the_text = any(name in specials for name in twin.known) or any(
            special.encode() in word for special in specials for word in twin.table
        )
        return (
            of_the_text or self.definition.is_ambiguous(twin.table) or config.word_end is not None
        )

    def _learn(self, trainer: bpe.Trainer) -> None:
        self.tried[
            "trained by compiled kernels" if self.case.is_compiled else "trained by plain kernels"
        ] += 1
        while not trainer.finished:
            if self.rng.random() < 0.05:
                trainer.release()
            trainer.advance(self.rng.choice((1, 2, 7, 1000)), 3600.0)

    def _compare_tokenizer(self, run: bpe.Run, twin: MarkedTwin) -> None:
        tokenizer = run.tokenizer()
        expected = twin.external()
        assert list(tokenizer.model.tokens) == expected, (
            f"tokens {tokenizer.model.tokens} instead of {expected}"
        )
        ids = {name: number for number, name in reversed(list(enumerate(expected)))}
        for sample in self.case.samples:
            step = (
                self.rng.randint(0, len(run.merges)) if self.rng.random() < 0.5 else len(run.merges)
            )
            self._compare_text(run, twin, tokenizer, ids, sample, step)

    def _compare_text(
        self,
        run: bpe.Run,
        twin: MarkedTwin,
        tokenizer: bpe.Tokenizer,
        ids: dict[str, int],
        sample: str,
        step: int,
    ) -> None:
        merges = [textbook.Merge(m.left, m.right, m.token, 0) for m in twin.merges]
        # By default, they are found.
        says = self.rng.choice((None, None, True, False))
        pieces = self.definition.pieces(sample, finds_special=says is not False)
        known = set(twin.known.values())
        cuts = [
            [piece]
            if isinstance(piece, str)
            else self.definition.encode(piece, known, merges[:step])
            for piece in pieces
        ]
        self.tried["texts cut"] += 1
        self.tried["special tokens found"] += sum(isinstance(piece, str) for piece in pieces)
        if any(cut is None for cut in cuts):
            try:
                found = tokenizer.encode(sample, step=step, recognize_special=says)
            except VocabularyError:
                self.tried["texts refused"] += 1
                return
            raise AssertionError(
                f"{found.tokens} of {sample!r}, which has no token for some character"
            )
        tokens = [token for cut in cuts if cut is not None for token in cut]
        encoding = tokenizer.encode(sample, step=step, recognize_special=says)
        assert encoding.tokens == tokens, f"{encoding.tokens} instead of {tokens} at step {step}"
        assert encoding.ids == [ids[token] for token in tokens], "other ids"
        found_ids = tokenizer.encode_ids(sample, step=step, recognize_special=says).tolist()
        assert found_ids == encoding.ids, "encode_ids differs"
        if self.rng.random() < 0.3:
            then = tokenizer.at(step) if self.rng.random() < 0.5 else run.tokenizer(step)
            again = then.encode(sample, recognize_special=says)
            assert again.tokens == tokens, f"the tokenizer of step {step} differs"
        self._compare_offsets(sample, encoding)
        if self.config.unknown not in tokens:
            decoded = self.definition.decoded(pieces)
            if decoded is not None:
                found = tokenizer.decode_bytes(encoding.ids)
                assert found == decoded, f"{found!r} decoded instead of {decoded!r}"
                assert tokenizer.decode(encoding.ids) == decoded.decode("utf-8", "replace")
                self.tried["texts decoded"] += 1
            given = (
                run.gap_ranks(sample)
                if says is None
                else tokenizer.gap_ranks(sample, recognize_special=says)
            )
            self._compare_gaps([gaps.tolist() for gaps in given], sample, pieces, merges)

    def _compare_gaps(
        self,
        found: list[list[int]],
        sample: str,
        pieces: list[str | bytes],
        merges: list[textbook.Merge],
    ) -> None:
        expected: list[list[int]] = []
        for piece in pieces:
            if isinstance(piece, str):
                expected.append([])
                continue
            names = [symbol.name for symbol in self.definition.symbols(piece)]
            gaps = textbook.gap_ranks(names, merges)
            expected.append([int(rank) if rank != textbook.NEVER else 2**31 - 1 for rank in gaps])
        assert found == expected, f"gap ranks {found} instead of {expected} of {sample!r}"
        self.tried["gap ranks"] += sum(map(len, expected))

    def _compare_offsets(self, sample: str, encoding: bpe.Encoding) -> None:
        offsets = encoding.offsets
        assert all(0 <= start <= end <= len(sample) for start, end in offsets), f"offsets {offsets}"
        assert all(a[0] <= b[0] for a, b in zip(offsets, offsets[1:], strict=False)), (
            f"offsets {offsets} go back"
        )
        plain = (
            not self.config.normalize and not self.config.word_end and not self.config.continuing
        )
        if (
            plain
            and self.config.units == "characters"
            and self.config.split != "sentencepiece"
            and sample.isprintable()
        ):
            assert [sample[a:b] for a, b in offsets] == [
                token if token != self.config.unknown else sample[a:b]
                for token, (a, b) in zip(encoding.tokens, offsets, strict=True)
            ], f"offsets {offsets}"

    def _compare_candidates(self, run: bpe.Run, twin: MarkedTwin) -> None:
        step = self.rng.randint(0, len(run.merges))
        ranking = twin.at(step).ranking()[:5]
        found = [
            ((run.token_name(c.left), run.token_name(c.right)), c.count)
            for c in rank_candidates(run, step, n=5)
            if not (c.is_winner and step < len(run.merges) and run.merges[step].forced)
        ]
        forced = step < len(run.merges) and run.merges[step].forced
        if forced or (step == len(run.merges) and self.config.force):
            return  # the forced pair takes the place of the last
        assert found == ranking, f"candidates {found} instead of {ranking} at step {step}"
        self.tried["candidates"] += len(found)

    def _branch(self, trainer: bpe.Trainer, twin: MarkedTwin) -> None:
        step = self.rng.randint(0, len(trainer.run_record.merges))
        then = twin.at(step)
        kind = self.rng.choice(list(OverrideKind))
        if kind is OverrideKind.ties:
            override = Override(step, kind, ties=self.rng.choice(TIES))
        else:
            pairs = [pair for pair, _ in then.ranking()]
            if kind is OverrideKind.force:
                pairs = [pair for pair in pairs if not then.is_there(pair)]
            if not pairs:
                return
            override = Override(step, kind, *self.rng.choice(pairs))
        try:
            branch = bpe.branch(trainer, override)
            self._learn(branch)
        except TrainingError:
            assert self.config.force or kind is OverrideKind.force, (
                "a branch was refused without a forced merge"
            )
            self.tried["refused forced merges"] += 1
            return
        except BpeError as error:
            raise AssertionError(f"{override}: {error}") from error
        lived = self.definition.twin(twin.table)
        lived.overrides = branch.run_record.overrides
        lived.train(self.config.merges or 0)
        found = _log(log_of(branch.run_record))
        expected = _log(log_of_twin(lived))
        assert found == expected, f"{override}: {_difference(found, expected)}"
        assert list(branch.run_record.tokenizer().model.tokens) == lived.external(), (
            f"{override}: other tokens"
        )
        self.tried[f"branches: {kind}"] += 1

    def _compare_with_tokenizers(self, run: bpe.Run) -> None:
        config = self.config
        case = self.case
        tokenizer = run.tokenizer()
        place = self.campaign.place
        if self.rng.random() < 0.2:
            _remove(place)
            try:
                tokenizer.save(place, "huggingface")
            except SaveError:
                return
            theirs = self.campaign.tokenizers.Tokenizer.from_file(
                str(Path(place, "tokenizer.json"))
            )
            for sample in case.samples:
                if _is_common(sample, config):
                    mine = _ids(tokenizer, sample)
                    if mine is not None:
                        found = theirs.encode(sample, add_special_tokens=False).ids
                        assert found == mine, f"`tokenizers` gives {found}, we {mine} of {sample!r}"
                        self.tried["texts cut by `tokenizers`"] += 1
        if self._is_trained_alike() and _is_common(self.definition.cleaned(case.text), config):
            vocabulary, merges = self._their_training(len(tokenizer.model.tokens))
            names = tokenizer.model.tokens
            mine = [(names[left], names[right]) for left, right, _ in tokenizer.model.merges]
            assert mine == merges, f"`tokenizers` learns {merges}, we {mine}"
            assert {name: k for k, name in enumerate(names)} == vocabulary, (
                "`tokenizers` has another vocabulary"
            )
            self.tried["trained by `tokenizers`"] += 1

    def _is_trained_alike(self) -> bool:
        config = self.config
        return (
            self.case.counts is None
            and (config.units, config.ties) == ("bytes", "huggingface")
            and not (config.normalize or config.word_end or config.continuing or config.unknown)
            and not (config.force or config.forbid or config.split.startswith("regex:"))
            and config.split not in ("sentencepiece", "words")
            and not set(config.special) & {"ab", "aa", "a b"}
            and not (config.whole_characters or config.one_script or config.limits_words)
        )

    def _their_training(self, vocab_size: int) -> tuple[dict[str, int], list[tuple[str, str]]]:
        lib = self.campaign.tokenizers
        split = self.config.split
        before = lib.pre_tokenizers
        level = before.ByteLevel(add_prefix_space=False, use_regex=False)
        theirs = lib.Tokenizer(lib.models.BPE())
        initial = list(self.config.initial_alphabet)
        parts = [before.Digits(individual_digits=True)] if self.config.split_digits else []
        if split in DIGITS:
            parts.append(before.Split(lib.Regex(DIGITS[split]), "isolated"))
            split = "gpt2"
        if split == "whitespace":
            parts.append(before.WhitespaceSplit())
        elif split == "spaces":
            parts.append(before.Split(lib.Regex(r"[ \r\n]+"), "removed"))
        elif split != "none":
            parts.append(
                before.Split(lib.Regex(PUBLISHED[split].replace("{1,3}+", "{1,3}")), "isolated")
            )
        theirs.pre_tokenizer = before.Sequence([*parts, level])
        trainer = lib.trainers.BpeTrainer(
            vocab_size=vocab_size,
            min_frequency=self.config.min_frequency,
            special_tokens=list(self.config.special),
            initial_alphabet=before.ByteLevel.alphabet() if self.config.full_alphabet else initial,
            max_token_length=self.config.max_token_length,
            show_progress=False,
        )
        text = self.definition.cleaned(self.case.text)
        theirs.train_from_iterator(self.definition.documents(text), trainer)
        model = json.loads(theirs.to_str())["model"]
        return model["vocab"], [tuple(pair) for pair in model["merges"]]


def _log(log: list[Any]) -> list[Any]:
    """A log, without how many pairs were tied where a forced one did not occur."""
    return [entry if entry[3] else (*entry[:4], 1, *entry[5:]) for entry in log]


def _difference(found: list[Any], expected: list[Any]) -> str:
    for rank in range(max(len(found), len(expected))):
        if found[rank : rank + 1] != expected[rank : rank + 1]:
            return (
                f"merge {rank} is {found[rank : rank + 1]} instead of {expected[rank : rank + 1]}"
            )
    return ""


def _ids(tokenizer: bpe.Tokenizer, text: str) -> list[int] | None:
    try:
        return list(tokenizer.encode(text).ids)
    except VocabularyError:
        return None


def _is_common(text: str, config: TrainingConfig) -> bool:
    """Whether both libraries' Unicode tables say the same of a text."""
    old = unicodedata.ucd_3_2_0
    if config.normalize and any(old.category(character) == "Cn" for character in text):
        return False
    return is_plain(text) and all(unicodedata.category(c) not in ("Co", "Cn", "Cs") for c in text)


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
