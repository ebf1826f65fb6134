"""`tokenizer.apply_chat_template` gives what Transformers gives for the same folder, and ends
hostile templates.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bpe_studio as bpe
from bpe_studio.errors import ArgumentError, BpeError, ConfigError, SourceError
from tests.examples import examples
from tests.files.third_party.made import content_of
from tests.peers.chat_families import CHATML, DOCUMENTS, FAMILIES, HOSTILE, LLAMA3, NEVER

pytestmark = pytest.mark.usefixtures("sound_files")
HELLO = [{"role": "user", "content": "Hello"}]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": 'Says "<hello>" & سلام',
            "parameters": {
                "type": "object",
                "properties": {"x": {"type": "number", "enum": [1, 2.5, None]}},
            },
        },
    }
    for name in ("greet", "part")
]
WORDS = (
    "hug",
    " Hello ",
    "سلام",
    "<|im_end|>",
    "<s>",
    "👍🏽",
    "\n",
    "a < b & c",
    "{{ 7 * 7 }}",
    "",
    "</think>",
)


def _folders(path: Path) -> list[Path]:
    """A folder of ours, and one of another program."""
    config = bpe.TrainingConfig.preset(
        "gpt2", merges=40, special=("<s>", "</s>", "<pad>", "<|im_start|>")
    )
    ours = bpe.train(bpe.Corpus.from_text("hug Hello hugs " * 9, config), config).tokenizer()
    ours.save(path / "ours")
    (path / "theirs").mkdir()
    root = json.loads(content_of("llama3"))
    names = [token["content"] for token in root["added_tokens"]]
    roles = {
        "bos_token": names[0],
        "eos_token": {"content": names[1], "__type": "AddedToken"},
        "unk_token": None,
    }
    roles |= {
        "pad_token": names[1],
        "extra_special_tokens": {"image_token": "<image>"},
        "padding_side": "left",
    }
    (path / "theirs" / "tokenizer.json").write_text(json.dumps(root), "utf-8")
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 30, **roles}
    (path / "theirs" / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    return [path / "ours", path / "theirs"]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, bpe.Tokenizer]]:
    from transformers import AutoTokenizer

    folders = _folders(tmp_path_factory.mktemp("chat"))
    return [(AutoTokenizer.from_pretrained(folder), bpe.load(folder)) for folder in folders]


def _messages(rng: random.Random) -> list[Any]:
    def text() -> str:
        return "".join(rng.choices(WORDS, k=rng.randint(0, 5)))

    found: list[Any] = [{"role": "system", "content": text()}] if rng.random() < 0.3 else []
    for number in range(rng.randint(1, 5)):
        role = (
            ("user", "assistant")[number % 2]
            if rng.random() < 0.9
            else rng.choice(("user", "tool", "assistant"))
        )
        message: dict[str, Any] = {"role": role, "content": text()}
        match rng.randrange(14):
            case 0:
                message["content"] = [{"type": "image"}, {"type": "text", "text": text()}]
            case 1:
                message |= {
                    "content": None,
                    rng.choice(("thinking", "reasoning", "reasoning_content")): text(),
                }
            case 2:
                arguments = {"x": [1, 2.5, True, None], "<y>": text()}
                message["tool_calls"] = [
                    {"type": "function", "function": {"name": "greet", "arguments": arguments}}
                ]
            case 3:
                del message["content"]
        found.append(message)
    return found


def _options(rng: random.Random) -> dict[str, Any]:
    usual: dict[str, list[Any]] = {
        "tools": [None, [], TOOLS],
        "documents": [None, [{"title": "a", "text": "b"}, {"title": "سلام"}]],
        "add_generation_prompt": [False, True],
        "tokenize": [True, False],
        "return_dict": [True, False],
        "padding": [False, True, "max_length"],
        "truncation": [False, True],
        "max_length": [None, 7, 90],
        "enable_thinking": [None, False],
        "bos_token": ["<|im_start|>"],
        "date_string": ["26 Jul 2024"],
        "continue_final_message": [False, True, "content", "reasoning", "other"],
        "tokenizer_kwargs": [None, {"return_offsets_mapping": True}],
    }
    return {name: rng.choice(values) for name, values in usual.items() if rng.random() < 0.25}


def _answer(call: Any, *args: Any, **options: Any) -> Any:
    try:
        found = call(*args, **options)
    except Exception as error:
        is_ours = isinstance(call.__self__, bpe.Tokenizer)
        assert not is_ours or (isinstance(error, BpeError) and "\n" not in str(error))
        return "refused"
    return json.loads(
        json.dumps(dict(found) if hasattr(found, "keys") else found, default=np.ndarray.tolist)
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_the_same_as_transformers(pairs: list[tuple[Any, bpe.Tokenizer]], name: str) -> None:
    answers = []
    for seed in range(examples(60)):
        rng = random.Random(f"{name} {seed}")
        theirs, ours = rng.choice(pairs)
        chat = (
            _messages(rng)
            if rng.random() < 0.7
            else [_messages(rng) for _ in range(rng.randint(1, 3))]
        )
        options = {"chat_template": FAMILIES[name], **_options(rng)}
        expected = _answer(theirs.apply_chat_template, chat, **options)
        assert _answer(ours.apply_chat_template, chat, **options) == expected, (seed, chat, options)
        answers.append(expected)
    assert (
        set(answers) == {"refused"}
        if name in NEVER
        else any(answer != "refused" for answer in answers)
    )


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(
    "files",
    [
        {"chat_template.jinja": CHATML},
        {"chat_template.jinja": CHATML, "additional_chat_templates/tool_use.jinja": LLAMA3},
        {"additional_chat_templates/rag.jinja": DOCUMENTS},
        CHATML,
        [{"name": "default", "template": CHATML}, {"name": "tool_use", "template": LLAMA3}],
        {},
    ],
)
def test_the_template_of_a_folder(tmp_path: Path, number: int, files: Any) -> None:
    """Which one is used, and that it is there in a folder that is written."""
    from transformers import AutoTokenizer

    folder = _folders(tmp_path)[number]
    if isinstance(files, dict):
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, "utf-8")
    else:
        config = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
        (folder / "tokenizer_config.json").write_text(
            json.dumps({**config, "chat_template": files}), "utf-8"
        )
    theirs = AutoTokenizer.from_pretrained(folder)
    ours = bpe.load(folder)
    ours.save(tmp_path / "again")
    again = AutoTokenizer.from_pretrained(tmp_path / "again")
    assert again.chat_template == theirs.chat_template
    for options in (
        {},
        {"tools": TOOLS},
        {"chat_template": "tool_use"},
        {"chat_template": "rag"},
        {"tools": []},
    ):
        expected = _answer(theirs.apply_chat_template, HELLO, **options)
        assert _answer(ours.apply_chat_template, HELLO, **options) == expected, options
        assert (
            _answer(bpe.load(tmp_path / "again").apply_chat_template, HELLO, **options) == expected
        ), options


def test_a_tokenizer_without_a_folder_has_its_special_tokens_by_their_names() -> None:
    config = bpe.TrainingConfig.preset("gpt2", merges=3, special=("<s>", "<pad>"))
    tokenizer = bpe.train(bpe.Corpus.from_text("hug hugs", config), config).tokenizer()
    template = "{{ bos_token }}{{ messages[0].content }}{{ pad_token }}{{ eos_token }}"
    assert (
        tokenizer.apply_chat_template(HELLO, chat_template=template, tokenize=False)
        == "<s>Hello<pad>"
    )
    found = tokenizer.apply_chat_template([HELLO] * 2, chat_template=template, return_tensors="np")
    assert (
        found["input_ids"].shape == (2, 7)
        and found["input_ids"][0, 0] == tokenizer.special_ids["<s>"]
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_template_ends_soon_with_a_sentence(
    pairs: list[tuple[Any, bpe.Tokenizer]], name: str
) -> None:
    began = time.monotonic()
    with pytest.raises(ConfigError, match="chat template"):
        pairs[0][1].apply_chat_template(HELLO, chat_template=HOSTILE[name])
    assert time.monotonic() - began < 10  # on a busy machine
    assert (
        pairs[0][1]
        .apply_chat_template(HELLO, chat_template=CHATML, tokenize=False)
        .endswith("Hello<|im_end|>\n")
    )


@pytest.mark.parametrize(
    ("chat", "options"),
    [
        (None, {}),
        ("Hello", {}),
        ([], {}),
        (["Hello"], {}),
        ([HELLO, "Hello"], {}),
        ({"role": "user"}, {}),
        ([{"role": "user", "content": object()}], {}),
        (HELLO, {"tools": [print]}),
        (HELLO, {"documents": ["a"]}),
        (HELLO, {"tools": 7}),
        (HELLO, {"chat_template": 7}),
    ],
)
def test_what_is_no_chat_is_refused(
    pairs: list[tuple[Any, bpe.Tokenizer]], chat: Any, options: Any
) -> None:
    with pytest.raises(ArgumentError):
        pairs[0][1].apply_chat_template(chat, **{"chat_template": CHATML, **options})


@pytest.mark.parametrize(
    "options",
    [
        {"sanitize_control_tokens": True},
        {"return_assistant_tokens_mask": True},
        {"add_generation_prompt": True, "continue_final_message": True},
    ],
)
def test_what_is_not_supported_is_refused(
    pairs: list[tuple[Any, bpe.Tokenizer]], options: Any
) -> None:
    with pytest.raises(ConfigError):
        pairs[0][1].apply_chat_template(HELLO, chat_template=CHATML, **options)


def test_a_missing_extra_is_named(
    pairs: list[tuple[Any, bpe.Tokenizer]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from bpe_studio.files import chat_templates

    chat_templates.end()
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(SourceError, match="pip install jinja2"):
        pairs[0][1].apply_chat_template(HELLO, chat_template=CHATML)


def _ids(tokenizer: bpe.Tokenizer) -> Any:
    return tokenizer.apply_chat_template(HELLO, chat_template=CHATML)["input_ids"]


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_other_processes_render_too(pairs: list[tuple[Any, bpe.Tokenizer]], start: str) -> None:
    tokenizers = [ours for _, ours in pairs] * 2
    expected = list(map(_ids, tokenizers))
    with multiprocessing.get_context(start).Pool(2) as pool:
        assert pool.map(_ids, tokenizers) == expected
    assert list(map(_ids, tokenizers)) == expected
