"""Kills a process right before one of its calls to the file system, or after some time.

The process is a copy of this one (`os.fork`), so that everything is loaded already. On Linux on
x86-64 it is traced: each call that can change a file is counted where it begins, whoever makes it,
Python or C++. Elsewhere only the time can be chosen."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
import time
import traceback
from collections.abc import Callable

CAN_TRACE = sys.platform == "linux" and platform.machine() == "x86_64"

_TRACEME = 0
_SYSCALL = 24
_PEEKUSER = 3
_SETOPTIONS = 0x4200
_MARK_CALLS = 1
_END_WITH_US = 0x100000
_NUMBER_AT = 15 * 8
"""Where the number of the call is in what PEEKUSER reads."""
_CALLS = frozenset(
    {
        1,
        2,
        3,
        18,
        20,
        40,
        73,
        74,
        75,
        76,
        77,
        82,
        83,
        84,
        85,
        86,
        87,
        88,
        90,
        91,
        92,
        257,
        258,
        260,
        263,
        264,
        265,
        266,
        268,
        280,
        285,
        306,
        316,
        326,
        437,
    }
)
"""write, open, close, pwrite, writev, sendfile, flock, fsync, truncate, rename, mkdir, rmdir, link,
unlink, chmod.
"""


def killed_at(work: Callable[[], None], call: int | None) -> tuple[int, int]:
    """Does work in a copy of this process, which is killed right before a call.

    Args:
        work: what is done.
        call: the number of the call, from 0 on; None to let it end.

    Returns:
        How many calls there were until then, and the status of the process as `waitpid` has it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.restype = ctypes.c_long
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    process = os.fork()
    if process == 0:
        libc.ptrace(_TRACEME, 0, None, None)
        os.kill(os.getpid(), signal.SIGSTOP)
        _work(work)
    os.waitpid(process, 0)
    libc.ptrace(_SETOPTIONS, process, None, _MARK_CALLS | _END_WITH_US)
    n_calls = 0
    is_inside = False
    passed_on = 0
    while True:
        libc.ptrace(_SYSCALL, process, None, passed_on)
        _, status = os.waitpid(process, 0)
        passed_on = 0
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            return n_calls, status
        if os.WSTOPSIG(status) != signal.SIGTRAP | 0x80:
            passed_on = os.WSTOPSIG(status)
            continue
        is_inside = not is_inside
        if is_inside and libc.ptrace(_PEEKUSER, process, _NUMBER_AT, None) in _CALLS:
            if n_calls == call:
                os.kill(process, signal.SIGKILL)
                _, status = os.waitpid(process, 0)
                return n_calls, status
            n_calls += 1


def killed_after(work: Callable[[], None], seconds: float | None) -> int:
    """Does work in a copy of this process, which is killed after some time.

    Args:
        work: what is done.
        seconds: the time; None to let it end.

    Returns:
        The status of the process as `waitpid` has it.
    """
    process = os.fork()
    if process == 0:
        _work(work)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(process, signal.SIGKILL)
    return os.waitpid(process, 0)[1]


def _work(work: Callable[[], None]) -> None:
    status = 1
    try:
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)
