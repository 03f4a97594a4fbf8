"""The options of studies that set metrics beside people: where outputs, references, human scores and ready values come from."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli import options

if TYPE_CHECKING:
    from newsdesk.studies.correlate.inputs import CorrelateFiles, CorrelateInputs

_OPTIONS = (
    click.argument("outputs", type=options.INPUT, nargs=-1, metavar="[OUTPUT]..."),
    click.option(
        "--references", type=options.INPUT, help="References, weighted or not, or clusters."
    ),
    click.option(
        "--human",
        type=options.INPUT,
        help="Human scores: CSV or JSONL with id, system and a column per question.",
    ),
    click.option(
        "--judgments", type=options.INPUT, help="Human judgments (JSONL) instead of --human."
    ),
    click.option(
        "--protocol",
        metavar="NAME",
        help="Protocol of --human or --judgments: rank if 1 is best, grade if the highest is best (the default).",
    ),
    click.option(
        "--campaign", metavar="NAME", help="Human judgments of this campaign, instead of --human."
    ),
    options.store("Database of --campaign."),
    click.option(
        "--question",
        "questions",
        metavar="NAMES",
        help="Use only these questions, comma-separated.",
    ),
    click.option(
        "--metrics",
        metavar="METRICS",
        help="Names or specs of metrics, comma-separated; table1: the metrics of Qin et al. (2018), Table 1.",
    ),
    click.option(
        "--values",
        type=options.INPUT,
        help="Precomputed values of metrics, in the form of --human.",
    ),
    click.option(
        "--lang", metavar="LANG", help="Language of the texts; default: that of the references."
    ),
    click.option(
        "--correction",
        type=click.Choice(["holm", "bonferroni", "bh"]),
        default="holm",
        show_default=True,
        help="Correction of the p-values of tests.",
    ),
)


class Sources:
    """What the options name: files, metrics and questions."""

    def __init__(
        self, files: CorrelateFiles, metrics: str | None, questions: str | None, lang: str | None
    ) -> None:
        self.files, self.metrics, self.questions, self.lang = files, metrics, questions, lang

    def read(self, *, paper: bool = False, score: bool = True) -> CorrelateInputs:
        """Read all files; what the reader should know goes to stderr."""
        from newsdesk.studies.correlate.inputs import read_inputs

        questions = self.questions.split(",") if self.questions else None
        inputs = read_inputs(
            self.files,
            metrics=self.metrics,
            questions=questions,
            lang=self.lang,
            paper=paper,
            score=score,
        )
        for note in inputs.notes:
            click.echo(f"note: {note}", err=True)
        return inputs


def sources(function: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command with these options; it gets them as one argument, `source`."""

    @wraps(function)
    def gathered(
        *,
        outputs: tuple[str, ...],
        references: str | None,
        human: str | None,
        judgments: str | None,
        protocol: str | None,
        campaign: str | None,
        url: str,
        questions: str | None,
        metrics: str | None,
        values: str | None,
        lang: str | None,
        **rest: Any,
    ) -> None:
        from newsdesk.studies.correlate.inputs import CorrelateFiles

        if len([each for each in (human, judgments, campaign) if each]) > 1:
            raise click.UsageError(
                "--human, --judgments and --campaign exclude each other; choose one."
            )
        if campaign and protocol:
            raise click.UsageError("--campaign has a protocol of its own; leave --protocol out.")
        files = CorrelateFiles(
            outputs=outputs,
            references=references,
            human=human,
            judgments=judgments,
            protocol=protocol,
            campaign=campaign,
            store=url,
            values=values,
        )
        function(source=Sources(files, metrics, questions, lang), **rest)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered
