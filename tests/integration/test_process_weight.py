"""What the long-lived processes never load: it would cost each of them memory and every start its time."""

import subprocess
import sys

import pytest

EVERYWHERE = {"sqlalchemy", "alembic", "cyclopts", "pyvips", "PIL"}


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("orihon.cli.serve", EVERYWHERE | {"litestar", "granian", "aiohttp", "structlog", "rich", "argon2"}),
        ("orihon.app.web", EVERYWHERE | {"aiohttp"}),
        ("orihon.app.worker", EVERYWHERE | {"litestar", "granian", "argon2"}),
    ],
)
def test_a_process_loads_only_what_it_needs(module: str, absent: set[str]) -> None:
    code = f"import {module}, sys; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True)
    assert not absent & set(told.stdout.split())
