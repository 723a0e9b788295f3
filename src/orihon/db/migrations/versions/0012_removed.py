"""Sources that are followed no more are remembered.

Revision ID: 0012
"""

from orihon.db.migrations.script import run_sql

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add a column."""
    run_sql("0012")
