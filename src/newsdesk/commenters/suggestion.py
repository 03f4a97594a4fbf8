"""A suggested comment with its provenance: which system and model it comes from, from which source, when, and the label that says so.

Nothing here or elsewhere in the package posts a comment. A retrieved comment is somebody's words: its source says so (`quotation`), names the article and the comment, and never an author.

Seals of suggestions: an ed25519 signature over a hash of every field, so that a changed byte can be named.

The seal of a suggestion holds the public key, the SHA-256 of each other field as canonical JSON, and the signature over these hashes. Whoever has the public key can
check that a text was suggested by that installation and was not altered since; whoever alters a field cannot make a new seal without the private key.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from newsdesk.errors import DataError, FileError
from newsdesk.files import InputFile, make_folder, reason
from newsdesk.jsonl import json_value
from newsdesk.registry import require
from newsdesk.signatures import sha256_of

LABEL = "machine-suggested"
# The fields of a suggestion as JSON, in order; the seal covers all but itself.
FIELDS = (
    "article",
    "text",
    "score",
    "system",
    "label",
    "source",
    "model",
    "at",
    "seal",
    "signature",
)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One suggested comment. `at` is passed in by the caller.

    `seal` is None until `sealed` signs the other fields.
    """

    article: str
    text: str
    score: float
    system: str
    source: Mapping[str, Any]
    model: str
    signature: str
    at: str | None = None
    label: str = LABEL
    seal: Mapping[str, Any] | None = field(default=None)

    def __post_init__(self) -> None:
        if self.at is not None and not _MOMENT.fullmatch(self.at):
            raise DataError(f"`at` is {self.at!r}, not a UTC moment like 2019-05-01T09:30:00Z")

    def as_json(self) -> dict[str, Any]:
        """Return the suggestion as a JSON object, fields in the documented order."""
        return {name: getattr(self, name) for name in FIELDS}

    @property
    def shown(self) -> str:
        """The text as people see it: words of a reader are put in quotation marks."""
        return f"“{self.text}”" if self.source.get("quotation") else self.text


def dated(suggestions: Iterable[Suggestion], at: str | None) -> Iterator[Suggestion]:
    """Return the same suggestions with the time at which they were asked for."""
    return (dataclasses.replace(suggestion, at=at) for suggestion in suggestions)


ALGORITHM = "ed25519"
_SEALED = tuple(name for name in FIELDS if name != "seal")
_KEY_FILE = "commenter-key.pem"
_PUBLIC_FILE = "commenter-key.pub"
_SEAL_PARTS = {"algorithm", "key", "fields", "signature"}


@dataclass(frozen=True, slots=True)
class SealKey:
    """A private key that seals, with its public half in hexadecimal."""

    private: Any
    public: str


@dataclass(frozen=True, slots=True)
class SealVerdict:
    """The check of one suggestion: the altered fields, or why the seal itself is refused."""

    number: int
    article: str
    altered: tuple[str, ...] = ()
    refused: str | None = None
    key: str = ""

    @property
    def good(self) -> bool:
        """True if nothing was altered and the seal is accepted."""
        return not self.altered and self.refused is None

    def __str__(self) -> str:
        if self.good:
            return "unaltered"
        parts = [f"altered: {', '.join(self.altered)}"] if self.altered else []
        return "; ".join([*parts, *([self.refused] if self.refused else [])])

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as a row of `comment verify --json`."""
        return {
            "number": self.number,
            "article": self.article,
            "good": self.good,
            "altered": list(self.altered),
            "refused": self.refused,
            "key": self.key,
        }


def data_folder() -> Path:
    """Return the folder of the user's own data: $XDG_DATA_HOME/newsdesk, or ~/.local/share/newsdesk."""
    root = os.environ.get("XDG_DATA_HOME")
    return (Path(root) if root else Path.home() / ".local" / "share") / "newsdesk"


def open_key(folder: str | os.PathLike[str] | None = None) -> SealKey:
    """Return the private key in a folder, created with its public half if there is none yet.

    The folder is the user's data folder if none is named.
    """
    ed25519, serialization = _library()
    path = Path(folder) if folder is not None else data_folder()
    file = path / _KEY_FILE
    if not file.exists():
        make_folder(path)
        private = ed25519.Ed25519PrivateKey.generate()
        pem = private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        _write_private(file, pem)
        public = private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        (path / _PUBLIC_FILE).write_bytes(public)
    try:
        private = serialization.load_pem_private_key(file.read_bytes(), password=None)
    except OSError as error:
        raise FileError(f"{file}: {reason(error)}") from error
    except (ValueError, TypeError) as error:
        raise DataError("not a private key in PEM form", file=str(file)) from error
    return SealKey(private, _public_hex(private.public_key()))


def _write_private(file: Path, content: bytes) -> None:
    """Write a file that only its owner can read; the first of two that write at once wins."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:  # noqa: PTH123
            stream.write(content)
        if not file.exists():
            part.replace(file)
    except OSError as error:
        raise FileError(f"{file}: {reason(error)}") from error
    finally:
        part.unlink(missing_ok=True)


def public_key(file: str | os.PathLike[str]) -> str:
    """Return the public key in a PEM file of a public or private key, in hexadecimal."""
    _, serialization = _library()
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        raise FileError(f"{file}: {reason(error)}") from error
    try:
        if b"PRIVATE" in content:
            private = serialization.load_pem_private_key(content, password=None)
            return _public_hex(private.public_key())
        return _public_hex(serialization.load_pem_public_key(content))
    except (ValueError, TypeError, AttributeError) as error:
        raise DataError("not an ed25519 key in PEM form", file=str(file)) from error


def sealed(suggestion: Suggestion, key: SealKey) -> Suggestion:
    """Return the same suggestion with its seal."""
    fields = _hashes(suggestion.as_json())
    signature = key.private.sign(_message(fields)).hex()
    seal = {"algorithm": ALGORITHM, "key": key.public, "fields": fields, "signature": signature}
    return dataclasses.replace(suggestion, seal=seal)


def verify(row: Mapping[str, Any], number: int = 1, key: str | None = None) -> SealVerdict:
    """Check one suggestion as it was read from a file; with `key` (hexadecimal) other keys are refused.

    `number` is its place in the file. A seal that is malformed or does not verify counts as the altered field "seal".
    """
    article = str(row.get("article", ""))
    seal = row.get("seal")
    if not isinstance(seal, Mapping) or set(seal) != _SEAL_PARTS:
        return SealVerdict(number, article, refused="there is no whole seal")
    recorded = seal["fields"]
    if not isinstance(recorded, Mapping) or seal["algorithm"] != ALGORITHM:
        return SealVerdict(number, article, altered=("seal",))
    actual = _hashes(row)
    names = dict.fromkeys([*_SEALED, *actual, *map(str, recorded)])
    altered = tuple(name for name in names if actual.get(name) != recorded.get(name))
    public = str(seal["key"])
    if not _is_signed(recorded, public, str(seal["signature"])):
        altered = (*altered, "seal")
    if key is not None and public != key:
        return SealVerdict(number, article, altered, refused="sealed with another key", key=public)
    return SealVerdict(number, article, altered, key=public)


def verify_all(rows: Iterable[Mapping[str, Any]], key: str | None = None) -> Iterator[SealVerdict]:
    """Check suggestions one by one, numbered from 1."""
    for number, row in enumerate(rows, 1):
        yield verify(row, number, key)


def read_rows(path: str) -> list[dict[str, Any]]:
    """Return the suggestions of a file: JSONL, or the object that `comment suggest --json` prints."""
    rows: list[dict[str, Any]] = []
    for number, line in InputFile(path).texts():
        if not line.strip():
            continue
        try:
            value = json_value(line)
        except ValueError as error:
            raise DataError(f"not JSON: {error}", file=path, line=number) from error
        suggestions = (
            value["suggestions"] if isinstance(value, dict) and "suggestions" in value else [value]
        )
        if not isinstance(suggestions, list) or not all(
            isinstance(suggestion, dict) for suggestion in suggestions
        ):
            raise DataError("not a suggestion (an object)", file=path, line=number)
        rows += suggestions
    if not rows:
        raise DataError("there is no suggestion in it", file=path)
    return rows


def _hashes(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the SHA-256 of each field but the seal, as canonical JSON."""
    return {name: sha256_of(_canonical(value)) for name, value in row.items() if name != "seal"}


def _message(fields: Mapping[str, Any]) -> bytes:
    return b"newsdesk suggestion 1\n" + _canonical(dict(fields))


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _is_signed(fields: Mapping[str, Any], public: str, signature: str) -> bool:
    """Return True if the signature over these hashes was made with this key (both in hexadecimal)."""
    ed25519, _ = _library()
    exceptions = require("cryptography.exceptions", extra="commenters", what="checking seals")
    try:
        key = ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), _message(fields))
    except (ValueError, exceptions.InvalidSignature):
        return False
    return True


def _public_hex(key: Any) -> str:
    _, serialization = _library()
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return str(raw.hex())


def _library() -> tuple[Any, Any]:
    what = "sealing suggestions"
    root = "cryptography.hazmat.primitives"
    ed25519 = require(f"{root}.asymmetric.ed25519", extra="commenters", what=what)
    return ed25519, require(f"{root}.serialization", extra="commenters", what=what)
