"""A host that is slow or busy is asked less often.

Revision ID: 0007
"""

from orihon.db.migrations.script import run_sql

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add a column."""
    run_sql("0007")
