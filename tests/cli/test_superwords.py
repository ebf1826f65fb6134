"""Superwords from the command line: what they refuse, and the files that hold them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import bpe_studio as bpe
from bpe_studio import TrainingConfig, load
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.training.seeded_run import SeededRun
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.opening.documents import open_document
from tests.cli.conftest import Studio

WORDS = ["the", "way", "of", "don't", "it's", "x:", "no:", "12", "45678", "é世", "--", "=="]
GAPS = [" "] * 9 + ["  ", "\n", "", ": ", ", ", "\t", "\t  ", "!!\r\n", "\u00a0", ".,"]


def text_of(seed: int, n_words: int) -> str:
    chance = random.Random(seed)
    return "".join(chance.choice(WORDS) + chance.choice(GAPS) for _ in range(n_words))


def tokens_at(folder: str, text: str, step: int) -> list[str]:
    return list(load(folder).at(step).encode(text).tokens)


def check_published(content: dict[str, Any]) -> None:
    """Writes the folder `published`, and checks that its ids are those of the folder `hf`."""
    Path("published").mkdir()
    Path("published/tokenizer.json").write_text(json.dumps(content), "utf-8")
    published = load("published")
    ours = load("hf")
    for seed in range(200):
        text = text_of(seed, seed % 30)
        assert published.encode(text).ids == ours.encode(text).ids


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--superwords-from 100", "257 or more"),
        ("--superwords-from 8192", "training ends at 8,192"),
        ("--superwords-from 9000", "training ends at 8,192"),
        ("--superwords-from 300 --preset sentencepiece", "split sentencepiece"),
        ("--superwords-from 300 --word-end </w>", "word-end"),
        ("--superwords-from 300 --continuing ##", "continuing"),
        ("--superwords-from 300 --limit-alphabet 99", "limit-alphabet"),
        ("--superwords-from 300 --character-coverage 0.9", "character-coverage"),
        ("--superwords-from 300 --byte-fallback", "byte-fallback"),
        ("--superwords-from 300 --split-digits", "split-digits"),
        ("--superwords-from 300 --superwords-split regex:(", "not valid"),
        ("--superwords-from 300 --superwords-split regex:x* --format tiktoken", "empty"),
        ("--superwords-from 300 --superwords-words 101", "1 to 100"),
        ("--superwords-from 300 --split words --no-full-alphabet", "words and punctuation"),
        ("--preset superbpe --format gpt2", "superwords"),
    ],
)
def test_what_does_not_go_is_refused_before_a_text_is_read(
    studio: Studio, options: str, says: str
) -> None:
    assert says in studio("train", "nothing.txt", *options.split(), "-o", "out").sentence()


@pytest.mark.parametrize("more", [[], ["--superwords-from", "290"]])
def test_a_list_is_checked_with_as_many_merges_as_it_has(studio: Studio, more: list[str]) -> None:
    Path("words.txt").write_text(text_of(0, 400), "utf-8")
    options = ["--preset", "superbpe", *more]
    train = ["train", "words.txt", *options, "--merges", "60", "--log", "log.jsonl", "-o", "out"]
    assert studio(*train).status == 0
    pairs = [json.loads(line) for line in Path("log.jsonl").read_text("utf-8").splitlines()]
    Path("merges.txt").write_text("".join(f"{p['left']} {p['right']}\n" for p in pairs), "utf-8")
    assert studio("check", "merges.txt", "words.txt", *options).status == 0


def test_a_page_knows_one_stage(studio: Studio) -> None:
    Path("words.txt").write_text(text_of(0, 200), "utf-8")
    page = ["export", "page", "words.txt", "--preset", "superbpe", "-o", "page.html"]
    assert "without superwords-from" in studio(*page).sentence()


def test_counts_of_one_stage_are_refused_for_two(studio: Studio) -> None:
    Path("words.txt").write_text(text_of(0, 200), "utf-8")
    assert studio("count", "words.txt", "-o", "counts.tsv").status == 0
    train = ["train", "--superwords-from", "300", "-o", "out"]
    assert "superwords-from none and not 300" in studio(*train, "--counts", "counts.tsv").sentence()
    Path("plain.tsv").write_text("hug\t10\n", "utf-8")
    assert "second one" in studio(*train, "--counts", "plain.tsv").sentence()


def test_a_count_says_the_size_of_both_tables(studio: Studio) -> None:
    Path("words.txt").write_text(text_of(0, 200), "utf-8")
    counted = studio("count", "words.txt", "--preset", "superbpe", "-o", "counts.tsv", "--json")
    first, second = (words.counts for words in bpe.Counter.load("counts.tsv").tables())
    summary = json.loads(counted.out)
    assert (summary["n_distinct"], summary["n_words"]) == (len(first), first.sum())
    assert (summary["n_distinct_pieces"], summary["n_pieces"]) == (len(second), second.sum())
    del summary["output"]
    assert all(f"{number:,}" in counted.err for number in summary.values())


@pytest.mark.parametrize("name", ["counts.tsv", "counts.parquet"])
def test_saved_counts_give_the_merges_of_the_text(studio: Studio, name: str) -> None:
    Path("words.txt").write_text(text_of(1, 3000), "utf-8")
    assert studio("count", "words.txt", "--preset", "superbpe", "-o", name).status == 0
    superbpe = ["train", "--preset", "superbpe", "--vocab-size", "400"]
    plain = ["train", "--split", "o200k-words", "--vocab-size", "400"]
    for options in (superbpe, plain):
        assert studio(*options, "words.txt", "-o", "out", "--log", "text.log").status == 0
        assert studio(*options, "--counts", name, "-o", "out", "--log", "counts.log").status == 0
        assert Path("counts.log").read_bytes() == Path("text.log").read_bytes()
    other = studio(*superbpe, "--superwords-split", "none", "--counts", name, "-o", "out")
    assert "superwords-split superwords and not none" in other.sentence()
    other = studio(*plain, "--split", "gpt2", "--counts", name, "-o", "out")
    assert "split o200k-words and not gpt2" in other.sentence()


@pytest.mark.parametrize("split", ["superwords", "none", r"regex:\n|\p{N}|[:!]+"])
def test_files_hold_both_stages_with_one_split(studio: Studio, split: str) -> None:
    Path("words.txt").write_text(text_of(0, 3000), "utf-8")
    train = ["train", "words.txt", "--preset", "superbpe", "--vocab-size", "700"]
    train += ["--superwords-split", split]
    for name, file in (("huggingface", "hf"), ("tiktoken", "ranks"), ("studio", "a.bpestudio")):
        assert studio(*train, "--format", name, "-o", file).status == 0
    theirs = tokenizers.Tokenizer.from_file("hf/tokenizer.json")
    ours = load("a.bpestudio")
    again = load("hf")
    ranks = load("ranks", split=ours.model.config.split)
    n_joined = 0
    for seed in range(2000):
        text = text_of(seed, seed % 30)
        encoded = ours.encode(text)
        assert theirs.encode(text).ids == encoded.ids == again.encode(text).ids
        assert ranks.encode(text).tokens == encoded.tokens
        assert ours.decode(encoded.ids) == text
        n_joined += sum("Ġ" in token[1:] for token in encoded.tokens)
    assert n_joined > 1000


def is_phrase(token: str, most: int) -> bool:
    return ":Ġ" not in token and len(list(filter(None, token.split("Ġ")))) <= most


@pytest.mark.parametrize(
    ("options", "most"),
    [("", 4), ("--superwords-words 2", 2), ("--superwords-words 3 --superwords-split none", 3)],
)
def test_saved_tokenizers_keep_both_stages(studio: Studio, options: str, most: int) -> None:
    Path("words.txt").write_text(text_of(0, 3000), "utf-8")
    train = ["train", "words.txt", "--preset", "superbpe", "--vocab-size", "400", *options.split()]
    for name, file in (("huggingface", "hf"), ("studio", "a.bpestudio")):
        assert studio(*train, "--format", name, "-o", file).status == 0
    config = TrainingConfig.preset("superbpe", vocab_size=400, superwords_words=most)
    if "none" in options:
        config = config.replace(superwords_split="none")
    run = bpe.train(bpe.Corpus.from_files(["words.txt"], config), config)
    text = text_of(1, 100)
    opened = SeededRun.of_merges(load("hf").model)
    for step in (0, 10, run.n_first - 1, run.n_first, len(run.merges)):
        expected = run.tokenizer(step).encode(text).tokens
        assert opened.live(text).n_tokens(step) == len(expected)
        for file in ("hf", "a.bpestudio"):
            encode = ["encode", "-t", file, "--text", text, "--step", str(step), "--json"]
            outcome = studio(*encode)
            assert json.loads(outcome.out)["tokens"] == expected
            assert outcome.err == ""
    for file in ("hf", "a.bpestudio"):
        assert studio("extend", "-t", file, "words.txt", "-o", "more", "--vocab-size", "900")
        merges = load("more").model.merges
        tokens = load("more").model.tokens
        assert len(merges) > len(run.merges) + 100
        later = [tokens[new] for *_, new in merges[run.n_first :]]
        assert all(is_phrase(token, most) for token in later)
        assert not all(is_phrase(token, 1) for token in later)
        assert load("more").at(10).encode(text).tokens == run.tokenizer(10).encode(text).tokens


def test_a_published_model_is_continued_by_the_same_rules(studio: Studio) -> None:
    Path("words.txt").write_text(text_of(0, 3000), "utf-8")
    digits = r"\p{N}+?(?=(?:[0-9]{3})+(?![0-9])|(?!\p{N}))"
    train = ["train", "words.txt", "--preset", "superbpe", "--vocab-size", "400"]
    assert studio(*train, "--superwords-split", f"regex:{digits}", "-o", "hf").status == 0
    content = json.loads(Path("hf/tokenizer.json").read_text("utf-8"))
    # As published: digits alone are cut, in threes from the right.
    *_, last = content["pre_tokenizer"]["pretokenizers"]
    splits = [
        {"type": "Split", "pattern": {"Regex": each}, "behavior": "Isolated", "invert": False}
        for each in (r"\p{N}+", r"(?=(\d{3})+(?!\d))")
    ]
    content["pre_tokenizer"]["pretokenizers"] = [*splits, last]
    check_published(content)
    extend = ["extend", "-t", "published", "words.txt", "--vocab-size", "700", "-o", "more"]
    assert studio(*extend).status == 0
    tokens = load("more").tokens
    assert all(is_phrase(tokens[number], 4) for number in range(400, 700))
    assert not all(is_phrase(tokens[number], 2) for number in range(400, 700))


def test_a_published_folder_is_continued_by_the_same_rules(studio: Studio) -> None:
    Path("words.txt").write_text(text_of(0, 3000), "utf-8")
    train = ["train", "words.txt", "--preset", "superbpe", "--vocab-size", "400"]
    assert studio(*train, "-o", "hf").status == 0
    # As published: with the expression alone, and without our own settings.
    content = json.loads(Path("hf/tokenizer.json").read_text("utf-8"))
    first = content["pre_tokenizer"]["pretokenizers"][0]
    pattern = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"
    first |= {"pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    check_published(content)
    text = text_of(3, 50)
    n_first = 320 - 257
    for step in (n_first, n_first + 20):
        assert tokens_at("published", text, step) == tokens_at("hf", text, step)
    encode = ["encode", "--text", text, "--step", "20", "-t"]
    assert "last step" in studio(*encode, "published").err
    assert studio(*encode, "hf").err == ""
    extend = ["extend", "-t", "published", "words.txt", "--vocab-size", "700", "-o", "more"]
    assert studio(*extend).status == 0
    tokens = load("more").tokens
    assert all(is_phrase(tokens[number], 4) for number in range(400, 700))
    assert not all(is_phrase(tokens[number], 2) for number in range(400, 700))
    rows = studio("compare", "-t", "published", "-t", "hf", "--json", "words.txt").out
    assert len({row["n_tokens"] for row in json.loads(rows)}) == 1


def test_a_document_opens_with_all_its_steps(studio: Studio) -> None:
    Path("words.txt").write_text(text_of(0, 3000), "utf-8")
    train = ["train", "words.txt", "--preset", "superbpe", "--vocab-size", "400"]
    assert studio(*train, "--format", "studio", "-o", "a.bpestudio").status == 0
    opened = result_of(open_document(Backend(), Path("a.bpestudio")))
    assert len(opened.notices) == 1  # that the text is not inside
    run = opened.project.session.current.trainer.run_record
    assert len(run.merges) == 400 - 257
    assert [run.n_first, run.vocab_size_at(run.n_first)] == [320 - 257, 320]
    assert run.measure("n_tokens").tolist() == [
        run.token_counts_at(step).sum() for step in range(len(run.merges) + 1)
    ]
