"""The samples that come with the program, and lists of samples that are broken."""

from __future__ import annotations

import pytest

from bpe_studio.errors import SourceError
from bpe_studio.files.samples import find_sample, list_samples, resources_folder


def test_every_sample_is_there():
    samples = list_samples()
    assert samples
    assert len({sample.id for sample in samples}) == len(samples)
    for sample in samples:
        assert sample.path.is_file()
        assert sample.title
        assert sample.about
        assert find_sample(sample.id) == find_sample(sample.title) == sample
    assert resources_folder().name == "resources"


def test_an_unknown_sample_names_the_known_ones():
    with pytest.raises(SourceError, match="hug-pug"):
        find_sample("no such sample")
