"""The layers of docs/design.md: a module imports its own part and what stands to its left, never to its right or beside it."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import pytest

from tests.edges.modules import SOURCE, modules

PATHS = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
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
    ("kernel",),
    ("files",),
    ("model",),
    ("text",),
    ("records",),
    ("stats",),
    ("work",),
    ("network",),
    ("metrics",),
    ("nn",),
    ("llm",),
    ("results",),
    ("corpus", "campaigns", "summarizers", "rankers", "commenters", "simulate", "samples"),
    ("studies",),
    ("desk",),
    ("demo",),
    ("doctor",),
    ("service",),
    ("cli",),
    ("__main__",),
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}


def part_of(module: str) -> str | None:
    """The part a module belongs to; None for the package itself, which only names things lazily."""
    names = module.split(".")
    return names[1] if names[0] == "newsdesk" and len(names) > 1 else None


@pytest.mark.parametrize("path", [path for path in PATHS if path != "__init__.py"])
def test_imports_point_left(path: str) -> None:
    own = path.partition("/")[0].removesuffix(".py")
    assert own in LEVEL, f"{own} has no place in the layers"
    for module in modules()[path].imports:
        part = part_of(module)
        if part in (None, own, "__version__"):
            continue
        assert part in LEVEL, f"{path} imports {module}"
        assert LEVEL[part] < LEVEL[own], f"{own} may not import {part}"


def neighbours(package: str) -> dict[str, set[str]]:
    """The modules and folders of a package, each with those that it imports."""
    graph: dict[str, set[str]] = {}
    for path, module in modules().items():
        parts = path.removesuffix(".py").split("/")
        if parts[0] != package or len(parts) == 1:
            continue
        own = parts[1]
        names = [imported.split(".") for imported in module.imports]
        inside = {part[2] for part in names if part[:2] == ["newsdesk", package] and len(part) > 2}
        graph.setdefault(own, set()).update(inside - {own})
    graph.pop("__init__", None)
    return {own: others & graph.keys() for own, others in graph.items()}


@pytest.mark.parametrize(
    "package", sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))
)
def test_modules_and_folders_of_a_package_have_one_order(package: str) -> None:
    graph = neighbours(package)
    assert len(list(TopologicalSorter(graph).static_order())) == len(graph)


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
