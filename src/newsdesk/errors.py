"""Everything newsdesk raises on purpose.

NewsdeskError
├── DataError          a record that breaks its format; knows its file and line
│   └── PageError      a web page that cannot be read; knows the kind of reason, for counts
├── FileError          a file that cannot be opened, read or written
├── SpecError          a name or a `name(key=value)` that means nothing here
├── ArgumentError      a value passed to the library that it cannot use
├── EngineError        a step of a build that its workers cannot finish
└── MissingExtraError  an optional dependency that is not installed; says which pip command to type

The command prints any of these as one line and exits with 1. Anything else is a bug and keeps its traceback.
"""

from __future__ import annotations

import copyreg
from typing import Any


class NewsdeskError(Exception):
    """The root: catch this to catch all that newsdesk raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle message and attributes.

        Errors cross from worker processes, and not all are built from their message.
        """
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class DataError(NewsdeskError):
    """A record that breaks its format, as `file:line: reason`."""

    def __init__(self, reason: str, *, file: str | None = None, line: int | None = None) -> None:
        self.reason = reason
        self.file = file
        self.line = line
        super().__init__(f"{self.place}: {reason}" if self.place else reason)

    @property
    def place(self) -> str:
        """`file:line`, as much of it as is known."""
        return ":".join(str(part) for part in (self.file, self.line) if part is not None)

    def at(self, file: str, line: int | None) -> DataError:
        """Return the same error at a known place."""
        return DataError(self.reason, file=file, line=line)


class PageError(DataError):
    """A web page that cannot be read; `kind` is one word for counts (`binary`, `empty`, `too-large`)."""

    def __init__(self, reason: str, *, kind: str, file: str | None = None) -> None:
        self.kind = kind
        super().__init__(reason, file=file)


class FileError(NewsdeskError):
    """A file that cannot be opened, read or written."""


class SpecError(NewsdeskError):
    """A name or a `name(key=value)` that means nothing here."""


class ArgumentError(NewsdeskError, ValueError):
    """A value passed to the library that it cannot use."""


class EngineError(NewsdeskError):
    """A step of a build that its workers cannot finish."""


class MissingExtraError(NewsdeskError, ImportError):
    """An optional dependency that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs an optional part of newsdesk; type: pip install 'newsdesk[{extra}]'"
        )
