"""Japanese words against MeCab's own output, and what is promised beyond it."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import fugashi
import ipadic
import pytest
from hypothesis import example, given, settings, strategies as st

from newsdesk.text import cjk_words

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
JAPANESE = DATA / "fundus_news" / "gold" / "jp.jsonl"

SENTENCES = [
    "東京都は新しい計画を発表した。",
    "2024年の予算は10億円で、前年比5%増となる。",
    "ｶﾀｶﾅとひらがなとＡＢＣ１２３。",
    "https://www.example.jp/news?id=1 を見て👍🏽",
]


def text_without_white_space(text: str) -> str:
    return "".join(c for c in text if not c.isspace())


def strings_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings_of(part)


@pytest.fixture(scope="module")
def mecab() -> fugashi.GenericTagger:
    return fugashi.GenericTagger(f"{ipadic.MECAB_ARGS} -Owakati")


# Golden values: fugashi 1.5.2 with ipadic 1.0.0, GenericTagger("-Owakati").parse(text)
@pytest.mark.parametrize(
    ("text", "wakati"),
    [
        ("すもももももももものうち", "すもも も もも も もも の うち"),
        ("東京都は新しい計画を発表した。", "東京 都 は 新しい 計画 を 発表 し た 。"),
        ("ｶﾀｶﾅは半角です", "ｶﾀｶﾅ は 半角 です"),
    ],
)
def test_sentence_is_cut_as_mecab_cuts_it(text: str, wakati: str) -> None:
    assert cjk_words.cut_japanese(text) == wakati.split()


@pytest.mark.real
@pytest.mark.skipif(not JAPANESE.is_file(), reason=f"the shared file {JAPANESE} is absent")
def test_shared_japanese_text_is_cut_as_mecab_cuts_each_line(mecab: fugashi.GenericTagger) -> None:
    texts = [
        text
        for line in JAPANESE.read_text(encoding="utf-8").splitlines()
        for text in strings_of(json.loads(line))
        if re.search("[\u3040-\u30ff]", text)
    ]
    assert len(texts) > 10
    for text in texts:
        words = cjk_words.cut_japanese(text)
        assert words == [w for line in text.split("\n") for w in mecab.parse(line).split()]
        assert "".join(words) == text_without_white_space(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \t\r\n\u3000", []),
        ("今日は\n\n明日は\r\n", ["今日", "は", "明日", "は"]),
        ("全角\u3000空白", ["全角", "空白"]),
        ("今日\0明日", ["今日", "\0", "明日"]),
        ("\0\0", ["\0", "\0"]),
        ("今日\ud800明日", ["今日", "\ud800", "明日"]),
    ],
)
def test_what_mecab_mishandles_is_kept_apart(text: str, words: list[str]) -> None:
    assert cjk_words.cut_japanese(text) == words


@settings(deadline=None, max_examples=500)
@given(
    st.text(st.characters())
    | st.text(st.characters(min_codepoint=0x3000, max_codepoint=0x30FF))
    | st.lists(st.sampled_from([*SENTENCES, "\0", "\n", "\r\n", "\x1c", "\xa0", "\u3000"])).map(
        "".join
    )
)
@example("a\x85b\x1c\x1d\u2028c")
@example("\ufeffあ\u200bい\u0301")
def test_words_join_to_the_text_without_its_white_space(text: str) -> None:
    words = cjk_words.cut_japanese(text)
    assert "".join(words) == text_without_white_space(text)
    assert all(words)


@pytest.mark.parametrize("piece", ["a", "あ", "ｱ", "🎉", " ", "\0", "あ\t", "".join(SENTENCES)])
def test_a_million_characters_keep_the_contract(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert "".join(cjk_words.cut_japanese(text)) == text_without_white_space(text)


def test_a_line_is_cut_without_regard_to_the_line_before(mecab: fugashi.GenericTagger) -> None:
    assert mecab.parse("これは本\nでも").split() == ["これ", "は", "本", "で", "も"]
    assert cjk_words.cut_japanese("これは本\nでも") == ["これ", "は", "本", "でも"]


def test_a_long_line_is_cut_between_sentences() -> None:
    sentence = SENTENCES[0]
    assert cjk_words._MAX_CHARACTERS % len(sentence) != 0
    assert cjk_words.cut_japanese(sentence * 1000) == cjk_words.cut_japanese(sentence) * 1000


def test_threads_get_the_words_one_thread_gets() -> None:
    texts = SENTENCES * 50
    expected = [cjk_words.cut_japanese(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        results = list(
            pool.map(lambda _: [cjk_words.cut_japanese(text) for text in texts], range(16))
        )
    assert results == [expected] * 16


def test_every_thread_has_a_tagger_of_its_own() -> None:
    barrier = threading.Barrier(4)

    def tagger() -> object:
        barrier.wait()  # so that no thread serves two calls
        parse: Any = cjk_words._parser()
        return parse.__self__

    with ThreadPoolExecutor(4) as pool:
        taggers = [future.result() for future in [pool.submit(tagger) for _ in range(4)]]
    assert len({id(tagger) for tagger in taggers}) == 4


def test_a_thread_makes_its_tagger_once() -> None:
    assert cjk_words._parser() is cjk_words._parser()


def test_version_names_tagger_and_dictionary_without_importing_them() -> None:
    assert (
        cjk_words.japanese_version() == f"fugashi-{version('fugashi')}+ipadic-{version('ipadic')}"
    )
    code = (
        "import sys; from newsdesk.text import cjk_words; cjk_words.japanese_version();"
        "sys.exit(bool({'fugashi', 'ipadic'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
