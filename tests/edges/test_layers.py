"""The layers of docs/design.md: a module imports its own part and what stands to its left, never to its right or beside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
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
    ("model",),
    ("text",),
    ("records",),
    ("stats",),
    ("work",),
    ("metrics",),
    ("nn",),
    ("results",),
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
            names = (node.module or "").split(".")
            if len(names) <= 2:  # a package: what is imported may be a module of it
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
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


def neighbours(package: str) -> dict[str, set[str]]:
    """The modules and folders of a package, each with those that it imports."""
    folder = SOURCE / package
    graph: dict[str, set[str]] = {}
    for path in folder.rglob("*.py"):
        own = path.relative_to(folder).parts[0].removesuffix(".py")
        names = [module.split(".") for module in imports(path)]
        inside = {part[2] for part in names if part[:2] == ["newsdesk", package] and len(part) > 2}
        graph.setdefault(own, set()).update(inside - {own})
    graph.pop("__init__", None)
    return {own: others & graph.keys() for own, others in graph.items()}


@pytest.mark.parametrize(
    "package", sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))
)
def test_modules_and_folders_of_a_package_have_one_order(package: str) -> None:
    assert len(list(TopologicalSorter(neighbours(package)).static_order())) == len(
        neighbours(package)
    )


def test_two_way_imports_of_folders_are_found() -> None:
    graph = neighbours("campaigns")
    assert "store" in graph["exchange"]
    graph["store"].add("exchange")
    with pytest.raises(CycleError):
        list(TopologicalSorter(graph).static_order())


def test_the_check_itself_can_fail() -> None:
    assert LEVEL["cli"] > LEVEL["records"] > LEVEL["text"]
    assert LEVEL["rankers"] == LEVEL["summarizers"]
    assert part_of("newsdesk.text.encode") == "text"
