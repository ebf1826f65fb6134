"""Overrides and plans: what is checked, what is read back, and what holds at which step."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio import ConfigError, Override, OverrideKind, Plan, TrainingConfig
from bpe_studio.engine.tie_rules import TIES

FORCE = OverrideKind.force
SKIP = OverrideKind.skip
FORBID = OverrideKind.forbid
CHANGE = OverrideKind.ties
_names = st.text(min_size=1, max_size=4)
overrides = st.one_of(
    st.builds(Override, st.integers(0, 9), st.sampled_from([FORCE, SKIP, FORBID]), _names, _names),
    st.builds(
        lambda step, ties: Override(step, CHANGE, ties=ties),
        st.integers(0, 9),
        st.sampled_from(list(TIES)),
    ),
)


@given(overrides)
def test_an_override_is_read_back_as_it_was_written(override: Override) -> None:
    written = json.loads(json.dumps(override.to_dict()))
    assert Override.from_dict(written) == override
    assert f"{override.step}" in override.describe()


@pytest.mark.parametrize(
    ("override", "says"),
    [
        (Override(12, FORCE, "u", "g"), "force u + g at step 12"),
        (Override(1200, SKIP, "u", "g"), "skip u + g at step 1,200"),
        (Override(3, FORBID, "u", "g"), "forbid u + g from step 3 on"),
        (Override(0, CHANGE, ties="raw-ids"), "ties by raw-ids from step 0 on"),
    ],
)
def test_an_override_in_words(override: Override, says: str) -> None:
    assert override.describe() == says


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"step": -1, "kind": "force", "left": "a", "right": "b"}, "-1"),
        ({"step": True, "kind": "force", "left": "a", "right": "b"}, "True"),
        ({"step": "1", "kind": "force", "left": "a", "right": "b"}, "'1'"),
        ({"step": 1, "kind": "take", "left": "a", "right": "b"}, "take"),
        ({"step": 1, "kind": ["force"], "left": "a", "right": "b"}, "force"),
        ({"step": 1, "kind": "force", "left": "a"}, "both of its tokens"),
        ({"step": 1, "kind": "skip", "left": "a", "right": 2}, "both of its tokens"),
        ({"step": 1, "kind": "forbid", "left": "a", "right": "b", "ties": "raw-ids"}, "raw-ids"),
        ({"step": 1, "kind": "ties", "ties": "mine"}, "mine"),
        ({"step": 1, "kind": "ties", "ties": "raw-ids", "left": "a"}, "no pair"),
        ({"kind": "ties", "ties": "raw-ids"}, "step"),
        ({"step": 1}, "kind"),
        ({"step": 1, "kind": "ties", "ties": "raw-ids", "why": "so"}, "why"),
        ([1, 2], "named values"),
    ],
)
def test_what_makes_no_sense_is_refused(values: object, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Override.from_dict(values)  # type: ignore[arg-type]


def _plan(*decided: Override, **options: object) -> Plan:
    plan = Plan.of_config(TrainingConfig.preset("textbook", **options))
    for override in decided:
        plan = plan.with_override(override)
    return plan


def test_a_plan_of_options_says_what_they_say() -> None:
    plan = _plan(force=[("a", "b"), ("c", "d")], forbid=[("e", "f")])
    assert [plan.forced_at(step) for step in range(3)] == [("a", "b"), ("c", "d"), None]
    assert plan.forbidden_at(0) == plan.forbidden_at(99) == (("e", "f"),)
    assert plan.ties_at(0) == plan.last_ties == "first-seen" and plan.skipped_at(0) == ()
    assert plan.overrides == () and plan.override_at(0) is None
    assert (
        plan.next_change(-1),
        plan.next_change(0),
        plan.next_change(1),
        plan.next_change(2),
    ) == (0, 1, 2, None)
    assert _plan().next_change(0) is None


def test_each_kind_holds_as_long_as_it_should() -> None:
    plan = _plan(
        Override(2, SKIP, "a", "b"),
        Override(4, FORBID, "c", "d"),
        Override(6, CHANGE, ties="raw-ids"),
        Override(8, FORCE, "e", "f"),
    )
    assert [plan.skipped_at(step) for step in (1, 2, 3)] == [(), (("a", "b"),), ()]
    assert [plan.forbidden_at(step) for step in (3, 4, 99)] == [(), (("c", "d"),), (("c", "d"),)]
    assert [plan.ties_at(step) for step in (5, 6, 99)] == ["first-seen", "raw-ids", "raw-ids"]
    assert [plan.forced_at(step) for step in (7, 8, 9)] == [None, ("e", "f"), None]
    assert plan.override_at(8) == Override(8, FORCE, "e", "f") and plan.last_force() == 8
    changes = [2, 3, 4, 6, 8, 9]
    assert [plan.next_change(step) for step in [-1, *changes]] == [*changes, None]


@pytest.mark.parametrize(
    ("old", "new", "stays"),
    [
        (Override(3, FORCE, "a", "b"), Override(3, FORCE, "c", "d"), False),
        (Override(3, CHANGE, ties="raw-ids"), Override(3, CHANGE, ties="first-seen"), False),
        (Override(3, SKIP, "a", "b"), Override(3, FORCE, "a", "b"), False),
        (Override(3, FORCE, "a", "b"), Override(3, FORBID, "a", "b"), False),
        (Override(3, SKIP, "a", "b"), Override(3, SKIP, "a", "b"), False),
        (Override(3, SKIP, "a", "b"), Override(3, SKIP, "c", "d"), True),
        (Override(2, FORBID, "a", "b"), Override(3, FORCE, "a", "b"), True),
        (Override(3, FORBID, "a", "b"), Override(3, CHANGE, ties="raw-ids"), True),
    ],
)
def test_a_new_decision_takes_back_what_it_contradicts(
    old: Override, new: Override, stays: bool
) -> None:
    assert _plan(old, new).overrides == ((old, new) if stays else (new,))


def test_forced_merges_of_the_options_move_on() -> None:
    force = [("a", "b"), ("c", "d"), ("e", "f")]
    forced = _plan(Override(1, FORCE, "x", "y"), force=force)
    assert [forced.forced_at(step) for step in range(5)] == [
        ("a", "b"),
        ("x", "y"),
        ("c", "d"),
        ("e", "f"),
        None,
    ]
    skipped = _plan(Override(1, SKIP, "c", "d"), force=force)
    assert [skipped.forced_at(step) for step in range(5)] == [
        ("a", "b"),
        None,
        ("c", "d"),
        ("e", "f"),
        None,
    ]
    forbidden = _plan(Override(1, FORBID, "c", "d"), force=force)
    assert [forbidden.forced_at(step) for step in range(4)] == [("a", "b"), None, ("e", "f"), None]
    filled = _plan(Override(1, FORBID, "c", "d"), Override(1, FORCE, "x", "y"), force=force)
    assert [filled.forced_at(step) for step in range(4)] == [
        ("a", "b"),
        ("x", "y"),
        ("e", "f"),
        None,
    ]
    other = _plan(Override(1, SKIP, "x", "y"), force=force)
    assert [other.forced_at(step) for step in range(4)] == [*force, None]
