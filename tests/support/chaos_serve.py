"""`orihon serve` with two workers and quick restarts: `python chaos_serve.py`. Settings come from the environment."""

import sys

from orihon.cli.output import say
from orihon.cli.serve import announce, supervise
from orihon.config import load
from orihon.supervisor.supervise import WEB, WORKER, Part, Supervisor

PARTS = (WEB, *(Part(f"worker {number}", WORKER.command, beats=True) for number in (1, 2)))

if __name__ == "__main__":
    sys.exit(supervise(Supervisor(load(), parts=PARTS, longest_pause=0.5, ready=announce, say=say)))
