"""Runs the hand-written SQL of a migration."""

from pathlib import Path
from typing import Any

from alembic import op

SQL = Path(__file__).parent / "sql"


def run_sql(revision: str) -> None:
    """Run every file of `sql/<revision>/` in name order, inside the migration's transaction.

    The simple query protocol is used, since a prepared statement holds one command only.
    """
    connection: Any = op.get_bind().connection
    for path in sorted((SQL / revision).glob("*.sql")):
        text = path.read_text(encoding="utf-8")
        connection.run_async(lambda driver, text=text: driver.execute(text))
