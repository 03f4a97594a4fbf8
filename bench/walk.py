"""Walk through every page of the served demo folder: as each role, at 360, 768 and 1400 px, light and dark, with and without scripts.

Floor: no error in the console, nothing wider than its window, nothing serious or critical for axe, no page without content. The pictures go to `.work/walk/`, to be looked at:
`python -m bench.walk [FOLDER] [--quick]` names another folder; `--quick` walks with scripts in light colours alone.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from newsdesk.cli import main as command
from newsdesk.service.settings import ServiceSettings
from tests.browser.chromium import CHROMIUM, FLAGS
from tests.browser.desk import Served
from tests.browser.walking import ALL_LOOKS, ROLES, WIDTHS, Look, Walk
from tests.service.serving import running


def main(shots: Path = Path(".work/walk"), *, quick: bool = False) -> int:
    if CHROMIUM is None:
        print("Chromium is not installed: no page was looked at")
        return 1
    shots.mkdir(parents=True, exist_ok=True)
    looks = [Look(width) for width in WIDTHS] if quick else ALL_LOOKS
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        data = Path(folder, "demo")
        command.main(["demo", "-o", str(data)])
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        settings = ServiceSettings(data, requests_per_minute=10**6, sign_ins_per_minute=10**6)
        with running(settings) as (port, app):
            walk = Walk.begin(Served(f"http://127.0.0.1:{port}", app, browser), shots)
            begun = time.monotonic()
            for role in ROLES:
                walk.walk(role, looks)
                print(f"   {role}: {walk.visited} pages so far, {time.monotonic() - begun:.0f} s", flush=True)  # fmt: skip
        browser.close()
    for problem in walk.problems:
        print(f"   {problem}")
    print(f"   {walk.visited} pages, {len(walk.problems)} problems, pictures in {shots}")
    return 1 if walk.problems else 0


if __name__ == "__main__":
    folders = [Path(each) for each in sys.argv[1:] if not each.startswith("--")]
    sys.exit(main(*folders[:1], quick="--quick" in sys.argv))
