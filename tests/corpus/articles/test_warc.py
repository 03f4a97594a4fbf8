"""WARC and ARC files, good and broken: a damaged record costs one record, with its reason."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from pathlib import Path

import pytest

from newsdesk.corpus.pages import CrawledPage, LostPage
from newsdesk.corpus.warc import read_pages
from tests.corpus.writing import Stored, page, record, write_warc

HTML = {"Content-Type": "text/html"}


def counts(path: Path, *, max_bytes: int = 1 << 20) -> dict[str, int]:
    """Pages, losses by reason and notes of a file."""
    found: Counter[str] = Counter()
    for unit in read_pages(str(path), max_bytes=max_bytes, note=lambda what: found.update([what])):
        found["pages" if isinstance(unit, CrawledPage) else unit.reason] += 1
    return dict(found)


def chunked(body: bytes, size: int = 50) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def only_page(path: Path, *responses: Stored | bytes) -> CrawledPage:
    [unit] = read_pages(str(write_warc(path, responses)))
    assert isinstance(unit, CrawledPage), unit
    return unit


# What the README of the samples says of each file: responses of all kinds, then records of other types.
SAMPLES = {
    "warcfile.warc": {"pages": 16, "warcinfo records": 1, "request records": 17, "metadata records": 16},
    "warcfile.warc.gz": {"pages": 16, "warcinfo records": 1, "request records": 17, "metadata records": 16},
    "warcfile.warc.lz4": {"pages": 16, "warcinfo records": 1, "request records": 17, "metadata records": 16},
    "clipped.warc.gz": {"truncated record": 1},
    "clueweb-quirk.warc.gz": {"pages": 29, "warcinfo records": 1},
    "block-sized-records.warc": {"unknown records": 3},
    "block-sized-records.warc.gz": {"unknown records": 3},
    "block-sized-records.warc.lz4": {"unknown records": 3},
    "example.warc": {"pages": 1, "warcinfo records": 2, "request records": 2, "revisit records": 1},
    "example.warc.gz": {"pages": 1, "warcinfo records": 2, "request records": 2, "revisit records": 1},
    "example-trunc.warc": {"broken record": 1, "warcinfo records": 2, "request records": 1},
    "example-bad-non-chunked.warc.gz": {
        "pages": 1, "warcinfo records": 2, "request records": 2, "revisit records": 1, "files compressed as a whole": 1,
    },
    "example-bad.warc.gz.bad": {
        "pages": 1, "not status 200": 1, "warcinfo records": 1, "request records": 2, "revisit records": 1,
        "files compressed as a whole": 1,
    },
    "example-wrong-chunks.warc.gz": {"pages": 1, "request records": 1},
    "example-iana.org-chunked.warc": {"pages": 1, "warcinfo records": 1, "request records": 1},
    "example-space-in-target-uri.warc.gz": {"warcinfo records": 1, "resource records": 1},
    "example-wget-bad-target-uri.warc.gz": {
        "pages": 1, "warcinfo records": 1, "request records": 1, "metadata records": 1, "resource records": 2,
    },
    "example-digest.warc": {"request records": 4},
    "example-resource.warc.gz": {"warcinfo records": 2, "resource records": 1},
    "post-test.warc.gz": {"not HTML": 3, "request records": 3},
    "example.arc": {"pages": 1, "filedesc records": 1},
    "example.arc.gz": {"pages": 1, "filedesc records": 1},
    "example-space-in-url.arc": {"truncated record": 1, "filedesc records": 1},
    "bad.arc": {"broken record": 2, "not HTML": 1, "filedesc records": 1},
}  # fmt: skip


@pytest.mark.real
def test_every_sample_goes_through_with_the_right_counts(shared_data: Path) -> None:
    folder = shared_data / "warc_samples"
    names = {path.name for path in folder.iterdir()} - {"README.md"}
    assert {name for name in names if not name.startswith("LICENSE")} == set(SAMPLES)
    for name, expected in SAMPLES.items():
        assert counts(folder / name) == expected, name


@pytest.mark.real
def test_every_compression_of_a_sample_holds_the_same_pages(shared_data: Path) -> None:
    folder = shared_data / "warc_samples"
    bodies = {
        ending: [
            unit.html
            for unit in read_pages(str(folder / f"warcfile.warc{ending}"))
            if isinstance(unit, CrawledPage)
        ]
        for ending in ("", ".gz", ".lz4")
    }
    assert bodies[""] == bodies[".gz"] == bodies[".lz4"]


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_damaged_record_costs_itself_alone(tmp_path: Path, ending: str) -> None:
    stored = [Stored(f"https://a.example/{n}", page(f"page {n}")) for n in range(5)]
    path = write_warc(tmp_path / f"a.warc{ending}", stored)
    offsets = [unit.offset for unit in read_pages(str(path))]
    data = bytearray(path.read_bytes())
    if ending:
        data[offsets[2] + 60 : offsets[2] + 90] = bytes(30)
    else:
        data[offsets[2] : offsets[2] + 8] = b"XXXXXXXX"
    path.write_bytes(data)
    assert counts(path) == {"pages": 4, "broken record": 1}


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_garbage_between_records_costs_one_record(tmp_path: Path, ending: str) -> None:
    stored = [Stored(f"https://a.example/{n}", page(f"page {n}")) for n in range(4)]
    path = write_warc(tmp_path / f"a.warc{ending}", stored)
    offset = [unit.offset for unit in read_pages(str(path))][2]
    data = path.read_bytes()
    path.write_bytes(data[:offset] + b"garbage " * 40 + data[offset:])
    assert counts(path) == {"pages": 4, "broken record": 1}


@pytest.mark.parametrize("change", [-7, +40])
def test_a_wrong_length_costs_the_record_that_states_it(tmp_path: Path, change: int) -> None:
    records = [Stored(f"https://a.example/{n}", page(f"page {n}")).record() for n in range(4)]
    length = int(records[1].split(b"Content-Length: ")[1].split(b"\r\n")[0])
    records[1] = records[1].replace(
        b"Content-Length: %d" % length, b"Content-Length: %d" % (length + change)
    )
    assert counts(write_warc(tmp_path / "a.warc", records)) == {"pages": 3, "broken record": 1}


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_file_cut_off_anywhere_loses_only_its_tail(tmp_path: Path, ending: str) -> None:
    stored = [Stored(f"https://a.example/{n}", page(f"page {n}")) for n in range(3)]
    path = write_warc(tmp_path / f"a.warc{ending}", stored)
    data, offsets = path.read_bytes(), [unit.offset for unit in read_pages(str(path))]
    for cut in range(offsets[2] + 1, len(data) - 30, 37):
        path.write_bytes(data[:cut])
        found = counts(path)
        assert found["pages"] == 2
        assert found.get("truncated record", 0) + found.get("broken record", 0) == 1, cut


@pytest.mark.parametrize(
    "content", [b"", b"no crawl at all\n" * 50, bytes(5_000), b"\x1f\x8b\x08" + bytes(50)]
)
def test_a_file_that_is_no_crawl_costs_at_most_one_record(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(content)
    assert counts(path) == ({"broken record": 1} if content else {})


def test_bodies_are_decoded(tmp_path: Path) -> None:
    brotli, zstandard = pytest.importorskip("brotli"), pytest.importorskip("zstandard")
    html = page("décoded")
    raw = zlib.compressobj(wbits=-15)
    bodies = {
        "gzip": gzip.compress(html),
        "deflate": zlib.compress(html),
        "deflate ": raw.compress(html) + raw.flush(),
        "br": brotli.compress(html),
        "zstd": zstandard.ZstdCompressor().compress(html),
        "identity": html,
        "x-gzip": html,  # stored decoded under the headers of the encoded body
    }
    for encoding, body in bodies.items():
        headers = {**HTML, "Content-Encoding": encoding.strip()}
        assert (
            only_page(tmp_path / "a.warc", Stored("https://a.example/", body, 200, headers)).html
            == html
        )
        headers["Transfer-Encoding"] = "chunked"
        both = Stored("https://a.example/", chunked(body), 200, headers)
        assert only_page(tmp_path / "a.warc", both).html == html


def test_a_body_stored_without_its_chunks_is_taken_as_it_is(tmp_path: Path) -> None:
    stored = Stored("https://a.example/", page("x"), 200, {**HTML, "Transfer-Encoding": "chunked"})
    assert only_page(tmp_path / "a.warc", stored).html == page("x")


def test_what_no_page_can_be_is_counted_by_reason(tmp_path: Path) -> None:
    html = page("x")
    stored: list[Stored | bytes] = [
        Stored(
            "https://a.example/1",
            chunked(html)[:-120] + b"zzz",
            200,
            {**HTML, "Transfer-Encoding": "chunked"},
        ),
        Stored(
            "https://a.example/2",
            gzip.compress(html)[:-20],
            200,
            {**HTML, "Content-Encoding": "gzip"},
        ),
        Stored("https://a.example/3", b"\x01\x02" * 50, 200, {**HTML, "Content-Encoding": "br"}),
        Stored("https://a.example/4", b"\x01\x02" * 50, 200, {**HTML, "Content-Encoding": "sdch"}),
        Stored(
            "https://a.example/5",
            gzip.compress(bytes(3 << 20)),
            200,
            {**HTML, "Content-Encoding": "gzip"},
        ),
        Stored("https://a.example/6", b"x" * (2 << 20)),
        Stored("https://a.example/7", html, 301),
        Stored("https://a.example/8", b"{}", 200, {"Content-Type": "application/json"}),
        Stored("https://a.example/9", b"just text", 200, {}),
        Stored("https://a.example/10", html, 200, {}),
        record("response", b"no status line", "https://a.example/11"),
    ]
    assert counts(write_warc(tmp_path / "a.warc.gz", stored)) == {
        "broken body encoding": 3, "unknown body encoding": 1, "too large": 2, "not status 200": 1, "not HTML": 2,
        "broken record": 1, "pages": 1,
    }  # fmt: skip


def test_a_bomb_costs_no_memory(tmp_path: Path) -> None:
    import tracemalloc

    bomb = gzip.compress(bytes(200 << 20))
    stored = Stored("https://a.example/", bomb, 200, {**HTML, "Content-Encoding": "gzip"})
    path = write_warc(tmp_path / "a.warc.gz", [stored])
    del bomb
    tracemalloc.start()
    assert counts(path) == {"too large": 1}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20


def test_a_page_knows_its_address_crawl_day_and_charset(tmp_path: Path) -> None:
    stored = Stored(
        "<https://a.example/ä>", page("x"), 200, {"Content-Type": "Text/HTML; Charset='GBK'"}
    )
    found = only_page(tmp_path / "a.warc", stored.record("2031-03-05T23:59:59Z"))
    assert (found.url, found.crawled, found.charset) == ("https://a.example/ä", "2031-03-05", "gbk")


def test_units_are_numbered_in_the_order_of_the_file(tmp_path: Path) -> None:
    stored = [Stored(f"https://a.example/{n}", page("x"), 200 if n % 2 else 500) for n in range(6)]
    units = list(read_pages(str(write_warc(tmp_path / "a.warc", stored))))
    assert [unit.number for unit in units] == list(range(6))
    assert [isinstance(unit, LostPage) for unit in units] == [True, False] * 3
