"""The first schema.

Revision ID: 0001
"""

from alembic import op

from orihon.db.migrations.script import run_sql

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create everything."""
    op.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public")
    op.execute("CREATE EXTENSION IF NOT EXISTS unaccent WITH SCHEMA public")
    run_sql("0001")
