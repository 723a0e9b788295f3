"""What sources tell, as they told it: tags of posts, titles; what was deleted here; when a list was looked at whole.

Revision ID: 0004
"""

from orihon.db.migrations.script import run_sql

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add tables and columns; nothing that older programs read changes."""
    run_sql("0004")
