"""What can go wrong with the database, in words for the person who runs it."""


class DatabaseError(Exception):
    """The database cannot be used. The text says what happened and what to do."""


class DataInUse(DatabaseError):
    """Another live process works on the same data directory."""


class DataUnusable(DatabaseError):
    """The data directory cannot hold the embedded database: rights, owner, version or content."""


class ServerFailed(DatabaseError):
    """PostgreSQL did not start; the text carries the end of its log."""


class ServerUnreachable(DatabaseError):
    """No connection to the server could be made. `may_pass`: it may yet come up by itself."""

    def __init__(self, text: str, *, may_pass: bool = False) -> None:
        super().__init__(text)
        self.may_pass = may_pass


class DatabaseAway(DatabaseError, ConnectionError):
    """No connection can be had at this moment: the server is gone, restarts, or says nothing."""


class ServerUnsuitable(DatabaseError):
    """The server answers, and lacks something that Orihon needs."""


class SchemaMismatch(DatabaseError):
    """The schema is not the one that this program knows."""


class MigrationFailed(DatabaseError):
    """A migration failed; the schema is what it was before."""
