"""Imports a package when it is first used, so that a command without it does not wait for it.

`importlib.util.LazyLoader` would do, but the second `import` of a package that it has loaded is a
use of the package.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
import types
from typing import Any

_LOCK = threading.RLock()
"""The lock of the thread that imports a package here; other threads wait for attributes that the
package does not have yet.
"""


class _Unused(types.ModuleType):
    """A package that nothing has used yet: its first use imports it into this object."""

    def __getattr__(self, name: str) -> Any:
        with _LOCK:
            if type(self) is _Unused and not self.__dict__.get("_is_begun"):
                self.__dict__["_is_begun"] = True
                spec = self.__spec__
                assert spec is not None and spec.loader is not None
                if spec.submodule_search_locations is not None:
                    self.__path__ = spec.submodule_search_locations
                spec.loader.exec_module(self)
                self.__class__ = types.ModuleType  # type: ignore[assignment]
            elif type(self) is _Unused:
                # The package itself asks.
                raise AttributeError(f"{self.__name__} has no {name} yet")
        return getattr(self, name)


def import_when_used(name: str) -> None:
    """Makes every later `import` of an installed package cost nothing until one of its attributes
    is used.
    """
    spec = importlib.util.find_spec(name)
    if spec is None or name in sys.modules:
        return
    module = _Unused(name)
    module.__spec__ = spec
    module.__file__ = spec.origin
    module.__loader__ = spec.loader
    module.__package__ = spec.parent
    sys.modules[name] = module
