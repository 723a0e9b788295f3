"""What counts as the loss of a connection."""

import asyncpg
import pytest

from orihon.db.errors import DatabaseAway
from orihon.db.pool import is_cut_off

LAST_WORD = "cannot switch to state 11; another operation (2) is in progress"
"""What a statement gets between the server's last word and the end of the stream, a moment too short to aim at."""


@pytest.mark.parametrize(
    ("error", "cut_off"),
    [
        (asyncpg.InternalClientError(LAST_WORD), True),
        (asyncpg.InterfaceError("connection is closed"), True),
        (asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation"), True),
        (asyncpg.AdminShutdownError("terminating connection due to administrator command"), True),
        (DatabaseAway("The database cannot be reached."), True),
        (asyncpg.InterfaceError("cannot perform operation: another operation is in progress"), False),
        (asyncpg.InternalClientError("got result for unknown protocol state 3"), False),
        (asyncpg.DivisionByZeroError("division by zero"), False),
        (ConnectionResetError("the site hung up"), False),
    ],
    ids=repr,
)
def test_the_loss_of_a_connection_is_told_from_an_answer(error: Exception, cut_off: bool) -> None:
    assert is_cut_off(error) is cut_off
    told = RuntimeError("something was not kept")
    told.__cause__ = error
    assert is_cut_off(ExceptionGroup("some", [ValueError(), told])) is cut_off
