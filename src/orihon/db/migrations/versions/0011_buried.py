"""Covers and chapters that were deleted here are not asked for again.

Revision ID: 0011
"""

from orihon.db.migrations.script import run_sql

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add columns."""
    run_sql("0011")
