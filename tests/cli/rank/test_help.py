"""The help of every verb of `newsdesk rank` imports none of the heavy libraries."""

from __future__ import annotations

import json
import subprocess
import sys

from newsdesk.cli.rank import VERBS

HEAVY = {"numpy", "scipy", "sqlalchemy", "openpyxl", "matplotlib", "torch", "sklearn"}
SCRIPT = """
import contextlib, io, json, sys
from newsdesk.cli.main import main
helps = {}
for verb in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main(["rank", verb, "--help"]) == 0
    helps[verb] = printed.getvalue()
print(json.dumps([helps, sorted(name.partition(".")[0] for name in sys.modules)]))
"""


def test_help_answers_without_heavy_imports() -> None:
    words = [sys.executable, "-c", SCRIPT, *VERBS]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    helps, modules = json.loads(done.stdout)
    assert list(helps) == list(VERBS)
    assert all(f"newsdesk rank {verb}" in text for verb, text in helps.items())
    assert not HEAVY & set(modules)
