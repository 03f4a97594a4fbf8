"""Run the modules of a folder, or those named; each has a `main()` that exits or returns non-zero below its floor."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from types import ModuleType


def run(package: ModuleType, names: Sequence[str] = ()) -> int:
    """Run modules one after another and return 1 if one of them failed."""
    names = names or sorted(
        module.name
        for module in pkgutil.iter_modules(package.__path__)
        if not module.name.startswith("_")
    )
    failed = []
    for name in names:
        print(f"== {name}", flush=True)
        try:
            if importlib.import_module(f"{package.__name__}.{name}").main():
                failed.append(name)
        except SystemExit as stop:
            if stop.code:
                print(f"   BELOW ITS FLOOR: {stop.code}")
                failed.append(name)
    print(f"{len(names) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0
