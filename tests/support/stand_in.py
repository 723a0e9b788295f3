"""Small parts for supervisor tests, and a `serve` that runs them: `python stand_in.py serve|web|worker`.

`web` answers 200 when the database does; `worker` counts in the database. Both keep a pool over its restarts, as the
real parts do. SIGUSR1 blocks the event loop of either for a second, SIGUSR2 for ever; who is silent for two is killed.
"""

import asyncio
import os
import signal
import sys
import time

from orihon.cli.output import say
from orihon.cli.serve import announce, supervise
from orihon.cli.status import CommandFailed
from orihon.config import load
from orihon.db.errors import DatabaseError
from orihon.db.pool import Pool, open_pool
from orihon.runtime import lifeline, pulse
from orihon.supervisor.supervise import Part, Supervisor


async def web(pool: Pool, port: int) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        try:
            await pool.fetchval("SELECT 1")
            status = "200 OK"
        except Exception:
            status = "503 Service Unavailable"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    helper = await asyncio.create_subprocess_exec("sleep", "600")  # web servers have workers of their own
    try:
        server = await asyncio.start_server(answer, "127.0.0.1", port)
        await server.serve_forever()
    finally:
        helper.kill()


async def worker(pool: Pool) -> None:
    while True:
        try:
            await pool.execute("CREATE TABLE IF NOT EXISTS beats (at timestamptz)")
            await pool.execute("INSERT INTO beats VALUES (now())")
        except Exception as error:
            say(f"stand-in worker: {type(error).__name__}")
        await asyncio.sleep(0.05)


async def part(name: str) -> None:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    for number, seconds in ((signal.SIGUSR1, 1), (signal.SIGUSR2, 3600)):
        asyncio.get_running_loop().add_signal_handler(number, time.sleep, seconds)
    pool = await open_pool(os.environ["DATABASE_URL"], size=2)
    try:
        async with pulse.beating(0.2):
            await (web(pool, int(os.environ["PORT"])) if name == "web" else worker(pool))
    except asyncio.CancelledError:
        pool.terminate()


def main(name: str) -> int:
    if name == "serve":
        parts = [Part(each, (sys.executable, "-P", __file__, each), beats=True) for each in ("web", "worker")]
        try:
            return supervise(Supervisor(load(), parts=parts, silent=2.0, ready=announce, say=say))
        except (CommandFailed, DatabaseError) as error:
            say(str(error))
            return 1
    lifeline.watch(1)
    asyncio.run(part(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
