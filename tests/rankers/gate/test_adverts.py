"""Advertisements: a call, a pitch and an address together, never words of selling alone."""

from __future__ import annotations

import pytest

from newsdesk import samples
from newsdesk.rankers.gate.adverts import advert
from newsdesk.rankers.insults import readable


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "Earn $500 a day working from home! Click here: www.easy-money.com"),
        ("en", "I make $7,000 a month online, no experience required. Check out my website http://jobs.example.com/start"),
        ("en", "Lost my money but recovery expert John helped me, contact him on whatsapp +1 415 555 0134"),
        ("en", "Family-owned roofing, best prices in town. Call us today at 555-014-2231, satisfaction guaranteed."),
        ("zh", "加我微信abc12345，日赚500元，在家就能做兼职"),
        ("zh", "正品代购，厂家直销，欢迎咨询，微信号：shop8888"),
        ("ja", "在宅で稼げる副業！今すぐ登録はこちらから https://fukugyo.example"),
        ("ja", "初回限定半額キャンペーン中！ダイエットサプリのご購入はこちらのリンクから"),
    ],
)  # fmt: skip
def test_an_advertisement_is_found_with_its_words(lang: str, text: str) -> None:
    words = advert(text, lang)
    assert len(words) >= 2 and all(word in readable(text).lower() for word in words)


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "Buy now, pay later schemes hurt the poor. We need a cap on every discount."),
        ("en", "Visit the library, it has the report: https://example.org/report"),
        ("en", "Bitcoin and crypto are risky; do not believe anyone who promises guaranteed returns."),
        ("en", "Working from home saves me two hours a day, and my employer saves on rent."),
        ("en", "The city gives pensioners 20% off: https://city.example/fares/2031, which few of them know."),
        ("en", "According to statcan.gc.ca rents are up from 900 to 1,400 in four years."),
        ("en", "Call your councillor today and ask about the discount for pensioners."),
        ("zh", "兼职的人没有社保，平台打折促销，亏的是骑手。"),
        ("ja", "副業を禁止する会社が多いけれど、月収だけでは暮らせない。"),
    ],
)  # fmt: skip
def test_a_comment_about_prices_work_or_money_is_none(lang: str, text: str) -> None:
    assert advert(text, lang) == ()


def test_most_advertisements_of_the_sample_newsroom_are_found_and_nothing_else() -> None:
    texts = [comment.text for thread in samples.threads("en") for comment in thread.comments]
    found = [text for text in texts if advert(text, "en")]
    assert all(".example" in text for text in found)
    assert len(found) >= 9
