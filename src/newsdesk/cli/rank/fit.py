"""`newsdesk rank fit`: fit a ranker on threads, or on the judgments of a campaign."""

from __future__ import annotations

import click

from newsdesk.cli import options


@click.command("fit")
@click.option(
    "-m",
    "--model",
    default="argument",
    show_default=True,
    help="A name or spec; `newsdesk list rankers` has the names.",
)
@click.option(
    "--train",
    type=options.INPUT,
    help="Training threads; with --campaign, those that were judged.",
)
@click.option("--campaign", help="Learn from the judgments of this campaign.")
@options.store("The store of --campaign.")
@click.option("--dev", type=options.INPUT, help="Dev threads, to tune on.")
@click.option(
    "--target", type=click.Choice(["score", "likes"]), help="What to predict; score if left out."
)
@click.option("-o", "--out", required=True, help="The folder to write the model to.")
@options.force
def fit_command(
    model: str,
    train: str | None,
    campaign: str | None,
    url: str,
    dev: str | None,
    target: str | None,
    out: str,
    *,
    force: bool,
) -> None:
    """Fit a ranker on threads with scores or likes, or on the judgments of a campaign.

    \b
    Example:
      newsdesk rank fit --train train.jsonl -o model/
      newsdesk rank fit --model ranksvm --train train.jsonl --dev dev.jsonl -o model/
    """
    if not train and not campaign:
        raise click.UsageError("name threads with --train, or a --campaign")
    from newsdesk import records
    from newsdesk.cli.rank.steps import fit_progress, library_warnings
    from newsdesk.models import check_free, write_article_list
    from newsdesk.rankers.ranker import ranker
    from newsdesk.types import Thread

    unfitted = ranker(model, **({"target": target} if target else {}))
    check_free(out, overwrite=force)
    threads = list(records.read(train, Thread)) if train else []
    if campaign:
        from newsdesk import campaigns

        with campaigns.Store.open(url, create=False) as store:
            threads = campaigns.gains(store, campaign, (each.article for each in threads))
    held_out = list(records.read(dev, Thread)) if dev else None
    with library_warnings(), fit_progress() as progress:
        fitted = unfitted.fit(threads, held_out, progress)
    fitted.save(out, overwrite=force)
    write_article_list(out, (each.article for each in [*threads, *(held_out or ())]))
    click.echo(fitted.summary, err=True)
