"""The sound files that are damaged: one or more for every reader, made by this program, always the
same.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.files.document.embedded_text import TextPart, write_with_texts
from bpe_studio.files.document.writing import pack
from bpe_studio.files.samples import resources_folder
from tests.files.document.test_document import TEXT, document, on_tokenizer
from tests.files.formats.cases import trained
from tests.files.third_party.made import content_of, sentencepiece_model
from tests.files.third_party.test_recognition import tekken

_TEXT = (
    "The quick brown fox, naïve café; سلام دنیا 今天天气很好。Здравствуй мир 😀👍🏽\r\nlow lower lowest\n"
    "" * 6
)
_ENCODINGS = (
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-32",
    "cp1252",
    "cp1256",
    "cp1251",
    "shift_jis",
    "gb18030",
    "iso8859-1",
)

_CONFIG = (
    b'{"pad_token": {"content": "<|end_of_text|>"}, "model_max_length": 9, "padding_side": "left"}'
)


@dataclass(frozen=True)
class Sample:
    """Files that one reader reads.

    Attributes:
        reader: the name of the reader.
        name: what tells it from the reader's other samples.
        kinds: what each file is, by its name; see `mutations`.
        files: the content of each file by its name. A single file is read by itself, several as a
            folder.
    """

    reader: str
    name: str
    kinds: dict[str, str]
    files: dict[str, bytes]


def _tokenizers() -> dict[str, Tokenizer]:
    """Tokenizers whose files look different."""
    return {
        "byte level": trained("gpt2", merges=80, special=("<|endoftext|>", "<pad>")),
        "cl100k": trained("cl100k", merges=60),
        "plain bytes": trained("raw", merges=60, special=()),
        "characters": trained("textbook", merges=60),
        "own symbol": trained("subword-nmt", merges=60, word_end_as="own-symbol"),
        "last character": trained("subword-nmt", merges=60),
        "continuing": trained("textbook", merges=60, split="whitespace", continuing="##"),
        "pieces": trained("sentencepiece", merges=60, vocab_size=None, normalize=()),
        "normalized": trained(
            "textbook", merges=40, normalize=("nfkc", "lowercase", "strip-accents")
        ),
        "expression": trained("raw", merges=40, split=r"regex:\p{L}+|\p{N}{1,3}|[^\p{L}\p{N}]+"),
    }


_WRITTEN = (
    ("huggingface", "byte level"),
    ("huggingface", "characters"),
    ("huggingface", "own symbol"),
    ("huggingface", "continuing"),
    ("huggingface", "pieces"),
    ("huggingface", "normalized"),
    ("huggingface", "expression"),
    ("gpt2", "byte level"),
    ("tiktoken", "cl100k"),
    ("tiktoken", "plain bytes"),
    ("subword-nmt", "last character"),
    ("subword-nmt", "own symbol"),
    ("sentencepiece", "pieces"),
    ("minbpe", "plain bytes"),
)
_KINDS = {".json": "json", ".txt": "text", ".model": "binary", ".bpestudio": "zip", ".yaml": "yaml"}


def make_samples(folder: Path) -> list[Sample]:
    """Every sample; the folder is used meanwhile."""
    ours = [
        *_tokenizer_samples(folder),
        *_document_samples(),
        *_lesson_samples(),
        *_text_samples(),
        *_count_samples(),
    ]
    return [*ours, *_third_party_samples()]


def _third_party_samples() -> list[Sample]:
    """Tokenizers that their libraries run."""
    bert = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *"abcdefghilorstuw",
        "low",
        "##er",
        "##e",
        "##r",
        "##s",
    ]
    codes = [
        f"{pair} {90 - place}" for place, pair in enumerate(["l o", "lo w</w>", "lo w", "e r</w>"])
    ]
    files = {
        "llama3": {
            "tokenizer.json": content_of("llama3").encode(),
            "tokenizer_config.json": _CONFIG,
        },
        "unigram": {"a.json": content_of("unigram").encode()},
        "word_piece": {"a.json": content_of("word_piece").encode()},
        "tekken": {"a.json": json.dumps(tekken()).encode()},
        "model": {"a.model": sentencepiece_model("usual")},
        "vocab.txt": {"a.txt": "\n".join(bert).encode()},
        "fastBPE": {"a.txt": "\n".join(codes).encode()},
    }
    return [
        Sample("third_party", name, {each: _KINDS[Path(each).suffix] for each in content}, content)
        for name, content in files.items()
    ]


def _tokenizer_samples(folder: Path) -> list[Sample]:
    samples = []
    for form, name in _WRITTEN:
        place = folder / "sample"
        _tokenizers()[name].save(place, form)
        if place.is_dir():
            files = {path.name: path.read_bytes() for path in sorted(place.iterdir())}
            shutil.rmtree(place)
            kinds = {each: _KINDS[Path(each).suffix] for each in files}
            samples.append(Sample(form, name, kinds, files))
            if form == "huggingface":
                samples.append(
                    Sample(
                        form,
                        f"{name}, alone",
                        {"a.json": "json"},
                        {"a.json": files["tokenizer.json"]},
                    )
                )
        else:
            kind = {"tiktoken": "text", "sentencepiece": "binary"}.get(form, "text")
            samples.append(Sample(form, name, {"a": kind}, {"a": place.read_bytes()}))
            place.unlink()
    return samples


def _document_samples() -> list[Sample]:
    plain = pack(document())
    with_text = io.BytesIO()
    content = TEXT.encode()
    part = TextPart("words.txt", len(content), lambda: io.BytesIO(content), is_pasted=True)
    for _ in write_with_texts(with_text, pack(document(holds_text=True)), [part]):
        pass
    found = {
        "runs": plain,
        "text inside": with_text.getvalue(),
        "on a tokenizer": pack(on_tokenizer()),
    }
    return [
        Sample("document", name, {"a.bpestudio": "zip"}, {"a.bpestudio": data})
        for name, data in found.items()
    ]


def _lesson_samples() -> list[Sample]:
    paths = sorted((resources_folder() / "lessons").glob("*.yaml"))
    return [
        Sample("lesson", path.stem, {"a.yaml": "yaml"}, {"a.yaml": path.read_bytes()})
        for path in paths
    ]


def _text_samples() -> list[Sample]:
    samples = []
    for encoding in _ENCODINGS:
        data = _TEXT.encode(encoding, "ignore")
        samples.append(Sample("text", encoding, {"a.txt": "text"}, {"a.txt": data}))
    packed = gzip.compress(_TEXT.encode(), mtime=0)
    return [*samples, Sample("text", "gzip", {"a.txt.gz": "binary"}, {"a.txt.gz": packed})]


def _count_samples() -> list[Sample]:
    words = "".join(
        f"{word}\t{n}\n" for n, word in enumerate(["Ġlow", "low", "Ã©", "newest", "!"], 1)
    )
    plain = "".join(
        f"{word}\t{n}\n" for n, word in enumerate(["سلام", "low", "ab", "\ufeffx", "😀"], 1)
    )
    return [
        Sample("counts", name, {"a.tsv": "text"}, {"a.tsv": text.encode()})
        for name, text in {"bytes": words, "characters": plain}.items()
    ]
