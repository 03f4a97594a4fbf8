"""Compile the kernel when the package is built or installed; where there is no compiler, say so and go on without it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from hashlib import blake2b
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

PACKAGE = Path(__file__).parent / "src" / "newsdesk"
SOURCE = PACKAGE / "kernel.c"
FLAGS = ("-std=c99", "-O3", "-fPIC", "-shared", "-fvisibility=hidden")
WITHOUT = "newsdesk is installed without its kernel: the same results, but metrics are slower"


def compiler() -> str | None:
    """The C compiler: that of the environment variable CC, or the first known one in the path."""
    names = [os.environ["CC"]] if os.environ.get("CC") else ["cc", "gcc", "clang"]
    return next(filter(None, map(shutil.which, names)), None)


def compile_kernel(target: Path, *, flags: tuple[str, ...] = FLAGS) -> bool:
    """Compile the kernel; False, with a note on standard error, if that cannot be done here."""
    found = compiler()
    if found is None:
        print(f"note: no C compiler is in the path; {WITHOUT}", file=sys.stderr)
        return False
    unfinished = target.with_suffix(f".{os.getpid()}.part")
    done = subprocess.run(
        [found, *flags, "-o", str(unfinished), str(SOURCE)], capture_output=True, text=True
    )
    if done.returncode:
        first = next(iter(done.stderr.splitlines()), "")
        print(f"note: {found} cannot compile kernel.c ({first}); {WITHOUT}", file=sys.stderr)
        return False
    unfinished.replace(target)  # at once: another process may be loading it
    return True


def file_name() -> str:
    """The name that the package looks for, which holds a digest of the source."""
    return f"_kernel_{blake2b(SOURCE.read_bytes(), digest_size=6).hexdigest()}.so"


class KernelHook(BuildHookInterface[Any]):
    """Adds the compiled kernel to a wheel, which is then one for this platform; an editable install gets it beside its source."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the wheel is put together."""
        if version == "editable":
            compile_kernel(PACKAGE / file_name())
            return
        self._folder = tempfile.TemporaryDirectory()
        compiled = Path(self._folder.name) / file_name()
        if compile_kernel(compiled):
            build_data["force_include"][str(compiled)] = f"newsdesk/{compiled.name}"
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{next(platform_tags())}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled for the wheel."""
        if version != "editable":
            self._folder.cleanup()
