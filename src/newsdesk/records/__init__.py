"""Files of records: JSONL for every type of `newsdesk.types`, foreign formats in, atomic writes and manifests out."""

from newsdesk.records.kinds import KINDS, name_of
from newsdesk.records.reader import Reader, read, read_any, read_named
from newsdesk.records.writer import (
    CheckedFile,
    Manifest,
    ManifestFile,
    changed_files,
    check_file,
    read_manifest,
    record_text,
    write,
    write_manifest,
)

__all__ = [
    "KINDS",
    "CheckedFile",
    "Manifest",
    "ManifestFile",
    "Reader",
    "changed_files",
    "check_file",
    "name_of",
    "read",
    "read_any",
    "read_manifest",
    "read_named",
    "record_text",
    "write",
    "write_manifest",
]
