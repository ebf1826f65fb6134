"""The skyline of a Persian text is read, walked and clicked from right to left."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt


def shown_tokens(person):
    return int(person.panels["skyline"].readout.text().partition(" ")[0].replace(",", ""))


def test_persian_stands_and_walks_from_right_to_left(person):
    text = "باغ و آب"
    person.open_sample("persian")
    person.learn()
    person.click("text.input")
    person.type(text)
    person.wait(lambda: bool(person.panels["skyline"].readout.text()))
    person.rest()
    view = person.panels["skyline"].view
    run = person.workspace.run
    assert shown_tokens(person) == len(run.tokenizer(person.step).encode(text).ids)
    assert view.picture.rows.row(0).is_rtl
    gaps = view.picture.joints().tolist()
    assert (
        view.picture.place_of(gaps[0]).center().x() > view.picture.place_of(gaps[-1]).center().x()
    )
    person.click(view, QPoint(view.viewport().width() - 4, 4))
    person.key(Qt.Key.Key_Right)
    first = view.focused.gap
    person.key(Qt.Key.Key_Left)
    assert view.focused.gap > first, "to the left is on"
    rank = view.focused.rank
    person.key(Qt.Key.Key_Return)
    person.wait(lambda: person.step == rank + 1)
    person.rest()
    assert shown_tokens(person) == len(run.tokenizer(rank + 1).encode(text).ids)
