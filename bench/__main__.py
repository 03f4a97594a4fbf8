"""Run every bench, or those named; each is a module whose `main()` exits or returns non-zero below its floor."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

import bench


def main() -> int:
    names = sys.argv[1:] or sorted(
        module.name
        for module in pkgutil.iter_modules([str(Path(bench.__file__).parent)])
        if not module.name.startswith("_")
    )
    failed = []
    for name in names:
        print(f"== {name}", flush=True)
        try:
            if importlib.import_module(f"bench.{name}").main():
                failed.append(name)
        except SystemExit as stop:
            if stop.code:
                print(f"   BELOW ITS FLOOR: {stop.code}")
                failed.append(name)
    print(f"{len(names) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


sys.exit(main())
