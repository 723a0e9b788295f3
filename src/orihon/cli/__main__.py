"""`python -m orihon.cli`."""

from orihon.cli import main

main()
