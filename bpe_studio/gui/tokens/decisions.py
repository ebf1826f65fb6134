"""What a person decided otherwise in a run, in the words of the window: "force ␣t + h", "ties by raw-ids"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.gui.tokens.names import display_text, display_token, elided, isolated

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.training.overrides import Override

_VERBS = {"force": "force {}", "skip": "not here: {}", "forbid": "forbid {}"}


def decided_text(override: Override | None, config: TrainingConfig) -> str:
    """What a branch decided, without its step: "force ␣t + h", "ties by raw-ids"."""
    if override is None:
        return ""
    if override.kind.value == "ties":
        return f"ties by {override.ties}"
    pair = " + ".join(isolated(elided(shown_name(name, config), 24)) for name in (override.left, override.right))
    return _VERBS[override.kind.value].format(pair)


def shown_name(name: str, config: TrainingConfig) -> str:
    """A token that is named as in logs, as a person reads it."""
    from bpe_studio.engine.text.alphabet import from_stand_ins
    from bpe_studio.errors import VocabularyError

    if config.units != "bytes" or config.word_end or config.continuing:
        return display_text(name)
    try:
        return display_token(from_stand_ins(name))
    except VocabularyError:
        return display_text(name)
