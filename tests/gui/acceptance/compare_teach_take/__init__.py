"""Acceptance tests of comparing, teaching and exporting: what a person does, on the whole window, recounted."""
