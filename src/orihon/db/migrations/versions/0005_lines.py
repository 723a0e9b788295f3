"""Lines: the sources' jobs take turns.

Revision ID: 0005
"""

from orihon.db.migrations.script import run_sql

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add a column, its indexes and a table; jobs that wait are put into their lines."""
    run_sql("0005")
