"""Counts a folder on a Dask cluster of two processes, one of which is killed half-way.

Run by test_counting.py.
"""

from __future__ import annotations

import os
import signal
import sys

from distributed import Client, LocalCluster

import bpe_studio as bpe
from bpe_studio import cli
from bpe_studio.commands import count
from bpe_studio.files.counts import tasks
from bpe_studio.files.text.reading import Reading


def main(folder: str, out: str) -> int:
    tasks.TASK_BYTES = 20_000
    count.TIMEOUT_S = 0.5
    assert cli.main(["count", folder, "-o", out, "--dask", "tcp://127.0.0.1:1"]) == 1
    count.TIMEOUT_S = 60
    config = bpe.TrainingConfig.preset("superbpe")
    planned = tasks.plan([folder], config, Reading())
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        with Client(cluster) as client:
            client.wait_for_workers(2)
            pids = list(client.run(os.getpid).values())
        shown = count.ProgressBar.update
        n_updates = 0

        def update(bar: object, done: float, total: float, note: str = "") -> None:
            nonlocal n_updates
            n_updates += 1
            if n_updates == len(planned) // 2:
                os.kill(pids[0], signal.SIGKILL)
                sys.stdout.write("killed 1 worker\n")
            shown(bar, done, total, note)

        count.ProgressBar.update = update
        options = ["--preset", "superbpe", "--dask", cluster.scheduler_address]
        return cli.main(["count", folder, "-o", out, *options])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
