"""The text of the corpus inside a studio document: stored on request, and extracted when the
document is opened.

With the text, you can change the settings, see the lines of the corpus and train another split, on
any machine. Without it, a document has only the words and their counts. These are generators for
the worker.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.engine.generators import relay
from bpe_studio.errors import BpeError, SaveError, SourceError, TokenizerFormatError
from bpe_studio.explain.wording import data_size
from bpe_studio.workspace.corpus.reading import whole_characters
from bpe_studio.workspace.corpus.text_files import why_no_text
from bpe_studio.workspace.excerpt import beginning_of
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress
from bpe_studio.workspace.thread_job import run_in_thread

if TYPE_CHECKING:
    from bpe_studio.files.document.embedded_text import TextInside, TextPart
    from bpe_studio.files.private_folder import PrivateFolder
    from bpe_studio.workspace.backend import Backend
    from bpe_studio.workspace.session import Project


@dataclass(frozen=True)
class Found:
    """The text in a document, and the folder of its extracted files."""

    found: TextInside
    folder: PrivateFolder


def text_inside(path: Path) -> Generator[Progress, None, Found | None]:
    """Extracts the text of a document; None if there is none in it.

    Raises:
        BpeError: the document does not describe the texts correctly, or there is not enough space.
    """
    from bpe_studio.files.document.embedded_text import read_texts
    from bpe_studio.files.private_folder import PrivateFolder

    folder = None
    found = None
    try:
        folder = PrivateFolder()
        found = yield from relay(
            read_texts(path, Path(folder.path)),
            lambda news: Progress(f"Reading the text in {path.name}", *news, "bytes"),
        )
    except OSError as error:
        raise SourceError(
            f"The text in {path.name} could not be extracted ({error.strerror or error}): free some"
            " space for temporary files, and open it again"
        ) from None
    finally:
        if folder is not None and (found is None or found.text is not None):
            folder.remove()
    return None if found is None else Found(found, folder)


def with_text_inside(backend: Backend, info: CorpusInfo, inside: Found | None) -> CorpusInfo:
    """The corpus, with the extracted text as its source if the document has one.

    Raises:
        TokenizerFormatError: there are more texts than the corpus was counted from, or fewer.
    """
    if inside is None:
        return info
    found = inside.found
    n_texts = len(found.paths) if found.text is None else 1
    if n_texts != len(info.sources):
        raise TokenizerFormatError(
            f"{info.name} cannot be opened: the document contains {n_texts:,} texts, but lists "
            f"{len(info.sources):,}; it may be malicious"
        )
    if found.text is not None:
        return replace(info, request=replace(info.request, text=found.text, is_words_only=False))
    request = replace(info.request, paths=found.paths, inside=inside.folder, is_words_only=False)
    return replace(info, request=request, beginning=_beginning(backend, request))


def _beginning(backend: Backend, request: OpeningRequest) -> str:
    """The beginning of the text, or "" if it cannot be read."""
    try:
        contents = backend.source(request.paths[0], request.reading).contents()
        return next((beginning_of(content) for content in contents if content), "")
    except BpeError:
        return ""


def save_with_text(project: Project, data: bytes) -> Generator[Progress, None, None]:
    """Writes a document with the text of its corpus, block by block and atomically.

    Args:
        project: the project.
        data: the document without the text.

    Raises:
        SaveError: the text is missing or has changed, or the document cannot be written.
    """
    yield from run_in_thread(partial(_written, project, data))


def _written(project: Project, data: bytes) -> Generator[Progress, None, None]:
    from bpe_studio.files.atomic_file import atomic_file
    from bpe_studio.files.document.embedded_text import write_with_texts

    assert project.document is not None and project.session is not None
    path = project.document.path
    info = project.session.entries[0].corpus
    what = f"Saving {path.name}: the text"
    with (
        atomic_file(path) as stream,
        closing(
            write_with_texts(stream, data, texts_of(info), info.request.reading, info.checksum)
        ) as writing,
    ):
        for done, total in writing:
            yield Progress(what, done, total, "bytes")


def text_in_words(path: Path, size_bytes: int) -> str:
    """A sentence on whether the text is in a document."""
    if not size_bytes:
        return (
            f"{path.name} contains the words of the corpus and their counts; File > Locate text"
            " opens the text"
        )
    return f"{path.name} also contains the text of the corpus ({data_size(size_bytes)})"


def text_size(info: CorpusInfo) -> int:
    """The size of a corpus's text in a document, in bytes."""
    return sum(source.size_bytes for source in info.sources)


def texts_of(info: CorpusInfo) -> tuple[TextPart, ...]:
    """The texts of a corpus, to store in a document.

    Raises:
        SaveError: they cannot be read.
    """
    from bpe_studio.files.document.embedded_text import TextPart
    from bpe_studio.files.text.sources import opening_of

    why_not = why_no_text(info)
    if why_not:
        raise SaveError(
            f"The document was not saved with its text: {why_not}; save it without the text"
        )
    request = info.request
    if request.text is not None:
        content = whole_characters(request.text)[0].encode("utf-8", "surrogatepass")
        return (TextPart(info.name, len(content), partial(BytesIO, content), is_pasted=True),)
    pairs = zip(info.sources, request.paths, strict=True)
    return tuple(
        TextPart(source.name, source.size_bytes, opening_of(path)) for source, path in pairs
    )
