"""The demo's stage of commenters: suggestions of each system for one sample article, with label, source, score and seal."""

from __future__ import annotations

from pathlib import Path

from newsdesk import records, samples
from newsdesk.commenters.provenance import open_key, sealed, verify
from newsdesk.commenters.ready import HELD_OUT, MODELS, load_commenter
from newsdesk.commenters.suggestion import Suggestion
from newsdesk.errors import MissingExtraError
from newsdesk.files import write_text
from newsdesk.jsonl import json_text
from newsdesk.pages.page import Section
from newsdesk.wording import excerpt

_EACH = 2
_EXCERPT = 160
_AT = "2031-03-05T18:00:00Z"


def run(folder: Path) -> Section:
    """Suggest by every commenter that ships, seal the suggestions, alter one and check."""
    article = next(
        thread.article for thread in samples.threads("en") if thread.article.id == HELD_OUT
    )
    records.write(folder / "articles.jsonl", [article], overwrite=True)
    suggestions = [
        each
        for name in MODELS
        for each in load_commenter(name).suggest(article, _EACH, at=_AT)
    ]  # fmt: skip
    section = Section(
        "Comments suggested, and labelled as such",
        f"“{article.title}”: what each commenter suggests. Retrieved ones are words of readers under other articles, quoted without their names; generated ones were written by a "
        "network. All were fitted on the other eleven threads of the sample, far too few for more than a look. Nothing is posted anywhere.",
    )
    section.table(
        ("system", "label", "score", "suggestion", "source"),
        [
            (
                suggestion.system,
                suggestion.label,
                f"{suggestion.score:.3f}",
                excerpt(suggestion.shown, _EXCERPT),
                _origin(suggestion),
            )
            for suggestion in suggestions
        ],
        "The score of a retrieved comment is its share among the candidates, that of a generated one a mean log probability",
    )
    section.text(_checked(folder, suggestions))
    section.summary = "Five systems of the literature and our own suggest comments; each suggestion says that a machine made it, from what, and whether it was altered."
    return section.code(
        "newsdesk comment suggest sample-ir-quality suggestions/articles.jsonl\n"
        "newsdesk comment verify suggestions/suggestions.jsonl"
    )


def _checked(folder: Path, suggestions: list[Suggestion]) -> str:
    """Seal all suggestions and write them; in words, what checking says of the first, and of the first with another label."""
    try:
        key = open_key(folder / "key")
    except MissingExtraError as error:
        write_text(folder / "suggestions.jsonl", _lines(suggestions), overwrite=True)
        return f"The suggestions are not sealed: {error}."
    signed = [sealed(suggestion, key) for suggestion in suggestions]
    write_text(folder / "suggestions.jsonl", _lines(signed), overwrite=True)
    first = signed[0].as_json()
    altered = {**first, "label": "written by a reader"}
    return (
        f"Every suggestion is sealed with a key of the demo's own. The first one, checked: {verify(first)}. The same with another label: {verify(altered)}."
    )  # fmt: skip


def _lines(suggestions: list[Suggestion]) -> str:
    return "".join(json_text(suggestion.as_json()) + "\n" for suggestion in suggestions)


def _origin(suggestion: Suggestion) -> str:
    source = suggestion.source
    if source["kind"] == "generated":
        return f"generated, place {source['beam']} of the beam"
    return f"a reader’s comment on “{source['title']}”, similarity {source['similarity']:.2f}"
