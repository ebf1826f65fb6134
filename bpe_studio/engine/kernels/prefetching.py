"""Asks the processor for memory that is read soon, so that it fetches much of it at the same time.

Nothing waits for the answer and nothing is read, so there is nothing to do in plain Python. The compiled form is one
instruction, which no kernel can be written to become; `loader.py` takes it from here.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

FOR_READING, KEPT, DATA = 0, 3, 1
"""The arguments of LLVM's instruction: it is not only for writing, all caches are to keep it, and it is no code."""


def prefetch(array: Any, i: Any) -> None:
    """Ask for the entry at `i`, which is not negative, of an array without gaps."""


def compiled_form() -> ModuleType:
    """This module with the compiled function."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def prefetch(_: Any, array: Any, i: Any) -> Any:
        def write_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            entries = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            address = builder.bitcast(builder.gep(entries, [arguments[1]]), ir.IntType(8).as_pointer())
            number = ir.IntType(32)
            instruction = builder.module.declare_intrinsic(
                "llvm.prefetch",
                [address.type],
                ir.FunctionType(ir.VoidType(), [address.type, number, number, number]),
            )
            builder.call(instruction, [address, *map(number, (FOR_READING, KEPT, DATA))])
            return context.get_dummy_value()

        return types.void(array, types.uint64), write_code

    twin = ModuleType(f"{__name__}__compiled")
    vars(twin)["prefetch"] = intrinsic(prefetch)
    return twin
