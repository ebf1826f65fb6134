"""GGUF files: the tokenizer in their head, as llama.cpp runs it; the bytes are written by hand."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

import bpe_studio as bpe
from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.formats import sentencepiece as model_file
from bpe_studio.files.loading import load
from bpe_studio.files.recognition import recognize
from bpe_studio.files.third_party.gguf.head import head_of
from bpe_studio.files.third_party.gguf.splits import SPLITS
from bpe_studio.files.third_party.gguf.tokenizer import as_tokenizer_json
from tests.files.third_party.made import TEXTS, gpt2, sentencepiece_model

pytestmark = pytest.mark.usefixtures("sound_files")
Keys = dict[str, Any]
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED = range(1, 5)


def text(value: str | bytes) -> bytes:
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def value(one: Any) -> bytes:
    match one:
        case bytes():  # as it is
            return one
        case bool():
            return struct.pack("<I?", 7, one)
        case int():
            return struct.pack("<II", 4, one)
        case float():
            return struct.pack("<If", 6, one)
        case str():
            return struct.pack("<I", 8) + text(one)
        case [str(), *_]:
            return struct.pack("<IIQ", 9, 8, len(one)) + b"".join(map(text, one))
        case [float(), *_]:
            return struct.pack(f"<IIQ{len(one)}f", 9, 6, len(one), *one)
        case _:
            return struct.pack(f"<IIQ{len(one)}i", 9, 5, len(one), *one)


def gguf(keys: Keys, *, version: int = 3) -> bytes:
    parts = (text(key) + value(one) for key, one in keys.items())
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(keys)) + b"".join(parts) + b"\0" * 64


def of_bytes(pre: str = "gpt-2", **more: Any) -> Keys:
    """A tokenizer of GPT-2's kind."""
    model = gpt2()["model"]
    names = sorted(model["vocab"], key=model["vocab"].get)
    keys = {
        "model": "gpt2",
        "pre": pre,
        "tokens": names,
        "merges": [" ".join(pair) for pair in model["merges"]],
    }
    return {
        "general.architecture": "x",
        **{f"tokenizer.ggml.{key}": one for key, one in (keys | more).items()},
    }


def of_scores(**more: Any) -> Keys:
    """A tokenizer of Llama's kind, with all bytes."""
    pieces = model_file.parsed(sentencepiece_model("llama")).pieces
    names, scores, types = map(list, zip(*pieces, strict=True))
    keys = {
        "model": "llama",
        "tokens": names,
        "scores": list(map(float, scores)),
        "token_type": types,
    } | more
    return {f"tokenizer.ggml.{key}": one for key, one in keys.items()}


def opened(keys: Keys, folder: Path) -> Any:
    file = folder / "model.gguf"
    file.write_bytes(gguf(keys))
    return load(file)


def test_bytes_have_the_ids_of_the_tokenizer_that_the_file_was_made_from(tmp_path: Path) -> None:
    import tokenizers

    library = tokenizers.Tokenizer.from_str(json.dumps(gpt2()))
    tokenizer = opened(of_bytes(), tmp_path)
    assert recognize(tmp_path).kind == "gguf"
    assert tokenizer.n_merges == len(gpt2()["model"]["merges"])
    for one in TEXTS:
        assert tokenizer.encode(one).ids == library.encode(one).ids
        assert tokenizer.decode(tokenizer.encode(one).ids) == one
    for form in ("huggingface", "gpt2", "tiktoken"):
        tokenizer.save(tmp_path / form, format=form)
    written = tokenizers.Tokenizer.from_file(str(tmp_path / "huggingface" / "tokenizer.json"))
    assert (
        written.encode(TEXTS[2]).ids
        == bpe.load(tmp_path / "gpt2").encode(TEXTS[2]).ids
        == tokenizer.encode(TEXTS[2]).ids
    )


def test_scores_have_the_ids_of_the_model_that_the_file_was_made_from(tmp_path: Path) -> None:
    library = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model("llama"))
    tokenizer = opened(of_scores(), tmp_path)
    for one in TEXTS:
        if not any(name in one for name in tokenizer.added_ids):
            assert tokenizer.encode(one).ids == library.encode(one), one
    # A space is put before what follows a special token, too, as in llama.cpp.
    start = tokenizer.special_ids["<s>"]
    assert tokenizer.encode("hug<s>hug").ids == [
        *library.encode("hug"),
        start,
        *library.encode("hug"),
    ]
    assert tokenizer.encode("hug", add_special_tokens=True).ids == [start, *library.encode("hug")]


# Of the vectors that llama.cpp publishes (`models/ggml-vocab-*.gguf.out`), where the pieces of runs
# of digits end.
@pytest.mark.parametrize(
    ("pre", "pieces"),
    [
        ("gpt-2", "33 33 333"),
        ("llama-bpe", "333 333 3"),
        ("qwen2", "3 3 3 3 3 3 3"),
        ("deepseek-v3", "333 333 3"),
        ("deepseek-coder", "3 3 3 3 3 3 3"),
        ("starcoder", "3 3 3 3 3 3 3"),
        ("falcon", "333 333 3"),
        ("tekken", "3 3 3 3 3 3 3"),
        ("gpt-4o", "333 333 3"),
        ("tiny_aya", "3 333 333"),
        ("superbpe", "3 333 333"),
    ],
)
def test_the_name_of_the_pre_tokenizer_says_how_text_is_cut(
    pre: str, pieces: str, tmp_path: Path
) -> None:
    names = ["3", "33", "333", "3333", "33333", "333333", "3333333", "a"]
    merges = ["3 3", "33 3", "333 3", "3333 3", "33333 3", "333333 3"]
    tokenizer = opened(of_bytes(pre, tokens=names, merges=merges, add_bos_token=False), tmp_path)
    assert " ".join(tokenizer.encode("3333333").tokens) == pieces


def test_superwords_can_have_the_split_that_gguf_names(tmp_path: Path) -> None:
    """The expression is that of `docs/formats.md`."""
    split = r"regex:\p{N}+?(?=(?:[0-9]{3})+(?![0-9])|(?!\p{N}))"
    text = "By the way, 1234567 of the 45678 are by the way 12345²67 or ۱۲۳۴۵٦. \n\n"
    config = bpe.TrainingConfig.preset(
        "superbpe", vocab_size=300, superwords_from=280, superwords_split=split, documents="file"
    )
    run = bpe.train(bpe.Corpus.from_text(text * 9, config), config)
    tokenizer = run.tokenizer()
    keys = of_bytes(
        "superbpe",
        tokens=tokenizer.convert_ids_to_tokens(list(range(300))),
        merges=[f"{merge.left} {merge.right}" for merge in run.merges],
        token_type=[_CONTROL] + [_NORMAL] * 299,
        add_bos_token=False,
    )
    other = opened(keys, tmp_path)
    for one in [text, *text.split(), *TEXTS]:
        assert other.encode(one).ids == tokenizer.encode(one).ids


def test_each_named_pre_tokenizer_cuts_without_losing_anything(tmp_path: Path) -> None:
    import tokenizers

    for pre in {split: name for name, split in SPLITS.items()}.values():
        root, _ = as_tokenizer_json(of_bytes(pre, add_bos_token=False))
        library = tokenizers.Tokenizer.from_str(json.dumps(root))
        for one in TEXTS:
            assert library.decode(library.encode(one).ids, skip_special_tokens=False) == one
    nameless = of_bytes()
    del nameless["tokenizer.ggml.pre"]
    assert "does not name its pre-tokenizer" in opened(nameless, tmp_path).notices[0]
    assert "llama.cpp" in opened(of_bytes("gpt-4o"), tmp_path).notices[0]


def test_the_types_of_tokens_say_which_are_found_in_a_text(tmp_path: Path) -> None:
    keys = of_bytes()
    tokens = [*keys["tokenizer.ggml.tokens"], "<|x|>", "<y>", "<|im_end|>", "unseen", ""]
    n = len(tokens)
    types = [_NORMAL] * (n - 5) + [_CONTROL, _USER_DEFINED, _NORMAL, _NORMAL, _NORMAL]
    more = {
        "tokens": tokens,
        "token_type": types,
        "add_bos_token": True,
        "bos_token_id": n - 5,
        "padding_token_id": n - 5,
    }
    template = {"tokenizer.chat_template": "{{ pad_token }}{{ messages[0].content }}"}
    tokenizer = opened(of_bytes(**more) | template, tmp_path)
    assert tokenizer.apply_chat_template([{"content": "a"}], tokenize=False) == "<|x|>a"
    assert tokenizer.special_ids.items() >= {("<|x|>", n - 5), ("<|im_end|>", n - 3)}
    assert tokenizer.added_ids["<y>"] == n - 4 and "unseen" not in tokenizer.added_ids
    assert tokenizer.encode("<|x|><y>", add_special_tokens=True).ids == [n - 5, n - 5, n - 4]
    assert tokenizer.encode("<y>", recognize_special=False).ids == [n - 4]
    assert tokenizer.pad_token == "<|x|>"


def bad(**more: Any) -> bytes:
    return gguf(of_bytes(**more))


_LONG = struct.pack("<IQ", 8, 1 << 63)
_NESTED = struct.pack("<IIQIQ", 9, 9, 1, 9, 1)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (gguf({"general.architecture": "x"}), "holds no tokenizer"),
        (bad(model="t5"), "of the kind 't5'"),
        (bad(pre="unheard-of"), "pre-tokenizer 'unheard-of' is not known"),
        (bad(tokens=["a", "b", "a"]), "'a' has two ids"),
        (gguf({"tokenizer.ggml.pre": struct.pack("<I", 8) + text(b"\xff")}), "UTF-8"),
        (bad(tokens=[1, 2]), "another type"),
        (bad(tokens="a"), "list of tokens"),
        (bad(merges=["ab"]), "merge 0 is not two"),
        (bad(merges=["a never"]), "never"),
        (bad(token_type=[1]), "too few"),
        (bad(add_bos_token="yes"), "add_bos_token"),
        (bad(eos_token_id=10**6), "eos_token_id is 1000000"),
        (bad(bos_token_id="1"), "bos_token_id is .1."),
        (bad(pre=_LONG), "cut short"),
        (bad(pre=_NESTED), "list of lists"),
        (bad(pre=struct.pack("<IIQ", 9, 8, 1 << 63)), "at most are read"),
        (bad(pre=struct.pack("<IIQ", 9, 5, 1 << 63)), "cut short"),
        (bad(pre=struct.pack("<I", 99)), "type 99"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 63), "at most are read"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 1), "big-endian"),
        (
            gguf({"tokenizer.ggml.a": 1})[:-64].replace(
                struct.pack("<QQ", 0, 1), struct.pack("<QQ", 0, 2)
            ),
            "cut short",
        ),
        (gguf(of_scores(scores=[0.0] * 9)), "too few"),
        (gguf(of_scores(scores=[0.0] * 9999)), "same score"),
    ],
)
def test_what_llama_cpp_would_not_load_is_refused_in_one_sentence(
    data: bytes, match: str, tmp_path: Path
) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(data)
    with pytest.raises(TokenizerFormatError, match=match) as caught:
        load(file)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_cut_at_any_byte_is_refused(tmp_path: Path) -> None:
    data = gguf(
        of_bytes(tokens=["a", "b", "ab"], merges=["a b"], token_type=[1, 1, 1], add_bos_token=False)
    )[:-64]
    file = tmp_path / "model.gguf"
    for end in range(len(data)):
        file.write_bytes(data[:end])
        with pytest.raises(TokenizerFormatError) as caught:
            load(file)
        assert "\n" not in str(caught.value)
    file.write_bytes(data)
    assert load(file).encode("ab").ids == [2]
    assert "tokenizer.ggml.tokens" in head_of(file)
