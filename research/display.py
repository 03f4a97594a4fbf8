"""What readers see, counted over all shared corpora: `python -m research.display`.

For the methods that users are pointed to: summaries without the final mark that their last source sentence has, empty ones where the cluster has a word, and with `clean` those
with a quotation mark without its partner or with a dateline. All four counts must be 0. Clusters are the shared WCEP, Multi-News, MultiLing and Opinosis ones, the sample, and each page of
`fundus_news` (29 countries) as a cluster of one article.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from bench._data import ABSENT, SHARED, multi_news, multiling, opinosis, wcep_clusters
from newsdesk import samples
from newsdesk.summarizers import summarizer
from newsdesk.summarizers.outputs import outputs_of
from newsdesk.summarizers.prepare import Candidate
from newsdesk.summarizers.readable import FINAL, balanced
from newsdesk.types import Cluster, ClusterArticle

METHODS = ("expected-rouge", "submodular+abs", "submodular", "lead-interleaved")
LIMITS = (25, 40, 100, 250)
KINDS = ("no final mark", "empty", "unbalanced mark", "dateline")
_DATELINE = re.compile(
    r"(?:[A-Z]{4}[A-Z .'’]*(?:, [A-Z][\w.]+)?(?: \([^)]*\))?\s*(?:—|–|--|>>|:| - )\s?[A-Z]|[^.]{0,60}\((?:AP|Reuters|AFP|CNN|UPI)\))"
)
# "CORNISH: Can you …" names a speaker, "ABOUT ARIZONA (3-0): …" is the head of a part.
_SPEECH = re.compile(
    r"\b(?:I|you|You|we|We|What|How|Can|Well)\b|\?|^(?:ABOUT|CORRECTION) |^[^a-z]+$"
)
_CLOSING = "\"'”’»)]」』） "


def pages() -> Iterator[Cluster]:
    """The gold texts of the shared news pages, each a cluster of one article."""
    for file in sorted((SHARED / "fundus_news" / "gold").glob("*.jsonl")):
        for row in map(json.loads, file.open("rb")):
            body = row["body"]
            parts = [*body["summary"], *(p for s in body["sections"] for p in s["paragraphs"])]
            article = ClusterArticle("a", "\n\n".join(parts), title=row["title"])
            yield Cluster(row["html"], (article,))


def corpora() -> dict[str, list[Cluster]]:
    return {
        "WCEP": wcep_clusters(),
        "Multi-News": multi_news(),
        "MultiLing": [cluster for cluster, _ in multiling()],
        "Opinosis": [cluster for cluster, _ in opinosis()],
        "the sample": samples.clusters(),
        "news pages": list(pages()),
    }


def finished(text: str) -> bool:
    return text.rstrip(_CLOSING)[-1:] in FINAL


def _begins_with_dateline(candidate: Candidate) -> bool:
    """By a form of its own, wider than that of the display: a place in capitals, then a dash or colon; or an agency in parentheses."""
    match = _DATELINE.match(candidate.text)
    return bool(match) and not _SPEECH.search(candidate.text)


def counted(clusters: list[Cluster], method: str, max_words: int) -> dict[str, list[str]]:
    """The ids of the clusters whose summaries have each fault."""
    faults: dict[str, list[str]] = {kind: [] for kind in KINDS}
    one = summarizer(method, max_words=max_words)
    by_id = {each.id: each for each in clusters}
    for clean in (False, True):
        for output, summary in outputs_of(one, clusters, clean=clean):
            text = output.text
            articles = by_id[output.id].articles
            if not text and any(each.text.strip() or each.title for each in articles):
                faults["empty"].append(output.id)
            last = summary.sentences[-1].text if summary.sentences else ""
            if last and finished(last) and not finished(text):
                faults["no final mark"].append(output.id)
            shown = [each for each in summary.trace if each.taken] if clean else []
            if not all(balanced(each.text) for each in shown):
                faults["unbalanced mark"].append(output.id)
            if any(map(_begins_with_dateline, shown)):
                faults["dateline"].append(output.id)
    return faults


def main() -> None:
    if not SHARED.is_dir():
        print(ABSENT)
        return
    missed = []
    for name, clusters in corpora().items():
        for method in METHODS:
            for max_words in LIMITS:
                faults = counted(clusters, method, max_words)
                said = ", ".join(f"{kind} {len(ids)}" for kind, ids in faults.items())
                print(f"{name}, {method}, {max_words} words, {len(clusters)} clusters: {said}")
                missed += [
                    (name, method, max_words, kind, ids[:9]) for kind, ids in faults.items() if ids
                ]
    if missed:
        raise SystemExit("\n".join(map(str, missed)))


if __name__ == "__main__":
    main()
