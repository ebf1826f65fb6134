"""Instructions of the processor that no compiler makes of plain code: they are called by name.

This module has them in plain Python, for small work and to test the compiled forms:
`instructions.h` has them in C, and `compiled_form` for numba. 64 bytes are looked at together: a
number of 64 bits tells which of them are in a range.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

N_BYTES = 64
"""Bytes that `bytes_between` looks at."""
_HALF = 32  # of them at once, which is what processors do
# The arguments of prefetching: it is for reading, all caches keep it, and it is data, not code.
_FOR_READING = 0
_KEPT = 3
_DATA = 1


def place(i: Any) -> Any:
    """An index that the compiler knows not to be negative.

    A check at each step would cost a third of the time.
    """
    return np.uint64(i)


def prefetches() -> Any:
    """Whether `prefetch` does anything."""
    return False


def prefetch(array: Any, i: Any) -> None:
    """Ask for the entry at `i` of an array without gaps, which is read soon.

    Nothing waits for it, nothing is read.
    """


def bytes_between(b: Any, i: Any, low: Any, high: Any, joined: Any) -> Any:
    """An int64 whose bits say which of 64 bytes are in a range; the lowest is for the byte at `i`.

    Args:
        b: uint8, an array without gaps.
        i: the first of the bytes, which are all in the array.
        low: the lowest byte of the range.
        high: the highest.
        joined: bits to set in each byte before, or 0; 32 makes ASCII letters lower case.
    """
    return _signed(sum((low <= int(b[int(i) + k]) | joined <= high) << k for k in range(N_BYTES)))


def eight_bytes(b: Any, i: Any) -> Any:
    """Eight bytes from `i` on, which are all in the array, as one number, int64.

    The first byte is the lowest.
    """
    return _signed(sum(int(b[int(i) + k]) << 8 * k for k in range(8)))


def lowest_bit(bits: Any) -> Any:
    """The place of the lowest bit that is set; 64 if none is."""
    return (int(bits) & -int(bits)).bit_length() - 1 if bits else 64


def highest_bit(bits: Any) -> Any:
    """The place of the highest bit that is set; -1 if none is."""
    return _unsigned(bits).bit_length() - 1


def n_bits(bits: Any) -> Any:
    """The number of bits that are set."""
    return _unsigned(bits).bit_count()


def _signed(bits: int) -> int:
    return bits - (bits >> 63 << 64)


def _unsigned(bits: Any) -> int:
    return int(bits) & (1 << 64) - 1


def compiled_form() -> ModuleType:
    """This module with the compiled functions."""
    from llvmlite import ir
    from numba import njit, types
    from numba.extending import intrinsic

    byte = ir.IntType(8)
    short = ir.IntType(32)
    number = ir.IntType(64)
    half = ir.VectorType(byte, _HALF)
    bit = ir.IntType(1)

    def entry(context: Any, builder: Any, signature: Any, array: Any, i: Any, kind: Any) -> Any:
        entries = context.make_array(signature.args[0])(context, builder, array).data
        return builder.bitcast(builder.gep(entries, [i]), kind.as_pointer())

    def unaligned(builder: Any, address: Any) -> Any:
        loaded = builder.load(address)
        loaded.align = 1
        return loaded

    def prefetch(_: Any, array: Any, i: Any) -> Any:
        def write_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address = entry(context, builder, signature, arguments[0], arguments[1], byte)
            kinds = [address.type, short, short, short]
            form = ir.FunctionType(ir.VoidType(), kinds)
            instruction = builder.module.declare_intrinsic("llvm.prefetch", [address.type], form)
            builder.call(instruction, [address, *map(short, (_FOR_READING, _KEPT, _DATA))])
            return context.get_dummy_value()

        return types.void(array, types.uint64), write_code

    def bytes_between(_: Any, b: Any, i: Any, low: Any, high: Any, joined: Any) -> Any:
        def write_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            low, high, joined = (builder.trunc(each, byte) for each in arguments[2:])

            def repeated(value: Any) -> Any:
                nothing = ir.Constant(half, ir.Undefined)
                first = builder.insert_element(nothing, value, short(0))
                return builder.shuffle_vector(
                    first, nothing, ir.Constant(ir.VectorType(short, _HALF), [0] * _HALF)
                )

            def bits_from(i: Any) -> Any:
                some = unaligned(builder, entry(context, builder, signature, arguments[0], i, half))
                above = builder.sub(builder.or_(some, repeated(joined)), repeated(low))
                is_in = builder.icmp_unsigned("<=", above, repeated(builder.sub(high, low)))
                return builder.zext(builder.bitcast(is_in, ir.IntType(_HALF)), number)

            second = bits_from(builder.add(arguments[1], arguments[1].type(_HALF)))
            return builder.or_(bits_from(arguments[1]), builder.shl(second, number(_HALF)))

        return types.int64(b, types.uint64, types.int64, types.int64, types.int64), write_code

    def eight_bytes(_: Any, b: Any, i: Any) -> Any:
        def write_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return unaligned(
                builder, entry(context, builder, signature, arguments[0], arguments[1], number)
            )

        return types.int64(b, types.uint64), write_code

    def lowest_bit(_: Any, bits: Any) -> Any:
        def write_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], bit(0))

        return types.int64(types.int64), write_code

    def highest_bit(_: Any, bits: Any) -> Any:
        def write_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.sub(number(N_BYTES - 1), builder.ctlz(arguments[0], bit(0)))

        return types.int64(types.int64), write_code

    def n_bits(_: Any, bits: Any) -> Any:
        def write_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.int64), write_code

    twin = ModuleType(f"{__name__}__compiled")
    for each in (prefetch, bytes_between, eight_bytes, lowest_bit, highest_bit, n_bits):
        vars(twin)[each.__name__] = intrinsic(each)
    vars(twin)["place"] = njit(place)
    vars(twin)["prefetches"] = njit(lambda: True)
    return twin
