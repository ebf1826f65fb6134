"""Special tokens with a role, and a template: Transformers reports and adds the same ones for each
format.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from transformers import AutoTokenizer

import bpe_studio as bpe
from bpe_studio.files.formats import registry

ROLES: dict[str, Any] = {"pad_token": "<P>", "bos_token": "<B>", "eos_token": "<E>"}
TEMPLATE = "<B> $A <E> <last>"
TEXT = "low lower lowest\nnew newer newest\n" * 3


def trained(preset: bpe.TrainingConfig, **options: Any) -> bpe.Tokenizer:
    return bpe.train(bpe.Corpus.from_text(TEXT, preset), preset, **options).tokenizer()


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Any]:
    def saved(tokenizer: bpe.Tokenizer, form: str = "huggingface") -> Any:
        """What Transformers makes of a tokenizer, and what we do."""
        tokenizer.save(tmp_path / form, format=form)
        return AutoTokenizer.from_pretrained(tmp_path / form), bpe.load(tmp_path / form)

    return saved


@pytest.mark.parametrize(
    "preset", ["gpt2", "textbook", "sennrich", "subword-nmt", "sentencepiece", "llama2"]
)
def test_transformers_has_the_same_roles_and_adds_the_same_tokens(
    preset: Any, make: Callable[..., Any]
) -> None:
    tokenizer = trained(bpe.TrainingConfig.preset(preset, merges=9), **ROLES, template=TEMPLATE)
    theirs, ours = make(tokenizer)
    assert {role: getattr(theirs, role) for role in ROLES} == ROLES
    texts: dict[str, Any] = {"text": ["low new", "lowest"], "padding": True}
    assert (
        dict(theirs(**texts)) == ours(**texts)
        and ours(**texts)["input_ids"] == tokenizer(**texts)["input_ids"]
    )
    assert theirs("low", "new")["input_ids"] == ours("low", "new")["input_ids"]
    around = theirs.bos_token_id, theirs.eos_token_id, theirs.convert_tokens_to_ids("<last>")
    assert theirs("low")["input_ids"] == [around[0], *ours.encode("low").ids, *around[1:]]


def test_named_ones_that_are_missing_become_special_tokens_the_last_ones() -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=3, special=("<E>", "[PAD]"))
    tokenizer = trained(config, **ROLES, template=TEMPLATE)
    assert list(tokenizer.special_ids) == ["<E>", "[PAD]", "[UNK]", "<P>", "<B>", "<last>"]
    assert list(tokenizer.special_ids.values()) == [*range(6)] and tokenizer.pad_token == "<P>"


def test_files_of_gpt_2_name_the_roles_but_have_no_template(make: Callable[..., Any]) -> None:
    tokenizer = trained(bpe.TrainingConfig.preset("gpt2", merges=9), **ROLES, template=TEMPLATE)
    theirs, ours = make(tokenizer, "gpt2")
    assert {role: getattr(theirs, role) for role in ROLES} == ROLES
    assert theirs(["low new", "new"], padding=True) == ours(["low new", "new"], padding=True)
    assert "template" in registry.kept(tokenizer, "gpt2").drops
    theirs, ours = make(
        trained(bpe.TrainingConfig.preset("gpt2", merges=9), pad_token="<|endoftext|>"), "gpt2"
    )
    assert theirs.pad_token == ours.pad_token == "<|endoftext|>"


@pytest.mark.parametrize("pad", ["<P>", "<pad>"])
def test_a_sentencepiece_model_has_the_roles(
    pad: str, tmp_path: Path, make: Callable[..., Any]
) -> None:
    roles = {**ROLES, "pad_token": pad}
    tokenizer = trained(bpe.TrainingConfig.preset("sentencepiece", merges=9), **roles)
    tokenizer.save(tmp_path / "m.model", format="sentencepiece")
    library = sentencepiece.SentencePieceProcessor(str(tmp_path / "m.model"))
    found = library.pad_id(), library.bos_id(), library.eos_id()
    assert found == tuple(tokenizer.special_ids[name] for name in roles.values())
    theirs, _ = make(bpe.load(tmp_path / "m.model"))
    assert {role: getattr(theirs, role) for role in roles} == roles


def test_a_tokenizer_that_is_extended_or_pruned_keeps_them(make: Callable[..., Any]) -> None:
    tokenizer = trained(bpe.TrainingConfig.preset("gpt2", merges=9), **ROLES, template=TEMPLATE)
    more = bpe.extend(tokenizer, [TEXT], len(tokenizer) + 2).tokenizer
    for changed in (more, bpe.prune(more, [TEXT], len(more) - 1).tokenizer):
        theirs, _ = make(changed)
        assert {role: getattr(theirs, role) for role in ROLES} == ROLES
        assert theirs("low")["input_ids"] == changed("low")["input_ids"]
