"""The run as a script, written beside the window: the script, and a file with the text where that is long."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.errors import SaveError
from bpe_studio.files.exports.run_script import files_of
from bpe_studio.files.saving import atomic_write

if TYPE_CHECKING:
    from bpe_studio.files.exports.run_script import Scripted
    from bpe_studio.gui.background.sliced_save import Making


def script_in_pieces(what: Scripted, path: Path) -> Making:
    """The script's content; what stands beside it is written before, for a script without it would be of no use.

    Raises:
        SaveError: the file beside it cannot be written, or there is one of that name already.
    """
    files = yield from files_of(what, path.name)
    for name, content in files.items():
        if name != path.name:
            place = path.with_name(name)
            if place.exists() and place.read_bytes() != content:
                raise SaveError(
                    f"The script needs a file {place} beside it, and there is another one: choose another name"
                )
            atomic_write(place, content)
    return files[path.name]
