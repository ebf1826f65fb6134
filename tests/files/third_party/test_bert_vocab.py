"""BERT's vocab.txt gives the ids of Transformers, capitals or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.loading import load
from bpe_studio.files.recognition import recognize
from tests.files.third_party.made import TEXTS

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789سلامدنی"
TOKENS = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *"!?.,'我日本"]
TOKENS += [*(f"##{char}" for char in dict.fromkeys(LETTERS)), "hug", "##ging", "the", "##gs", "pug"]
TOKENS = list(dict.fromkeys(TOKENS))


@pytest.mark.usefixtures("sound_files", "transformers_here")
@pytest.mark.parametrize("capitals", [(), ("Hugs", "THE"), ("<S>", "<T>")])
@pytest.mark.parametrize("config", [{}, {"do_lower_case": False}, {"do_lower_case": True}])
def test_ids_are_those_of_transformers(
    capitals: tuple[str, ...], config: dict[str, bool], tmp_path: Path
) -> None:
    import transformers

    (tmp_path / "vocab.txt").write_text("\n".join([*TOKENS, *capitals]) + "\n")
    if config:
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    assert recognize(tmp_path).kind == recognize(tmp_path / "vocab.txt").kind == "bert"
    tokenizer = load(tmp_path)
    assert (tokenizer.kind, tokenizer.n_merges, tokenizer.unknown_id) == ("WordPiece", 0, 2)
    assert "WordPiece, which has no merges" in tokenizer.why_no_merges
    # The marks are in the vocabulary of Chinese models, whose text is lowercased.
    lowers = config.get("do_lower_case", capitals in ((), ("<S>", "<T>")))
    library = transformers.BertTokenizer.from_pretrained(tmp_path, do_lower_case=lowers)
    for text in TEXTS:
        assert tokenizer.encode(text, add_special_tokens=True).ids == library(text)["input_ids"]
    assert tokenizer.content(tokenizer.id_of("##ging") or 0) == b"ging"


def test_a_token_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("\n".join([*TOKENS, "hug"]) + "\n")
    with pytest.raises(TokenizerFormatError, match="repeats the token 'hug'"):
        load(tmp_path / "vocab.txt")
