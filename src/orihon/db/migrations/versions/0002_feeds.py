"""Feeds: what was seen, what failed, and what a post has that a chapter had not.

Revision ID: 0002
"""

from orihon.db.migrations.script import run_sql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add tables and columns; nothing that older programs read changes."""
    run_sql("0002")
