"""The supervisor: starts PostgreSQL, web and worker, keeps them alive, and stops them in order."""
