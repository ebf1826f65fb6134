"""The named splits as automata that flow on from one pre-token to the next, which `kernels/cutting.py` walks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.kernels.cutting import AGAIN, BACK, EMITS, INSIDE, MARKED
from bpe_studio.engine.kernels.scanning import COLUMNS, FIRST_CLASS, GAP, RETREAT, START, STOP
from bpe_studio.engine.split_automata import Automaton, split_automaton


@dataclass(frozen=True)
class Flow:
    """A split in the form that the kernel walks.

    Attributes:
        automaton: the split, walked one pre-token at a time.
        states: (states * COLUMNS) uint16, the state after an ASCII character, times COLUMNS.
        flags: (states * COLUMNS) uint8, what the step means; see `kernels/cutting.py`.
    """

    automaton: Automaton
    states: npt.NDArray[np.uint16]
    flags: npt.NDArray[np.uint8]

    @property
    def tables(self) -> tuple[npt.NDArray[np.uint16] | npt.NDArray[np.uint8], ...]:
        """All that the kernel needs, in the order in which it takes it."""
        return self.states, self.flags, self.automaton.columns, self.automaton.moves, self.automaton.marks


@lru_cache(maxsize=32)
def split_flow(split: str) -> Flow:
    """The flowing automaton of a named split."""
    automaton = split_automaton(split)
    moves, marks = automaton.moves.reshape(-1, COLUMNS), automaton.marks.reshape(-1, COLUMNS)
    states, flags = np.zeros(moves.shape, np.uint16), np.full(moves.shape, AGAIN, np.uint8)
    afresh = np.broadcast_to(moves[START], moves.shape)
    goes_on, steps_back = moves > STOP, moves == RETREAT
    ends = (moves == STOP) & (afresh > STOP)
    for here, following in ((goes_on, moves), (ends, afresh)):
        states[here] = following[here].astype(np.uint16) * COLUMNS
    flags[goes_on] = INSIDE | MARKED * marks[goes_on]
    flags[steps_back] = BACK
    flags[ends] = EMITS
    # What the split drops ends without being a pre-token.
    flags[GAP, ends[GAP]] = 0
    flags[:START] = flags[:, FIRST_CLASS:] = AGAIN
    return Flow(automaton, states.ravel(), flags.ravel())
