"""LibreOffice, which opens and saves sheets as annotators do: one call, with a profile of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

TIMEOUT_S = 240
# Comma, double quote, UTF-8, all cells as text where they are, the second sheet (Answers).
CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,2"


class NoOfficeError(Exception):
    """Why there is no LibreOffice to test with."""


def convert(files: Sequence[Path], to: str, folder: Path) -> None:
    """Open these files and save them in another format into a folder."""
    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        raise NoOfficeError("LibreOffice (soffice) is not installed")
    profile = folder.parent / "profile"
    command = [
        program, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--norestore",
        "--convert-to", to, "--outdir", str(folder), *map(str, files),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode != 0 or not any(folder.iterdir()):
        raise NoOfficeError(f"soffice: {done.stderr.strip() or done.stdout.strip()}")
