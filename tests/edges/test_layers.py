"""The layers of docs/design.md: a module imports its own part and what stands to its left, never to its right or beside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "newsdesk"
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors",),
    ("types",),
    ("registry",),
    (
        "addresses",
        "arrays",
        "feedback",
        "jsonl",
        "languages",
        "packaged",
        "settings",
        "signatures",
        "streams",
        "wording",
    ),
    ("files",),
    ("models",),
    ("text",),
    ("records",),
    ("work",),
    ("metrics",),
    ("nn",),
    ("pages",),
    ("corpus", "campaigns", "summarizers", "rankers", "commenters", "simulate", "samples"),
    ("studies",),
    ("demo",),
    ("service",),
    ("cli",),
    ("__main__",),
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}


def part_of(module: str) -> str | None:
    """The part a module belongs to; None for the package itself, which only names things lazily."""
    names = module.split(".")
    return names[1] if names[0] == "newsdesk" and len(names) > 1 else None


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layers"
            if node.module == "newsdesk":
                yield from (f"newsdesk.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_left(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert own in LEVEL, f"{own} has no place in the layers"
    for module in imports(path):
        part = part_of(module)
        if part in (None, own, "__version__"):
            continue
        assert part in LEVEL, f"{path} imports {module}"
        assert LEVEL[part] < LEVEL[own], f"{own} may not import {part}"


def test_the_check_itself_can_fail() -> None:
    assert LEVEL["cli"] > LEVEL["records"] > LEVEL["text"]
    assert LEVEL["rankers"] == LEVEL["summarizers"]
    assert part_of("newsdesk.text.encode") == "text"
