"""The numbers of sizes, while answers come late."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from bpe_studio.gui.sizes.numbers_model import NumbersModel


@pytest.mark.parametrize("n_answered", [0, 1, 5])
def test_an_answer_about_another_number_of_rows_leaves_each_row_readable(qapp, n_answered):
    model = NumbersModel()
    model.set_rows([SimpleNamespace(step=step, is_current=False, key="") for step in (1, 2, 3)])
    model.set_uses([SimpleNamespace(step=9)] * n_answered)
    assert len(model.uses) == model.rowCount() == 3
    assert [use is not None for use in model.uses] == [row < n_answered for row in range(3)]
    for row in range(3):
        for column in range(model.columnCount()):
            model.is_old(row, column)
