"""The rules of the house: who may import whom, what an import costs, and packages that must not
come together.
"""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest

import bpe_studio
from bpe_studio import cli

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "bpe_studio"
OF_THE_WINDOW = ("PIL", "yaml")  # which the extra `gui` installs too
QT_NAMES = ("PySide6", "shiboken6", "pyqtgraph", "qtawesome", "qtpy")
MOST_MODULES = 24
DRAWING_NAMES = ("PySide6.QtGui", "PySide6.QtWidgets", "pyqtgraph", "qtawesome")


def _sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (PACKAGE / folder).rglob("*.py"))


class _Module(NamedTuple):
    """What the rules ask of a module, which is parsed once for all of them.

    Attributes:
        imports: the full names that it imports, at its top or inside a function.
        n_relative: how many of its imports are relative.
        has_docstring: whether it says what it does.
        n_statements: at its top, the docstring among them.
    """

    imports: frozenset[str]
    n_relative: int
    has_docstring: bool
    n_statements: int


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements inside one: an eighth of the nodes of a module."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, name, None) or ():
            if isinstance(inner, ast.stmt):
                yield inner
            yield from _statements(inner)


@cache
def _module(path: Path) -> _Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names: set[str] = set()
    n_relative = 0
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            n_relative += bool(node.level)
            if node.module and not node.level:
                names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return _Module(frozenset(names), n_relative, bool(ast.get_docstring(tree)), len(tree.body))


def _reaches(names: frozenset[str], *targets: str) -> set[str]:
    return {
        name
        for name in names
        for target in targets
        if name == target or name.startswith(target + ".")
    }


def test_below_the_workspace_nothing_knows_qt() -> None:
    paths = [
        *_sources("engine", "files", "explain", "commands"),
        PACKAGE / "errors.py",
        PACKAGE / "cli.py",
    ]
    wrong = {
        str(path.relative_to(ROOT)): found
        for path in paths
        if (found := _reaches(_module(path).imports, *QT_NAMES, *OF_THE_WINDOW))
        and path.parent.name != "lessons"
    }
    assert not wrong


def test_the_workspace_draws_nothing() -> None:
    wrong = {
        path.name: found
        for path in _sources("workspace")
        if (found := _reaches(_module(path).imports, *DRAWING_NAMES))
    }
    assert not wrong


def test_items_of_layouts_are_not_asked_for() -> None:
    """PySide6 keeps its object for a layout's item after Qt deleted the item, and gives it for
    whatever is there next.

    A new action or widget at that address is then taken for a `QWidgetItem`.
    """
    calls = re.compile(r"\.(itemAt|takeAt|itemAtPosition)\(")
    folders = (PACKAGE, ROOT / "tests")
    assert [
        path
        for folder in folders
        for path in folder.rglob("*.py")
        if calls.search(path.read_text("utf-8"))
    ] == []


def test_products_of_matrices_are_not_used() -> None:
    """The threads of numpy's BLAS wait for more in a loop: one `@` costs 30 ms of every processor.

    It is the counting that is slower then, or whatever comes next.
    """
    calls = re.compile(r"[\w)\]] @ [\w(]|\bnp\.(dot|vdot|inner|matmul|linalg)\b")
    assert [path for path in PACKAGE.rglob("*.py") if calls.search(path.read_text("utf-8"))] == []


def test_relative_imports_are_not_used() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert _module(path).n_relative == 0, path


def test_every_module_postpones_annotations_and_says_what_it_does() -> None:
    for path in PACKAGE.rglob("*.py"):
        module = _module(path)
        assert module.has_docstring, f"{path} has no docstring"
        if module.n_statements > 1:
            assert "__future__.annotations" in module.imports, (
                f"{path} does not postpone annotations"
            )


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _dense_places(tree: ast.Module) -> Iterator[int]:
    """The lines of conditional expressions that are a part of something, and of comprehensions
    inside another one or inside a conditional expression, or with two `for`.
    """
    holders = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)
    nodes = list(ast.walk(tree))
    whole = {node.value for node in nodes if isinstance(node, holders)}
    for node in nodes:
        is_condition = isinstance(node, ast.IfExp)
        if is_condition and node not in whole:
            yield node.lineno
        if isinstance(node, _COMPREHENSIONS) and len(node.generators) > 1:
            yield node.lineno
        if is_condition or isinstance(node, _COMPREHENSIONS):
            inside = (inner for inner in ast.walk(node) if inner is not node)
            yield from (inner.lineno for inner in inside if isinstance(inner, _COMPREHENSIONS))


def test_a_line_says_one_thing() -> None:
    """A conditional expression is a whole right side or a whole return value, and a comprehension
    stands by itself: give a part a name, or write an `if` or a loop.
    """
    places = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in set(_sources(".")) - set(_sources("engine/kernels"))
        for line in _dense_places(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not places, places


def test_a_folder_can_be_taken_in_at_a_glance() -> None:
    folders = [path for path in PACKAGE.rglob("*") if path.is_dir()]
    large = {
        str(path.relative_to(ROOT)): n
        for path in folders
        if (n := len(list(path.glob("*.py")))) > MOST_MODULES
    }
    assert not large, large


def _modules_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return {name.split(".")[0] for name in ran.stdout.split()}


def test_importing_the_package_is_cheap() -> None:
    assert not _modules_after("import bpe_studio, bpe_studio.cli") & {
        "numpy",
        "numba",
        "regex",
        *QT_NAMES,
    }


def test_training_from_python_needs_no_qt() -> None:
    statement = (
        "import bpe_studio as bpe; config = bpe.TrainingConfig.preset('textbook', merges=1);"
        " bpe.train(bpe.Corpus.from_text('low low', config), config).tokenizer().encode('low');"
        " bpe.load"
    )
    assert not _modules_after(statement) & set(QT_NAMES)


def test_answers_about_a_run_need_no_qt() -> None:
    modules = [
        "bpe_studio.explain."
        + ".".join(path.relative_to(PACKAGE / "explain").with_suffix("").parts)
        for path in _sources("explain")
        if path.name != "__init__.py"
    ]
    assert not _modules_after(f"import {', '.join(modules)}") & set(QT_NAMES)


def test_every_public_name_is_there() -> None:
    import bpe_studio

    for name in bpe_studio.__all__:
        assert getattr(bpe_studio, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = bpe_studio.nonsense


def test_qt_keeps_count_of_none() -> None:
    """PySide6 6.12 on Python 3.11 loses a reference to None in each call, and aborts after some
    thousands.
    """
    from PySide6.QtCore import QObject

    target = QObject()
    before = sys.getrefcount(None)
    for _ in range(500):
        target.setObjectName("x")
    assert abs(sys.getrefcount(None) - before) < 50
    if sys.version_info < (3, 12):
        assert [int(number) for number in version("PySide6-Essentials").split(".")[:2]] < [6, 12]


def test_everything_public_is_documented():
    """The site's reference of Python names and of commands is made from these texts."""
    for name in set(bpe_studio.__all__) - {"__version__"}:
        thing = getattr(bpe_studio, name)
        assert inspect.getdoc(thing), name
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            function = getattr(value, "fget", None) or getattr(value, "__func__", value)
            assert member.startswith("_") or not callable(function) or function.__doc__, (
                f"{name}.{member}"
            )
    for command in cli.COMMANDS:
        for action in cli.parser_of(command)._actions:
            assert action.help, f"{command}: {action.option_strings or action.dest}"
