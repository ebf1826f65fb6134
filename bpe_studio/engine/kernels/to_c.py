"""Writes the kernels as one C file: `engine/build_kernels.py` has it compiled.

The source is the same Python that runs as it is. It is only read here, so nothing but Python is
needed. A kernel that Python calls says the kind of each of its arguments (`kinds.py`); the types of
all else follow. A function is written once for each combination of types that it is called with.

The subset of Python is small: loops, numbers of 64 bits, which wrap around, and arrays, which are
indexed and sliced. What is outside it gets a `SyntaxError` with its line. Two rules differ from
Python: indices are not negative, and an entry of an array that is stored is cut to the array's
type. `instructions.h` has the rest: arrays, and what is taken from the processor.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Sequence
from typing import Any

_FOLDER = os.path.dirname(__file__)
_PACKAGE = "bpe_studio.engine.kernels"
MODULES = (
    "closing",
    "counting",
    "dividing",
    "encoding",
    "laying_out",
    "measuring",
    "merging",
    "pair_counting",
    "scanning",
    "states",
)

Type = str | tuple[Any, ...]
"""The name of a type in C, or the types of a tuple's items."""
INT = "int64_t"
UNSIGNED = "uint64_t"
BYTE = "uint8_t"
NARROW = "int"  # a result of few bits, which C computes as an int
BOOL = "bool"
NOTHING = "void"
_ENTRIES = {
    "Bytes": BYTE,
    "Uint16s": NARROW,
    "Uint32s": INT,
    "Int32s": INT,
    "Int64s": INT,
    "EightBytes": INT,
}
_CASTS = {"int": INT, "int64": INT, "uint64": UNSIGNED, "uint8": BYTE}
_INSTRUCTIONS = {"place": UNSIGNED, "prefetches": BOOL, "prefetch": NOTHING}
"""The types that functions of `instructions.py` return, if not a number."""
_OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.And: "&&",
    ast.Or: "||",
    ast.Not: "!",
    ast.Invert: "~",
    ast.USub: "-",
}
_FEW_BITS = 1 << 16
"""Below this, a constant leaves the result of an operation narrow."""


class Module:
    """A module of kernels, as read from its source: functions, constants, kinds of arguments."""

    def __init__(self, name: str, program: Program) -> None:
        self.name = name
        self.functions: dict[str, tuple[Module, ast.FunctionDef]] = {}
        self.values: dict[str, Any] = {}
        path = os.path.join(program.folder, f"{name}.py")
        with open(path, encoding="utf-8") as source:
            tree = ast.parse(source.read(), path)
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef):
                self.functions[statement.name] = self, statement
            elif isinstance(statement, ast.ClassDef):
                self.values[statement.name] = {
                    field.target.id: _kinds(field.annotation, self.values)[0]
                    for field in statement.body
                    if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
                }
            elif isinstance(statement, ast.Assign):
                self._assign(statement)
            elif isinstance(statement, ast.ImportFrom):
                package, _, name = str(statement.module).rpartition(".")
                if package == _PACKAGE:
                    self._import(statement, program.module(name))

    def _import(self, statement: ast.ImportFrom, source: Module) -> None:
        for alias in statement.names:
            if alias.name in source.functions:
                self.functions[alias.name] = source.functions[alias.name]
            elif source.name == "kinds":
                self.values[alias.name] = alias.name
            else:
                self.values[alias.name] = source.values[alias.name]

    def _assign(self, statement: ast.Assign) -> None:
        value = statement.value
        if isinstance(value, ast.Subscript):  # the kind of a tuple of arrays
            assert isinstance(statement.targets[0], ast.Name)
            self.values[statement.targets[0].id] = _kinds(value, self.values)[0]
        elif self.name != "kinds":
            code = compile(ast.Module([statement], []), self.name, "exec")
            exec(code, self.values)


def _kinds(annotation: ast.expr | None, values: dict[str, Any]) -> list[Type]:
    """The types that an annotation allows; none if it says nothing."""
    if isinstance(annotation, ast.BinOp):
        return [*_kinds(annotation.left, values), *_kinds(annotation.right, values)]
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        return [tuple(_kinds(item, values)[0] for item in annotation.slice.elts)]
    if not isinstance(annotation, ast.Name):
        return []
    if annotation.id == "int":
        return [INT]
    if annotation.id == "Buffers":
        return ["Buffers"]
    found = values.get(annotation.id)
    return [found] if isinstance(found, str | tuple) else []


class Program:
    """The C that is written, each function after those that it calls.

    Args:
        folder: the folder of the modules.
        names: the modules with kernels that Python calls.
    """

    def __init__(self, folder: str = _FOLDER, names: Sequence[str] = MODULES) -> None:
        self.folder = folder
        self._names = names
        self._modules: dict[str, Module] = {}
        self.structures: dict[tuple[Any, ...], str] = {}
        self.functions: list[str] = []
        self.forms: dict[tuple[str, str, tuple[Type, ...]], Form] = {}
        self.buffers: dict[str, Type] = self.module("buffers").values["Buffers"]
        fields = "".join(f" {kind} {name};" for name, kind in self.buffers.items())
        self.types = [f"typedef struct {{{fields} }} Buffers;"]

    def module(self, name: str) -> Module:
        """A module, which is read if it is new."""
        if name not in self._modules:
            self._modules[name] = Module(name, self)
        return self._modules[name]

    def write(self, name: str) -> str:
        """The C of an extension module.

        Args:
            name: its name.
        """
        methods = []
        for module in self._names:
            for function, (home, tree) in self.module(module).functions.items():
                if home.name == module:
                    methods += self._method(home, function, tree)
        with open(os.path.join(_FOLDER, "instructions.h"), encoding="utf-8") as file:
            begin = file.read()
        end = _MODULE.replace("METHODS", "\n".join(methods)).replace("NAME", name)
        return "\n".join([begin, *self.types, *self.functions, end])

    def _method(self, module: Module, function: str, tree: ast.FunctionDef) -> list[str]:
        """Writes the function that Python calls, and returns its line in the list of methods; no
        line if Python does not call it.
        """
        kinds = [_kinds(argument.annotation, module.values) for argument in tree.args.args]
        if all(kind in ([], [INT]) for kind in kinds):
            return []
        if [] in kinds:
            raise SyntaxError(f"{module.name}.{function} lacks the kind of an argument")
        combined: list[list[Type]] = [[]]
        for kind in kinds:
            combined = [[*types, one] for types in combined for one in kind]
        forms = [self.form(module, function, types) for types in combined]
        for form in forms:
            self.functions.append(form.called_by_python())
        name = f"{module.name}__{function}"
        listed = ", ".join(f"{form.name}_form" for form in forms)
        self.functions.append(
            f"static const Form {name}_forms[] = {{{listed}, NULL}};\n"
            f"static PyObject *{name}(PyObject *self, PyObject *const *given, Py_ssize_t n) {{\n"
            f"    return call({name}_forms, {len(kinds)}, given, n);\n}}"
        )
        return [f'    {{"{name}", (PyCFunction)(void (*)(void)){name}, METH_FASTCALL, NULL}},']

    def form(self, module: Module, function: str, types: Sequence[Type]) -> Form:
        """A function for arguments of some types, which is written if it is new."""
        key = (module.name, function, tuple(types))
        if key not in self.forms:
            name = f"{module.name}_{function}_{len(self.forms)}"
            self.forms[key] = Form(self, module, module.functions[function][1], key[2], name)
            self.functions.append(self.forms[key].text)
        return self.forms[key]

    def table(self, name: str, values: tuple[int, ...]) -> str:
        """An array of constants."""
        text = ", ".join(_number(value)[0] for value in values)
        line = (
            f"static int64_t {name}_values[] = {{{text}}};\n"
            f"static const Int64s {name} = {{{name}_values, {len(values)}}};"
        )
        if line not in self.types:
            self.types.append(line)
        return name

    def c_type(self, kind: Type) -> str:
        """A type as C names it."""
        if isinstance(kind, str):
            return {BOOL: "int", "Buffers": "const Buffers *"}.get(kind, kind)
        if kind not in self.structures:
            name = f"Tuple{len(self.structures)}"
            items = [f" {self.c_type(item)} f{k};" for k, item in enumerate(kind)]
            self.types.append(f"typedef struct {{{''.join(items)} }} {name};")
            self.structures[kind] = name
        return self.structures[kind]


class Form:
    """A function in C, for arguments of some types.

    Attributes:
        name: its name.
        returns: the type of its result.
        error: the name of the exception that it may raise; empty if it raises none.
        text: the C.
    """

    def __init__(
        self,
        program: Program,
        module: Module,
        tree: ast.FunctionDef,
        types: tuple[Type, ...],
        name: str,
    ) -> None:
        self._program = program
        self._module = module
        self._types = types
        self.name = name
        self.returns: Type = NOTHING
        self.error = ""
        arguments = [argument.arg for argument in tree.args.args]
        self._locals: dict[str, Type] = dict(zip(arguments, types, strict=True))
        # A type may follow from an assignment further below, so repeat until nothing new is found.
        before: Any = None
        while before != (self._locals, self.returns):
            before = dict(self._locals), self.returns
            self._n_names = 0
            lines = self._block(tree.body)
        given = [f"{program.c_type(self._locals[each])} {_name(each)}" for each in arguments]
        if self.error:
            given.append("int *raised")
        declared = [
            f"    {program.c_type(kind)} {_name(each)} = {{0}};"
            for each, kind in self._locals.items()
            if each not in arguments
        ]
        head = f"static inline {program.c_type(self.returns)} {name}({', '.join(given)}) {{"
        self.text = "\n".join([head, *declared, *lines, "}"])

    def called_by_python(self) -> str:
        """The C that takes the arguments from Python, and returns the result to it."""
        n_arrays = 0
        lines = ["    Given given = {{{0}}, 0, 0};"]
        names = []
        for k, kind in enumerate(self._types):
            argument = f"arguments[{k}]"
            names.append(f"a{k}")
            if kind == "Buffers":
                names[-1] = f"&a{k}"
                kinds: Iterable[Type] = self._program.buffers.values()
            elif isinstance(kind, tuple):
                kinds = kind
            else:
                take = "int" if kind == INT else kind
                lines.append(f"    {kind} a{k} = take_{take}(&given, {argument});")
                n_arrays += 1
                continue
            type_name = "Buffers" if kind == "Buffers" else self._program.c_type(kind)
            lines.append(f"    {type_name} a{k};")
            fields = self._program.buffers if kind == "Buffers" else [f"f{i}" for i in range(9)]
            for i, (field, item) in enumerate(zip(fields, kinds, strict=False)):
                lines.append(f"    a{k}.{field} = take_{item}(&given, item_of({argument}, {i}));")
                n_arrays += 1
        assert n_arrays <= 48  # as many as `Given` has room for
        if self.error:
            lines.append("    int raised = 0;")
            names.append("&raised")
        kept = "" if self.returns == NOTHING else f"{self._program.c_type(self.returns)} result = "
        lines += [
            "    *is_wrong = given.is_wrong;",
            "    if (given.is_wrong) {",
            "        release(&given);",
            "        return NULL;",
            "    }",
            "    PyThreadState *thread = PyEval_SaveThread();",
            f"    {kept}{self.name}({', '.join(names)});",
            "    PyEval_RestoreThread(thread);",
            "    release(&given);",
        ]
        if self.error:
            lines.append(f"    if (raised) return PyErr_SetNone(PyExc_{self.error}), NULL;")
        lines.append(f"    return {self._result()};")
        head = f"static PyObject *{self.name}_form(PyObject *const *arguments, int *is_wrong) {{"
        return "\n".join([head, *lines, "}"])

    def _result(self) -> str:
        if self.returns == NOTHING:
            return "Py_NewRef(Py_None)"
        if self.returns == BOOL:
            return "PyBool_FromLong(result)"
        if isinstance(self.returns, tuple):
            items = "".join(f", (long long)result.f{k}" for k in range(len(self.returns)))
            return f'Py_BuildValue("({"L" * len(self.returns)})"{items})'
        return "PyLong_FromLongLong(result)"

    # Statements

    def _block(self, body: list[ast.stmt]) -> list[str]:
        lines = []
        for statement in body:
            lines += [f"    {line}" for line in self._statement(statement)]
        return lines

    def _statement(self, node: ast.stmt) -> list[str]:
        match node:
            case ast.Expr(ast.Constant()):
                return []
            case ast.Expr(value):
                return [f"{self._value(value)[0]};", *self._leave(value)]
            case ast.Assign(targets, value):
                return self._assign(targets, value)
            case ast.AnnAssign(target, _, ast.expr() as value):
                return self._assign([target], value)
            case ast.AugAssign(target, operator, value):
                return self._assign([target], ast.BinOp(target, operator, value))
            case ast.For(ast.Name(variable), ast.Call(ast.Name("range"), bounds), body):
                return self._loop(variable, bounds, body)
            case ast.While(condition, body):
                return [f"while ({self._value(condition)[0]}) {{", *self._block(body), "}"]
            case ast.If(condition, body, others):
                lines = [f"if ({self._value(condition)[0]}) {{", *self._block(body)]
                if others:
                    lines += ["} else {", *self._block(others)]
                return [*lines, "}"]
            case ast.Return(ast.expr() as value):
                code, kind = self._value(value)
                self.returns = _joined(self.returns, INT if kind == NARROW else kind)
                return [f"return {code};"]
            case ast.Return():
                return ["return;"]
            case ast.Break():
                return ["break;"]
            case ast.Continue():
                return ["continue;"]
            case ast.Raise(ast.Name(error)):
                self.error = error
                return ["*raised = 1;", self._give_up()]
        raise self._refusal(node)

    def _loop(self, variable: str, bounds: list[ast.expr], body: list[ast.stmt]) -> list[str]:
        self._n_names += 1
        at = f"at{self._n_names}"
        stop = f"stop{self._n_names}"
        codes = [self._value(bound)[0] for bound in bounds]
        if len(codes) == 1:
            codes.insert(0, "0")
        step = "1"
        if len(bounds) == 3:
            step = str(self._constant(bounds[2]))
        order = ">" if step.startswith("-") else "<"
        lines = [
            f"int64_t {stop} = {codes[1]};",
            f"for (int64_t {at} = {codes[0]}; {at} {order} {stop}; {at} += {step}) {{",
        ]
        if variable != "_":
            self._note(variable, INT)
            lines.append(f"    {_name(variable)} = {at};")
        lines += [*self._block(body), "}"]
        return ["{", *(f"    {line}" for line in lines), "}"]

    def _assign(self, targets: list[ast.expr], value: ast.expr) -> list[str]:
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple):
            return self._unpack(targets[0].elts, value)
        code, kind = self._value(value)
        if len(targets) == 1:
            return [f"{self._target(targets[0], kind)} = {code};", *self._leave(value)]
        once = self._new_name()
        lines = [f"{self._program.c_type(kind)} {once} = {code};"]
        lines += [f"{self._target(target, kind)} = {once};" for target in targets]
        return ["{", *(f"    {line}" for line in lines), "}"]

    def _unpack(self, targets: list[ast.expr], value: ast.expr) -> list[str]:
        code, kind = self._value(value)
        if not isinstance(kind, tuple):
            raise self._refusal(value)
        once = self._new_name()
        lines = [f"{self._program.c_type(kind)} {once} = {code};", *self._leave(value)]
        for k, (target, item) in enumerate(zip(targets, kind, strict=True)):
            lines.append(f"{self._target(target, item)} = {once}.f{k};")
        return ["{", *(f"    {line}" for line in lines), "}"]

    def _new_name(self) -> str:
        self._n_names += 1
        return f"once{self._n_names}"

    def _target(self, node: ast.expr, kind: Type) -> str:
        if isinstance(node, ast.Name):
            self._note(node.id, kind)
            return _name(node.id)
        if not isinstance(node, ast.Subscript):
            raise self._refusal(node)
        return self._entry(node)[0]

    def _note(self, name: str, kind: Type) -> None:
        if kind not in (BYTE, BOOL):
            kind = _whole(kind)
        self._locals[name] = _joined(self._locals.get(name, NOTHING), kind)

    def _leave(self, value: ast.expr) -> list[str]:
        """Leaves this function if one that was called has raised an error."""
        for node in ast.walk(value):
            if isinstance(node, ast.Call):
                form = self._called(node)
                if form is not None and form.error:
                    self.error = form.error
                    return [f"if (*raised) {self._give_up()}"]
        return []

    def _give_up(self) -> str:
        if self.returns == NOTHING:
            return "return;"
        nothing = "{0}" if isinstance(self.returns, tuple) else "0"
        return f"return ({self._program.c_type(self.returns)}){nothing};"

    # Expressions

    def _value(self, node: ast.expr) -> tuple[str, Type]:
        """The C of an expression, and its type."""
        match node:
            case ast.Constant(bool(value)):
                return str(int(value)), BOOL
            case ast.Constant(int(value)):
                return _number(value)
            case ast.Name(name):
                return self._named(node, name)
            case ast.Attribute(ast.Name(name), field) if self._locals.get(name) == "Buffers":
                return f"{_name(name)}->{field}", self._program.buffers[field]
            case ast.Subscript():
                code, kind = self._entry(node)
                return (f"(int64_t){code}" if kind == INT else code), kind
            case ast.Call(ast.Name("ord"), [ast.Constant(str(character))]):
                return _number(ord(character))
            case ast.Call():
                return self._call(node)
            case ast.BinOp():
                return self._operation(node)
            case ast.UnaryOp(operator, operand):
                constant = self._constant(node)
                if constant is not None:
                    return _number(constant)
                code, kind = self._value(operand)
                made = BOOL if isinstance(operator, ast.Not) else _promoted(kind, NARROW)
                return f"({_OPERATORS[type(operator)]}{code})", made
            case ast.BoolOp(operator, values):
                codes = [self._value(value)[0] for value in values]
                return f"({f' {_OPERATORS[type(operator)]} '.join(codes)})", BOOL
            case ast.Compare():
                return self._comparison(node), BOOL
            case ast.IfExp(condition, yes, no):
                first, one = self._value(yes)
                second, other = self._value(no)
                kind = _joined(one, other)
                return f"({self._value(condition)[0]} ? {first} : {second})", kind
            case ast.Tuple(items):
                found = [self._value(item) for item in items]
                kinds = tuple(_whole(item) for _, item in found)
                listed = ", ".join(item for item, _ in found)
                return f"({self._program.c_type(kinds)}){{{listed}}}", kinds
        raise self._refusal(node)

    def _named(self, node: ast.expr, name: str) -> tuple[str, Type]:
        if name in self._locals:
            return _name(name), self._locals[name]
        value = self._module.values.get(name)
        if isinstance(value, int):
            return _number(value)
        if isinstance(value, tuple):
            return self._program.table(name, value), "Int64s"
        raise self._refusal(node)

    def _entry(self, node: ast.Subscript) -> tuple[str, Type]:
        """An entry or a part of an array."""
        code, kind = self._value(node.value)
        match node.slice:
            case ast.Slice(first, last):
                start = "0" if first is None else self._value(first)[0]
                stop = f"{code}.n" if last is None else self._value(last)[0]
                return f"slice_{kind}({code}, {start}, {stop})", kind
            case ast.Tuple([row, column]):
                row_code = self._value(row)[0]
                return f"AT({code}, {row_code} * {code}.width + {self._value(column)[0]})", INT
        index = self._value(node.slice)[0]
        if kind == "Int64Rows":
            return f"row_of({code}, {index})", "Int64s"
        if kind == "EightBytes":
            return f"load(&AT({code}, {index}))", INT
        if kind not in _ENTRIES:
            raise self._refusal(node)
        return f"AT({code}, {index})", _ENTRIES[str(kind)]

    def _call(self, node: ast.Call) -> tuple[str, Type]:
        given = [self._value(argument) for argument in node.args]
        codes = [code for code, _ in given]
        match node.func:
            case ast.Name("len"):
                return f"{codes[0]}.n", INT
            case ast.Name("bool"):
                return f"({codes[0]} != 0)", BOOL
            case ast.Name("min"):
                return _nested("least", codes), INT
            case ast.Name("max"):
                return _nested("most", codes), INT
            case ast.Name(name) | ast.Attribute(ast.Name("np"), name) if name in _CASTS:
                return f"({_CASTS[name]}){codes[0]}", _CASTS[name]
            case ast.Name(name) if name in self._module.functions:
                form = self._called(node)
                if form is None:
                    return f"{name}({', '.join(codes)})", _INSTRUCTIONS.get(name, INT)
                if form.error:
                    codes.append("raised")
                return f"{form.name}({', '.join(codes)})", form.returns
        raise self._refusal(node)

    def _called(self, node: ast.Call) -> Form | None:
        """The kernel that is called; none if it is an instruction, or something else."""
        if not isinstance(node.func, ast.Name) or node.func.id not in self._module.functions:
            return None
        home, tree = self._module.functions[node.func.id]
        if home.name == "instructions":
            return None
        types = [self._value(argument)[1] for argument in node.args]
        whole = [kind if kind == BYTE else _whole(kind) for kind in types]
        return self._program.form(home, tree.name, whole)

    def _operation(self, node: ast.BinOp) -> tuple[str, Type]:
        constant = self._constant(node)
        if constant is not None:
            return _number(constant)
        left, kind = self._value(node.left)
        right, other = self._value(node.right)
        if isinstance(node.op, ast.FloorDiv):
            return f"floor_quotient({left}, {right})", INT
        if isinstance(node.op, ast.LShift | ast.Mult) and UNSIGNED not in (kind, other):
            left = f"(int64_t){left}"
            kind = INT
        if isinstance(node.op, ast.LShift | ast.RShift):
            made = _promoted(kind, NARROW)
        else:
            made = _promoted(kind, other)
        if type(node.op) not in _OPERATORS:
            raise self._refusal(node)
        return f"({left} {_OPERATORS[type(node.op)]} {right})", made

    def _comparison(self, node: ast.Compare) -> str:
        if isinstance(node.ops[0], ast.In) and isinstance(node.comparators[0], ast.Tuple):
            equal = [ast.Compare(node.left, [ast.Eq()], [e]) for e in node.comparators[0].elts]
            return f"({' || '.join(map(self._comparison, equal))})"
        values = [self._value(each) for each in (node.left, *node.comparators)]
        codes = []
        for k, operator in enumerate(node.ops):
            _promoted(values[k][1], values[k + 1][1])
            codes.append(f"{values[k][0]} {_OPERATORS[type(operator)]} {values[k + 1][0]}")
        return f"({' && '.join(codes)})"

    def _constant(self, node: ast.expr) -> int | None:
        """The value of an expression of constants; none if it has anything else."""
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                is_value = isinstance(self._module.values.get(each.id), int)
                if each.id in self._locals or not is_value:
                    return None
            elif isinstance(each, ast.Call | ast.Subscript | ast.Attribute):
                return None
        code = compile(ast.fix_missing_locations(ast.Expression(node)), self.name, "eval")
        return int(eval(code, dict(self._module.values)))

    def _refusal(self, node: ast.AST) -> SyntaxError:
        line = getattr(node, "lineno", "?")
        return SyntaxError(
            f"{self._module.name}.py, line {line}: kernels cannot use `{ast.unparse(node)}`,"
            " which to_c.py does not write as C"
        )


def _name(name: str) -> str:
    """A variable's name in C, which is no word or function of C."""
    return f"{name}_"


def _nested(function: str, codes: list[str]) -> str:
    """A call of a function of two numbers for any number of them."""
    if len(codes) == 1:
        return codes[0]
    return f"{function}({codes[0]}, {_nested(function, codes[1:])})"


def _number(value: int) -> tuple[str, Type]:
    if abs(value) < _FEW_BITS:
        return f"({value})" if value < 0 else str(value), NARROW
    if value >= 1 << 63:
        return f"UINT64_C({value})", UNSIGNED
    if value < 0:
        return f"(-INT64_C({-value - 1}) - 1)", INT
    return f"INT64_C({value})", INT


def _whole(kind: Type) -> Type:
    """The type of a variable that takes any number of this type."""
    return INT if kind in (NARROW, BYTE, BOOL) else kind


def _promoted(one: Type, other: Type) -> Type:
    """The type of the result of an operation on two numbers."""
    if UNSIGNED in (one, other):
        if INT in (one, other):
            raise SyntaxError("kernels cannot join signed and unsigned numbers")
        return UNSIGNED
    return INT if INT in (one, other) else NARROW


def _joined(one: Type, other: Type) -> Type:
    """The type of a value that is of one type or the other."""
    if one == other or other == NOTHING:
        return one
    if one == NOTHING:
        return other
    if isinstance(one, tuple) and isinstance(other, tuple):
        return tuple(_joined(*both) for both in zip(one, other, strict=True))
    if UNSIGNED in (one, other):
        return _promoted(one, other)
    return INT


_MODULE = """
static PyMethodDef methods[] = {
METHODS
    {NULL, NULL, 0, NULL},
};
static PyModuleDef_Slot slots[] = {
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};
static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "NAME", NULL, 0, methods, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_NAME(void) { return PyModuleDef_Init(&module); }
"""
