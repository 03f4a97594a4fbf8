"""Small logs in the shapes that inspect-ai 0.3.285, lighteval 0.13.0 and deepeval write with a mock model."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import zstandard

Values = Mapping[str, Any]  # item → verdict


def inspect_log(model: str, values: Values, *, task: str = "facts", epochs: int = 1) -> dict[str, Any]:  # fmt: skip
    samples = [
        {
            "id": item,
            "epoch": epoch,
            "input": f"Question {item}?",
            "target": "42",
            "metadata": {"passage": f"p{number // 3}"},
            "scores": {} if value is None else {"includes": {"value": value, "answer": "42", "history": []}},
        }
        for epoch in range(1, epochs + 1)
        for number, (item, value) in enumerate(values.items())
    ]  # fmt: skip
    head = {"version": 2, "status": "success", "eval": {"task": task, "model": model}}
    return {**head, "samples": samples}


def write_eval(path: Path, log: Mapping[str, Any], *, packed: bool) -> str:
    """Write a log of inspect-ai as `.eval`, its members packed with zstandard or deflated."""
    head = {key: value for key, value in log.items() if key != "samples"}
    members = {"header.json": head, "summaries.json": log["samples"]}
    if not packed:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, value in members.items():
                archive.writestr(name, json.dumps(value))
        return str(path)
    body, directory = b"", b""
    for name, value in members.items():
        text = json.dumps(value).encode()
        data = zstandard.ZstdCompressor().compress(text)
        sizes = (zlib.crc32(text), len(data), len(text), len(name), 0)
        offset = len(body)
        body += b"PK\x03\x04" + struct.pack("<5H3L2H", 45, 0, 93, 0, 33, *sizes) + name.encode() + data  # fmt: skip
        directory += b"PK\x01\x02" + struct.pack("<6H3L5H2L", 45, 45, 0, 93, 0, 33, *sizes, 0, 0, 0, 0, offset) + name.encode()  # fmt: skip
    end = struct.pack("<4H2LH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\x05\x06" + end)
    return str(path)


def write_json(path: Path, value: Any) -> str:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return str(path)


def write_lighteval(folder: Path, model: str, values: Values) -> str:
    """Write the details of a task where lighteval puts them."""
    path = folder / "details" / model / "2026-11-18" / "details_facts|0_2026-11-18.parquet"
    path.parent.mkdir(parents=True)
    rows = [
        {
            "doc": {"query": f"Question {item}?", "id": item, "task_name": "facts|0", "specific": {"passage": "p"}},
            "metric": {"exact_match": value},
            "model_response": {"text": ["42"]},
        }
        for item, value in values.items()
    ]  # fmt: skip
    pl.DataFrame(rows).write_parquet(path)
    return str(path)


def deepeval_run(model: str, values: Values) -> dict[str, Any]:
    cases = [
        {
            "name": item,
            "input": f"Question {item}?",
            "actualOutput": "42",
            "success": True,
            "metricsData": [{"name": "Exact Match", "threshold": 0.5, "score": value}],
        }
        for item, value in values.items()
    ]
    return {"testCases": cases, "conversationalTestCases": [], "hyperparameters": {"model": model}}
