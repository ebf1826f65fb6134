"""Chats as text, by the chat template of a tokenizer, as Transformers makes it.

A template is a program of someone else. It runs in Jinja's sandbox in a process of its own,
`chat_process`, with limits on time and memory. That process starts with the first chat, and waits
for more.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import re
import subprocess
import threading
from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from bpe_studio.engine.arguments import expect, shown
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import ArgumentError, ConfigError
from bpe_studio.files.extras import install_command, needed
from bpe_studio.files.formats.huggingface.folder import roles_of
from bpe_studio.files.third_party.trial import NO_WINDOW, command

SECONDS = 3
MEMORY_BYTES = 1 << 30
MOST_CHARACTERS = 1 << 26
"""The limits of each chat; one of a usual length takes a millisecond."""
_REASONING = ("reasoning_content", "thinking", "reasoning")
_MARK = "CONTINUE_FINAL_MESSAGE_TAG "


def check(template: object) -> None:
    """Makes sure that it is a chat template, the name and text of each of several, or `None`.

    Without the extra `chat`, Jinja does not read it.

    Raises:
        ArgumentError: it is none of them.
        ConfigError: it does not use the messages of a chat, or is not valid Jinja.
    """
    texts: list[str] = []
    if isinstance(template, tuple):
        texts += map(_text_of_named, template)
    elif template is not None:
        expect(template, str, "give a chat template, which is a text in Jinja")
        texts.append(str(template))
        if "messages" not in texts[0]:
            raise ConfigError(
                f"{shown(template)} is no chat template, because it does not use messages: give a"
                " text in Jinja that writes each of them"
            )
    if find_spec("jinja2") is not None:
        for text in texts:
            _rendered(text, None)


def _text_of_named(named: object) -> str:
    match named:
        case (str(), str() as text):
            return text
    raise ArgumentError(f"{shown(named)} is not the name and the text of a chat template")


def chat_texts(
    tokenizer: Tokenizer,
    conversation: Any,
    variables: Mapping[str, Any],
    chat_template: str | None = None,
    continued: bool | str = False,
) -> str | list[str]:
    """The text of a chat, or of each of several.

    Args:
        tokenizer: the tokenizer with the template; its special tokens are variables of that.
        conversation: the messages of a chat, or those of each of several.
        variables: further variables of the template.
        chat_template: a template, or the name of one of several; `None` for the tokenizer's own.
        continued: whether the text ends with the last message; or the key of the part of that
            message with which it ends.

    Raises:
        ArgumentError: something is of another type.
        ConfigError: there is no template; or it refuses the chat, fails, or needs too much time or
            memory.
    """
    if not isinstance(conversation, list | tuple) or not conversation:
        raise ArgumentError(
            f"{shown(conversation)} is no chat: give a list with at least one message"
        )
    named = _plain({**roles_of(tokenizer), **variables})
    for name in ("tools", "documents"):
        each = named[name] or []
        if not isinstance(each, list) or not all(isinstance(one, dict) for one in each):
            raise ArgumentError(
                f"{shown(each)} cannot be the {name}: give a list of dicts; a tool is a JSON schema"
            )
    template = _template_of(tokenizer, chat_template, has_tools=named["tools"] is not None)
    if isinstance(conversation[0], list | tuple):
        return [_text_of(chat, template, named, continued) for chat in conversation]
    return _text_of(conversation, template, named, continued)


def _template_of(tokenizer: Tokenizer, chosen: str | None, *, has_tools: bool) -> str:
    own = tokenizer.chat_template
    named = dict(own) if isinstance(own, tuple) else {}
    if chosen is not None:
        expect(chosen, str, "give a chat template, or the name of one")
        return named.get(chosen, chosen)
    if own is None:
        raise ConfigError(
            "The tokenizer has no chat template: pass one, set tokenizer.chat_template, or put"
            " chat_template.jinja into its folder"
        )
    if isinstance(own, str):
        return own
    name = "tool_use" if has_tools and "tool_use" in named else "default"
    if name not in named:
        raise ConfigError(
            f"No chat template is the default: pass one of {', '.join(named)} as chat_template"
        )
    return named[name]


def _text_of(chat: Any, template: str, named: Mapping[str, Any], continued: bool | str) -> str:
    messages = []
    for message in _plain(chat):
        if not isinstance(message, dict):
            raise ArgumentError(
                f"{shown(message)} is no message: give a dict, such as {{'role': ..., 'content':"
                " ...}"
            )
        message = {key: value for key, value in message.items() if value is not None}
        # Templates read what the model thought under one of several names.
        thought = next((message[key] for key in _REASONING if key in message), None)
        if thought is not None:
            message = {"thinking": thought, **message, "reasoning_content": thought}
        messages.append(message)
    if not continued:
        return _rendered(template, {**named, "messages": messages})
    key = "content" if continued is True else continued
    end = _mark_end(messages[-1:], key, template)
    text = _rendered(template, {**named, "messages": messages})
    at = text.rfind(_MARK.strip())
    if at < 0 or end.strip() not in text:
        raise ConfigError(
            "The last message cannot be continued, because the chat template changes its text"
        )
    # If the space after the mark is gone, the template removes those at the ends of a text.
    return text[:at] if text.startswith(_MARK, at) else text[:at].rstrip()


def _mark_end(last: list[dict[str, Any]], key: str, template: str) -> str:
    """Marks the end of the last message, and returns its text."""
    text = last[0].get(key) if last else None
    keys = [key]
    if key in _REASONING:
        keys = [name for name in _REASONING if last[0].get(name) == text]
    if isinstance(text, str) and any(name in template for name in keys):
        last[0].update(dict.fromkeys(keys, text + _MARK))
        return text
    blocks = []
    if isinstance(text, list) and key in template:
        blocks = [block for block in text if "text" in block]
    if not blocks:
        raise ConfigError(
            f"The last message cannot be continued, because it or the chat template has no {key!r}"
        )
    found = str(blocks[-1]["text"])
    blocks[-1]["text"] = found + _MARK
    return found


def _plain(value: object) -> Any:
    try:
        return json.loads(json.dumps(value, default=_plainer))
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"A chat is made of texts, numbers, lists and dicts: {error}") from None


def _plainer(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "model_dump"):  # of pydantic
        return value.model_dump()
    raise TypeError(f"{shown(value)} is none of them")


_lock = threading.Lock()
_process: subprocess.Popen[bytes] | None = None


def _rendered(template: str, variables: Mapping[str, Any] | None) -> str:
    """The text that a template makes; without variables, it is only read."""
    answer = b""
    with _lock:
        process = _running()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps([template, variables]).encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            pass
        finally:
            if not answer:
                end()
    why, text = json.loads(answer or f'["needs more than {SECONDS} seconds, or crashes", ""]')
    if why:
        raise ConfigError(f"The chat template {' '.join(why.split())}")
    return str(text)


def _running() -> subprocess.Popen[bytes]:
    """The process that renders templates."""
    global _process
    if _process is not None and _process.poll() is not None:  # someone else ended it
        end()
    if _process is None:
        needed("jinja2", "A chat template is written in Jinja")
        if [int(number) for number in re.findall(r"\d+", version("jinja2"))] < [3, 1, 6]:
            newer = install_command('"jinja2>=3.1.6"')
            raise ConfigError(
                f"A chat template needs jinja2 3.1.6 or newer, whose sandbox is tight: `{newer}`"
            )
        program = os.path.join(os.path.dirname(__file__), "chat_process.py")
        pipe = subprocess.PIPE
        nowhere = subprocess.DEVNULL
        try:
            _process = subprocess.Popen(
                command(program), stdin=pipe, stdout=pipe, stderr=nowhere, creationflags=NO_WINDOW
            )
        except OSError:
            raise ConfigError(
                "A chat template runs in a process of its own, and none can be started here"
            ) from None
        assert _process.stdin is not None
        _process.stdin.write(json.dumps([SECONDS, MEMORY_BYTES, MOST_CHARACTERS]).encode() + b"\n")
    return _process


@atexit.register
def end() -> None:
    """Ends the process."""
    global _process
    if _process is not None:
        _process.kill()
        with contextlib.suppress(BrokenPipeError), _process:  # closes its pipes, and waits for it
            _process = None


def _forget() -> None:
    """A process that was forked from this one must not share the pipes."""
    global _lock, _process
    _lock = threading.Lock()
    _process = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
