"""Putting a job in costs the database less.

Revision ID: 0014
"""

from orihon.db.migrations.script import run_sql

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Put a shorter check in the place of the old one, and tell the planner how small a table is."""
    run_sql("0014")
