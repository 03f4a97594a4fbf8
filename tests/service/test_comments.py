"""Files of comments in the browser: dropped, recognised, ranked, put in order by sliders, moderated, taken along."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from newsdesk.service.app import create_app
from newsdesk.service.settings import ServiceSettings
from tests.service.office import HTML, Office, csrf

ROWS = """article,title,comment_id,text,likes,at,author
a1,The harbour budget,c1,"The budget does not add up: page 12 counts the same 4 million twice, so the repair of the east pier would start in 2028 and not in 2026, as the council said.",3,2026-05-01T10:00:00Z,ann
a1,The harbour budget,c2,Nonsense.,40,2026-05-02T10:00:00Z,ben
a1,The harbour budget,c3,"I worked on the pier for ten years. The piles were tested in 2019 and 2022, both reports are public, and both say that the wood is sound for another decade if it is kept wet.",12,2026-05-03T10:00:00Z,cy
a1,The harbour budget,c4,"You are all idiots, you stupid morons.",5,2026-05-03T11:00:00Z,dan
a1,The harbour budget,c5,"I worked on the pier for ten years. The piles were tested in 2019 and 2022, both reports are public, and both say that the wood is sound for another decade if it is kept wet.",0,2026-05-04T11:00:00Z,eve
a2,A ferry in the fog,d1,"Why was the horn on the wrong side? My brother crossed an hour before and heard it clearly from the north.",1,2026-05-04T11:00:00Z,ann
a2,A ferry in the fog,d2,Sad.,2,2026-05-04T11:30:00Z,ben
"""


def dropped(client: TestClient, content: bytes, name: str) -> str:
    """Drop a file and return the address that it leads to."""
    answer = client.post(
        "/files", files={"file": (name, io.BytesIO(content))}, data={"csrf": csrf(client)}
    )
    assert answer.status_code == 303, re.findall(r'class="fault"[^>]*>([^<]*)', answer.text)
    return answer.headers["location"]


def ended(client: TestClient, path: str, most_s: float = 60) -> tuple[str, str]:
    """The address and the text of a page once what it waits for is done."""
    until = time.monotonic() + most_s
    while time.monotonic() < until:
        answer = client.get(path, headers=HTML)
        if answer.status_code == 303:
            path = answer.headers["location"]
        elif 'http-equiv="refresh"' not in answer.text:
            return path, answer.text
        else:
            time.sleep(0.05)
    raise AssertionError(f"{path} was not done in {most_s} s")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    data = tmp_path_factory.mktemp("comments") / "data"
    settings = ServiceSettings(data=data, requests_per_minute=10**6, sign_ins_per_minute=10**6)
    with Office.opened(create_app(settings)) as opened:
        yield opened


@pytest.fixture(scope="module")
def admin(office: Office) -> TestClient:
    return office.admin()


@pytest.fixture(scope="module")
def threads(admin: TestClient) -> str:
    """The address of the threads of a file, ranked."""
    path, _ = ended(admin, dropped(admin, ROWS.encode(), "harbour.csv"))
    return path


def order(page: str) -> list[str]:
    """The texts of the comments of a page, in order, shortened."""
    return [text[:12] for text in re.findall(r'<li class="comment".*?<div class="said">([^<]+)', page, re.DOTALL)]  # fmt: skip


def test_a_dropped_file_leads_to_its_threads(admin: TestClient, threads: str) -> None:
    page = admin.get(threads, headers=HTML).text
    assert "The harbour budget" in page and "A ferry in the fog" in page
    assert "5 comments · 2 held back or repeated" in page
    found = admin.get(threads, params={"q": "horn"}, headers=HTML).text
    assert "A ferry in the fog" in found and "The harbour budget" not in found


def test_a_thread_is_ranked_with_reasons_and_what_is_held_back_apart(
    admin: TestClient, threads: str
) -> None:
    page = admin.get(f"{threads}/a1", headers=HTML).text
    assert order(page)[-1] == "Nonsense."
    assert "idiots" not in page
    assert "1 near-copy" in page
    assert page.count('<ul class="reasons"') == 3
    assert all(len(re.findall("<li class", some)) <= 3 for some in re.findall(r'<ul class="reasons".*?</ul>', page, re.DOTALL))  # fmt: skip
    held = admin.get(f"{threads}/a1", params={"show": "held"}, headers=HTML).text
    assert "Insults: “idiots”" in held and "Nonsense." not in held


def test_sliders_and_orders_change_the_order_at_once(admin: TestClient, threads: str) -> None:
    def by(**sliders: object) -> list[str]:
        return order(admin.get(f"{threads}/a1", params=sliders, headers=HTML).text)  # type: ignore[arg-type]

    assert by(order="likes") == ["Nonsense.", "I worked on ", "The budget d"]
    assert by(order="time") == ["I worked on ", "Nonsense.", "The budget d"]
    assert by()[-1] == by(length=0)[-1] == "Nonsense."
    assert by(age=6)[0] == "I worked on "  # the newest; the others are days old
    for unfit in ({"length": 201}, {"order": "mood"}, {"age": 7}, {"first": -1}):
        assert admin.get(f"{threads}/a1", params=unfit, headers=HTML).status_code == 422


def act(client: TestClient, thread: str, comment: str, action: str, **more: str) -> int:
    data = {"csrf": csrf(client), "comment": comment, "action": action, **more}
    return client.post(f"{thread}/moderate", data=data).status_code


def test_a_moderator_pins_hides_releases_and_undoes_and_the_history_says_who(
    office: Office, admin: TestClient, threads: str
) -> None:
    thread = f"{threads}/a1"

    def shown(**query: str) -> list[str]:
        return order(admin.get(thread, params=query, headers=HTML).text)

    assert act(admin, thread, "c2", "pin", back="order=likes") == 303
    assert shown()[0] == "Nonsense."
    assert act(admin, thread, "c2", "hide") == 303  # it is not pinned any longer
    assert "Nonsense." not in shown() and shown(show="hidden") == ["Nonsense."]
    assert act(admin, thread, "c2", "hide", undo="true") == 303
    assert shown()[-1] == "Nonsense." and shown(show="hidden") == []
    assert act(admin, thread, "c4", "release") == 303
    assert "You are all " in shown() and shown(show="held") == []
    assert act(admin, thread, "c4", "release", undo="true") == 303
    assert shown(show="held") == ["You are all "]
    history = admin.get(thread, headers=HTML).text.partition('id="history"')[2]
    assert re.findall(r"<tr><td>(\w+)</td>", history) == ["release", "hide", "pin"]
    assert history.count("by admin") == 3
    assert act(admin, thread, "nobody", "pin") == 404
    assert act(admin, thread, "c1", "delete") == 422


def test_whoever_may_only_read_sees_no_button_and_changes_nothing(
    office: Office, threads: str
) -> None:
    reader = office.stranger()
    token = office.desk.access.staff_link("rea", "reader").token
    assert reader.post("/sign-in", data={"token": token}).status_code == 303
    page = reader.get(f"{threads}/a1", headers=HTML).text
    assert order(page) and "/moderate" not in page
    assert act(reader, f"{threads}/a1", "c1", "hide") == 403
    home = reader.get("/", headers=HTML).text
    assert "harbour.csv" in home and 'type="file"' not in home
    answer = reader.post("/files", files={"file": ("x.csv", b"text\nx\n")}, data={"csrf": csrf(reader)})  # fmt: skip
    assert answer.status_code == 403


def test_an_export_holds_the_order_as_shown(admin: TestClient, threads: str) -> None:
    thread = f"{threads}/a1"
    act(admin, thread, "c1", "hide")
    query = {"order": "likes"}
    rows = admin.get(f"{thread}/export/json", params=query).json()["comments"]
    assert [row["comment"] for row in rows] == ["c2", "c3", "c4", "c5"]
    assert rows[2]["held"]["kind"] == "insult" and rows[3]["held"]["copy_of"] == "c3"
    assert rows[0]["signature"].endswith("|order:likes")
    table = admin.get(f"{thread}/export/csv", params=query)
    assert table.text.lstrip("\ufeff").splitlines()[1].startswith("a1,1,c2,Nonsense.")
    assert "attachment" in table.headers["content-disposition"]
    page = admin.get(f"{thread}/export/html", params=query)
    assert "Nonsense." in page.text and "sandbox" in page.headers["content-security-policy"]
    act(admin, thread, "c1", "hide", undo="true")


def test_other_sites_see_a_thread_once_a_moderator_allows_it_and_no_name_of_the_staff(
    office: Office, admin: TestClient, threads: str
) -> None:
    stranger = office.stranger()
    frame = f"{threads}/a1".replace("/comments/", "/embed/")
    assert stranger.get(frame, headers=HTML).status_code == 404
    admin.post(f"{threads}/embed", data={"csrf": csrf(admin), "on": "true"})
    answer = stranger.get(frame, headers=HTML)
    assert answer.status_code == 200 and "Nonsense." in answer.text
    assert "idiots" not in answer.text and "admin" not in answer.text
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
    assert "x-frame-options" not in answer.headers
    assert stranger.get(frame.replace("a1", "a9"), headers=HTML).status_code == 404
    admin.post(f"{threads}/embed", data={"csrf": csrf(admin)})
    assert stranger.get(frame, headers=HTML).status_code == 404


def test_columns_are_chosen_by_menus_where_two_may_be_the_text(admin: TestClient) -> None:
    rows = (
        "Text;Kommentar;Beitrag-ID\nÜberschrift;Das ist doch Unsinn, die Rechnung stimmt nicht.;7\n"
    )
    address = dropped(admin, rows.encode(), "zwei.csv")
    assert address.startswith("/files/")
    page = admin.get(address, headers=HTML).text
    assert "may be in `Text` or `Kommentar`." in page and "--map" not in page
    assert '<option value="column Kommentar">' in page
    answer = admin.post(
        f"{address}/columns", data={"csrf": csrf(admin), "field-text": "column Kommentar", "field-article": "none"}
    )  # fmt: skip
    _, page = ended(admin, answer.headers["location"])
    assert "Das ist doch Unsinn" in page
    assert "There is no model for the language" in page or "zwei.csv" in page
    read = admin.get(address, headers=HTML).text
    assert re.search(r"<td>Kommentar</td><td[^>]*>Text of the comment</td>", read)


def test_a_file_is_named_downloaded_and_deleted(admin: TestClient) -> None:
    content = b"text\nA comment of some length, for once.\n"
    address = dropped(admin, content, "once.csv").replace("/comments/", "/files/")
    token = {"csrf": csrf(admin)}
    assert admin.post(f"{address}/name", data={**token, "name": "Once"}).status_code == 303
    assert "Once" in admin.get("/files", headers=HTML).text
    answer = admin.get(f"{address}/download")
    assert answer.content == content
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''Once.csv"
    assert admin.post(f"{address}/delete", data=token).status_code == 400
    assert admin.post(f"{address}/delete", data={**token, "sure": "yes"}).status_code == 303
    assert admin.get(address, headers=HTML).status_code == 404


@pytest.mark.parametrize(
    ("name", "content"),
    [("letter.txt", b"Dear Sir,\nnothing.\n"), ("x.gz", b"\x1f\x8b\x08xxxx"), ("empty.csv", b"")],
)
def test_what_is_no_file_of_ours_is_refused_with_a_sentence(
    admin: TestClient, name: str, content: bytes
) -> None:
    answer = admin.post(
        "/files", files={"file": (name, io.BytesIO(content))}, data={"csrf": csrf(admin)}
    )
    assert answer.status_code == 400
    [fault] = re.findall(r'class="fault"[^>]*>([^<]+)', answer.text)
    assert "--" not in fault and "/tmp" not in fault
