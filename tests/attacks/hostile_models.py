"""Model folders that a stranger would send: each is a saved ranker with one file exchanged, all hashes right."""

from __future__ import annotations

import io
import json
import os
import pickle
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from newsdesk.signatures import sha256_of

Change = Callable[[Path], None]
_DEEP = b"[" * 100_000 + b"]" * 100_000


class _Evil:
    """What creates a file in the folder when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("PWNED",)


def _npy(shape: str, kind: str = "<f8", values: bytes = b"") -> bytes:
    """An array whose header says whatever is wanted."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + values


def _zip(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _bomb() -> bytes:
    """A gigabyte of zeros in a megabyte."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("a.npy", "w", force_zip64=True) as member,
    ):
        member.write(_npy(f"({(1 << 30) // 8},)"))
        for _ in range(1 << 6):
            member.write(bytes(1 << 24))
    return packed.getvalue()


def _packed(content: bytes) -> Change:
    def change(folder: Path) -> None:
        (folder / "model.npz").write_bytes(content)
        header = json.loads((folder / "model.json").read_bytes())
        header["arrays"] = sha256_of(content)
        (folder / "model.json").write_text(json.dumps(header))

    return change


def _mapped(content: bytes, name: str = "a") -> Change:
    def change(folder: Path) -> None:
        (folder / "arrays").mkdir()
        (folder / "arrays" / "a.npy").write_bytes(content)
        header = json.loads((folder / "model.json").read_bytes())
        del header["arrays"]
        header["learned"] = {"state": {}, "arrays": {name: sha256_of(content)}}
        (folder / "model.json").write_text(json.dumps(header))

    return change


def _header(**changed: Any) -> Change:
    def change(folder: Path) -> None:
        header = json.loads((folder / "model.json").read_bytes())
        (folder / "model.json").write_text(json.dumps({**header, **changed}))

    return change


def _json(content: bytes) -> Change:
    def change(folder: Path) -> None:
        (folder / "model.json").write_bytes(content)

    return change


def _pipe(folder: Path) -> None:
    (folder / "model.json").unlink()
    os.mkfifo(folder / "model.json")


def _link(folder: Path) -> None:
    (folder / "model.npz").unlink()
    (folder / "model.npz").symlink_to("/dev/zero")


_PICKLE = pickle.dumps(_Evil())
HOSTILE: dict[str, Change] = {
    "raw pickle bytes": _packed(_PICKLE),
    "a pickle in the archive": _packed(_zip({"a.npy": _PICKLE})),
    "a pickle without an ending": _packed(_zip({"a": _PICKLE})),
    "an array of objects": _packed(_zip({"a.npy": _npy("(3,)", "|O", _PICKLE)})),
    "nothing at all": _packed(b""),
    "an array of eight terabytes": _packed(_zip({"a.npy": _npy(f"({1 << 40},)")})),
    "an array of more bytes than there are": _packed(_zip({"a.npy": _npy(f"({1 << 62}, 8)")})),
    "an array of a negative size": _packed(_zip({"a.npy": _npy("(-1,)")})),
    "an item of two gigabytes": _packed(_zip({"a.npy": _npy("(1,)", "<U536870912")})),
    "a header that never ends": _packed(_zip({"a.npy": b"\x93NUMPY\x02\x00\xff\xff\xff\xff{"})),
    "a header of brackets": _packed(_zip({"a.npy": b"\x93NUMPY\x01\x00\x00\x20" + b"(" * 8192})),
    "a bomb": _packed(_bomb()),
    "too many arrays": _packed(_zip({f"a{n}.npy": _npy("(0,)") for n in range(10_001)})),
    "an archive that ends early": _packed(_zip({"a.npy": _npy("(1,)", values=bytes(8))})[:-30]),
    "an encrypted array": _packed(
        _zip({"a.npy": _npy("(0,)")}).replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01")),
    "an unknown compression": _packed(
        _zip({"a.npy": _npy("(0,)")}).replace(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x00\x00\x63\x00")),
    "a mapped pickle": _mapped(_PICKLE),
    "a mapped array of eight terabytes": _mapped(_npy(f"({1 << 40},)")),
    "a mapped array of objects": _mapped(_npy("(3,)", "|O", _PICKLE)),
    "a mapped array of nothing": _mapped(b""),
    "an array outside the folder": _mapped(b"", "../../../../etc/passwd"),
    "an array elsewhere": _mapped(b"", "/etc/passwd"),
    "deep JSON": _json(b'{"format": 1, "learned": ' + _DEEP + b"}"),
    "a number of thousands of digits": _json(b'{"format": ' + b"9" * 5_000 + b"}"),
    "a list": _json(b"[]"),
    "no JSON": _json(b"\xff\xfe\x00"),
    "learned lists": _header(learned=[1]),
    "settings that are a list": _header(settings=[1]),
    "settings of wrong types": _header(settings={"target": 5, "cost": [], "seed": {}}),
    "a name that is a path": _header(ranker="../../evil"),
    "a name that is an object": _header(ranker={"a": 1}),
    "arrays that are a number": _header(arrays=5),
    "a pipe that nobody writes to": _pipe,
    "a device without an end": _link,
}  # fmt: skip


def plant(model: Path, folder: Path, change: Change) -> Path:
    """Copy a saved model and make it hostile."""
    shutil.copytree(model, folder)
    change(folder)
    return folder


def plain_arrays() -> dict[str, Any]:
    """Arrays of every kind that models hold."""
    return {
        "floats": np.arange(6.0).reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
        "scalar": np.array(3.5),
        "texts": np.array(["a", "bc"]),
        "none": np.zeros((0, 4)),
        "flags": np.array([True, False]),
        "bytes": np.arange(3, dtype=np.uint8),
    }
