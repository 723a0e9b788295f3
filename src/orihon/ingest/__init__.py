"""The line: follow, walk, fetch, keep."""
