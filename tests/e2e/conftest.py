"""A demo in processes of its own, and a real Chromium that looks at it."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from tests.e2e.need_chromium import HELP, find

USERNAME, PASSWORD = "reader", "a-long-enough-password"
COMICS = Path(__file__).parents[3] / "shared" / "fixtures" / "comics"
PATIENCE_MS = 30_000
EXPECTED = ("401", "422", "503")
"""Answers that the web app tells people of; Chromium also calls each an error of the page."""

expect.set_options(timeout=PATIENCE_MS)


class Demo:
    """`orihon demo` on a data directory of its own; can be stopped and started again."""

    def __init__(self, data: Path) -> None:
        self.data = data
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start everything and wait until the first page can be had."""
        environment = os.environ | {
            "ORIHON_DATA": str(self.data),
            "PORT": str(self.port),
            "ADMIN_USERNAME": USERNAME,
            "ADMIN_PASSWORD": PASSWORD,
        }
        more = ["--with", str(COMICS)] if COMICS.is_dir() else []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "orihon.cli", "demo", *more], env=environment, start_new_session=True
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/readyz", timeout=2).close()
            except OSError:
                assert self._process.poll() is None, "the demo ended by itself"
                assert time.monotonic() < deadline, "the demo does not answer"
                time.sleep(0.1)
            else:
                return

    def stop(self) -> None:
        """Ctrl-C, and wait until every process is gone."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            raise
        self._process = None


@pytest.fixture(scope="session")
def demo() -> Iterator[Demo]:
    folder = Path(tempfile.mkdtemp(prefix="orihon-e2e-"))
    folder.chmod(0o711)
    running = Demo(folder / "data")
    running.start()
    try:
        yield running
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = find()
    if chromium is None:
        pytest.fail(HELP)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
        )
        yield launched
        launched.close()


@pytest.fixture
def context(browser: Browser, demo: Demo) -> Iterator[BrowserContext]:
    """A fresh browser profile: a guest."""
    opened = browser.new_context(base_url=demo.url, viewport={"width": 1440, "height": 900})
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page on which nothing may go wrong unnoticed."""
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    yield opened
    assert [problem for problem in problems if not any(status in problem for status in EXPECTED)] == []


def sign_in(page: Page) -> None:
    """As the demo's administrator."""
    page.goto("/sign-in")
    page.get_by_role("textbox", name="Name").fill(USERNAME)
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("link", name="Sources").first).to_be_visible()
