"""pyqtgraph, whole: what `plot_import.py` has left of its import is done first. Plots import it from here."""

from __future__ import annotations

from bpe_studio.gui.plots import plot_import

plot_import.finish()

import pyqtgraph as pg  # noqa: E402

__all__ = ["pg"]
