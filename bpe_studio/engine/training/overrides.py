"""Overrides of the choice by counts, and the plan of a run.

An `Override` is one decision of the user: force a pair, skip it once, forbid it for good, or change
the tie rule. A `Plan` has all that applies to one run: the forced and forbidden pairs and the tie
rule of its options, and the overrides of the branches that led to it. It knows no corpus and merges
nothing; `trainer.py` follows it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from bpe_studio.engine.config import MAX_VOCAB_SIZE, Pair, TrainingConfig
from bpe_studio.engine.tie_rules import TIES
from bpe_studio.errors import ConfigError

if TYPE_CHECKING:
    from bpe_studio.engine.option_types import Ties

_FIELDS = ("step", "kind", "left", "right", "ties")


class OverrideKind(StrEnum):
    """The kinds of overrides: force a pair, skip it at one step, forbid it from a step on, change
    the tie rule.
    """

    force = "force"
    skip = "skip"
    forbid = "forbid"
    ties = "ties"


@dataclass(frozen=True)
class Override:
    """One override.

    Attributes:
        step: the rank of the first merge that it affects.
        kind: what to do. `skip` leaves a pair out at this step only, `forbid` from this step on.
        left: the left token, in the spelling of logs; empty for a change of the tie rule.
        right: the right token.
        ties: the tie rule from this step on; empty for a pair.

    Raises:
        ConfigError: a value that is not allowed, or that this kind does not use.

    >>> Override(12, OverrideKind.force, "u", "g").describe()
    'force u + g at step 12'
    """

    step: int
    kind: OverrideKind
    left: str = ""
    right: str = ""
    ties: Ties | Literal[""] = ""

    def __post_init__(self) -> None:
        if (
            isinstance(self.step, bool)
            or not isinstance(self.step, int)
            or not 0 <= self.step <= MAX_VOCAB_SIZE
        ):
            raise ConfigError(
                f"The step of an override is a whole number from 0 to {MAX_VOCAB_SIZE:,}, not"
                f" {self.step!r}"
            )
        if not isinstance(self.kind, str) or self.kind not in list(OverrideKind):
            raise ConfigError(
                f"An override cannot be {self.kind!r}; choose one of {', '.join(OverrideKind)}"
            )
        object.__setattr__(self, "kind", OverrideKind(self.kind))
        if self.kind is OverrideKind.ties:
            if self.ties not in TIES:
                raise ConfigError(
                    f"There is no tie rule {self.ties!r}; choose one of {', '.join(TIES)}"
                )
            if self.left or self.right:
                raise ConfigError(
                    "A change of the tie rule names no pair; leave left and right out"
                )
            return
        if not all(isinstance(name, str) and name for name in (self.left, self.right)):
            raise ConfigError(
                f"To {self.kind} a pair, name both of its tokens as the log does, not {self.left!r}"
                f" and {self.right!r}"
            )
        if self.ties:
            raise ConfigError(f"To {self.kind} a pair takes no tie rule; leave {self.ties!r} out")

    @property
    def pair(self) -> Pair | None:
        """The pair that it concerns; `None` for a change of the tie rule."""
        return None if self.kind is OverrideKind.ties else (self.left, self.right)

    def describe(self) -> str:
        """The override in a few words."""
        if self.kind is OverrideKind.ties:
            return f"ties by {self.ties} from step {self.step:,} on"
        pair = f"{self.kind} {self.left} + {self.right}"
        if self.kind is OverrideKind.forbid:
            return f"{pair} from step {self.step:,} on"
        return f"{pair} at step {self.step:,}"

    def to_dict(self) -> dict[str, Any]:
        """The override as JSON values; `from_dict` reads them back."""
        values = {
            "step": self.step,
            "kind": str(self.kind),
            "left": self.left,
            "right": self.right,
            "ties": self.ties,
        }
        return {name: value for name, value in values.items() if value != ""}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Override:
        """An override from the values of `to_dict`.

        Raises:
            ConfigError: an unknown name, a missing one, or a value that is not allowed.
        """
        if not isinstance(values, Mapping):
            raise ConfigError(f"An override is a group of named values, not {values!r}")
        unknown = [name for name in values if name not in _FIELDS]
        if unknown:
            raise ConfigError(f"An override has no {unknown[0]!r}; it has {', '.join(_FIELDS)}")
        missing = [name for name in ("step", "kind") if name not in values]
        if missing:
            raise ConfigError(
                f"An override needs its {missing[0]}; it has {', '.join(values) or 'nothing'}"
            )
        return cls(**values)


@dataclass(frozen=True)
class Plan:
    """Forced and forbidden pairs, overrides and tie rules of a run, by step.

    Attributes:
        ties: the tie rule at the start.
        force: the pairs that the options force, as the first merges.
        forbid: the pairs that the options forbid.
        overrides: the overrides after those, in the order of the branches; the steps never fall.
    """

    ties: Ties
    force: tuple[Pair, ...] = ()
    forbid: tuple[Pair, ...] = ()
    overrides: tuple[Override, ...] = ()

    @classmethod
    def of_config(cls, config: TrainingConfig) -> Plan:
        """The plan of a run without overrides."""
        return cls(config.ties, config.force, config.forbid)

    def with_override(self, override: Override) -> Plan:
        """The plan of a branch with one more override.

        Overrides of later steps are left out, and so are those of the same step that it replaces:
        another forced pair, another tie rule, or the opposite for the same pair. If the options
        force a merge at the step of a newly forced one, or a pair that they force is skipped, that
        merge and those after it move on by one step. If a pair that they force is forbidden, its
        merge is left out, and the others keep their steps.
        """
        kept = [
            o for o in self.overrides if o.step <= override.step and not _is_undone(o, override)
        ]
        return replace(self, overrides=(*kept, override))

    def forced_at(self, step: int) -> Pair | None:
        """The pair that is forced at a step; `None` if counts decide."""
        return self._forced.get(step)

    def skipped_at(self, step: int) -> tuple[Pair, ...]:
        """The pairs that are left out at this step only."""
        return self._pairs(OverrideKind.skip, step, step)

    def forbidden_at(self, step: int) -> tuple[Pair, ...]:
        """The pairs that are left out from a step on."""
        n_steps = bisect_right(self._forbid_steps, step)
        known, pairs = self._forbidden
        if known != n_steps:
            pairs = tuple(dict.fromkeys((*self.forbid, *self._pairs(OverrideKind.forbid, 0, step))))
            object.__setattr__(self, "_forbidden", (n_steps, pairs))
        return pairs

    def ties_at(self, step: int) -> Ties:
        """The tie rule at a step."""
        rules = [o.ties for o in self.overrides if o.ties and o.step <= step]
        return rules[-1] if rules else self.ties

    @property
    def last_ties(self) -> Ties:
        """The tie rule after the last change."""
        return self.ties_at(MAX_VOCAB_SIZE)

    def override_at(self, step: int) -> Override | None:
        """The override that forces the merge at a step; `None` if the options or nothing does."""
        forced = [o for o in self.overrides if o.kind is OverrideKind.force and o.step == step]
        return forced[-1] if forced else None

    def next_change(self, step: int) -> int | None:
        """The next step after this one at which the plan changes; `None` if counts decide to the
        end.
        """
        place = bisect_right(self._changes, step)
        return self._changes[place] if place < len(self._changes) else None

    def last_force(self) -> int:
        """The last step at which a pair is forced; -1 for none."""
        return max(self._forced, default=-1)

    @cached_property
    def _forced(self) -> dict[int, Pair]:
        forced = dict(enumerate(self.force))
        # If one pair is forbidden at a step and another forced there, the forced one takes its
        # place, whichever was decided first.
        for o in sorted(self.overrides, key=lambda o: (o.step, o.kind is not OverrideKind.forbid)):
            pair = (o.left, o.right)
            if o.kind is OverrideKind.force:
                if o.step in forced:
                    forced = _moved_on(forced, o.step)
                forced[o.step] = pair
            elif o.kind is OverrideKind.skip and forced.get(o.step) == pair:
                forced = _moved_on(forced, o.step)
            elif o.kind is OverrideKind.forbid:
                forced = {
                    step: other for step, other in forced.items() if step < o.step or other != pair
                }
        return forced

    @cached_property
    def _forbid_steps(self) -> list[int]:
        return [o.step for o in self.overrides if o.kind is OverrideKind.forbid]

    @cached_property
    def _forbidden(self) -> tuple[int, tuple[Pair, ...]]:
        """The number of these steps that were looked at last, and the pairs that are forbidden from
        there on.
        """
        return -1, ()

    @cached_property
    def _changes(self) -> tuple[int, ...]:
        # After a forced or skipped pair, counts decide again, which is a change as well.
        alone = {o.step for o in self.overrides if o.kind is OverrideKind.skip} | set(self._forced)
        return tuple(
            sorted(alone | {step + 1 for step in alone} | {o.step for o in self.overrides})
        )

    def _pairs(self, kind: OverrideKind, first: int, last: int) -> tuple[Pair, ...]:
        return tuple(
            (o.left, o.right) for o in self.overrides if o.kind is kind and first <= o.step <= last
        )


def _is_undone(old: Override, new: Override) -> bool:
    """Whether an override of the same step replaces, reverses or repeats an older one."""
    if old.step != new.step:
        return False
    if old.kind is new.kind and old.kind in (OverrideKind.force, OverrideKind.ties):
        return True
    return (
        old.pair is not None
        and old.pair == new.pair
        and {old.kind, new.kind} != {OverrideKind.forbid, OverrideKind.skip}
    )


def _moved_on(forced: dict[int, Pair], first: int) -> dict[int, Pair]:
    moved = {}
    for step, pair in forced.items():
        if step >= first:
            step += 1
        moved[step] = pair
    return moved
