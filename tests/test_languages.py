"""Which languages are supported, which write spaces, and which use Latin letters."""

from __future__ import annotations

import pytest

from newsdesk.errors import ArgumentError
from newsdesk.languages import check_language, has_latin_letters, has_spaces
from newsdesk.text import language, tokenizer_for


@pytest.mark.parametrize("lang", ["en", "de", "pt-BR", "zh", "zh-Hant", "ja", "th", "ru", "ko"])
def test_a_supported_language_passes_and_has_a_tokenizer(lang: str) -> None:
    check_language(lang)
    assert tokenizer_for(lang).words("a") == ["a"]


@pytest.mark.parametrize("lang", ["xx", "klingon", "", "english", "km", "lo", "my-MM"])
def test_a_language_that_nothing_supports_is_refused_by_name(lang: str) -> None:
    with pytest.raises(ArgumentError, match=f"language {lang!r}"):
        check_language(lang)


@pytest.mark.parametrize(
    "text", ["The end.", "我爱北京", "東京へ行く", "Привет всем", "Καλημέρα", "مرحبا", "שלום", "안녕", "नमस्ते", "สวัสดี"]
)  # fmt: skip
def test_every_language_that_is_detected_is_supported(text: str) -> None:
    check_language(language(text))
    assert has_latin_letters(language(text)) == text.isascii()


def test_no_language_without_spaces_has_latin_letters() -> None:
    assert [(has_spaces(lang), has_latin_letters(lang)) for lang in ("zh", "ja", "th")] == [
        (False, False)
    ] * 3
