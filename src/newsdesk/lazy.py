"""Public names of a package that load when they are first used, so that importing the package costs next to nothing.

A package lists its names by the module they live in (`homes`), and the stub `__init__.pyi` beside it says the same to type checkers.
A name without a definition in its module is a module inside it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def home_of(homes: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The module of each name.

    >>> home_of({"newsdesk.records": ("read", "write")})
    {'read': 'newsdesk.records', 'write': 'newsdesk.records'}
    """
    return {name: module for module, names in homes.items() for name in names}


def loader(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package that offers these names.

    >>> loader("newsdesk", {"newsdesk.errors": ("DataError",)})("DataError").__name__
    'DataError'
    """
    module_of = home_of(homes)

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(module_of[name])
        if name in vars(module):
            return vars(module)[name]
        return importlib.import_module(f"{module.__name__}.{name}")

    return load
