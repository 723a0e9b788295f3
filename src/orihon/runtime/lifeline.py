"""A child ends when its supervisor does, however the supervisor dies.

The supervisor holds the writing end of a pipe and never writes. Its children hold the reading end: end of file there
means that nobody is left to stop them. The kernel closes the pipe even after SIGKILL, on every platform.
"""

import os
import signal
import threading
import time
from collections.abc import Callable

DESCRIPTOR = "ORIHON_LIFELINE"
"""Environment variable that names the reading end to a child."""


class Lifeline:
    """The supervisor's side."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()

    @property
    def environment(self) -> dict[str, str]:
        """What a child must find in its environment; it must also inherit `reader`."""
        return {DESCRIPTOR: str(self.reader)}

    def close(self) -> None:
        """Let go: children that still run end now."""
        os.close(self._writer)
        os.close(self.reader)


def _end_this_process(grace: float) -> None:
    os.kill(os.getpid(), signal.SIGTERM)  # the way that a supervisor asks
    time.sleep(grace)
    os.killpg(0, signal.SIGKILL)  # the supervisor gave each child a process group of its own


def watch(grace: float, end: Callable[[float], None] = _end_this_process) -> bool:
    """Call in a child, early: once the supervisor is gone, `end` this process within `grace` seconds.

    Returns False, and does nothing, in a process that no supervisor started.
    """
    # Taken out of the environment: a process that this one starts does not inherit the descriptor.
    number = os.environ.pop(DESCRIPTOR, "")
    if not number.isdecimal():
        return False
    descriptor = int(number)
    os.set_inheritable(descriptor, False)

    def wait_for_the_end() -> None:
        while os.read(descriptor, 1):
            pass
        end(grace)

    threading.Thread(target=wait_for_the_end, name="lifeline", daemon=True).start()
    return True
