"""Files of posts are kept.

Revision ID: 0003
"""

from orihon.db.migrations.script import run_sql

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add columns; what older programs read keeps its meaning."""
    run_sql("0003")
