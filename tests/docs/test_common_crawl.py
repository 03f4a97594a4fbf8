"""The commands of the how-to on Common Crawl News, on a small bucket and a small cluster on loopback."""

from __future__ import annotations

import gzip
import re
import shlex
import shutil
from pathlib import Path

import pytest

from newsdesk import addresses, samples
from newsdesk.cli.main import main
from tests.corpus.object_store import object_store
from tests.work.clusters import LoopbackCluster

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/common-crawl-news.md"


@pytest.mark.timeout(300)
def test_every_command_of_the_how_to_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(samples.path("events.jsonl"), "events.jsonl")
    fenced = re.findall(r"```(\w*)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    blocks = [body for language, body in fenced if not language]
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("newsdesk")]
    assert len(lines) >= 4
    with object_store() as store:
        _fill(store, tmp_path)
        cluster = LoopbackCluster(tmp_path)
        try:
            for line in lines:
                assert (
                    main(shlex.split(line.replace("dask://127.0.0.1:8786", cluster.engine))[1:])
                    == 0
                )
        finally:
            cluster.close()
    assert Path("clusters.jsonl").read_text("utf-8").count("\n") > 3


def _fill(store: str, folder: Path) -> None:
    """A month of one crawl file with its list of paths, and an empty bucket for the results."""
    import boto3

    client = boto3.client("s3", endpoint_url=store)
    for bucket in ("commoncrawl", "my-news"):
        client.create_bucket(Bucket=bucket)
    month = "crawl-data/CC-NEWS/2019/05"
    addresses.put(samples.warc(), f"s3://commoncrawl/{month}/CC-NEWS-1.warc.gz")
    index = folder / "warc.paths.gz"
    index.write_bytes(gzip.compress(f"{month}/CC-NEWS-1.warc.gz\n".encode()))
    addresses.put(index, f"s3://commoncrawl/{month}/warc.paths.gz")
