"""How a command ends."""

FAILED, UNUSABLE, INTERRUPTED = 1, 2, 130


class CommandFailed(Exception):
    """A command could not do what it was asked. The text says why and what to do."""

    def __init__(self, text: str, status: int = FAILED) -> None:
        super().__init__(text)
        self.status = status
