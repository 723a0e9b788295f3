"""`orihon sweep`: what nobody needs any more."""

from typing import Annotated

from cyclopts import Parameter

from orihon.cli.output import as_json, line
from orihon.cli.session import pooled
from orihon.cli.status import CommandFailed
from orihon.config import load
from orihon.media.errors import SweepRefused
from orihon.media.sweep import sweep as sweep_media
from orihon.storage.errors import StorageError
from orihon.storage.local import LocalStorage


async def sweep(
    *,
    force: Annotated[
        bool, Parameter("--force", negative="", help="Remove unnamed files although they are most of the store.")
    ] = False,
    json: Annotated[bool, Parameter("--json", negative="", help="Print JSON, for scripts.")] = False,
) -> None:
    """Remove what nothing in the library needs any more.

    That is: images that no page and no cover shows, files that no row names, and leftovers of broken downloads.
    A worker does this by itself every day. Whatever is young is left alone, so it is safe at any time. Where the
    database knows nothing of most files, it may be the wrong one: they are left alone unless you say `--force`.

    For example:

    ```
    orihon sweep
    ```
    """
    settings = load()
    async with pooled("sweep", settings) as pool:
        try:
            swept = await sweep_media(pool, LocalStorage(settings.data), force=force)
        except (SweepRefused, StorageError) as error:
            raise CommandFailed(str(error)) from error
    if json:
        as_json(swept)
        return
    line(
        f"Removed {swept.files} files ({swept.bytes / 1_048_576:.1f} MiB), {swept.media} records of images "
        f"and {swept.leftovers} leftovers."
    )
