"""The demo's stage on corpora: what it says of its losses leads to them."""

from __future__ import annotations

import re
from pathlib import Path

from newsdesk.demo.newsroom import corpus_stage
from newsdesk.results.page import Section, page


def test_every_page_that_joined_no_event_is_counted_with_its_reason_where_the_link_leads(
    tmp_path: Path,
) -> None:
    section = corpus_stage(tmp_path)
    contents, _, body = page("x", "", [Section("First"), section]).partition("</nav>")
    assert '<a href="#losses">counted with its reason</a>.</li>' in contents
    reasons = body.partition('<h3 id="losses">')[2].partition("<details>")[0]
    lost = re.findall(r">([0-9,]+)</td><td[^>]*>lost<", reasons)
    joined = int(section.summary.partition(" of 78 ")[0])
    assert sum(map(int, lost)) == 78 - joined > 0
