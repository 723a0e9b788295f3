"""Works are found by who made them.

Revision ID: 0008
"""

from orihon.db.migrations.script import run_sql

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add two indexes."""
    run_sql("0008")
