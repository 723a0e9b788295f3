"""`orihon serve` with two workers and quick restarts: `python chaos_serve.py`. Settings come from the environment."""

import os
import sys

from orihon.cli.output import say
from orihon.cli.serve import announce, supervise
from orihon.config import load
from orihon.db import cluster
from orihon.supervisor.supervise import WEB, WORKER, Part, Supervisor

PARTS = (WEB, *(Part(f"worker {number}", WORKER.command, beats=True) for number in (1, 2)))

_told = cluster.environment


def _told_the_time() -> dict[str, str]:
    # PostgreSQL inherits nothing of ours; a false clock (`false_clock.py`) it must have, too.
    return _told() | {name: value for name, value in os.environ.items() if name == "LD_PRELOAD" or "FAKETIME" in name}


if __name__ == "__main__":
    cluster.environment = _told_the_time
    sys.exit(supervise(Supervisor(load(), parts=PARTS, longest_pause=0.5, ready=announce, say=say)))
