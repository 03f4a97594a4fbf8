"""Croissant metadata of a release (MLCommons Croissant 1.0): a file object and a record set for each table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from newsdesk.corpus.release.tables import columns

if TYPE_CHECKING:
    from newsdesk.corpus.release.release import Release, ReleasedFile

_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant_text(release: Release, digests: Mapping[str | None, str]) -> str:
    """The JSON-LD of a release; `digests` are the sha256 of its tables."""
    tables = [file for file in release.files if file.data]
    words = "with texts" if release.text else "by address and hash, without texts"
    value: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": release.name,
        "description": f"News articles and events {words}; {release.spec or 'built'} by newsdesk {release.version}.",
        "version": "1.0.0",
    }
    if release.license:
        value["license"] = release.license
    value["distribution"] = [_file_object(file, digests[file.data]) for file in tables]
    value["recordSet"] = [_record_set(file, text=release.text) for file in tables]
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _file_object(file: ReleasedFile, digest: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.data,
        "name": file.data,
        "contentUrl": file.data,
        "encodingFormat": "application/x-parquet",
        "sha256": digest,
    }


def _record_set(file: ReleasedFile, *, text: bool) -> dict[str, Any]:
    name = str(file.data).partition("/")[2].removesuffix(".parquet")
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{file.records} records of type {file.type}.",
        "field": list(_fields(name, str(file.data), file.type, text=text)),
    }


def _fields(record_set: str, path: str, kind: str, *, text: bool) -> Iterator[dict[str, Any]]:
    """The columns whose cells are texts, numbers, or lists of texts; columns of records are described in the card."""
    for column, polars_type in columns(kind, text=text).items():
        inner = getattr(polars_type, "inner", polars_type)
        if hasattr(inner, "fields"):
            continue
        yield {
            "@type": "cr:Field",
            "@id": f"{record_set}/{column}",
            "name": column,
            "dataType": {"Float64": "sc:Float", "Int64": "sc:Integer"}.get(str(inner), "sc:Text"),
            **({"repeated": True} if inner is not polars_type else {}),
            "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
        }
