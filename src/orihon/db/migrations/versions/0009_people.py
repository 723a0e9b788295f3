"""Works are found by who made them.

Revision ID: 0009
"""

from orihon.db.migrations.script import run_sql

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add two indexes."""
    run_sql("0009")
