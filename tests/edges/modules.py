"""What the modules of the package define, import and hold: each is read and parsed once for all tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "newsdesk"
CODES = {"en", "zh", "ja"}


@dataclass(frozen=True)
class Module:
    """A module by its path under `src/newsdesk`, with what its text holds."""

    name: str
    text: str
    definitions: tuple[str, ...]  # at its top level
    classes: tuple[str, ...]  # at any level
    imports: tuple[str, ...]
    language_tables: tuple[int, ...]  # their lines

    @classmethod
    def read(cls, name: str, text: str) -> Module:
        tree = ast.parse(text)
        nodes = list(ast.walk(tree))
        return cls(
            name,
            text,
            tuple(_definitions(tree)),
            tuple(node.name for node in nodes if isinstance(node, ast.ClassDef)),
            tuple(module for node in nodes for module in _imports(name, node)),
            tuple(
                node.lineno
                for node in nodes
                if isinstance(node, ast.expr) and _is_language_table(node)
            ),
        )


@cache
def modules() -> dict[str, Module]:
    """Every module of the package by its path under `src/newsdesk`."""
    return {
        name: Module.read(name, path.read_text("utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
        for name in [path.relative_to(SOURCE).as_posix()]
    }


def _definitions(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _imports(name: str, node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"{name}: relative imports hide the layers"
        if (node.module or "").count(".") < 2:  # a package: what is imported may be a module of it
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        else:
            yield node.module or ""


def _is_language_table(node: ast.expr) -> bool:
    """Tell whether a literal holds two or more of the languages as keys or items."""
    if isinstance(node, ast.Dict):
        items = node.keys
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        items = list(node.elts)
    else:
        return False
    codes = {item.value for item in items if isinstance(item, ast.Constant)}
    return len(CODES & codes) > 1
