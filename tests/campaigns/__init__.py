"""Campaigns: random cases by the thousand, each made from a number, which repeats it.

`python -m tests.campaigns engine --count 100000 --seed 1` tries the seeds from 1 on, prints what
was tried and each fault with the seed that it was found by, and ends with status 1 if there was
one. `--seed N --count 1` tries that case again.

    campaign    what every campaign has, and how its cases are tried in a child process
    child       the process that tries them, with limits of memory and time
    engine      random options and texts against the definition and against `tokenizers`
    texts       the texts that it trains and cuts
    definition  what the definition makes of them
    readers     damaged files for every reader
    samples     the sound files that are damaged
    mutations   how they are damaged
    kills       every save, killed at every call of the file system
    syscalls    stops a process before a call of the system
    mistakes    mistakes planted in a trainer, for `check`
    window      random events on a whole window
    events      what a person may do with a window
    soak        the window for an hour: its memory, and the gaps of its thread

A small share runs as a test (`test_shares.py`).
"""
