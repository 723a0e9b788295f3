"""Titles that a catalogue lists no more are told apart.

Revision ID: 0013
"""

from orihon.db.migrations.script import run_sql

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add two columns and two indexes."""
    run_sql("0013")
