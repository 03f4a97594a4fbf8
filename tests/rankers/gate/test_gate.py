"""The gate: what is held back and why, in three languages, and what passes."""

from __future__ import annotations

import pytest

from newsdesk import samples
from newsdesk.errors import ArgumentError
from newsdesk.rankers.gate.gate import Gate, Held, other_language, thread_language
from newsdesk.types import Article, Comment, Thread


def thread(*texts: str, lang: str | None = "en") -> Thread:
    comments = tuple(Comment(str(number), text) for number, text in enumerate(texts))
    return Thread(Article("a", "", lang=lang), comments)


def kind(text: str, lang: str = "en", **fields: float) -> str | None:
    comment = Comment("c", text, **fields)  # type: ignore[arg-type]
    [held] = Gate().held(Thread(Article("a", "", lang=lang), (comment,)))
    return held.kind if held else None


@pytest.mark.parametrize(
    "text",
    [
        "THIS FERRY IS A WASTE OF MONEY AND EVERYBODY KNOWS IT",
        "sTOP THIS fERRY NOW BEFORE IT COSTS US EVERYTHING WE HAVE",
    ],
)
def test_a_comment_in_capitals_is_held_back(text: str) -> None:
    assert kind(text) == "capitals"


@pytest.mark.parametrize(
    "text", ["NO!", "The RCMP, CSIS, NATO, OPEC and NORAD were told by the CBC.", "👍👍", "1,200"]
)
def test_abbreviations_and_short_shouts_pass(text: str) -> None:
    assert kind(text) is None


@pytest.mark.parametrize(
    ("text", "lang", "spoken"),
    [
        ("Je ne suis pas du tout d'accord avec vous, le projet est trop cher", "en", "fr"),
        ("Ich finde das nicht gut, weil die Stadt kein Geld hat und es auch so geht", "en", "de"),
        ("这个方案我不同意，因为费用太高了，大家再想想", "en", "zh"),
        ("我不同意这个方案，因为费用太高了，大家怎么看", "ja", "zh"),
        ("この案には反対です。費用が高すぎると思います。", "zh", "ja"),
        ("I think this plan is too expensive for the city and should be stopped", "zh", "en"),
        ("Я против этого плана, потому что он слишком дорогой", "en", "ru"),
        ("I think this plan is too expensive for the city and should be stopped", "fr", "en"),
    ],
)
def test_another_language_than_the_threads_is_told(text: str, lang: str, spoken: str) -> None:
    assert other_language(text, lang) == spoken


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("C'est la vie, as they say in the cafés of Saint-Jean-de-Luz.", "en"),
        ("東京都千代田区丸の内", "ja"),
        ("ドラえもん真好看，我从小看到大，现在还在看", "zh"),
        ("LOL", "zh"),
        ("Het plan is te duur", "en"),
    ],
)
def test_a_foreign_name_or_a_short_text_is_no_other_language(text: str, lang: str) -> None:
    assert other_language(text, lang) is None


def test_an_undeclared_thread_in_french_is_french() -> None:
    french = "Je ne suis pas d'accord avec ce projet, il est trop cher pour la ville"
    english = "I do not agree with this plan because it is too expensive for us"
    mixed = thread(french, french + " et les gens", english, lang=None)
    assert thread_language(mixed) == "fr"
    assert [held and held.kind for held in Gate().held(mixed)][-1] == "language"


def test_a_wrongly_decoded_text_is_broken() -> None:
    assert kind("caf\u00c3\u00a9 l\u00c3\u00a0-bas d\u00c3\u00a9j\u00c3\u00a0 vu") == "broken"


def test_a_toxicity_that_came_with_the_comment_joins_the_gate() -> None:
    assert kind("Fine by me.", toxicity=0.85) == "toxicity"
    assert kind("Fine by me.", toxicity=0.75) is None
    strict = Gate(toxicity=0.5)
    [held] = strict.held(Thread(Article("a", ""), (Comment("c", "Fine.", toxicity=0.6),)))
    assert held is not None and held.words == ("0.60",)


def test_a_smaller_share_holds_fewer_insults_back_and_none_holds_none() -> None:
    texts = (
        "Idiot!",
        "Only a fool would say that this plan is any better than the last one.",
        "The plan is fine.",
    )
    counts = [
        sum(held is not None for held in Gate(share).held(thread(*texts)))
        for share in (0.0, 0.002, 0.05)
    ]
    assert counts == [0, 1, 2]


@pytest.mark.parametrize("share", [-0.1, 0.2])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ArgumentError, match=r"not a share from 0 to 0\.05"):
        Gate(share)


def test_a_reason_quotes_its_words_and_names_the_original() -> None:
    assert Held("copy", ("The figure",), "c7").text == (
        "repeats an earlier comment (c7): “The figure”"
    )


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_of_the_sample_newsroom_only_rude_and_repeated_comments_are_held_back(lang: str) -> None:
    held = [
        (reason.kind, comment.text)
        for some in samples.threads(lang)
        for comment, reason in zip(some.comments, Gate().held(some), strict=True)
        if reason is not None
    ]
    assert {reason for reason, _ in held} <= {"insult", "copy", "capitals", "advertising"}, held
    assert len(held) <= 0.05 * sum(len(some.comments) for some in samples.threads(lang)), held
