"""What keeps Orihon from starting or running, in words."""


class SupervisorError(Exception):
    """Orihon cannot run like this. The text says why and what to do."""


class AlreadyRunning(SupervisorError):
    """Another supervisor works on this data directory."""


class PortUnusable(SupervisorError):
    """The address to listen on cannot be had."""


class GaveUp(SupervisorError):
    """A part says that starting it again would not help."""
