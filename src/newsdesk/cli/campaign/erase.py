"""`newsdesk campaign erase`: erase articles from every campaign of a store."""

from __future__ import annotations

import click

from newsdesk.cli.campaign import options as shared


@click.command("erase")
@click.argument("articles", nargs=-1, required=True, metavar="ARTICLE...")
@shared.store
def erase_command(articles: tuple[str, ...], url: str) -> None:
    """Erase articles from every campaign of a store: tasks, texts and judgments.

    ARTICLE is an article's id. What is erased cannot be restored.

    \b
    Example:
      newsdesk campaign erase c4b9ef931d967d73 --store sqlite:///newsdesk.db
    """
    from newsdesk import campaigns
    from newsdesk.campaigns.store.erase import erase_articles
    from newsdesk.wording import plural

    with campaigns.Store.open(url, create=False) as store:
        erased = erase_articles(store, articles)
    click.echo(f"{plural(erased, 'judgment')} erased", err=True)
