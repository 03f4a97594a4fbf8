"""Uploaded files, stored under plain names in a folder of their own for as long as a request takes."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from starlette.datastructures import FormData, UploadFile

from newsdesk.service.errors import Problem

MAX_FILES = 50
_MOST_TEXT_BYTES = 1 << 20
_UNFIT = re.compile(r"[^\w.@ ()+-]")


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """Open a folder for the files of one request, removed at its end."""
    with tempfile.TemporaryDirectory(prefix="newsdesk-upload-") as path:
        yield Path(path)


def files_of(form: FormData, field: str) -> list[UploadFile]:
    """Return the files of a form's field; an empty file input is none."""
    files = [file for file in form.getlist(field) if isinstance(file, UploadFile) and file.filename]
    if len(files) > MAX_FILES:
        raise Problem(400, "files", f"at most {MAX_FILES} files at once, not {len(files)}")
    return files


def save(file: UploadFile, folder: Path) -> Path:
    """Write an uploaded file into the folder; two of the same name are told apart."""
    name = plain_name(file.filename or "")
    path = folder / name
    for number in range(2, MAX_FILES + 2):
        if not path.exists():
            break
        path = folder / f"{number}-{name}"
    with path.open("wb") as stream:
        shutil.copyfileobj(file.file, stream)
    return path


def text_of(file: UploadFile) -> str:
    """Return the text of an uploaded plan or form, which people write by hand and is small."""
    content = file.file.read(_MOST_TEXT_BYTES + 1)
    if len(content) > _MOST_TEXT_BYTES:
        raise Problem(413, "too-large", f"a plan or form has at most {_MOST_TEXT_BYTES:,} bytes")
    return content.decode("utf-8", "replace")


def plain_name(name: str) -> str:
    """Return the last part of a file name, without characters that mean something to a file system.

    >>> plain_name("../../etc/passwd"), plain_name("C:\\\\x\\\\ann.xlsx"), plain_name("..")
    ('passwd', 'ann.xlsx', 'upload')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    return _UNFIT.sub("_", last).lstrip(". ")[-120:] or "upload"
