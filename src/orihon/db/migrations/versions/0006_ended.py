"""A user who is removed or loses a right is known at once.

Revision ID: 0006
"""

from orihon.db.migrations.script import run_sql

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add a trigger."""
    run_sql("0006")
