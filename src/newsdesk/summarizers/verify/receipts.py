"""Outputs of any system with receipts: each clause with the sentence that supports it, as JSON, as a page, or as text without the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from newsdesk.errors import DataError
from newsdesk.files import atomic
from newsdesk.jsonl import json_line
from newsdesk.languages import has_spaces
from newsdesk.results.page import Section, page
from newsdesk.results.table import ranged, table
from newsdesk.results.verdict import Verdict
from newsdesk.signatures import signature
from newsdesk.stats.intervals import wilson_ends
from newsdesk.summarizers.prepare import Sentence, prepare
from newsdesk.summarizers.verify.verifier import (
    THRESHOLD,
    CheckedClause,
    CheckedSentence,
    Judge,
    SourceCheck,
)
from newsdesk.types import Cluster, Output
from newsdesk.wording import plural

_STYLE = """
<style>
.receipt { margin: .6rem 0; }
.receipt summary { cursor: pointer; }
.receipt .ok { border-bottom: 2px solid var(--accent); }
.receipt .bad { background: color-mix(in srgb, #c33 18%, transparent); border-bottom: 2px dashed #c33; }
.receipt del { background: color-mix(in srgb, #c33 12%, transparent); }
.receipt blockquote { margin: .3rem 0 .3rem 1rem; color: var(--soft); }
</style>
"""
_FINAL = ".!?…。！？”\"'"


@dataclass(frozen=True, slots=True)
class CheckedOutput:
    """An output with its sentences checked; `lang` is that of the sources."""

    output: Output
    sentences: tuple[CheckedSentence, ...]
    lang: str

    @property
    def struck(self) -> str:
        """The text without what is not supported.

        A sentence loses the clauses after its first supported part; where its beginning is not supported, it goes as a whole.
        """
        glue = " " if has_spaces(self.lang) else ""
        return glue.join(filter(None, (_struck(each, glue) for each in self.sentences)))


@dataclass(frozen=True, slots=True)
class Receipts:
    """All outputs that were checked, and what by."""

    outputs: tuple[CheckedOutput, ...]
    signature: str

    def rows(
        self,
    ) -> list[tuple[str, int, int, int, float | None, tuple[float, float] | None, float | None]]:
        """Return for each system: outputs, sentences, those supported, their share with its interval, the share of clauses."""
        systems = dict.fromkeys(each.output.system for each in self.outputs)
        rows = []
        for system in systems:
            own = [each for each in self.outputs if each.output.system == system]
            sentences = [sentence for each in own for sentence in each.sentences]
            clauses = [clause for sentence in sentences for clause in sentence.clauses]
            good = sum(sentence.supported for sentence in sentences)
            share = good / len(sentences) if sentences else None
            ci = None if share is None else wilson_ends(share, len(sentences))
            by_clause = (
                sum(each.standing == "supported" for each in clauses) / len(clauses)
                if clauses
                else None
            )
            rows.append((system, len(own), len(sentences), good, share, ci, by_clause))
        return rows

    def text(self) -> str:
        """Return a table of systems, then each sentence that is not supported with the reason."""
        lines = [table(*self._columns())]
        for each in self.outputs:
            for sentence in each.sentences:
                if not sentence.supported:
                    lines.append(
                        f"{each.output.id} ({each.output.system}): {sentence.text}\n    {sentence.reason}"
                    )
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Return systems and outputs, the signature in each row."""
        names = ("system", "outputs", "sentences", "supported", "share", "ci", "clauses")
        systems = [
            {**dict(zip(names, row, strict=True)), "signature": self.signature}
            for row in self.rows()
        ]
        return {"systems": systems, "outputs": [*map(self.row, self.outputs)]}

    def row(self, checked: CheckedOutput) -> dict[str, Any]:
        """Return an output with its receipts as JSON."""
        return {
            "id": checked.output.id,
            "system": checked.output.system,
            "sentences": [_sentence_row(each) for each in checked.sentences],
            "struck": checked.struck,
            "signature": self.signature,
        }

    def struck_outputs(self) -> Iterator[Output]:
        """Yield the outputs without what is not supported."""
        for each in self.outputs:
            yield Output(each.output.id, each.output.system, each.struck)

    def write_rows(self, path: str, *, overwrite: bool) -> None:
        """Write a line for each output with its receipts, atomically."""
        with atomic(path, overwrite=overwrite) as stream:
            for each in self.outputs:
                stream.write(json_line(self.row(each)))

    def page(self, command: str = "", *, strike: bool = False) -> str:
        """Return a page on which every clause opens to the sentence that supports it."""
        rows = self.rows()
        sentences, good = sum(row[2] for row in rows), sum(row[3] for row in rows)
        text = f"{good:,} of {plural(sentences, 'sentence')} are supported by their sources"
        overview = Section(
            "Systems",
            "A sentence is supported if every clause of it is. Intervals treat sentences as independent.",
        )
        overview.table(*self._columns()).signatures([self.signature]).command(command)
        sections = [overview]
        for system in (row[0] for row in rows):
            section = Section(
                system,
                "Each sentence opens to its clauses and the source sentences nearest to them.",
            )
            section.markup(_STYLE)
            for each in self.outputs:
                if each.output.system == system:
                    section.markup(_output_markup(each, strike=strike))
            sections.append(section)
        return page("Summaries with receipts", "", sections, verdict=Verdict(f"{text}."))

    def _columns(self) -> tuple[Sequence[str], list[tuple[Any, ...]]]:
        header = ("system", "outputs", "sentences", "supported", "share", "clauses")
        return header, [(*row[:4], ranged(row[4], row[5]), row[6]) for row in self.rows()]


def verify_outputs(
    outputs: Iterable[Output], clusters: Iterable[Cluster], *, judge: Judge | None = None
) -> Receipts:
    """Check outputs against the articles of the clusters that have their ids.

    DataError if an output has no cluster.
    """
    by_id: dict[str, list[Output]] = {}
    order: list[Output] = []
    for output in outputs:
        by_id.setdefault(output.id, []).append(output)
        order.append(output)
    checked: dict[int, CheckedOutput] = {}
    for cluster in clusters:
        waiting = by_id.pop(cluster.id, ())
        check = SourceCheck.of(prepare(cluster, titles=True), judge=judge) if waiting else None
        for output in waiting:
            assert check is not None
            checked[id(output)] = CheckedOutput(output, tuple(check.check(output.text)), check.lang)
    if by_id:
        raise DataError(
            f"output {next(iter(by_id))!r} has no cluster of its id to be checked against"
        )
    fields = {"threshold": THRESHOLD, "judge": judge.name if judge else "rules"}
    return Receipts(tuple(checked[id(each)] for each in order), signature("verify", fields))


def _struck(sentence: CheckedSentence, glue: str) -> str:
    kept: list[str] = []
    for clause in sentence.clauses:
        if clause.standing != "supported":
            break
        kept.append(clause.text)
    text = (
        glue.join(kept).rstrip(" ,;:–—-，；：、")
        if len(kept) < len(sentence.clauses)
        else sentence.text
    )
    if not text or text[-1] in _FINAL:
        return text
    return text + ("." if glue else "。")


def _sentence_row(sentence: CheckedSentence) -> dict[str, Any]:
    return {
        "text": sentence.text,
        "supported": sentence.supported,
        "clauses": [
            {
                "text": clause.text,
                "standing": clause.standing,
                "support": clause.support,
                "reason": clause.reason,
                "source": _source_row(clause.source),
            }
            for clause in sentence.clauses
        ],
    }


def _source_row(source: Sentence | None) -> Mapping[str, Any] | None:
    if source is None:
        return None
    return {"article": source.article, "position": source.position, "text": source.text}


def _output_markup(checked: CheckedOutput, *, strike: bool) -> str:
    sentences = "".join(_sentence_markup(each, strike=strike) for each in checked.sentences)
    return f"<h3>{escape(checked.output.id)}</h3>{sentences or '<p>The text is empty.</p>'}"


def _sentence_markup(sentence: CheckedSentence, *, strike: bool) -> str:
    shown = " ".join(_clause_markup(clause, strike=strike) for clause in sentence.clauses)
    sources = "".join(
        f"<blockquote>{escape(clause.text)}<br>← {_source_markup(clause)}</blockquote>"
        for clause in sentence.clauses
    )
    return f'<details class="receipt"><summary>{shown}</summary>{sources}</details>'


def _clause_markup(clause: CheckedClause, *, strike: bool) -> str:
    if clause.standing == "supported":
        return f'<span class="ok">{escape(clause.text)}</span>'
    mark = "del" if strike else "span"
    return f'<{mark} class="bad" title="{escape(clause.reason)}">{escape(clause.text)}</{mark}>'


def _source_markup(clause: CheckedClause) -> str:
    if clause.source is None:
        return escape(clause.reason)
    place = "title" if clause.source.position < 0 else f"sentence {clause.source.position + 1}"
    why = f" <em>{escape(clause.reason)}</em>" if clause.reason else ""
    return f"“{escape(clause.source.text)}” ({escape(clause.source.article)}, {place}){why}"
