"""Makes sure that a Chromium is here for the browser tests; installs it with apt where that is possible."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

HELP = """
The browser tests need Chromium, which is not installed, and it cannot be installed from here.
Debian, Ubuntu: sudo apt-get install chromium
Others: install Chromium or Google Chrome, or set ORIHON_CHROMIUM to the program's path.
Everything else is tested by: make check unit integration
"""


def find() -> str | None:
    """Path of a Chromium, or None. `ORIHON_CHROMIUM` names one that is not on the PATH."""
    named = os.environ.get("ORIHON_CHROMIUM")
    if named:
        return named
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def install() -> None:
    """Install Debian's package; needs root and apt."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]):
        subprocess.run(["apt-get", *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)


def main() -> int:
    """Return 0 when a Chromium is here in the end."""
    if find() is None and os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Chromium with apt …", flush=True)
        try:
            install()
        except subprocess.CalledProcessError as error:
            print(error, file=sys.stderr)
    if find() is None:
        print(HELP, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
