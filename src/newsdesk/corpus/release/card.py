"""The descriptions of a release: `README.md` for people and the Hugging Face `datasets` library, Croissant for programs.

They are written from the manifest and from counts of what was released; a licence, a source or a claim that nobody named is not made up.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from newsdesk.corpus.tally import by_count
from newsdesk.wording import plural

if TYPE_CHECKING:
    from newsdesk.corpus.release import Contents, Release, ReleasedFile

_CROISSANT = (
    "citeAs column extract field fileObject fileProperty fileSet format includes isLiveDataset jsonPath key md5 parentField path"
    " recordSet references regex repeated replace separator source subField transform"
)
_CONTEXT: Mapping[str, Any] = dict(
    sorted(
        {
            "@language": "en",
            "@vocab": "https://schema.org/",
            **{name: f"cr:{name}" for name in _CROISSANT.split()},
            "conformsTo": "dct:conformsTo",
            "cr": "http://mlcommons.org/croissant/",
            "data": {"@id": "cr:data", "@type": "@json"},
            "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
            "dct": "http://purl.org/dc/terms/",
            "examples": {"@id": "cr:examples", "@type": "@json"},
            "sc": "https://schema.org/",
        }.items()
    )
)

_OUTLETS = 15
_SPLITS = {"train": "train", "val": "validation", "test": "test"}


def croissant_text(
    release: Release,
    digests: Mapping[str | None, str],
    columns: Mapping[str, Mapping[str, Any]],
) -> str:
    """Return the JSON-LD of a release: `digests` of its tables, and the `columns` of each kind of record."""
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
    value["recordSet"] = [_record_set(file, columns[file.type]) for file in tables]
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


def _record_set(file: ReleasedFile, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the Croissant description of one table and its columns."""
    name = str(file.data).partition("/")[2].removesuffix(".parquet")
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{file.records} records of type {file.type}.",
        "field": list(_field_rows(name, str(file.data), columns)),
    }


def _field_rows(record_set: str, path: str, columns: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the columns of texts, numbers, and lists of texts; the card describes the others."""
    for column, polars_type in columns.items():
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


def configurations(files: Sequence[ReleasedFile]) -> dict[str, list[tuple[str, str]]]:
    """Return the tables as configurations: name → (split, path); parts of a folder are splits of one."""
    configs: dict[str, list[tuple[str, str]]] = {}
    for file in files:
        if file.data is None:
            continue
        path = file.data.partition("/")[2].removesuffix(".parquet")
        folder, _, stem = path.rpartition("/")
        if folder:
            split = _SPLITS.get(stem, "train" if stem == "all" else stem.replace("-", "_"))
            configs.setdefault(folder.replace("/", "-"), []).append((split, file.data))
        else:
            configs.setdefault(stem, []).append(("train", file.data))
    return configs


def card_text(release: Release, contents: Contents) -> str:
    """Return the data card of a release, in Markdown."""
    sections = [
        _front_matter(release),
        f"# {release.name}",
        _opening(release, contents),
        "## Files",
        *_files(release),
        "## Fields",
        _fields(release),
        "## Outlets and languages",
        _counts("outlet", contents.outlets),
        _counts("language", contents.languages),
        "## How it was built",
        _provenance(release),
        "## Getting the corpus",
        _use(release),
        "## Removal",
        "A publisher or an author who wants an article removed asks whoever published this release. `newsdesk corpus forget` removes it from a corpus "
        "and makes later builds refuse it; a new release of that corpus no longer names it.",
    ]
    return "\n\n".join(sections) + "\n"


def _front_matter(release: Release) -> str:
    """Return the YAML head of the card, which names the configurations and their splits."""
    lines = ["---", f"pretty_name: {json.dumps(release.name, ensure_ascii=False)}"]
    if release.license:
        lines += [f"license: {json.dumps(release.license.lower())}"]
    lines.append("configs:")
    configs = configurations(release.files)
    default = "clusters" if "clusters" in configs else next(iter(configs))
    for name, splits in configs.items():
        lines.append(f"- config_name: {json.dumps(name)}")
        lines += ["  default: true"] if name == default else []
        lines.append("  data_files:")
        for split, path in splits:
            lines += [f"  - split: {split}", f"    path: {json.dumps(path)}"]
    return "\n".join([*lines, "---"])


def _opening(release: Release, contents: Contents) -> str:
    """Return the sentence that says how many articles there are and whether their texts are inside."""
    inside = (
        f"with their texts, under the licence {release.license}"
        if release.text
        else "by address and hash, without their texts"
    )
    period = f", from {contents.days[0]} to {contents.days[-1]}" if contents.days else ""
    return f"{plural(contents.articles, 'article')} {inside}{period}."


def _files(release: Release) -> Iterator[str]:
    rows = [[file.data, file.type, file.records] for file in release.files if file.data]
    yield _table(["table", "record", "records"], rows)


def _fields(release: Release) -> str:
    """Return the paragraph on the columns of the tables."""
    words = (
        "Articles hold `title`, `author` and `text`, and `sha256`, their hash."
        if release.text
        else "Articles lack `title`, `author` and `text`; `sha256` is the hash of these."
    )
    return (
        "Columns are the fields of newsdesk's records: article (`id`, `url`, `date`, `lang`, `source`, `category`), event (`id`, `date`, `summary`, `sources`) and "
        f"cluster (`id`, `date`, `summary`, `articles`, each with `origin` and `probability`). {words} It is the sha256 of the JSON array [title, author, text] in UTF-8, "
        "without spaces, null where there is none."
    )


def _counts(what: str, counts: Mapping[str, int]) -> str:
    """Return a table of the most frequent outlets or languages (`what`); the others are one row."""
    ordered = list(by_count(counts).items())
    rows: list[list[object]] = [[name, count] for name, count in ordered[:_OUTLETS]]
    if len(ordered) > _OUTLETS:
        rest = ordered[_OUTLETS:]
        rows.append([f"{len(rest)} others", sum(count for _, count in rest)])
    return _table([what, "articles"], rows)


def _provenance(release: Release) -> str:
    seed = "" if release.seed is None else f", seed {release.seed}"
    return f"newsdesk {release.version}; {release.spec or 'no spec in its manifest'}{seed}. `release.json` holds the sha256 of every file of the corpus."


def _use(release: Release) -> str:
    """Return how the tables are read and how the corpus is made again."""
    inputs = "" if release.text else " crawl/"
    return (
        "`datasets.load_dataset(PATH)` reads the tables of this folder. The corpus itself, checked against its hashes, is made by\n\n"
        f"```\nnewsdesk corpus rebuild PATH{inputs} -o corpus/\n```"
        + ("" if release.text else "\n\nwhere `crawl/` holds the pages, as WARC files or HTML.")
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)
