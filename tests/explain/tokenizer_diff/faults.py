"""Faults that are planted into a `tokenizer.json`, each with the part that is to blame for it."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.files.third_party.hugging_face import (
    ADDED_FLAGS,
    HuggingFaceLibrary,
    read_piece_merges,
)
from bpe_studio.files.third_party.tokenizer import Steps, ThirdPartyTokenizer

Json = dict[str, Any]
_SPLITS = (
    ("{1,3}", "{1,2}"),
    ("(?i:'s|'t|'re|'ve|'m|'ll|'d)|", ""),
    ("'s|'t|'re|'ve|'m|'ll|'d|", ""),
    ("|\\\\s*[\\\\r\\\\n]+", ""),
    ('"use_regex": true', '"use_regex": false'),
)
_PREFIXES = (
    ('"add_prefix_space": false', '"add_prefix_space": true'),
    ('"prepend_scheme": "first"', '"prepend_scheme": "never"'),
    ('"prepend_scheme": "always"', '"prepend_scheme": "never"'),
    ('"prepend_scheme": "first"', '"prepend_scheme": "always"'),
)


def opened(root: Json) -> Tokenizer:
    """A `tokenizer.json`, run by its library."""
    return ThirdPartyTokenizer(
        HuggingFaceLibrary(root, is_ours=True), partial(Steps.of, partial(read_piece_merges, root))
    )


def planted(root: Json, seed: int) -> Iterator[tuple[str, str, Json]]:
    """What is changed, the part to blame, and the changed content."""
    draw = random.Random(seed)

    def changed(change: Callable[[Json], object]) -> Json:
        other = copy.deepcopy(root)
        change(other)
        return other

    normalizer = root["normalizer"]
    model = root["model"]
    for extra in (
        {"type": "Lowercase"},
        {"type": "NFKC"},
        {"type": "Strip", "strip_left": True, "strip_right": True},
    ):
        parts = {"type": "Sequence", "normalizers": [extra, *([normalizer] if normalizer else [])]}
        yield f"normalizer {extra['type']}", "normalizer", {**root, "normalizer": parts}
    for part, changes in (("split", _SPLITS), ("prefix space", _PREFIXES)):
        text = json.dumps(root["pre_tokenizer"])
        for old, new in changes:
            if old in text:
                yield (
                    f"{part} {old}",
                    part,
                    {**root, "pre_tokenizer": json.loads(text.replace(old, new))},
                )
    if "merges" in model:
        pairs = [pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"]]
        competing = [
            (i, j)
            for i, a in enumerate(pairs)
            for j, b in enumerate(pairs)
            if a[1] == b[0] and a != b
        ]
        for i, j in draw.sample(competing, 2):
            swapped = list(model["merges"])
            swapped[i], swapped[j] = swapped[j], swapped[i]
            yield (
                f"merges {i} and {j} swapped",
                "merge order",
                {**root, "model": {**model, "merges": swapped}},
            )
        fallback = not model.get("byte_fallback")
        yield "byte fallback", "fallback", {**root, "model": {**model, "byte_fallback": fallback}}
    for flag in ADDED_FLAGS if root["added_tokens"] else ():
        at = draw.randrange(len(root["added_tokens"]))

        def flip(other: Json, flag: str = flag, at: int = at) -> None:
            other["added_tokens"][at][flag] = not other["added_tokens"][at][flag]

        yield f"{flag} of {root['added_tokens'][at]['content']}", "added token", changed(flip)
    name = next(iter(model["vocab"])) if isinstance(model["vocab"], dict) else model["vocab"][0][0]
    number = model["vocab"][name] if isinstance(model["vocab"], dict) else 0
    around = [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": name, "type_id": 0}}]
    pair = [*around, {"Sequence": {"id": "B", "type_id": 0}}]
    special = {name: {"id": name, "ids": [number], "tokens": [name]}}
    template = {
        "type": "TemplateProcessing",
        "single": around,
        "pair": pair,
        "special_tokens": special,
    }
    yield "template", "template", {**root, "post_processor": template}
