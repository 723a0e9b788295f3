"""PostgreSQL: the pool, the embedded server, migrations and the notify bus."""
