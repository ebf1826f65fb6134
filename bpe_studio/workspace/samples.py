"""The sample texts that come with the program, as the window asks for them; `files/samples.py` reads their list."""

from __future__ import annotations

from bpe_studio.files.samples import Sample, find_sample, list_samples, resources_folder

__all__ = ["Sample", "find_sample", "list_samples", "resources_folder"]
