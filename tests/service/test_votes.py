"""Votes on comments in the browser: judgments of a standing campaign, and a model adapted to them, tested on held-out votes."""

from __future__ import annotations

import re

from starlette.testclient import TestClient

from newsdesk import campaigns
from newsdesk.service.votes import campaign_of
from tests.service.office import HTML, Office, csrf
from tests.service.test_comments import dropped, ended

_GOOD = "The report of {n} counts the cost twice, on page 12 and in the appendix, so that the repair would take two years longer."
_FAIR = "I live beside the pier since {n}; the piles were tested twice, and both tests found the wood sound, as the register shows."
_POOR = ("Typical, isn't it, {n}.", "What a day in {n}!")


def _file(articles: int) -> bytes:
    lines = ["article,comment_id,text"]
    for n in range(articles):
        texts = (_GOOD, _POOR[0], _FAIR, _POOR[1])
        lines += [f'a{n},{n}-{row},"{text.format(n=1990 + n)}"' for row, text in enumerate(texts)]
    return "\n".join(lines).encode()


def _vote(client: TestClient, thread: str, comment: str, *, yes: bool) -> int:
    data = {"csrf": csrf(client), "comment": comment, "yes": str(yes).lower()}
    return client.post(f"{thread}/vote", data=data).status_code


def test_votes_are_judgments_of_a_standing_campaign_and_adapt_the_model(office: Office) -> None:
    admin = office.admin()
    threads, _ = ended(admin, dropped(admin, _file(4), "pier.csv"))
    file_id = threads.rpartition("/")[2]
    address = f"/votes/{file_id}"
    token = {"csrf": csrf(admin)}
    assert "0 votes so far" in admin.get(address, headers=HTML).text
    assert admin.post(f"{address}/adapt", data=token).status_code == 400
    for n in range(2):
        for row in range(4):
            assert _vote(admin, f"{threads}/a{n}", f"{n}-{row}", yes=row % 2 == 0) == 303
    assert _vote(admin, f"{threads}/a0", "0-0", yes=False) == 303
    assert _vote(admin, f"{threads}/a0", "0-0", yes=True) == 303  # a correction of the correction
    assert _vote(admin, f"{threads}/a0", "nobody", yes=True) == 404
    campaign = campaign_of(office.desk.library.file(file_id))
    assert office.desk.store.status(campaign).judgments == 8
    [gains, _] = sorted(campaigns.gains(office.desk.store, campaign), key=lambda thread: thread.article.id)  # fmt: skip
    assert [comment.yes for comment in sorted(gains.comments, key=lambda comment: comment.id)] == [1, 0, 1, 0]  # fmt: skip
    page = admin.get(f"{threads}/a0", headers=HTML).text
    assert page.count('aria-pressed="true"') == 4

    admin.post(f"{address}/adapt", data=token)
    _, page = ended(admin, address)
    assert "votes on the comments of 2 articles; vote on those of 3 or more" in page
    for n in range(2, 4):
        for row in range(4):
            _vote(admin, f"{threads}/a{n}", f"{n}-{row}", yes=row % 2 == 0)
    admin.post(f"{address}/adapt", data=token)
    _, page = ended(admin, address)
    assert "16 pairs of one article each" in page and "16 comments of 4 articles" in page
    assert len(re.findall(r"\d+\.\d %</td>", page)) == 2
    [model] = re.findall(r'name="model" value="([^"]+)"', page)
    assert admin.post(f"{address}/use", data={**token, "model": "../ready"}).status_code == 404
    assert admin.post(f"{address}/use", data={**token, "model": model}).status_code == 303
    _, page = ended(admin, f"{threads}/a0")
    assert "rank-apply|model:argument|lang:en" in page and "ready:ready" not in page
    assert f'<td>adapt</td><td data-label="comment">{model}</td>' in page
    admin.post(f"{address}/use", data=token)
    assert "ready:ready" in ended(admin, f"{threads}/a0")[1]
