"""Options that make no sense get one sentence that says so; patterns that never end are stopped."""

from __future__ import annotations

import time

import pytest

import bpe_studio as bpe

_BAD = [
    ("textbook", {"units": "words"}, "words"),
    ("textbook", {"split": "sentences"}, "sentences"),
    ("textbook", {"ties": "coin"}, "coin"),
    ("textbook", {"documents": "page"}, "page"),
    ("textbook", {"normalize": ("nfz",)}, "nfz"),
    ("gpt2", {"vocab_size": 0}, "0"),
    ("gpt2", {"vocab_size": -5}, "-5"),
    ("gpt2", {"vocab_size": 300.5}, "300.5"),
    ("gpt2", {"vocab_size": "many"}, "many"),
    ("gpt2", {"vocab_size": None, "merges": -1}, "-1"),
    ("gpt2", {"vocab_size": 500, "merges": 5}, "500"),
    ("gpt2", {"min_frequency": -1}, "-1"),
    ("gpt2", {"special": ("",)}, "special"),
    ("sennrich", {"word_end_as": "before"}, "before"),
    ("textbook", {"word_end_as": "own-symbol"}, "own-symbol"),
    ("textbook", {"full_alphabet": True}, "alphabet"),
    ("textbook", {"force": (("a", "b"),), "forbid": (("a", "b"),)}, "a"),
    ("textbook", {"force": (("a",),)}, "force"),
    ("textbook", {"forbid": (("a", ""),)}, "forbid"),
    ("textbook", {"split": "regex:"}, "regex"),
    ("textbook", {"documents": "separator", "special": (), "unknown": None}, "separat"),
    ("textbook", {"colour": "red"}, "colour"),
    ("sentencepiece", {"character_coverage": 0}, "0"),
    ("sentencepiece", {"character_coverage": "all"}, "all"),
    ("textbook", {"limit_alphabet": 0}, "0"),
    ("textbook", {"limit_alphabet": 9, "character_coverage": 0.9}, "one of them"),
    ("gpt2", {"limit_alphabet": 9, "full_alphabet": True}, "256 bytes"),
    ("gpt2", {"byte_fallback": True, "units": "bytes"}, "units characters"),
    ("textbook", {"byte_fallback": True, "continuing": "##"}, "marks"),
    ("gpt2", {"split": "digits-left", "split_digits": True}, "threes from the left"),
    ("gpt2", {"split": "regex:a+", "split_digits": True}, "regex:a+"),
    ("gpt2", {"initial_alphabet": [""]}, "initial-alphabet"),
    ("gpt2", {"pad_token": "a b"}, "pad-token"),
    ("gpt2", {"eos_token": ""}, "eos-token"),
    ("gpt2", {"template": "<s>  </s>"}, "$A"),
    ("gpt2", {"template": "<s> $A $B"}, "$B"),
    ("gpt2", {"template": "$A:0"}, "$A"),
    ("gpt2", {"template": 3}, "3"),
]


def _is_a_sentence(message: str) -> bool:
    return len(message.split()) > 5 and "\n" not in message and "Traceback" not in message


@pytest.mark.parametrize(("preset", "options", "says"), _BAD, ids=lambda value: str(value)[:40])
def test_refused_with_a_sentence(preset: str, options: dict[str, object], says: str) -> None:
    with pytest.raises(bpe.ConfigError) as refusal:
        bpe.TrainingConfig.preset(preset, **options)
    message = str(refusal.value)
    assert says in message
    assert _is_a_sentence(message)
    assert isinstance(refusal.value, bpe.BpeError)


def test_no_such_preset_names_those_there_are() -> None:
    with pytest.raises(bpe.ConfigError, match=r"xyz.*textbook.*sentencepiece"):
        bpe.TrainingConfig.preset("xyz")


def test_replacing_is_checked_too() -> None:
    config = bpe.TrainingConfig.preset("textbook")
    with pytest.raises(bpe.ConfigError):
        config.replace(ties="coin")
    assert config.replace(ties="huggingface").ties == "huggingface"
    assert config.ties == "first-seen"


def test_an_option_brings_what_it_needs() -> None:
    fallback = bpe.TrainingConfig.preset("gpt2", byte_fallback=True)
    assert (fallback.units, fallback.full_alphabet) == ("characters", False)
    assert not bpe.TrainingConfig.preset("gpt2", character_coverage=0.99).full_alphabet
    assert bpe.TrainingConfig.preset("sentencepiece", limit_alphabet=9).character_coverage == 1
    by_bytes = bpe.TrainingConfig.preset("llama2", units="bytes", full_alphabet=True)
    assert (by_bytes.byte_fallback, by_bytes.character_coverage) == (False, 1)
    assert (
        bpe.TrainingConfig.preset("textbook", initial_alphabet=["abc", "d", "a"]).initial_alphabet
        == "ad"
    )


def test_characters_without_a_token_are_refused_before_training() -> None:
    config = bpe.TrainingConfig.preset("textbook", unknown=None, character_coverage=0.5)
    corpus = bpe.Corpus.from_text("aaaa b", config)
    with pytest.raises(bpe.ConfigError, match="unknown, or choose byte fallback"):
        bpe.train(corpus, config)
    config = bpe.TrainingConfig.preset("gpt2", initial_alphabet="ب", full_alphabet=False)
    with pytest.raises(bpe.ConfigError, match="initial alphabet"):
        bpe.train(bpe.Corpus.from_text("a", config), config)


def test_an_unknown_token_that_the_prefix_cuts_in_two_is_refused() -> None:
    config = bpe.TrainingConfig.preset(
        "textbook", continuing="#", unknown="⁇", character_coverage=0.6
    )
    with pytest.raises(bpe.ConfigError, match="choose another one"):
        bpe.train(bpe.Corpus.from_text("aaaa aab", config), config)
    known = config.replace(unknown="[UNK]")
    assert bpe.train(bpe.Corpus.from_text("aaaa aab", known), known).merges


def test_one_target_takes_the_place_of_the_other() -> None:
    by_merges = bpe.TrainingConfig.preset("gpt2", merges=7)
    assert (by_merges.merges, by_merges.vocab_size) == (7, None)
    by_size = bpe.TrainingConfig.preset("textbook", vocab_size=70)
    assert (by_size.merges, by_size.vocab_size) == (None, 70)
    assert by_size.target_merges(40) == 70 - 40 - 1  # the unknown token is in the vocabulary too


@pytest.mark.parametrize(
    "preset",
    [
        "textbook",
        "sennrich",
        "raw",
        "gpt2",
        "cl100k",
        "o200k",
        "subword-nmt",
        "sentencepiece",
        "llama2",
        "cs336",
    ],
)
def test_options_survive_being_written_down(preset: str) -> None:
    config = bpe.TrainingConfig.preset(
        preset, special=("<a>",), force=(("a", "b"),), forbid=(("c", "d"),)
    )
    assert bpe.TrainingConfig.from_dict(config.to_dict()) == config


def test_lists_and_command_line_spellings_are_taken() -> None:
    config = bpe.TrainingConfig.preset(
        "textbook",
        special=["<a>", "<b>"],
        force=["a b"],
        forbid=[["c", "d"]],
        normalize="nfc,lowercase",
    )
    assert config.special == ("<a>", "<b>")
    assert (config.force, config.forbid) == ((("a", "b"),), (("c", "d"),))
    assert config.normalize == ("nfc", "lowercase")


def test_what_a_preset_promises() -> None:
    textbook = bpe.TrainingConfig.preset("textbook")
    assert (
        textbook.units,
        textbook.split,
        textbook.ties,
        textbook.min_frequency,
        textbook.unknown,
        textbook.word_end,
    ) == (*("characters", "words", "first-seen", 1, "[UNK]", None),)
    sennrich = bpe.TrainingConfig.preset("sennrich")
    assert (
        sennrich.split,
        sennrich.word_end,
        sennrich.word_end_as,
        sennrich.ties,
        sennrich.min_frequency,
    ) == (*("whitespace", "</w>", "own-symbol", "first-seen", 1),)
    raw = bpe.TrainingConfig.preset("raw")
    assert (raw.units, raw.split, raw.ties, raw.min_frequency) == ("bytes", "none", "first-seen", 2)
    gpt2 = bpe.TrainingConfig.preset("gpt2")
    assert (gpt2.units, gpt2.split, gpt2.documents, gpt2.full_alphabet) == (
        "bytes",
        "gpt2",
        "line",
        True,
    )
    assert (gpt2.ties, gpt2.min_frequency, gpt2.special) == ("huggingface", 2, ("<|endoftext|>",))
    for name in ("cl100k", "o200k"):
        assert bpe.TrainingConfig.preset(name).split == name
        assert bpe.TrainingConfig.preset(name).replace(split="gpt2", preset_name="gpt2") == gpt2
    marked = bpe.TrainingConfig.preset("subword-nmt")
    assert (marked.units, marked.split, marked.documents) == ("characters", "spaces", "line")
    assert (marked.word_end, marked.word_end_as, marked.ties) == (
        "</w>",
        "on-last-character",
        "subword-nmt",
    )
    for name in ("textbook", "sennrich", "raw"):
        assert bpe.TrainingConfig.preset(name).documents == "file"
    assert bpe.TrainingConfig.preset("sentencepiece").documents == "line"


@pytest.mark.parametrize("pattern", ["(", "[a-", "a{5,2}", r"\p{Nothing}", "(?P<n>a)(?P<n>b", "*a"])
def test_patterns_that_are_wrong(pattern: str) -> None:
    with pytest.raises(bpe.PatternError) as refusal:
        bpe.Corpus.from_text(
            "some text", bpe.TrainingConfig.preset("textbook", split=f"regex:{pattern}")
        )
    assert pattern in str(refusal.value)
    assert _is_a_sentence(str(refusal.value))


@pytest.mark.parametrize(
    ("pattern", "text"), [(r"(a|aa)+$", "a" * 60 + "b"), (r"(a|a)*b", "a" * 60 + "!b")]
)
def test_patterns_that_never_end(pattern: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The command line's test of an endless pattern waits for the limit as it is.
    monkeypatch.setattr("bpe_studio.engine.text.pretokenization.MATCH_TIMEOUT_S", 0.2)
    config = bpe.TrainingConfig.preset("textbook", split=f"regex:{pattern}")
    began = time.process_time()
    with pytest.raises(bpe.PatternError) as refusal:
        bpe.Corpus.from_text(text, config)
    assert time.process_time() - began < 15
    assert pattern in str(refusal.value)
    assert _is_a_sentence(str(refusal.value))


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(x+x+)+y", r"(?:a*)*c", r"([a-zA-Z]+)*="])
def test_patterns_that_might_never_end_are_bounded(pattern: str) -> None:
    config = bpe.TrainingConfig.preset("textbook", split=f"regex:{pattern}")
    began = time.process_time()
    try:
        corpus = bpe.Corpus.from_text("a" * 200 + "b" * 3 + "!" + "x" * 200, config)
    except bpe.PatternError as refusal:
        assert _is_a_sentence(str(refusal))
    else:
        assert len(corpus) <= 2
    assert time.process_time() - began < 15
