"""The jobs that keep what is open in a session folder, and open a kept session again.

A session is a studio document in pieces (`files/document/session_folder.py`). Its owners are what never changes or only
grows: the tables of words, the columns of the runs, the text of the corpus. So only what is new is written each time.
A text that is in files is not copied; the rules for the files of one's own documents hold for it
(`workspace/document_text.py`). A pasted text, and one that was inside a document, is copied once.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from bpe_studio.engine.generators import relay
from bpe_studio.errors import BpeError, SourceError
from bpe_studio.workspace.corpus.embedded_text import texts_of
from bpe_studio.workspace.corpus.reading import whole_characters
from bpe_studio.workspace.document_text import permission_key
from bpe_studio.workspace.opening.documents import Opened, document_of, open_document
from bpe_studio.workspace.session import Document, Project
from bpe_studio.workspace.state import CorpusInfo, Progress

if TYPE_CHECKING:
    from bpe_studio.files.document.embedded_text import TextPart
    from bpe_studio.files.document.records import StoredSource, StudioDocument
    from bpe_studio.files.document.session_folder import KeptSession, Piece, SessionFolder
    from bpe_studio.workspace.backend import Backend
    from bpe_studio.workspace.unsaved import UnsavedWork

_STEM = "the kept session"
_keys: WeakKeyDictionary[CorpusInfo, tuple[tuple[StoredSource, ...], str]] = WeakKeyDictionary()
MOST_TEXT_BYTES = 1 << 30
"""A larger text that is in no file of its own is not kept with the session; its words are."""


@dataclass(frozen=True, eq=False)
class Kept:
    """What a session folder is to hold.

    Attributes:
        project: what is open.
        work: what of it is not saved.
        view: the state of the window, as JSON values.
    """

    project: Project
    work: UnsavedWork
    view: Mapping[str, Any]


def keep_session(folder: SessionFolder, kept: Kept) -> Generator[None, None, None]:
    """Writes what is open to a session folder, as far as it is not there.

    Raises:
        SaveError: it cannot be written, or exceeds a limit of documents; what was kept before is still there.
    """
    from bpe_studio.files.document.writing import check_limits

    project = kept.project
    assert project.session is not None
    first = project.session.entries[0]
    stored = first.corpus.request.stored
    is_own = stored is None or stored.is_allowed or stored.checked is not None
    own_config = first.corpus.request.own_config
    document = replace(document_of(project), view=kept.view)
    check_limits(document)
    yield
    texts = _texts(first.corpus)
    about = {
        "name": document.name,
        "words": kept.work.in_words(),
        "document": None if project.document is None else str(project.document.path.absolute()),
        "holds_text": project.document is not None and project.document.holds_text,
        "permission": _permission(first.corpus, document) if is_own and not texts else "",
        "own_config": None if own_config is None else own_config.to_dict(),
    }
    yield
    yield from folder.write(_parts(document, project, texts), about)


def open_session(backend: Backend, kept: KeptSession) -> Generator[Progress, None, Opened]:
    """Opens a kept session: trains its runs again and compares them, as for any document.

    Raises:
        BpeError: it is damaged, or there is no space for it.
    """
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.files.leftovers import PrivateFolder

    own_config = kept.about.get("own_config")
    config = TrainingConfig.from_dict(own_config) if isinstance(own_config, dict) else None
    folder = None
    try:
        folder = PrivateFolder()
        path = Path(folder.path) / f"{_STEM}.bpestudio"
        yield from relay(
            kept.put_together(path), lambda news: Progress(f"Reading the session of {kept.name}", *news, "bytes")
        )
        opened = yield from open_document(backend, path, config)
    except OSError as error:
        raise SourceError(
            f"The session of {kept.name} could not be read ({error.strerror or error}): free some space for temporary "
            "files, and restore it again"
        ) from None
    finally:
        if folder is not None:
            folder.remove()
    document, place = opened.project.document, kept.text("document")
    assert document is not None
    # The file may say something else than what is open now; the view is in any case that of the session.
    view = document.view
    document = Document(Path(place), view, kept.about.get("holds_text") is True) if place else None
    notices = tuple(each for each in opened.notices if not each.startswith(_STEM))
    project = replace(opened.project, document=document)
    return replace(opened, project=project, notices=notices, is_unsaved=True, view=view)


def _permission(info: CorpusInfo, document: StudioDocument) -> str:
    """The key of the permission to read the files of a corpus, computed once: it is a digest of all words."""
    known = _keys.get(info)
    if known is None or known[0] != document.sources:
        known = _keys[info] = (document.sources, permission_key(document))
    return known[1]


def _parts(document: StudioDocument, project: Project, texts: Sequence[TextPart]) -> dict[str, Sequence[Piece]]:
    import numpy as np

    from bpe_studio.files.document import records as d
    from bpe_studio.files.document.embedded_text import ABOUT_PART, about_part, text_part
    from bpe_studio.files.document.seed_tokenizer import contents
    from bpe_studio.files.document.session_folder import piece_of
    from bpe_studio.files.document.writing import main_part, raw, tables_of, tokenizers_of, word_lengths

    assert project.session is not None
    main = main_part(replace(document, holds_text=bool(texts)), None)
    parts: dict[str, Sequence[Piece]] = {
        d.MIMETYPE_PART: [piece_of(d.MIMETYPE, "mimetype", len(d.MIMETYPE), lambda: d.MIMETYPE)],
        d.MAIN_PART: [piece_of(document, "main", len(main), lambda: main)],
    }
    for table, corpus in tables_of(document).items():
        words, lengths, counts = d.word_parts(table)
        n_words = len(corpus.counts)
        parts[words] = [piece_of(corpus, "words", len(corpus.blob), partial(raw, corpus.blob, "|u1"))]
        parts[lengths] = [piece_of(corpus, "lengths", 4 * n_words, partial(word_lengths, corpus))]
        parts[counts] = [piece_of(corpus, "counts", 8 * n_words, partial(raw, corpus.counts, "<i8"))]
    for branch, entry in zip(document.branches, project.session.entries, strict=True):
        parts[d.merges_part(branch.number)] = [
            piece_of(
                entry.run,
                name,
                branch.n_merges * np.dtype(kind).itemsize,
                partial(raw, branch.columns[name], kind),
            )
            for name, kind in d.MERGE_COLUMNS
        ]
    runs = {entry.number: entry.run for entry in project.session.entries}
    for number, model in tokenizers_of(document).items():
        for part, (size, make) in zip(d.tokenizer_parts(number), contents(model), strict=True):
            parts[part] = [piece_of(runs[number], part, size, make)]
    if texts:
        about = about_part(texts).encode("ascii")
        owner = project.session.entries[0].corpus
        parts[ABOUT_PART] = [piece_of(owner, "texts", len(about), lambda: about)]
        for number, text in enumerate(texts):
            parts[text_part(number)] = [_text_piece(owner, number, text)]
    return parts


def _texts(info: CorpusInfo) -> tuple[TextPart, ...]:
    """The texts that are lost with the program: those that are in no file of the person's."""
    from bpe_studio.files.document.embedded_text import TextPart

    request = info.request
    if sum(each.size_bytes for each in info.sources) > MOST_TEXT_BYTES:
        return ()
    if request.text is not None:
        return tuple(TextPart(each.name, each.size_bytes) for each in info.sources)
    try:
        return texts_of(info) if request.inside is not None else ()
    except BpeError:
        return ()


def _pasted(info: CorpusInfo) -> bytes:
    assert info.request.text is not None
    return whole_characters(info.request.text)[0].encode("utf-8", "surrogatepass")


def _text_piece(owner: CorpusInfo, number: int, text: TextPart) -> Piece:
    from bpe_studio.files.document.session_folder import Piece, piece_of

    label = f"text {number}"
    if text.path is None:
        return piece_of(owner, label, text.size_bytes, partial(_pasted, owner))

    def chunks(start: int) -> Iterator[bytes]:
        assert text.opened is not None
        with text.opened() as stream:
            stream.seek(start)
            left = text.size_bytes - start
            while left and (chunk := stream.read(min(left, 1 << 20))):
                left -= len(chunk)
                yield chunk
        if left:
            raise SourceError(f"{text.name} has changed since it was opened")

    return Piece(owner, label, text.size_bytes, chunks)
