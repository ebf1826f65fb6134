"""Every token of a step as table rows.

The facts come as arrays (`explain.vocabulary`); the texts of a row are made when it is painted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt

from bpe_studio.explain.names import (
    display_name,
    display_text,
    hex_bytes,
    isolated,
)
from bpe_studio.explain.wording import times
from bpe_studio.gui.tables.model import NO_VALUE, Column, Export, RowState, each_row, widest_number
from bpe_studio.gui.tables.name_index import NameIndex
from bpe_studio.gui.tables.sorted_model import SortedTableModel
from bpe_studio.gui.tokens.chips import Chips

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run
    from bpe_studio.explain.vocabulary import Vocabulary, VocabularyFilter

MOST_BYTES = 6
"""The most bytes that a cell shows; the tooltip has 48, and the export all."""


def _values(title: str, value: Callable[[VocabularyModel, int], Any]) -> Export[VocabularyModel]:
    return Export(title, each_row(value))


class VocabularyModel(SortedTableModel):
    """The tokens of a step: special ones, the alphabet, then one for each merge.

    Attributes:
        wanted: the filter that they pass.
    """

    natural_column = -1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sort = (self.ID, Qt.SortOrder.AscendingOrder)
        self._shown: Vocabulary | None = None
        self.wanted: VocabularyFilter | None = None

    @property
    def shown(self) -> Vocabulary | None:
        """The vocabulary that the rows show."""
        return self._shown

    @property
    def has_counts(self) -> bool:
        return self._shown is None or self._shown.is_counted

    def show(self, vocabulary: Vocabulary | None) -> None:
        """Show the tokens of another step or run; None shows none."""
        before = self._shown
        self._shown = vocabulary
        if vocabulary is None:
            self._mask = None
            self.reset_rows(0, NameIndex(str))
        elif before is None or before.run is not vocabulary.run:
            self._mask = self._matching()
            self.reset_rows(len(vocabulary), NameIndex(_namer(vocabulary.run)))
        else:
            self.replace_rows(len(vocabulary), self._matching())

    def set_wanted(self, wanted: VocabularyFilter) -> None:
        """Show only the tokens that pass a filter."""
        if wanted != self.wanted:
            self.wanted = wanted
            self.set_mask(self._matching())

    def _matching(self) -> NDArray[Any] | None:
        if self._shown is None or self.wanted is None:
            return None
        return self._shown.matching(self.wanted)

    def number_of(self, row: int) -> int:
        return self.token(row)

    def token(self, row: int) -> int:
        """The internal id of the token in a row; -1 for a special one."""
        return -1 if self._shown is None else self._shown.token(self.source_row(row))

    def row_of_token(self, token: int) -> int:
        """The row of a token; -1 if it is not shown."""
        if self._shown is None or token < 0:
            return -1
        return self.row_of(token + self._shown.n_special)

    def name(self, row: int) -> str:
        """The name of the token in a row."""
        return self._names.name(self.source_row(row))

    def part_names(self, row: int) -> tuple[str, str] | None:
        """The names of its two parts; None for a token that no merge made."""
        rank = self.rank(row)
        if rank < 0 or self._shown is None:
            return None
        columns = self._shown.run.columns
        offset = self._shown.n_special
        left = int(columns.left[rank]) + offset
        right = int(columns.right[rank]) + offset
        return self._names.name(left), self._names.name(right)

    def rank(self, row: int) -> int:
        """The rank of the merge that made it; -1 for none."""
        return -1 if self._shown is None else self._shown.run.rank_of(self.token(row))

    def content(self, row: int) -> bytes:
        """Its bytes, without marks."""
        shown = self._shown
        token = self.token(row)
        assert shown is not None
        if token < 0:
            return self.log_name(row).encode("utf-8", "surrogatepass")
        return shown.run.token_content(token)

    def number(self, name: str, row: int) -> int:
        """A number of one of the arrays, such as "counts"."""
        return int(getattr(self._shown, name)[self.source_row(row)])

    def _order(self, name: str, n: int) -> NDArray[Any]:
        values: NDArray[Any] = getattr(self._shown, name)[:n]
        return values

    def _widest(self, name: str, least: int = 1000) -> str:
        values = getattr(self._shown, name, None)
        most = int(values.max(initial=0)) if values is not None else 0
        return widest_number(most, least)

    def _counted(self, name: str, row: int) -> str:
        number = self.number(name, row)
        return NO_VALUE if number < 0 else self._locale.toString(number)

    # The columns, one after another.

    def _id(self, row: int) -> str:
        return self._locale.toString(self.number("ids", row))

    def _token(self, row: int) -> str:
        return isolated(self.name(row))

    def _token_chips(self, row: int) -> Chips | None:
        # A special token is not a piece of a text.
        return Chips.of(self.name(row)) if self.token(row) >= 0 else None

    def _token_order(self, n: int) -> NDArray[Any]:
        assert self._names.ranks is not None
        return self._names.ranks[:n]

    def _bytes(self, row: int) -> str:
        content = self.content(row)
        more = " …" if len(content) > MOST_BYTES else ""
        return hex_bytes(content[:MOST_BYTES]) + more

    def _length(self, row: int) -> str:
        return self._locale.toString(self.number("n_characters", row))

    def _script(self, row: int) -> str:
        from bpe_studio.engine.text.unicode_scripts import SCRIPTS

        return SCRIPTS[self.number("scripts", row)].replace("_", " ") or NO_VALUE

    def _script_order(self, n: int) -> NDArray[Any]:
        import numpy as np

        from bpe_studio.engine.text.unicode_scripts import SCRIPTS

        places = np.argsort(np.argsort(np.array(SCRIPTS)))
        ordered: NDArray[Any] = places[self._order("scripts", n)]
        return ordered

    def _rank(self, row: int) -> str:
        rank = self.rank(row)
        return NO_VALUE if rank < 0 else self._locale.toString(rank + 1)

    def _rank_order(self, n: int) -> NDArray[Any]:
        import numpy as np

        return np.arange(n)

    def _parts(self, row: int) -> Chips | None:
        parts = self.part_names(row)
        return None if parts is None else Chips.of(*parts)

    def _created(self, row: int) -> str:
        return self._counted("created", row)

    def _now(self, row: int) -> str:
        return self._counted("counts", row)

    def states_text(self, row: int) -> str:
        """The states of a token, in words."""
        if self._shown is None:
            return ""
        source = self.source_row(row)
        if self.wanted is None:
            states = self._shown.states(source)
        else:
            states = self._shown.states(source, self.wanted.rare_below)
        names = [state.value for state in states]
        # A token that never occurs is rare as well, which goes without saying.
        return ", ".join(name for name in names if name != "rare" or "never used" not in names)

    columns = (
        Column(
            "id",
            "The token's id at this step",
            _id,
            sample=lambda model: model._widest("ids"),
            sort_key=lambda model, n: model._order("ids", n),
            exports=(_values("id", lambda model, row: model.number("ids", row)),),
        ),
        Column(
            "token",
            "The token, with white space made visible",
            _token,
            is_number=False,
            chips=_token_chips,
            sort_key=_token_order,
            sorts_by_name=True,
            exports=(_values("token", lambda model, row: model.log_name(row)),),
        ),
        Column(
            "bytes",
            "The token's UTF-8 bytes, in hexadecimal",
            _bytes,
            is_number=False,
            sample="FF FF FF FF FF",
            least_em=59,
            sort_key=lambda model, n: model._order("n_bytes", n),
            exports=(_values("bytes", lambda model, row: model.content(row).hex(" ")),),
        ),
        Column(
            "length",
            "The number of its whole characters",
            _length,
            sample="length ▾",
            least_em=53,
            sort_key=lambda model, n: model._order("n_characters", n),
            exports=(_values("length", lambda model, row: model.number("n_characters", row)),),
        ),
        Column(
            "script",
            "The Unicode script of its letters; Common: digits, signs and spaces",
            _script,
            is_number=False,
            sample="Devanagari",
            sort_key=_script_order,
            least_em=37,
        ),
        Column(
            "merge",
            "The merge that made it",
            _rank,
            sample=lambda model: model._widest("ids"),
            sort_key=_rank_order,
            least_em=23,
        ),
        Column(
            "parts",
            "The two tokens that it was made from",
            is_number=False,
            share=1.2,
            least_em=31,
            chips=_parts,
            exports=(
                _values("left", lambda model, row: model.log_parts(row)[0]),
                _values("right", lambda model, row: model.log_parts(row)[1]),
            ),
        ),
        Column(
            "created",
            "The count of its pair when it was merged; for a symbol, its count at step 0",
            _created,
            sample=lambda model: model._widest("created", 10_000),
            least_em=45,
            is_counted=True,
            sort_key=lambda model, n: model._order("created", n),
        ),
        Column(
            "now",
            "The number of times that it occurs in the corpus at this step",
            _now,
            is_counted=True,
            sample=lambda model: model._widest("counts", 10_000),
            sort_key=lambda model, n: model._order("counts", n),
        ),
        Column(
            "state",
            "Never used: not in the corpus at this step; rare: occurs there less often than the"
            " number of the filter; unreachable: no text is encoded as it",
            states_text,
            is_number=False,
            sample="never used, part of a character, alphabet",
            least_em=36,
        ),
    )
    extra_exports = (_values("token as shown", lambda model, row: model.name(row)),)
    ID, TOKEN, BYTES, LENGTH, SCRIPT, RANK, PARTS, CREATED, NOW, STATE = range(len(columns))

    def log_name(self, row: int) -> str:
        """The token as logs and tokenizer files write it."""
        shown = self._shown
        token = self.token(row)
        assert shown is not None
        if token < 0:
            return list(shown.run.lone_specials)[self.source_row(row)]
        return shown.run.token_name(token)

    def log_parts(self, row: int) -> tuple[str, str]:
        """Its two parts as logs write them; empty if it has none."""
        shown = self._shown
        rank = self.rank(row)
        if shown is None or rank < 0:
            return "", ""
        name = shown.run.token_name
        columns = shown.run.columns
        return name(int(columns.left[rank])), name(int(columns.right[rank]))

    def plain_state(self) -> object:
        return self._shown

    def state(self, row: int) -> RowState:
        is_newest = (
            self._shown is not None
            and self._shown.step > 0
            and self.rank(row) == self._shown.step - 1
        )
        return RowState.CURRENT if is_newest else RowState.APPLIED

    def tip(self, row: int, column: int) -> str:
        if self._shown is None:
            return ""
        lines = [
            f"{self._token(row)}, id {self._id(row)}",
            f"bytes {hex_bytes(self.content(row)[:48])}",
        ]
        parts = self._parts(row)
        if parts is not None:
            lines.append(f"{parts.text}, merge {self._rank(row)}")
        if self.number("counts", row) >= 0:
            made = "counted" if self.rank(row) >= 0 else "occurs"
            lines.append(f"{made} {times(self.number('created', row))} when created")
            lines.append(
                f"occurs {times(self.number('counts', row))} at step"
                f" {self._locale.toString(self._shown.step)}"
            )
        states = self.states_text(row)
        token = self.token(row)
        lines += [states] if states else []
        examined = (self._shown.unreachable or {}).get(token)
        if examined is not None:
            from bpe_studio.explain.doctor.sentences import why

            lines.append(f"never made: {why(examined, self._shown.run)}")
        return "\n".join(lines)


def _namer(run: Run) -> Callable[[int], str]:
    """Names the rows of a run's vocabulary."""
    specials: Sequence[str] = list(run.lone_specials)
    n = len(specials)

    def name(row: int) -> str:
        return display_text(specials[row]) if row < n else display_name(run, row - n)

    return name
