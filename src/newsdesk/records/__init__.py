"""Files of records: JSONL for every type of `newsdesk.types`, foreign formats in, atomic writes and manifests out."""

from newsdesk.records.foreign import FORMATS
from newsdesk.records.kinds import KINDS, kind_named, name_of
from newsdesk.records.manifest import (
    Manifest,
    ManifestFile,
    changed_files,
    read_manifest,
    write_manifest,
)
from newsdesk.records.reader import Reader, read, read_any
from newsdesk.records.writer import record_text, write

__all__ = [
    "FORMATS",
    "KINDS",
    "Manifest",
    "ManifestFile",
    "Reader",
    "changed_files",
    "kind_named",
    "name_of",
    "read",
    "read_any",
    "read_manifest",
    "record_text",
    "write",
    "write_manifest",
]
