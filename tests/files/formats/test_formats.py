"""The other formats: what is written means the same to the programs they belong to, and
comes back.
"""

from __future__ import annotations

import io
import random
from dataclasses import replace

import pytest
import regex

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.presets import PATTERNS
from bpe_studio.errors import SaveError
from bpe_studio.files.formats import registry
from bpe_studio.files.formats.protobuf_wire import field, fields
from bpe_studio.files.loading import load
from bpe_studio.files.recognition import recognize
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer
from tests.files.formats.cases import TEXT, texts, trained

RAW = {"ties": "raw-ids", "special": (), "documents": "file"}
SENTENCES = {"normalize": (), "merges": 60}


def saved(tokenizer, path, name):
    tokenizer.save(path, name)
    assert recognize(path).kind == name
    return load(path)


def test_gpt2_files(tmp_path):
    import tokenizers

    tokenizer = trained("gpt2", merges=60)
    back = saved(tokenizer, tmp_path / "out", "gpt2")
    made = tokenizers.ByteLevelBPETokenizer.from_file(
        str(tmp_path / "out" / "vocab.json"), str(tmp_path / "out" / "merges.txt")
    )
    assert back.model.tokens == tokenizer.model.tokens
    assert back.model.special_ids == tokenizer.model.special_ids
    for text in texts():
        assert made.encode(text).ids == back.encode(text).ids == tokenizer.encode(text).ids
    for name in ("vocab.json", "merges.txt"):
        assert load(tmp_path / "out" / name).model == back.model
    made.save_model(str(tmp_path), "x")
    (tmp_path / "x-vocab.json").rename(tmp_path / "vocab.json")
    (tmp_path / "x-merges.txt").rename(tmp_path / "merges.txt")
    assert load(tmp_path).model == back.model


@pytest.mark.parametrize("split", ["gpt2", "cl100k", "o200k", "qwen2", "none"])
def test_tiktoken_ranks(split, tmp_path):
    import tiktoken
    from tiktoken.load import load_tiktoken_bpe

    tokenizer = trained("gpt2", merges=250, split=split, documents="file")
    path = tmp_path / "out.tiktoken"
    back = saved(tokenizer, path, "tiktoken")
    made = tiktoken.Encoding(
        "ours",
        pat_str=PATTERNS.get(split, r"(?s:.+)"),
        mergeable_ranks=load_tiktoken_bpe(str(path)),
        special_tokens=tokenizer.model.special_ids,
    )
    for text in texts():
        assert made.encode(text, disallowed_special=()) == tokenizer.encode(text).ids
        if back.model.config.split == split:
            assert back.encode(text).ids == tokenizer.encode(text).ids
    assert back.model.merges == tokenizer.model.merges
    assert list(back.model.special_ids) == ["<|reserved_0|>"]
    # A small vocabulary may leave more than one split open, which then cut the same.
    assert back.encode(TEXT).ids == tokenizer.encode(TEXT).ids


def test_subword_nmt_codes(tmp_path):
    from subword_nmt import apply_bpe

    tokenizer = trained("subword-nmt", merges=80)
    path = tmp_path / "codes"
    back = saved(tokenizer, path, "subword-nmt")
    with path.open(encoding="utf-8") as stream:
        made = apply_bpe.BPE(stream)
    for line in TEXT.split("\n"):
        words = " ".join(line.split())
        ours = [tokenizer.encode(word).tokens for word in words.split()]
        theirs = made.process_line(words).split(" ")
        joined = [
            token + "@@" if not token.endswith("</w>") else token[:-4]
            for word in ours
            for token in word
        ]
        assert joined == (theirs if theirs != [""] else [])
    assert [back.model.tokens[new] for *_, new in back.model.merges] == [
        tokenizer.model.tokens[new] for *_, new in tokenizer.model.merges
    ]
    assert back.encode("lowest").tokens == tokenizer.encode("lowest").tokens
    assert back.encode("☃").ids == [0]


def minbpe_ids(lines: list[str], text: str) -> list[int]:
    """What minbpe's regex tokenizer does with its file: in each chunk, the pair merged first of all
    is merged next.
    """
    pattern = lines[1]
    n_special = int(lines[2])
    pairs = [tuple(map(int, line.split())) for line in lines[3 + n_special :]]
    ranks = {pair: 256 + rank for rank, pair in enumerate(pairs)}
    ids = []
    for chunk in regex.findall(pattern, text) if pattern else [text]:
        tokens = list(chunk.encode("utf-8"))
        while len(tokens) >= 2:
            pair = min(
                zip(tokens, tokens[1:], strict=False), key=lambda p: ranks.get(p, float("inf"))
            )
            if pair not in ranks:
                break
            made = []
            i = 0
            while i < len(tokens):
                is_here = i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == pair
                made.append(ranks[pair] if is_here else tokens[i])
                i += 1 + is_here
            tokens = made
        ids += tokens
    return ids


@pytest.mark.parametrize("split", ["none", "gpt2", "cl100k", "words"])
def test_minbpe_files(split, tmp_path):
    tokenizer = trained("gpt2", merges=120, split=split, **RAW)
    specials = ("<|a|>", "<|b|>")
    n = len(tokenizer.model.tokens)
    model = replace(
        tokenizer.model,
        tokens=(*tokenizer.model.tokens, *specials),
        special_ids={name: n + i for i, name in enumerate(specials)},
    )
    path = tmp_path / "out.model"
    back = saved(Tokenizer(model), path, "minbpe")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert back.model.tokens == model.tokens and back.model.config.split == split
    for text in texts():
        assert back.encode(text).ids == tokenizer.encode(text).ids == minbpe_ids(lines, text)


def test_sentencepiece_models(tmp_path):
    import sentencepiece as spm

    tokenizer = trained("sentencepiece", **SENTENCES)
    path = tmp_path / "out.model"
    back = saved(tokenizer, path, "sentencepiece")
    made = spm.SentencePieceProcessor(model_file=str(path))
    assert back.model.tokens == tokenizer.model.tokens
    assert back.model.merges == tokenizer.model.merges
    assert (made.unk_id(), made.bos_id(), made.eos_id()) == tuple(
        tokenizer.model.special_ids[name] for name in ("<unk>", "<s>", "</s>")
    )
    for text in texts():
        for line in text.split("\n"):
            line = line.replace("▁", "").strip(" ")
            assert made.encode(line) == tokenizer.encode(line).ids == back.encode(line).ids, line
    # Without our mark, as we wrote them before, or changed by another program, the library runs
    # them.
    unmarked = b"".join(
        field(number, value) for number, value in fields(path.read_bytes()) if number < 200
    )
    for data in (unmarked, path.read_bytes() + field(1, field(1, "q!") + field(2, 0.0))):
        path.write_bytes(data)
        theirs = spm.SentencePieceProcessor(model_file=str(path))
        opened = load(path)
        assert isinstance(opened, ThirdPartyTokenizer)
        for text in (*texts(), "q!\n  q! "):
            assert opened.encode(text).ids == theirs.encode(text), text


@pytest.mark.parametrize("preset", ["sentencepiece", "llama2"])
def test_lines_have_the_ids_that_sentencepiece_gives_for_each(preset):
    import sentencepiece as spm

    tokenizer = trained(preset, vocab_size=400)
    draw = random.Random(1)
    made = spm.SentencePieceProcessor(model_proto=registry.content(tokenizer, "sentencepiece"))
    parts = [
        *"\n \t\r\x0b\x1c\x85\xa0\u2028\u3000\u200b\ufeff1éz日",
        "the",
        "\n\n",
        "  ",
        "e\u0301",
        "<s>",
        "fox",
    ]
    for _ in range(1000):
        text = "".join(draw.choices(parts, k=draw.randint(0, 9)))
        expected = [n for line in text.split("\n") for n in made.encode(line)]
        assert tokenizer.encode(text, recognize_special=False).ids == expected, text


@pytest.mark.usefixtures("transformers_here")
@pytest.mark.parametrize("rule", ["identity", "nfkc", "nmt_nfkc"])
def test_sentencepiece_models_made_by_it(rule, tmp_path):
    import sentencepiece as spm

    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.split("\n")),
        model_writer=model,
        model_type="bpe",
        vocab_size=180,
        normalization_rule_name=rule,
        hard_vocab_limit=False,
        minloglevel=3,
    )
    path = tmp_path / "third_party.model"
    path.write_bytes(model.getvalue())
    made = spm.SentencePieceProcessor(model_proto=model.getvalue())
    back = load(path)
    for text in texts():
        for line in text.replace("▁", "").split("\n"):
            assert back.encode(line).ids == made.encode(line), line
    import tokenizers as peer

    if rule == "nmt_nfkc":  # in which a line break is a space
        assert "".join(back.encode("\x01ab\u200c\x02ab").tokens) == "▁ab▁ab"
        back.save(tmp_path / "out")
        assert load(tmp_path / "out").model == back.model
    else:
        with pytest.raises(SaveError, match="convert the folder"):
            back.save(tmp_path / "out")
        (tmp_path / "folder").mkdir()
        path = path.rename(tmp_path / "folder" / "tokenizer.model")
        back = load(tmp_path / "folder")
        back.save(tmp_path / "out")
    written = peer.Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    assert written.encode(TEXT, add_special_tokens=False).ids == back.encode(TEXT).ids


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"model_type": "unigram"}, "UNIGRAM; only BPE"),
        ({"byte_fallback": True, "normalization_rule_name": "identity"}, "different ids"),
        ({"normalization_rule_name": "nmt_nfkc_cf"}, "normalization 'nmt_nfkc_cf'"),
        ({"add_dummy_prefix": False}, "mark before each word"),
    ],
)
def test_sentencepiece_models_that_have_no_counterpart(options, match, tmp_path):
    import sentencepiece as spm

    model = io.BytesIO()
    size = 400 if options.get("byte_fallback") else 120
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT.split("\n")),
        model_writer=model,
        vocab_size=size,
        hard_vocab_limit=False,
        minloglevel=3,
        **{"model_type": "bpe", **options},
    )
    path = tmp_path / "third_party.model"
    path.write_bytes(model.getvalue())
    with pytest.raises(SaveError, match=match):
        load(path).save(tmp_path / "out")


def test_a_refusal_names_values_as_the_settings_form_does():
    assert "“smallest ids by byte”" in registry.why_not(trained("gpt2", merges=3), "minbpe")
    assert "“white space”" in registry.why_not(
        trained("gpt2", merges=3, split="whitespace"), "gpt2"
    )


@pytest.mark.parametrize(
    ("preset", "options", "possible"),
    [
        ("gpt2", {"merges": 30}, {"huggingface", "gpt2", "tiktoken"}),
        ("gpt2", {"merges": 30, **RAW}, {"huggingface", "gpt2", "tiktoken", "minbpe"}),
        ("cl100k", {"merges": 30}, {"huggingface", "tiktoken"}),
        ("subword-nmt", {"merges": 30}, {"huggingface", "subword-nmt"}),
        ("sentencepiece", SENTENCES, {"huggingface", "sentencepiece"}),
        ("textbook", {"merges": 30}, {"huggingface"}),
    ],
)
def test_why_not_says_what_saving_would_say(preset, options, possible, tmp_path):
    tokenizer = trained(preset, **options)
    assert {name for name in registry.FORMATS if not registry.why_not(tokenizer, name)} == possible
    for name in registry.FORMATS:
        reason = registry.why_not(tokenizer, name)
        if reason:
            with pytest.raises(SaveError) as refused:
                tokenizer.save(tmp_path / name, name)
            assert str(refused.value).endswith(f" was not saved: {reason}")
            assert "\n" not in reason
            assert not (tmp_path / name).exists()
        else:
            tokenizer.save(tmp_path / name, name)
