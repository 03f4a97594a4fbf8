"""Errors of newsdesk that cross from one process to another: as a name and JSON, and back."""

from __future__ import annotations

from typing import Any

from newsdesk import errors


def packed_error(error: errors.NewsdeskError) -> tuple[str, list[Any]]:
    """An error as the name of its class and what it is built from."""
    if isinstance(error, errors.DataError):
        return "DataError", [error.reason, error.file, error.line]
    return type(error).__name__, [str(error)]


def rebuilt_error(kind: str, details: list[Any]) -> errors.NewsdeskError:
    """The error that another process met, as one of this process."""
    if kind == "DataError":
        reason, file, line = details
        return errors.DataError(reason, file=file, line=line)
    known = {"FileError": errors.FileError, "ArgumentError": errors.ArgumentError}
    return known.get(kind, errors.EngineError)(*details)
