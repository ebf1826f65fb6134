"""Acceptance tests of travelling through a run and asking why: what a person does, on the whole window, recounted."""
