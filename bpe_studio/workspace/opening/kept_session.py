"""The jobs that keep unsaved work for the next start, and open it again.

A kept session is a studio document in a private folder of the process (`files/private_folder.py`).
One more part has everything that a document does not hold: a list of the unsaved work, the path of
the open document, and the files that the person had opened. No document can hold a third-party
tokenizer; for one, that part has its path and the text that was typed for it.
"""

from __future__ import annotations

import json
import time
import zipfile
import zlib
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_studio.errors import BpeError
from bpe_studio.files.text.addresses import address_of
from bpe_studio.workspace.corpus.embedded_text import texts_of
from bpe_studio.workspace.corpus.text_files import why_no_text
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Question
from bpe_studio.workspace.opening.documents import (
    Opened,
    document_of,
    find_text,
    open_document,
    with_text,
)
from bpe_studio.workspace.opening.tokenizers import open_tokenizer
from bpe_studio.workspace.session import Document, Project, Session

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.files.document.embedded_text import TextPart
    from bpe_studio.files.private_folder import PrivateFolder
    from bpe_studio.workspace.backend import Backend
    from bpe_studio.workspace.state import CorpusInfo, Progress
    from bpe_studio.workspace.unsaved import UnsavedWork

MOST_TEXT_BYTES = 16 << 20
"""A larger text that is in no file of its own is not kept, because it would be written each time;
only its words are.
"""
MOST_SESSIONS = 20
_NAME = "kept.bpestudio"
_PART = "session.json"
_VERSION = 1
_MOST_ABOUT_BYTES = 32 << 20


@dataclass(frozen=True, eq=False)
class KeptSession:
    """A session with unsaved work that is not open; this process holds its folder.

    Attributes:
        folder: its folder, to remove when its work is kept again or saved.
        name: the name of the corpus or tokenizer.
        words: a phrase on the unsaved work.
        saved_at_s: the time when it was written last, in seconds since 1970.
        about: the additional part of the document.
    """

    folder: PrivateFolder
    name: str
    words: str
    saved_at_s: float
    about: Mapping[str, Any]


def keep_session(
    backend: Backend,
    folder: PrivateFolder,
    project: Project,
    work: UnsavedWork,
    view: Mapping[str, Any],
) -> Generator[tuple[int, int], None, KeptSession]:
    """Writes a project to a folder, and returns it as a session that can be restored.

    Args:
        backend: the file layer.
        folder: the folder of this process.
        project: the project.
        work: its unsaved work.
        view: the state of the window, as JSON values.

    Raises:
        SaveError: it cannot be written, or exceeds a limit of documents; the session that was kept
            before is still there.
    """
    from bpe_studio.files.atomic_file import atomic_file
    from bpe_studio.files.document.embedded_text import write_with_texts

    assert project.session is not None
    info = project.session.entries[0].corpus
    document = project.document
    texts = _texts(info)
    own_config = None
    if info.request.own_config is not None:
        own_config = info.request.own_config.to_dict()
    place_of_document = None if document is None else str(document.path.absolute())
    paths = [] if info.request.inside is not None else list(map(_place_of, info.request.paths))
    about = {
        "version": _VERSION,
        "name": info.name,
        "words": work.in_words(),
        "document": place_of_document,
        "holds_text": document is not None and document.holds_text,
        "paths": paths,
        "own_config": own_config,
    }
    data = b""
    if project.session.current.run.is_own:
        stored = replace(document_of(project), view=view, holds_text=bool(texts))
        data = yield from backend.pack_document(stored)
    else:
        about["tokenizer"] = {**_of_tokenizer(project), "view": dict(view)}
    with atomic_file(Path(folder.path) / _NAME) as stream:
        if texts:
            yield from write_with_texts(stream, data, texts, info.request.reading, None)
        else:
            stream.write(data)
        with zipfile.ZipFile(stream, "a") as archive:
            archive.writestr(_PART, json.dumps(about))
    return KeptSession(folder, info.name, work.in_words(), time.time(), about)


def _place_of(path: Path) -> str:
    if address_of(path):
        return str(path)
    return str(path.absolute())


def kept_sessions(parent: Path) -> list[KeptSession]:
    """The sessions of processes that have ended, at most `MOST_SESSIONS`, the newest first.

    Older ones and empty folders are removed.
    """
    from bpe_studio.files.private_folder import abandoned

    found = []
    for folder in abandoned(parent):
        path = Path(folder.path) / _NAME
        try:
            with zipfile.ZipFile(path) as archive:
                if archive.getinfo(_PART).file_size > _MOST_ABOUT_BYTES:
                    raise ValueError
                about = json.loads(archive.read(_PART))
            if about["version"] != _VERSION:
                raise ValueError
            found.append(
                KeptSession(
                    folder, str(about["name"]), str(about["words"]), path.stat().st_mtime, about
                )
            )
        except FileNotFoundError:
            folder.remove()
        except (OSError, ValueError, LookupError, TypeError, zipfile.BadZipFile, zlib.error):
            folder.leave()  # of a newer version, or damaged
    found.sort(key=lambda each: each.saved_at_s, reverse=True)
    for session in found[MOST_SESSIONS:]:
        session.folder.remove()
    return found[:MOST_SESSIONS]


def open_session(backend: Backend, kept: KeptSession) -> Generator[Progress, None, Opened]:
    """Opens a kept session: trains its runs again and compares them, as for any document.

    Raises:
        BpeError: it is damaged, or there is no space for its text.
    """
    from bpe_studio.engine.config import TrainingConfig

    about = kept.about
    own_config = about.get("own_config")
    config = TrainingConfig.from_dict(own_config) if isinstance(own_config, dict) else None
    if about.get("tokenizer"):
        return (
            yield from _open_tokenizer(
                backend, about["tokenizer"], config or backend.default_config()
            )
        )
    opened = yield from open_document(backend, Path(kept.folder.path) / _NAME, config)
    # The first notice says whether the text is inside.
    project = opened.project
    notices = list(opened.notices[1:])
    paths = tuple(map(Path, about.get("paths") or ()))
    if paths:
        try:
            project = with_text(project, (yield from find_text(backend, project, paths)))
        except BpeError as error:
            notices.append(f"The text of {kept.name} is not open: {error}")
    document = project.document
    place = about.get("document")
    assert document is not None and project.session is not None
    view = document.view
    holds_text = about.get("holds_text") is True
    if place and not (holds_text and why_no_text(project.session.corpus)):
        document = Document(Path(place), view, holds_text)
    else:
        document = None  # saving it would remove the text from that document
    return replace(
        opened,
        project=replace(project, document=document),
        notices=tuple(notices),
        is_unsaved=True,
        view=view,
    )


def _of_tokenizer(project: Project) -> dict[str, object]:
    """The path of a tokenizer, and the work of the person with it."""
    assert project.session is not None
    entry = project.session.current
    return {
        "path": str(entry.corpus.request.tokenizer),
        "step": entry.position.step,
        "typed_text": project.typed_text,
        "bookmarks": [[each.step, each.name] for each in project.session.bookmarks],
        "breakpoints": [
            [each.question.value, each.text, each.number, each.is_on]
            for each in project.breakpoints
        ],
    }


def _open_tokenizer(
    backend: Backend, kept: Mapping[str, Any], own_config: TrainingConfig
) -> Generator[Progress, None, Opened]:
    """Opens a tokenizer again, with the values that `_of_tokenizer` has kept."""
    session = yield from open_tokenizer(backend, Path(kept["path"]), own_config)
    assert isinstance(session, Session)  # nobody is asked for its split
    entry = session.current
    position = replace(entry.position, step=min(kept["step"], entry.position.n_merges))
    bookmarks = tuple(Bookmark(*each) for each in kept["bookmarks"])
    breakpoints = tuple(
        Breakpoint(Question(first), *others) for first, *others in kept["breakpoints"]
    )
    session = replace(session, entries=(replace(entry, position=position),), bookmarks=bookmarks)
    project = Project(session, breakpoints, kept["typed_text"])
    return Opened(project, is_whole=True, is_unsaved=True, view=kept["view"])


def _texts(info: CorpusInfo) -> tuple[TextPart, ...]:
    """The texts that are in no file of the person, and would be lost with the program."""
    request = info.request
    if sum(each.size_bytes for each in info.sources) > MOST_TEXT_BYTES:
        return ()
    try:
        return texts_of(info) if request.text is not None or request.inside is not None else ()
    except BpeError:
        return ()
