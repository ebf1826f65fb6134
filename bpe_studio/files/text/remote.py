"""Opens files at the addresses that fsspec knows (http, s3, gs, hf, ...), and never waits for them
without end.

fsspec is installed with the extra `data`; the user installs what it needs for addresses other than
http. Each call to it is made in a thread of its own and given up after a time, because some servers
never answer. Reading from the web is given up only when nothing has come for that time, however
long all of it takes.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import queue
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import IO, Any, TypeVar, cast

from bpe_studio.errors import SourceError
from bpe_studio.files.extras import NOT_IN_BUNDLE, needed
from bpe_studio.files.text.archives import is_left_out, names_to_read
from bpe_studio.files.text.byte_stream import ByteStream

TIMEOUT_S = 30.0
BLOCK_BYTES = 1 << 20
_POLL_S = 0.1
_given_up = threading.Event()
_T = TypeVar("_T")


def open_address(address: str) -> IO[bytes]:
    """The file at an address, opened for reading.

    Raises:
        SourceError: fsspec is not installed, or there is no such file, or nothing answers in time.
    """
    system, path = _system(address)
    stream = _in_time(address, lambda: system.open(path, "rb", block_size=BLOCK_BYTES))
    return cast("IO[bytes]", io.BufferedReader(_Remote(address, system, path, stream), BLOCK_BYTES))


def addresses_in(address: str) -> list[str] | None:
    """The files that match a pattern or lie in a folder, sorted by name; `None` if the address is
    that of a file.

    Raises:
        SourceError: as `open_address`.
    """
    system, path = _system(address)
    if _is_of_web(address):
        return None
    if any(mark in path for mark in "*?["):
        found = sorted(_in_time(address, lambda: system.glob(path)))
    elif _in_time(address, lambda: system.isdir(path)):
        found = _in_order(_in_time(address, lambda: system.find(path)), len(path.rstrip("/")))
    else:
        return None
    return [system.unstrip_protocol(each) for each in found]


def _in_order(paths: Iterable[str], n_folder: int) -> list[str]:
    """The files of a folder, whose name has `n_folder` characters, in the order in which `places`
    reads a folder.
    """
    folders: dict[tuple[str, ...], dict[str, str]] = {}
    for path in paths:
        within = path[n_folder:].lstrip("/")
        if not is_left_out(within):
            *parents, name = within.split("/")
            folders.setdefault(tuple(parents), {})[name] = path
    found = []
    for _, files in sorted(folders.items()):
        found += [files[name] for name in names_to_read(files)]
    return found


def _system(address: str) -> tuple[Any, str]:
    fsspec = needed("fsspec", f"{address} is an address")
    options = _web_options() if _is_of_web(address) else {}
    system, path = _in_time(address, lambda: fsspec.core.url_to_fs(address, **options))
    return system, path


def _is_of_web(address: str) -> bool:
    return address.startswith(("http://", "https://"))


def _web_options() -> dict[str, Any]:
    """Options of fsspec for the web: a limit for each answer, instead of five minutes for a whole
    file.
    """
    with contextlib.suppress(ImportError):  # fsspec says that it is not installed
        timeout = importlib.import_module("aiohttp").ClientTimeout
        return {
            "client_kwargs": {
                "timeout": timeout(total=None, connect=TIMEOUT_S, sock_read=TIMEOUT_S)
            }
        }
    return {}


class _Remote(ByteStream):
    """A file of fsspec; one that cannot be read at any place is streamed, and opened again for an
    earlier place.
    """

    def __init__(self, address: str, system: Any, path: str, stream: Any) -> None:
        super().__init__()
        self._address = address
        self._system = system
        self._path = path
        self._stream = stream
        self._is_streamed = False

    def _size_bytes(self) -> int:
        size = None if self._is_streamed else getattr(self._stream, "size", None)
        return super()._size_bytes() if size is None else int(size)

    def _go_to(self, place: int) -> None:
        if place != self._place and not self._is_streamed:
            try:
                _in_time(self._address, lambda: self._stream.seek(place))
                self._place = place
            except SourceError as error:
                if not isinstance(error.__cause__, ValueError):
                    raise
                self._begin_streaming()
        if place < self._place:
            self._begin_streaming()
        while self._place < place and (data := self._read(min(BLOCK_BYTES, place - self._place))):
            self._place += len(data)

    def _next_bytes(self, size: int) -> bytes:
        try:
            return self._read(size)
        except SourceError as error:
            # Some servers send a file from its beginning only.
            if self._is_streamed or not isinstance(error.__cause__, ValueError):
                raise
            place = self._place
            self._begin_streaming()
            self._go_to(place)
            return self._read(size)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()

    def _begin_streaming(self) -> None:
        """Open the file again, to be read from the beginning."""
        self._stream.close()
        how = {"block_size": 0} if _is_of_web(self._address) else {}
        self._stream = _in_time(self._address, lambda: self._system.open(self._path, "rb", **how))
        self._place = 0
        self._is_streamed = True

    def _read(self, size: int) -> bytes:
        has_limit = _is_of_web(self._address)
        return _in_time(self._address, lambda: cast("bytes", self._stream.read(size)), has_limit)


def give_up() -> None:
    """End all waiting that is under way, because the program ends."""
    global _given_up
    _given_up.set()
    _given_up = threading.Event()


def _in_time(address: str, call: Callable[[], _T], has_limit: bool = False) -> _T:
    """The result of a call, which is given up after a time; its thread does not keep the program
    from ending.

    Args:
        address: the address, for messages.
        call: the call.
        has_limit: whether it ends by itself if nothing comes, and is not given up for the time that
            it takes.

    Raises:
        SourceError: it takes too long, or fails.
    """
    answers: queue.Queue[tuple[_T | None, BaseException | None]] = queue.Queue()

    def answer() -> None:
        try:
            answers.put((call(), None))
        except BaseException as error:
            answers.put((None, error))

    threading.Thread(target=answer, name="remote", daemon=True).start()
    deadline = monotonic() + TIMEOUT_S
    given_up = _given_up
    while True:
        try:
            result, error = answers.get(timeout=min(_POLL_S, TIMEOUT_S))
            break
        except queue.Empty:
            if (has_limit or monotonic() < deadline) and not given_up.is_set():
                continue
            raise _no_answer(address) from None
    if error is None:
        return cast("_T", result)
    raise _failure(address, error) from error


def _failure(address: str, error: BaseException) -> SourceError:
    """The error that says why an address cannot be read.

    fsspec may pass on any error as a file that does not exist.
    """
    causes = list(_causes(error))
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return _no_answer(address)
    if isinstance(error, ImportError):
        with_it = NOT_IN_BUNDLE if getattr(sys, "frozen", False) else "install it"
        return SourceError(f"{address} needs a package that is not installed ({error}): {with_it}")
    status = next(
        (each for cause in causes if isinstance(each := getattr(cause, "status", None), int)), 0
    )
    broken = [
        each
        for each in causes
        if isinstance(each, OSError) and not isinstance(each, FileNotFoundError)
    ]
    if isinstance(error, FileNotFoundError) and not broken and status in (0, 404, 410):
        return SourceError(f"There is no file {address}: check its name")
    if status:
        reason = f"its server answered {status}"
    elif broken:
        reason = str(broken[-1])
    else:
        reason = str(error)
    reason = (reason or type(error).__name__).partition("\n")[0].partition(": <")[0][:200]
    return SourceError(f"{address} cannot be read ({reason}): check the address and the network")


def _no_answer(address: str) -> SourceError:
    return SourceError(
        f"{address} sent nothing for {TIMEOUT_S:g} seconds: try again later, or download the file"
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error, and those that led to it, which fsspec may pass on as a file that does not
    exist.
    """
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
