"""`newsdesk rank fit`: fit a ranker on threads, or on the judgments of a campaign."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.threads import ThreadFiles, reads_threads


@click.command("fit")
@click.option(
    "-m",
    "--model",
    default="argument",
    show_default=True,
    metavar="MODEL",
    help="Name or spec of a ranker; `newsdesk list rankers` has the names.",
)
@click.option(
    "--train",
    type=options.INPUT,
    help="Training threads; with --campaign the judged threads, for their articles and likes.",
)
@click.option("--campaign", metavar="NAME", help="Fit on the judgments of this campaign.")
@options.store("The store of --campaign.")
@click.option("--dev", type=options.INPUT, help="Dev threads, on which settings are chosen.")
@click.option(
    "--target", type=click.Choice(["score", "likes"]), help="Value to predict; default: score."
)
@click.option(
    "--position-bias",
    is_flag=True,
    help="With --target likes: correct likes for the position at which comments were shown.",
)
@click.option("-o", "--out", required=True, metavar="DIR", help="Folder for the model.")
@options.force
@reads_threads
def fit_command(
    model: str,
    train: str | None,
    campaign: str | None,
    url: str,
    dev: str | None,
    target: str | None,
    out: str,
    *,
    files: ThreadFiles,
    position_bias: bool,
    force: bool,
) -> None:
    """Fit a ranker on threads with scores or likes, or on the judgments of a campaign.

    \b
    Example:
      newsdesk rank fit --train train.jsonl -o model/
      newsdesk rank fit --model ranksvm --train train.jsonl --dev dev.jsonl -o ranksvm/
    """
    if not train and not campaign:
        raise click.UsageError("name threads with --train, or a --campaign")
    if position_bias and (target != "likes" or campaign):
        raise click.UsageError("--position-bias is for --target likes, on the threads of --train")
    from newsdesk.cli.progress import drawn, library_warnings
    from newsdesk.model.folder import check_free, write_article_list
    from newsdesk.rankers.ranker import ranker

    unfitted = ranker(model, **({"target": target} if target else {}))
    check_free(out, overwrite=force)
    threads = list(files.read(train)) if train else []
    if campaign:
        from newsdesk import campaigns

        with campaigns.Store.open(url, create=False) as store:
            threads = campaigns.gains(store, campaign, threads)
    tuned = list(files.read(dev)) if dev else None
    if position_bias:
        from newsdesk.rankers.position_bias import PositionBias

        bias = PositionBias.of(threads)
        click.echo(f"position bias: a place k is seen with probability k^-{bias.power}", err=True)
        threads = [bias.corrected(thread) for thread in threads]
        tuned = [bias.corrected(thread) for thread in tuned] if tuned else tuned
    with library_warnings(), drawn() as progress:
        fitted = unfitted.fit(threads, tuned, progress)
    fitted.save(out, overwrite=force)
    write_article_list(out, (each.article for each in [*threads, *(tuned or ())]))
    click.echo(fitted.summary, err=True)
