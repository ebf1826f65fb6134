"""Acceptance tests: see `conftest.py`.

A package to pytest, so that the window that its tests share ends with it.
"""
