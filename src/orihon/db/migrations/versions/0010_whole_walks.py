"""Posts that their site shows no more are marked.

Revision ID: 0010
"""

from orihon.db.migrations.script import run_sql

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add columns."""
    run_sql("0010")
