"""Tokenizers are recognized by content under any name.

What is none is refused in one sentence, in bounded time.
"""

from __future__ import annotations

import base64
import gzip
import json
import pickle
from pathlib import Path

import pytest
import tiktoken

from bpe_studio import Corpus, TrainingConfig, train
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.text.alphabet import from_stand_ins
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.loading import load
from bpe_studio.files.recognition import recognize
from tests.examples import examples
from tests.files.third_party.made import (
    LLAMA3,
    TEXTS,
    TRAINING,
    Json,
    content_of,
    sentencepiece_model,
    strange_texts,
)

PATTERN = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def ours() -> Tokenizer:
    config = TrainingConfig.preset("gpt2", merges=120, special=())
    return train(Corpus.from_text("\n".join(TRAINING), config), config).tokenizer()


def tekken(pattern: str = PATTERN) -> Json:
    names = [bytes([byte]) for byte in range(256)]
    model = ours().model
    names += [from_stand_ins(model.tokens[new]) for _, _, new in model.merges]
    names += [b"beyond the vocabulary"]
    entries = [
        {"rank": rank, "token_bytes": base64.b64encode(name).decode(), "token_str": None}
        for rank, name in enumerate(names)
    ]
    config = {
        "pattern": pattern,
        "num_vocab_tokens": len(names),
        "default_vocab_size": len(names) - 1 + 20,
        "default_num_special_tokens": 20,
        "version": "v3",
    }
    special = [{"rank": 1, "token_str": "<s>", "is_control": True}]
    return {"config": config, "vocab": entries, "special_tokens": special}


def codes(lines: list[str]) -> bytes:
    return "\n".join([*lines, ""]).encode()


def name_of(value: object) -> str:
    """What a case is called: contents of files are never the same, as they hold times and trained
    tokens.
    """
    return value if isinstance(value, str) else "data"


_RANKS = b"".join(base64.b64encode(bytes([b])) + b" %d\n" % b for b in range(256))
_MINBPE = b"minbpe v1\n\n0\n104 117\n"


@pytest.mark.usefixtures("sound_files")
@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("huggingface", content_of("llama3").encode()),
        ("huggingface", b"  " + content_of("unigram").encode()),
        ("tekken", json.dumps(tekken()).encode()),
        ("sentencepiece", sentencepiece_model("llama")),
        ("sentencepiece", gzip.compress(sentencepiece_model("llama"))),
        ("tiktoken", _RANKS),
        ("tiktoken", gzip.compress(_RANKS)),
        ("minbpe", _MINBPE),
        ("minbpe", gzip.compress(_MINBPE)),
        ("subword-nmt", codes(["#version: 0.2", "h u", "hu g</w>"])),
        ("subword-nmt", codes(["h u", "hu g", "hug </w>"])),
        ("subword-nmt", gzip.compress(codes(["#version: 0.2", "h u", "hu g</w>"]))),
        ("fastbpe", codes(["h u 12", "hu g</w> 7"])),
        ("fastbpe", gzip.compress(codes(["h u 12", "hu g</w> 7"]))),
    ],
    ids=name_of,
)
@pytest.mark.usefixtures("sound_files", "transformers_here")
def test_the_content_decides(kind: str, data: bytes, tmp_path: Path) -> None:
    for name in ("tokenizer.json", "merges.txt", "notes.md", "x.model"):
        file = tmp_path / name / name
        file.parent.mkdir()
        file.write_bytes(data)
        (file.parent / "README.md").write_text("# A tokenizer\n\nIt has a page.\n")
        assert recognize(file).kind == recognize(file.parent).kind == kind
        tokenizer = load(file.parent)
        assert len(tokenizer.encode("hug").ids) > 0


@pytest.mark.parametrize("pattern", [PATTERN, LLAMA3])
def test_tekken_is_encoded_as_by_tiktoken(pattern: str, tmp_path: Path) -> None:
    root = tekken(pattern)
    (tmp_path / "tekken.json").write_text(json.dumps(root))
    tokenizer = load(tmp_path)
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in root["vocab"][:-1]}
    library = tiktoken.Encoding("test", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    for text in (*TEXTS, *strange_texts(examples(100), 4)):
        found = tokenizer.encode(text, recognize_special=False)
        assert found.ids == [20 + number for number in library.encode_ordinary(text)]
    assert isinstance(tokenizer, Tokenizer)
    assert tokenizer.model.special_ids["<s>"] == 1
    assert tokenizer.vocab_size == root["config"]["default_vocab_size"]


@pytest.mark.parametrize("special", [{}, {"<|bos|>": 376, "<|user_start|>": 380}])
def test_a_pickled_encoding_is_read_without_unpickling_it(
    special: dict[str, int], tmp_path: Path
) -> None:
    model = ours().model
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {
        from_stand_ins(model.tokens[new]): 256 + rank
        for rank, (_, _, new) in enumerate(model.merges)
    }
    pattern = (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s+"
    )
    library = tiktoken.Encoding(
        "rustbpe", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special
    )
    file = tmp_path / "tokenizer.pkl"
    file.write_bytes(pickle.dumps(library))
    tokenizer = load(tmp_path)
    for text in (*TEXTS, "a<|bos|>b", *strange_texts(examples(100), 5)):
        ids = tokenizer.encode(text).ids
        assert ids == library.encode(text, allowed_special="all", disallowed_special=())
    for end in range(40, len(file.read_bytes()), 97):
        (tmp_path / "cut").write_bytes(file.read_bytes()[:end])
        with pytest.raises(TokenizerFormatError):
            load(tmp_path / "cut")
    # One more instruction, and it is refused.
    harmful = pickle.dumps([library, _Unpickled()])
    assert recognize(file).kind == "pickle"
    (tmp_path / "cut").write_bytes(
        harmful[:12] + pickle.dumps(library)[11:-1] + pickle.dumps(_Unpickled())[11:]
    )
    with pytest.raises(TokenizerFormatError) as caught:
        load(tmp_path / "cut")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "match"),
    [
        (["<blank>", "<s>", "￭.", "the", "th￭"], "OpenNMT"),
        (["# Generated with pyonmttok", "￭.\t12", "the\t9"], "OpenNMT"),
        (["v3;false;true;false;<w>;</w>", "t h", "e </w>"], "OpenNMT"),
        (["2 1", "9601 4", "97 5", "4 5 6", "1 0 2 3"], "YouTokenToMe"),
        (["the 120", "th@@ 9", "e 9"], "fairseq"),
        (
            ["13 850314647", "262 800385005", "11 800251374", "284 432911125", "madeupword0000 0"],
            "fairseq",
        ),
        (["the 120", ", 90", ". 80", "a 80", "of 3"], "fairseq"),
    ],
)
def test_files_of_other_programs_are_named_with_what_to_do(
    lines: list[str], match: str, tmp_path: Path
) -> None:
    file = tmp_path / "some.file"
    file.write_bytes(codes(lines))
    for path in (file, tmp_path):
        found = recognize(path)
        assert found.is_tokenizer and found.kind == "named"
        with pytest.raises(TokenizerFormatError, match=match) as caught:
            load(path)
        assert "\n" not in str(caught.value) and ":" in str(caught.value)


@pytest.mark.parametrize(
    "lines",
    [
        ["a b", "c d", "e f"],
        ["chapter 1", "chapter 2", "chapter 3", "verse 4", "verse 5"],
        ["1 2", "3 4"],
        ["x 9", "y 8"],
    ],
)
def test_texts_of_two_words_a_line_are_texts(lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(codes(lines))
    assert recognize(tmp_path / "a.txt").kind == "text"


@pytest.mark.parametrize("name", ["dict.txt", "dict.en.txt"])
def test_a_short_dictionary_of_fairseq_is_known_by_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(codes(["the 100", "of 50", "hello 3"]))
    (tmp_path / "bpe.codes").write_bytes(codes(["t h", "h e", "l l"]))
    for path in (tmp_path / name, tmp_path):
        with pytest.raises(TokenizerFormatError, match="fairseq"):
            load(path)
    (tmp_path / name).write_bytes(codes(["chapter 1", "chapter 2"]))
    assert recognize(tmp_path / name).kind == "text"


def test_another_pickle_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(pickle.dumps({"a": [1, 2]}))
    with pytest.raises(TokenizerFormatError, match="pickle that holds something other") as caught:
        load(tmp_path / "file")
    assert "formats are" not in str(caught.value)


def test_codes_that_were_joined_are_read_as_subword_nmt_reads_them(tmp_path: Path) -> None:
    from subword_nmt import apply_bpe

    first = ["h u", "hu g</w>", "a b", "l l"]
    second = ["hu g</w>", "p u", "pu g</w>", "ab b</w>"]
    data = codes(["#version: 0.2", *(line + " " for line in first), "#version: 0.2", *second])
    file = tmp_path / "codes"
    file.write_bytes(data)
    assert recognize(file).kind == "subword-nmt"
    tokenizer = load(file)
    with file.open(encoding="utf-8") as stream:
        library = apply_bpe.BPE(stream)
    for word in ("hug", "pug", "abb", "hugpug", "hull", "puga"):
        tokens = [token.removesuffix("</w>") for token in tokenizer.tokenize(word)]
        assert "<unk>" in tokens or tokens == library.process_line(word).replace("@@", "").split(
            " "
        )


class _Unpickled:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('unpickled')",)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"{}",
        b"[]",
        b"[" * 100_000,
        b'{"model":' * 100_000,
        b'{"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}}',
        b'{"model": {"type": "BPE", "vocab": {"a": 1e400}, "merges": []}}',
        b'{"model": {"type": "BPE", "vocab": {"a": 4000000000}, "merges": []}}',
        b'{"model": {"type": "BPE", "vocab": {"a": 5000000000}, "merges": []}}',
        b'{"model": {"type": "BPE", "vocab": {"a": ' + b"9" * 5000 + b'}, "merges": []}}',
        b'{"model": {"type": "BPE", "vocab": {"a": 0, "a": 1}, "merges": []}}',
        b'{"model": {"type": "BPE", "vocab": {"\\ud800": 0}, "merges": []}}',
        b'{"config": {"default_num_special_tokens": 1e9}, "vocab": [{"token_bytes": 3}]}',
        json.dumps({**tekken(), "config": {**tekken()["config"], "pattern": "(("}}).encode(),
        json.dumps(
            {**tekken(), "config": {**tekken()["config"], "default_num_special_tokens": -1}}
        ).encode(),
        json.dumps({**tekken(), "vocab": tekken()["vocab"][1:]}).encode(),
        b"\n\x05abcde",
        b"\x1f\x8b\x08\x00 no gzip at all",
        gzip.compress(b"h u 1\nhu g</w> 2\n" * 9)[:-9],
        b"h u 1\nhu g</w> 2\nhu g</w>\n",
        b"\xff\xfe\x00\x00",
        b"PK\x03\x04 no document",
        b"just a text\nof two lines\n",
        pickle.dumps(_Unpickled()),
    ],
    ids=name_of,
)
def test_what_is_no_tokenizer_is_refused_in_one_sentence(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(data)
    for path in (file, tmp_path):
        with pytest.raises(TokenizerFormatError) as caught:
            load(path)
        message = str(caught.value)
        assert str(tmp_path) in message
        assert "\n" not in message
        assert len(message) < 600
        assert "set_int_max_str_digits" not in message


def test_json_lines_are_not_taken_for_a_vocabulary(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text('{"id": 0, "text": "a"}\n{"id": 1, "text": "b"}\n', encoding="utf-8")
    with pytest.raises(TokenizerFormatError, match="not a tokenizer in a known format"):
        load(file)


def test_what_is_not_there_or_no_file_is_refused(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path / "missing", "does not exist"),
        (Path("/dev/zero"), "is a pipe or a device"),
    ):
        with pytest.raises(TokenizerFormatError, match=message):
            load(path)
    with pytest.raises(TokenizerFormatError, match="contains no tokenizer"):
        load(tmp_path)


def test_codes_that_may_be_half_a_pair_say_so(tmp_path: Path) -> None:
    (tmp_path / "merges.txt").write_text("#version: 0.2\nh u\nhu g\n")
    assert (
        load(tmp_path / "merges.txt").notices[0].endswith("put its vocab.json into the same folder")
    )
    (tmp_path / "codes").write_text("#version: 0.2\nh u\nhu g</w>\n")
    assert load(tmp_path / "codes").notices == ()
