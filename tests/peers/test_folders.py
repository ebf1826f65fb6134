"""A folder gives the ids, masks, padding and text of Transformers, or says what it does not follow.

The generic class reads a `tokenizer.json`, and the class that a folder names reads all other files.
"""

from __future__ import annotations

import ast
import json
import random
import shutil
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import bpe_studio as bpe
from bpe_studio import cli
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.doctor.gates import gates_of
from bpe_studio.explain.tokenizer_diff.through import loading_through
from bpe_studio.files.third_party.folders.transformers import compared_with_transformers
from tests.examples import examples
from tests.files.formats.cases import trained
from tests.files.third_party.made import content_of, sentencepiece_model
from tests.peers.random_folders import Json, folder, texts

pytestmark = pytest.mark.usefixtures("sound_files")

_ASKED = ("input_ids", "attention_mask", "special_tokens_mask")


def _write(path: Path, files: dict[str, Any]) -> Path:
    path.mkdir(exist_ok=True)
    for name, content in files.items():
        (path / name).write_bytes(
            content if isinstance(content, bytes) else json.dumps(content).encode()
        )
    return path


def _theirs(path: Path) -> Any:
    """The tokenizer of Transformers; `None` if it does not open the folder."""
    import transformers  # takes a second, which each process would spend on collecting the tests

    has_json = (path / "tokenizer.json").exists()
    kind = transformers.PreTrainedTokenizerFast if has_json else transformers.AutoTokenizer
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return kind.from_pretrained(path)
        except Exception:
            return None


def transformers_of(path: Path) -> Any:
    """The tokenizer of the class that a folder names."""
    import transformers

    return transformers.AutoTokenizer.from_pretrained(path)


def load_through_transformers(path: Path) -> bpe.Tokenizer:
    """The same, as this program asks it."""
    return result_of(loading_through("transformers", str(path)))


def _called(tokenizer: Any, *given: Any, **options: Any) -> Json | None:
    """What a call returns; `None` for an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = tokenizer(*given, return_special_tokens_mask=True, **options)
        except bpe.BpeError:
            return None
        except Exception:
            if isinstance(tokenizer, bpe.Tokenizer):
                raise
            return None
    return {name: found[name] for name in _ASKED}


def _decoded(tokenizer: Any, ids: list[int]) -> list[str]:
    return [tokenizer.decode(ids, skip_special_tokens=skips) for skips in (False, True)]


def _calls(some: list[str]) -> list[tuple[tuple[Any, ...], Json]]:
    """Single texts, pairs, and batches that are padded and truncated."""
    batches: list[tuple[tuple[Any, ...], Json]] = [
        ((some,), {"padding": True}),
        ((some,), {"padding": True, "truncation": True, "max_length": 4}),
    ]
    pairs = [((one, other), {}) for one, other in zip(some, some[1:], strict=False) if other]
    return [*(((one,), {}) for one in some), *pairs, *batches]


def _outcome(seed: int, path: Path, *, saves: bool) -> str:
    rng = random.Random(seed)
    about, files = folder(rng)
    theirs = _theirs(_write(path, files))
    try:
        ours = bpe.load(path)
    except bpe.BpeError:
        assert theirs is None or not theirs.is_fast, (seed, about)
        return "refused"
    if theirs is None or not theirs.is_fast:
        assert ours.notices, (seed, about, "opens silently what Transformers does not open")
        return "noticed, refused by Transformers"
    calls = _calls(texts(rng))
    answers = [_called(theirs, *given, **options) for given, options in calls]
    others = [
        call
        for call, answer in zip(calls, answers, strict=True)
        if _called(ours, *call[0], **call[1]) != answer
    ]
    if any("not followed" in notice or "decodes" in notice for notice in ours.notices):
        return "named"
    if ours.notices:
        return "noticed" if others else "alarm"
    assert not others, (seed, about, others[0])
    special = {
        token.content: number
        for number, token in theirs.added_tokens_decoder.items()
        if token.special
    }
    for answer in answers:
        # Where two files disagree whether a token is special, the library decodes with both
        # answers.
        ids = answer["input_ids"] if answer and special == ours.special_ids else []
        if all(isinstance(number, int) and number in ours.tokens for number in ids):
            assert _decoded(ours, ids) == _decoded(theirs, ids), (seed, about, ids)
    if saves and ours.own_format == "huggingface":
        ours.save(path / "saved")
        for again in (_theirs(path / "saved"), bpe.load(path / "saved")):
            for (given, options), answer in zip(calls, answers, strict=True):
                assert _called(again, *given, **options) == answer, (
                    seed,
                    about,
                    "saved",
                    given,
                    options,
                )
    return "equal"


def _tried(seeds: range, path: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in seeds:
        found[_outcome(seed, path, saves=seed % 5 == 0)] += 1
        shutil.rmtree(path)
    return found


@pytest.mark.usefixtures("transformers_here")
def test_random_folders(tmp_path: Path) -> None:
    n = examples(60)
    found = _tried(range(n), tmp_path / "folder")
    assert found["equal"] >= n / 3 and found["alarm"] <= 1, found


def _root(name: str = "gpt2") -> Json:
    return json.loads(content_of(name))  # type: ignore[no-any-return]


_TOKEN = {
    "single_word": False,
    "lstrip": True,
    "rstrip": True,
    "normalized": False,
    "special": True,
}


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"added_tokens.json": {"<tool>": 900}, "tokenizer_config.json": {}}, "hug <tool>hug"),
        (
            {
                "tokenizer_config.json": {
                    "added_tokens_decoder": {"7": {"content": "<|end|>", **_TOKEN}}
                }
            },
            "hug <|end|> h",
        ),
        (
            {"tokenizer_config.json": {"pad_token": "<pad>", "tokenizer_class": "LlamaTokenizer"}},
            "hug<pad> hug",
        ),
        (
            {"tokenizer_config.json": {"extra_special_tokens": {"image_token": "<img>"}}},
            "hug <img>",
        ),
        ({"special_tokens_map.json": {"bos_token": {"content": "<s>", **_TOKEN}}}, "a <s> b"),
        ({"tokenizer_config.json": {"split_special_tokens": True}}, "hug<|endoftext|>"),
    ],
    ids=["added", "decoder", "role", "named extra", "map", "split"],
)
def test_each_file_counts(files: dict[str, Any], text: str, tmp_path: Path) -> None:
    path = _write(tmp_path, {"tokenizer.json": _root("llama3"), **files})
    theirs = _theirs(path)
    ours = bpe.load(path)
    bare = tmp_path / "bare"
    assert not ours.notices
    assert _called(ours, text) == _called(theirs, text)
    assert _called(bpe.load(_write(bare, {"tokenizer.json": _root("llama3")})), text) != _called(
        ours, text
    )


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"tokenizer_config.json": b"{"}, "tokenizer_config.json"),
        ({"added_tokens.json": [1]}, "added_tokens.json"),
        ({"added_tokens.json": {"<tool>": "x"}}, "'<tool>'"),
        ({"tokenizer_config.json": {"bos_token": {"content": 3}}}, "special token"),
        ({"tokenizer_config.json": {"padding_side": "middle"}}, "padding_side"),
        (
            {
                "tokenizer_config.json": {
                    "added_tokens_decoder": {"0": {"content": "<t>", "lstrip": 1}}
                }
            },
            "lstrip",
        ),
        ({"added_tokens.json": {f"<{n}>": n for n in range(1001)}}, "1,001"),
        ({"tokenizer_config.json": {"split_special_tokens": "yes"}}, "'yes'"),
        ({"tokenizer_config.json": {"extra_special_tokens": [None]}}, "None"),
        ({"tokenizer_config.json": {"model_max_length": "9"}}, "'9'"),
        ({"tokenizer_config.json": b"\xef\xbb\xbf{}"}, "byte order mark"),
    ],
)
def test_a_file_that_says_nothing_valid_is_named_and_not_used(
    files: dict[str, Any], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bpe_studio.files.third_party.folders.reading.MAX_ADDED", 1000)
    ours = bpe.load(_write(tmp_path, {"tokenizer.json": _root(), **files}))
    (notice,) = ours.notices
    assert named in notice and "\n" not in notice
    bare = bpe.load(_write(tmp_path / "a", {"tokenizer.json": _root()}))
    assert ours.encode_ids("hugs").tolist() == bare.encode_ids("hugs").tolist()


@pytest.mark.parametrize("value", [True, False])
def test_a_setting_that_would_change_the_file_is_named_and_the_others_count(
    value: bool, tmp_path: Path
) -> None:
    config = {"fix_mistral_regex": value, "pad_token": "<pad>", "extra_special_tokens": ["<tool>"]}
    ours = bpe.load(_write(tmp_path, {"tokenizer.json": _root(), "tokenizer_config.json": config}))
    assert ["fix_mistral_regex" in notice for notice in ours.notices] == [True] * value
    assert _called(ours, "hug<tool>") == _called(_theirs(tmp_path), "hug<tool>")
    ours.save(tmp_path / "saved")
    assert not bpe.load(tmp_path / "saved").notices


def test_transformers_makes_the_tokenizer_json_in_a_process_of_its_own(tmp_path: Path) -> None:
    path = _pair(tmp_path, {"tokenizer_class": "Qwen2Tokenizer"})
    assert _called(bpe.load(path), "1234 e\u0301") == _called(_theirs(path), "1234 e\u0301")


@pytest.mark.usefixtures("transformers_here")
def test_a_class_that_decodes_otherwise_is_named(tmp_path: Path) -> None:
    (notice,) = bpe.load(_pair(tmp_path, {"tokenizer_class": "CLIPTokenizer"}, "clip")).notices
    assert "CLIPTokenizer" in notice and "decodes" in notice


def test_a_class_without_transformers_is_refused_or_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bpe_studio.files.third_party.trial.find_spec", lambda _: None)
    monkeypatch.setattr(
        "bpe_studio.files.third_party.folders.transformers.has_transformers", lambda: False
    )
    path = _pair(tmp_path, {"tokenizer_class": "Qwen2Tokenizer"})
    (notice,) = bpe.load(path).notices
    assert "pip install transformers" in notice and "vocab.json" in notice
    with pytest.raises(bpe.TokenizerFormatError, match="pip install transformers"):
        bpe.load(_pair(tmp_path / "clip", {"tokenizer_class": "CLIPTokenizer"}, "clip"))


def _pair(path: Path, config: Json, name: str = "gpt2") -> Path:
    """A folder with the two files of a tokenizer, and a `tokenizer_config.json`."""
    root = _root(name)
    pairs = "".join(" ".join(pair) + "\n" for pair in root["model"]["merges"])
    files = {"vocab.json": root["model"]["vocab"], "merges.txt": f"#version: 0.2\n{pairs}".encode()}
    return _write(path, {**files, "tokenizer_config.json": config})


def test_ids_with_gaps_are_the_librarys_or_named(tmp_path: Path) -> None:
    root = _root()
    del root["model"]["vocab"]["!"]
    root["model"]["merges"] = [pair for pair in root["model"]["merges"] if "!" not in "".join(pair)]
    path = _write(tmp_path, {"tokenizer.json": root, "added_tokens.json": {"<a>": 1, "<b>": 2}})
    theirs = _theirs(path)
    ours = bpe.load(path)
    assert ours.notices or _called(ours, "<a>hug <b>") == _called(theirs, "<a>hug <b>")


def test_the_settings_beside_other_files_are_named(tmp_path: Path) -> None:
    codes = b"#version: 0.2\nh u\nhu g</w>\n"
    path = _write(tmp_path, {"codes": codes, "tokenizer_config.json": {"add_bos_token": True}})
    assert "tokenizer_config.json" in bpe.load(path).notices[0]
    assert not bpe.load(path / "codes").notices


def test_padding_needs_a_token_that_the_folder_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for special, pads in ((("<|endoftext|>",), False), (("<|endoftext|>", "<pad>"), True)):
        path = tmp_path / str(pads)
        trained("gpt2", merges=20, special=special).save(path)
        theirs = _theirs(path)
        ours = bpe.load(path)
        given = (["low", "lower low"],)
        assert _called(ours, *given, padding=True) == _called(theirs, *given, padding=True)
        assert (_called(ours, *given, padding=True) is not None) == pads
        assert (ours.pad_token is not None) == pads
        status = cli.main(
            [
                "encode",
                "-t",
                str(path),
                "--text",
                "low",
                "--padding",
                "max_length",
                "--max-length",
                "9",
            ]
        )
        assert (status == 0) == pads
    assert "padding token" in capsys.readouterr().err


def test_a_folder_of_ours_to_which_something_is_added_is_all_of_its_files(tmp_path: Path) -> None:
    trained("gpt2", merges=20).save(tmp_path)
    config = json.loads((tmp_path / "tokenizer_config.json").read_text())
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({**config, "extra_special_tokens": ["<tool>"]})
    )
    assert _called(bpe.load(tmp_path), "low <tool>") == _called(_theirs(tmp_path), "low <tool>")


def _of_another_class(path: Path) -> Path:
    """A folder whose class builds another split than its `tokenizer.json` says."""
    config = {"tokenizer_class": "GPT2Tokenizer", "eos_token": "<|endoftext|>"}
    return _write(path, {"tokenizer.json": _root("qwen"), "tokenizer_config.json": config})


@pytest.mark.usefixtures("transformers_here", "few_characters")
def test_the_doctor_names_a_text_for_which_transformers_gives_other_ids(tmp_path: Path) -> None:
    folders = {
        "other": _of_another_class(tmp_path / "a"),
        "same": _pair(tmp_path / "b", {"tokenizer_class": "GPT2Tokenizer"}),
    }
    found = {}
    for name, path in folders.items():
        gates = {gate.name: gate for gate in gates_of(bpe.load(path))}
        found[name] = gates["transformers"]
    assert (found["other"].passed, found["same"].passed) == (False, True)
    text = ast.literal_eval(found["other"].detail.rpartition(" for ")[2])
    theirs = transformers_of(tmp_path / "a")(text)["input_ids"]
    assert bpe.load(tmp_path / "a").encode(text).ids != theirs
    assert " ".join(map(str, theirs)) in found["other"].detail


def test_without_transformers_the_doctor_says_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bpe_studio.files.third_party.trial.find_spec", lambda _: None)
    tokenizer = bpe.load(_of_another_class(tmp_path))
    assert compared_with_transformers(tokenizer, tokenizer.folder) is None


def test_ids_through_transformers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = _of_another_class(tmp_path / "a"), _marian(tmp_path / "b")
    for path in folders:
        theirs = transformers_of(path)
        assert (
            cli.main(["encode", "-t", str(path), "--text", "hug 1234", "--through", "transformers"])
            == 0
        )
        ids = theirs.encode("hug 1234", add_special_tokens=False)
        assert capsys.readouterr().out.split() == list(map(str, ids))
        file = path / "text.txt"
        file.write_text("hug 1234")
        assert (
            cli.main(["compare", "-t", str(path), "--through", "transformers", "--json", str(file)])
            == 0
        )
        assert json.loads(capsys.readouterr().out)[0]["n_tokens"] == len(ids)
        decoded = load_through_transformers(path).decode(ids)
        assert decoded == theirs.decode(ids)


def _marian(path: Path) -> Path:
    """A folder of Marian, whose class is Python code."""
    model = sentencepiece_model("usual")
    import sentencepiece

    loaded = sentencepiece.SentencePieceProcessor(model_proto=model)
    pieces = [loaded.id_to_piece(number) for number in range(loaded.get_piece_size())]
    names = dict.fromkeys(["</s>", "<unk>", *pieces, "<pad>"])
    vocab = {name: number for number, name in enumerate(names)}
    config = {"tokenizer_class": "MarianTokenizer"}
    return _write(
        path,
        {
            "source.spm": model,
            "target.spm": model,
            "vocab.json": vocab,
            "tokenizer_config.json": config,
        },
    )
