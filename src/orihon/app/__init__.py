"""Composes the processes. Each is a module of its own, so that neither loads what only the other needs."""
