"""Schema migrations: Alembic, hand-written SQL, run in a child process of their own."""
