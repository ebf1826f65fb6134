"""Benchmarks: how long the studio takes, beside every trainer and encoder that it is compared with.

`python -m tests.benchmarks train memory --text FILE` measures the named sections (all without a
name) and prints their tables in markdown. Nothing here passes or fails: the numbers are read by
people.

Every measurement is made in a process of its own (`child.py`), the contenders of a table taking
turns (`measuring.py`), so that whatever else the machine does falls on all of them alike."""
