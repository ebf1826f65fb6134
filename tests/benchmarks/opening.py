"""Section on opening large tokenizers and encoding a line, beside the library that runs them and
Transformers.
"""

from __future__ import annotations

import hashlib
import json
import resource
from pathlib import Path
from typing import Any

import numpy as np

import bpe_studio as bpe
from tests.benchmarks import texts
from tests.benchmarks.child import peak_bytes
from tests.benchmarks.measuring import FRESH_FOLDER, Bench, call, is_installed
from tests.benchmarks.tables import mib, ratio, table, time_of

SIZES = {"llama3": 128_000, "gemma": 240_000}
_TEXT = "The pugs aren't hugging 1234 of them, نیم‌فاصله and 日本語! " * 9


def make(path: str, folder: str, vocab_size: int) -> dict[str, Any]:
    """Train tokenizers, and write them as Llama 3's and Gemma's are."""
    for kind, most in SIZES.items():
        size = min(most, vocab_size) if vocab_size < 32_768 else most
        config = bpe.TrainingConfig.preset(
            "cl100k" if kind == "llama3" else "sentencepiece", vocab_size=size
        )
        bpe.train(bpe.Corpus.from_files([path], config), config).tokenizer().save(
            Path(folder, kind)
        )
        file = Path(folder, kind, "tokenizer.json")
        root = json.loads(file.read_text("utf-8"))
        model = root["model"]
        if kind == "llama3":
            model["ignore_merges"] = True
            model["merges"] = [" ".join(pair) for pair in model["merges"]]
        else:
            model |= {"byte_fallback": True, "fuse_unk": True, "merges": _all_pairs(model["vocab"])}
            model["vocab"] |= {f"<0x{byte:02X}>": len(model["vocab"]) + byte for byte in range(256)}
            marks = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
            root |= {"normalizer": marks, "pre_tokenizer": None}
        file.write_text(json.dumps(root, ensure_ascii=False, indent=2), "utf-8")
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 8192}
        Path(folder, kind, "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    return {}


def _all_pairs(vocab: dict[str, int]) -> list[str]:
    """Any two tokens that spell a token, as the converter of Transformers lists them."""
    return [
        f"{name[:at]} {name[at:]}"
        for name in vocab
        for at in range(1, len(name))
        if name[:at] in vocab and name[at:] in vocab
    ]


def opened(name: str, folder: str) -> dict[str, Any]:
    """Open a tokenizer and encode a text; what the import of a library takes is not in the time."""
    ids: Any
    if name == "tokenizers":
        import tokenizers

        begun = _cpu_s()
        ids = (
            tokenizers.Tokenizer.from_file(f"{folder}/tokenizer.json")
            .encode(_TEXT, add_special_tokens=False)
            .ids
        )
    elif name == "transformers":
        from transformers import AutoTokenizer

        begun = _cpu_s()
        ids = AutoTokenizer.from_pretrained(folder).encode(_TEXT, add_special_tokens=False)
    else:
        load = bpe.load
        begun = _cpu_s()
        tokenizer = load(folder)
        ids = tokenizer.encode_ids(_TEXT)
        if name == "ours, with steps":
            assert tokenizer.encode_ids(_TEXT, step=tokenizer.n_merges).tolist() == ids.tolist()
    digest = hashlib.sha256(np.asarray(ids, np.int32).tobytes()).hexdigest()
    return {"cpu_s": _cpu_s() - begun, "peak_bytes": peak_bytes(), "digest": digest}


def _cpu_s() -> float:
    """The processor time of this process and of those that it started."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def opening(bench: Bench) -> str:
    """Opening: each program opens the same folders and encodes the same text."""
    made = call(
        "opening:make",
        path=str(texts.text(bench)),
        folder=str(bench.folder),
        vocab_size=bench.vocab_size if bench.is_quick else max(SIZES.values()),
    )
    if bench.measure({"training what is opened": made}, 1)["training what is opened"].failure:
        return "The tokenizers to open could not be made."
    names = [
        "tokenizers",
        *filter(is_installed, ["transformers"]),
        "ours, for the first time",
        "ours, again",
    ]
    rows = []
    for kind in SIZES:
        measured = bench.measure(
            {
                f"{kind}, {name}": call(
                    "opening:opened",
                    {"XDG_CACHE_HOME": FRESH_FOLDER} if "first" in name else {},
                    name=name,
                    folder=str(bench.folder / kind),
                )
                for name in (*names, "ours, with steps")
            }
        )
        library = measured[f"{kind}, tokenizers"]
        for title, one in measured.items():
            if one.failure:
                rows.append([title, one.failure, "-", "-", "-", "-"])
                continue
            same = "same ids" if one.value("digest") == library.value("digest") else "other ids"
            peak = mib(one.median("peak_bytes"))
            times = ratio(one, library, "cpu_s"), ratio(one, library, "peak_bytes")
            rows.append([title, time_of(one, "cpu_s"), times[0], peak, times[1], same])
    return (
        "Opening a folder with a large tokenizer and encoding a line: processor time without "
        "imports, with that of "
        "other processes, and peak memory of the whole process.\n\n"
        + table(["tokenizer, program", "time", "times", "memory", "times", "result"], rows)
    )
