"""Random tokenizers, written in every format and read back: the same ids on any text, or a sentence
and no file.
"""

from __future__ import annotations

import random
import shutil
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpe_studio as bpe
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import Template, TokenizerModel
from bpe_studio.engine.presets import NAMED_SPLITS, NORMALIZATIONS, PRESETS
from bpe_studio.engine.tie_rules import TIES
from bpe_studio.errors import BpeError, SaveError, VocabularyError
from bpe_studio.files.document.records import StoredBranch, StudioDocument, stored_columns
from bpe_studio.files.document.writing import pack
from bpe_studio.files.formats import registry
from bpe_studio.files.loading import load
from bpe_studio.files.recognition import recognize

LETTERS = "aaabbbcde  \n\t1'.é汉😀▁Ġ#@<>/w_-ſİ\u0301\u00a0"
MARKS = ("</w>", "</w>", "_", "▁", "w", "##", "é", "aa", "<>", "ww<ww")
SPECIAL = (
    "<s>",
    "</s>",
    "<unk>",
    "[UNK]",
    "<|x|>",
    "ab",
    "a",
    " ",
    "a b",
    "x\ny",
    "Ġa",
    "</w>",
    "##a",
    "é",
    "<pad>",
    "▁a",
)
PATTERNS = (
    r"\w+|\s",
    r"[ab]+",
    r"a|b",
    r"(?i)AB|.",
    r"\s*\S",
    r"(?<=a)b|.",
    r"^.|\n",
    r".$|.",
    r"(?:a{1,3}+|b)",
    r"\p{L}{2}|\X",
    r"[^\n]",
    r"(?s:.){1,3}",
    r"\bab\b|.",
    r"(a)\1|.",
    r"[[:alpha:]]+|\d",
    r"a*",
    r"x{500}{30}|.",
    r"[a-c&&b]|.",
    r"é|\u6c49|.",
    r"(?:ab|cd){0,9}",
    r" ?[^\s]+|\s+(?!\S)|\s+",
    r".|\n ",
    r"(?>a+)b|.",
    r"[\p{L}&&[^a]]",
    r"\N{BULLET}|.",
    "(?i)ſ|k|.",
    r"\b[a-z]+\b|" * 300 + ".",
)


_NEEDED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("gpt2", {}),
    ("gpt2", {"ties": "raw-ids", "special": ()}),
    ("subword-nmt", {}),
    ("subword-nmt", {"word_end_as": "own-symbol"}),
    ("sentencepiece", {"normalize": ()}),
    ("llama2", {}),
    ("sennrich", {}),
)
_FREE = (
    "merges",
    "min_frequency",
    "special",
    "force",
    "forbid",
    "documents",
    "full_alphabet",
    "max_token_length",
    "limit_alphabet",
    "character_coverage",
    "pad_token",
    "bos_token",
    "template",
)


def random_text(rng: random.Random, most: int = 60) -> str:
    return "".join(rng.choice(LETTERS) for _ in range(rng.randint(0, most)))


def random_config(rng: random.Random) -> bpe.TrainingConfig:
    """Options of all kinds; those that make no sense together are refused by the engine."""

    def some(likely: float) -> bool:
        return rng.random() < likely

    options: dict[str, Any] = {"merges": rng.randint(0, 14), "min_frequency": rng.randint(0, 2)}
    if some(0.4):
        options["units"] = rng.choice(("bytes", "characters"))
    if some(0.5):
        options["split"] = rng.choice(
            (*NAMED_SPLITS, *(f"regex:{pattern}" for pattern in PATTERNS))
        )
    if some(0.3):
        options["normalize"] = tuple(rng.sample(NORMALIZATIONS, rng.randint(0, 2)))
    if some(0.3):
        options["word_end"] = rng.choice((None, *MARKS))
        if options["word_end"] and some(0.6):
            options["word_end_as"] = rng.choice(("own-symbol", "on-last-character"))
    if some(0.2):
        options["continuing"] = rng.choice((None, "##", "@", "a"))
    if some(0.4) and options.get("units") != "characters":
        options["full_alphabet"] = some(0.5)
    if some(0.5):
        options["ties"] = rng.choice(TIES)
    if some(0.6):
        options["special"] = tuple(dict.fromkeys(rng.choices(SPECIAL, k=rng.randint(0, 3))))
    if some(0.4):
        options["unknown"] = rng.choice((None, "<unk>", "[UNK]", "a", "é"))
    if some(0.5):
        options["documents"] = rng.choice(("file", "line", "separator"))
    further = {
        "split_digits": True,
        "byte_fallback": True,
        "max_token_length": rng.randint(1, 6),
        "initial_alphabet": "".join(rng.choices("aqé1Ġ", k=2)),
        "limit_alphabet": rng.randint(1, 6),
        "character_coverage": rng.choice((0.5, 0.8, 0.95)),
        "pad_token": rng.choice(SPECIAL),
        "bos_token": rng.choice(SPECIAL),
        "template": f"$A {rng.choice(SPECIAL)}",
    }
    options |= {name: value for name, value in further.items() if some(0.12)}
    symbols = [*LETTERS.replace(" ", "").replace("\n", ""), *MARKS, "ab", "##a", "a</w>", "Ġ"]
    for name in ("force", "forbid"):
        if some(0.25):
            symbols += ["</w>"] * 20 * some(0.3)
            pairs = [(rng.choice(symbols), rng.choice(symbols)) for _ in range(rng.randint(1, 3))]
            options[name] = [
                pair for pair in pairs if not any(c.isspace() for part in pair for c in part)
            ]
    if some(0.5):
        return bpe.TrainingConfig.preset(rng.choice(list(PRESETS)), **options)
    # As one of the formats needs it.
    preset, needed = rng.choice(_NEEDED)
    kept = {name: value for name, value in options.items() if name in _FREE} | needed
    if preset == "gpt2" and some(0.5):
        kept["split"] = options.get("split", "gpt2")
    return bpe.TrainingConfig.preset(preset, **kept)


def changed(model: TokenizerModel, rng: random.Random) -> TokenizerModel:
    """A tokenizer as others make them: tokens that no merge makes, merges in another order, a
    template, a pad token.
    """
    tokens = list(model.tokens)
    merges = list(model.merges)
    special = dict(model.special_ids)
    for _ in range(rng.randint(0, 2)):
        match rng.randrange(8):
            case 0:
                tokens.append(rng.choice(("ab", "abc", "zz", "q", "Ġab", "a</w>", "aabb")))
            case 1:
                rng.shuffle(merges)
            case 2 if merges:
                merges.pop(rng.randrange(len(merges)))
            case 3:
                name = rng.choice(SPECIAL)
                if name not in tokens:
                    special[name] = len(tokens)
                    tokens.append(name)
            case 4 if special:
                name = rng.choice(list(special))
                model = replace(
                    model, template=Template((name,), (name,)[: rng.randint(0, 1)]), pad_token=name
                )
            case 5:
                model = replace(model, model_max_length=rng.choice((1, 512, None)))
            case 6:
                model = replace(
                    model, config=model.config.replace(normalize=rng.choice(NORMALIZATIONS))
                )
            case 7 if len(merges) > 1 and len(tokens) > 3:
                first, second = rng.sample(range(len(tokens)), 2)
                swap = {first: second, second: first}
                tokens[first], tokens[second] = tokens[second], tokens[first]
                merges = [tuple(swap.get(token, token) for token in merge) for merge in merges]  # type: ignore[misc]
                special = {name: swap.get(number, number) for name, number in special.items()}
                if model.unknown_id is not None:
                    model = replace(model, unknown_id=swap.get(model.unknown_id, model.unknown_id))
    config = (
        model.config.replace(special=tuple(special))
        if special.keys() != model.special_ids.keys()
        else model.config
    )
    return replace(
        model, config=config, tokens=tuple(tokens), merges=tuple(merges), special_ids=special
    )


def ids_of(tokenizer: Tokenizer, text: str | bytes, **options: bool) -> list[int] | str:
    try:
        return tokenizer.encode(text, **options).ids
    except VocabularyError:
        return "outside the alphabet"


def difference(name: str, ours: Tokenizer, back: Tokenizer, text: str | bytes) -> str:
    """How what was read back encodes a text otherwise; "" where it does not."""
    if name == "tiktoken":
        # Neither the split nor NFC is in the file.
        config = back.model.config.replace(
            split=ours.model.config.split, normalize=ours.model.config.normalize
        )
        back = Tokenizer(replace(back.model, config=config))
    if name == "subword-nmt":
        # Nor are ids, and symbols of which nothing was made. A mark alone is no unit of that
        # program.
        known = set(back.model.tokens) - set(back.model.special_ids)
        try:
            tokens = ours.encode(text, recognize_special=False).tokens
        except VocabularyError:
            return ""
        for place in reversed(range(len(tokens))):
            if tokens[place] == "</w>":
                tokens[place - 1 : place + 1] = [tokens[place - 1] + "</w>"]
        expected = [token if token in known else "<unk>" for token in tokens]
        found = back.encode(text).tokens
        return "" if found == expected else f"{text!r}: {expected} {found}"
    every_options: list[dict[str, bool]] = [{}, {"recognize_special": True}]
    if name == "huggingface":
        every_options.append({"add_special_tokens": True})
    elif name == "sentencepiece":
        # Its library takes special tokens in a text as text.
        every_options[0] = {"recognize_special": False}
    elif name == "tiktoken":
        # No special token is in the file.
        every_options = [{"recognize_special": False}]
    for options in every_options:
        expected_ids = ids_of(ours, text, **options)
        found_ids = ids_of(back, text, **options)
        # Its library runs one that has not every byte: it leaves out the others, and decodes
        # special tokens as bytes.
        is_run = name == "gpt2" and not ours.model.config.full_alphabet
        if is_run and isinstance(expected_ids, str):
            continue
        if expected_ids != found_ids:
            return f"{text!r} {options}: {expected_ids} {found_ids}"
        if isinstance(expected_ids, list) and name != "tiktoken" and not is_run:
            contents = ours.decode_bytes(expected_ids), back.decode_bytes(expected_ids)
            if contents[0] != contents[1]:
                return f"{text!r}: decoded as {contents}"
    return ""


def texts_for(rng: random.Random, tokenizer: Tokenizer) -> list[str | bytes]:
    tokens = list(tokenizer.model.tokens)
    texts: list[str | bytes] = ["", *(random_text(rng) for _ in range(3))]
    texts.append("".join(rng.choice(tokens) for _ in range(6)) if tokens else "")
    if tokenizer.model.config.units == "bytes":
        texts += [rng.randbytes(rng.randint(0, 12)), b"a\xff b"]
    return texts


def round_trip(seed: int, folder: Path) -> tuple[list[str], Counter[str]]:
    """What went wrong with one tokenizer, and what became of it in each format."""
    rng = random.Random(seed)
    done: Counter[str] = Counter()
    try:
        config = random_config(rng)
        corpus = bpe.Corpus.from_text(random_text(rng, rng.choice((0, 3, 80, 300))), config)
        trainer = bpe.Trainer(corpus, config)
        trainer.run()
        run = trainer.run_record
        tokenizer = run.tokenizer()
    except BpeError:
        return [], Counter({"no tokenizer": 1})
    faults: list[str] = []
    if rng.random() < 0.4:
        tokenizer = Tokenizer(changed(tokenizer.model, rng))
    else:
        faults += _try(
            "studio", tokenizer, folder, rng, done, lambda path: _write_document(trainer, path)
        )
    for name in registry.FORMATS:
        if name != "studio":
            faults += _try(
                name,
                tokenizer,
                folder,
                rng,
                done,
                lambda path, name=name: tokenizer.save(path, name),
            )
    return faults, done


def _write_document(trainer: bpe.Trainer, path: Path) -> None:
    run = trainer.run_record
    n = len(run.merges)
    branch = StoredBranch(
        0, "Main run", None, None, run.config, stored_columns(run.columns, n), n, n, was_run=True
    )
    path.write_bytes(pack(StudioDocument("a", run.corpus, (branch,))))


def _try(
    name: str,
    tokenizer: Tokenizer,
    folder: Path,
    rng: random.Random,
    done: Counter[str],
    save: Callable[[Path], None],
) -> list[str]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    path = folder / "out"
    where = f"{name}: {tokenizer.model.config.to_dict()}"
    try:
        save(path)
    except SaveError as error:
        done[f"{name} refused"] += 1
        fault = (
            "not one sentence"
            if "\n" in str(error)
            else "something was written"
            if list(folder.iterdir())
            else ""
        )
        return [f"{where}: {fault}: {error}"] if fault else []
    except Exception:
        return [f"{where}: while writing: {traceback.format_exc()}"]
    done[f"{name} written"] += 1
    try:
        if recognize(path).kind != name:
            return [f"{where}: taken for {recognize(path).kind}"]
        back = load(path)
        found = [
            fault
            for text in texts_for(rng, tokenizer)
            if (fault := difference(name, tokenizer, back, text))
        ]
        return [f"{where}: {fault}" for fault in found[:1]]
    except Exception:
        return [f"{where}: while reading: {traceback.format_exc()}"]
