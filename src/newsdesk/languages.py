"""Languages by their ISO 639-1 codes, one entry each: the one table to extend when a language is added (text/README.md has the recipe).

A tag may go on after a hyphen, as in `zh-Hant` or `pt-BR`. Its settings are those of the longest beginning of it that has an entry: `zh-x-words`
has one of its own, `zh-Hant` has that of `zh`. Whether a language is supported depends on the first part alone. `zh`, `ja` and `th` are written without
spaces and have tokenizers of their own. Tibetan, Dzongkha, Khmer, Lao and Burmese are written without spaces too, and nothing here
can cut them into words, so they are not supported; neither is a code that ISO 639-1 does not list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from newsdesk.errors import ArgumentError


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The settings of one language.

    A language without an entry has the defaults, which are those of English.

    `letters` is the character class of a script that alone identifies the language, and `letter_weight` how many Latin letters one of them
    carries. `names` is how names are recognised: by capital letters, by the dictionary of the tokenizer, or not at all. `lists` says that word lists,
    samples and simulated worlds in this language come with the package.
    """

    code: str
    tokenizer: str = "en"  # name in the registry
    spaces: bool = True
    sentences: Literal["spaced", "cjk"] = "spaced"
    letters: str = ""
    letter_weight: int = 1
    names: Literal["capitals", "dictionary", "none"] = "capitals"
    width: Literal["nfkc", "full"] = "nfkc"  # of digits and letters when words are compared
    lists: bool = False


# In the order of detection: the first of scripts with equal counts wins. A CJK character carries about as much as three Latin letters, so that
# a brand name does not outweigh a sentence; Chinese and Japanese, which share characters, are told apart in text/language.py.
_ENTRIES = (
    Language(code="en", letters="A-Za-z\u00c0-\u024f\u1e00-\u1eff", lists=True),
    Language(code="ko", letters="\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e", letter_weight=3),
    Language(code="ru", letters="\u0400-\u04ff"),
    Language(code="el", letters="\u0370-\u03ff\u1f00-\u1fff"),
    Language(code="ar", letters="\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff"),
    Language(code="he", letters="\u0590-\u05ff"),
    Language(code="hi", letters="\u0900-\u097f"),
    Language(code="th", letters="\u0e00-\u0e7f", tokenizer="char", spaces=False),
    Language(
        code="zh", tokenizer="zh", spaces=False, sentences="cjk", names="dictionary", lists=True
    ),
    Language(
        code="ja",
        tokenizer="ja",
        spaces=False,
        sentences="cjk",
        names="dictionary",
        width="full",
        lists=True,
    ),
    Language(code="de", names="none"),  # every noun has a capital letter
    Language(code="lb", names="none"),
)
LANGUAGES = {entry.code: entry for entry in _ENTRIES}
# Chinese whose words are separated by blanks already, by its private tag (BCP 47): its words are taken as they are.
READY_CHINESE = "zh-x-words"
LANGUAGES[READY_CHINESE] = Language(
    code=READY_CHINESE, tokenizer="space", sentences="cjk", names="none"
)
# The languages that word lists, samples and simulated worlds come in.
LISTED = tuple(entry.code for entry in _ENTRIES if entry.lists)

_UNSUPPORTED = ("bo", "dz", "km", "lo", "my")
# ISO 639-1, split by the script that most news in the language is written in.
_LATIN = frozenset(
    "aa af ak an ay az bi bm br bs ca ch co cs cy da de ee en eo es et eu ff fi fj fo fr fy ga gd gl gn gv ha ho hr ht hu hz ia "
    "id ie ig ik io is it jv kg ki kj kl kr ku kw la lb lg li ln lt lu lv mg mh mi ms mt na nb nd ng nl nn no nr nv ny oc oj om pl "
    "pt qu rm rn ro rw sc se sg sh sk sl sm sn so sq ss st su sv sw tk tl tn to tr ts tw ty uz ve vi vo wa wo xh yo za zu".split()
)
_OTHER = frozenset(
    "ab ae am ar as av ba be bg bh bn ce cr cu cv dv el fa gu he hi hy ii iu ja ka kk kn ko ks kv ky mk ml mn mr ne or os pa pi "
    "ps ru sa sd si sr ta te tg th ti tt ug uk ur yi zh".split()
)


def code_of(lang: str) -> str:
    """Return the first part of a language tag, in lower case.

    >>> code_of("zh-Hant")
    'zh'
    """
    return lang.partition("-")[0].lower()


def settings_of(lang: str) -> Language:
    """Return the entry of a language; one without an entry gets the defaults.

    >>> [settings_of(lang).tokenizer for lang in ("zh-Hant", "zh-x-words", "fr")]
    ['zh', 'space', 'en']
    """
    tag = lang.lower()
    while tag not in LANGUAGES and "-" in tag:  # the longest part of a tag that has an entry
        tag = tag.rpartition("-")[0]
    return LANGUAGES.get(tag) or Language(code=tag)


def has_spaces(lang: str) -> bool:
    """Return True for a language that writes spaces between words.

    >>> has_spaces("en"), has_spaces("zh-Hant")
    (True, False)
    """
    return settings_of(lang).spaces


def has_latin_letters(lang: str) -> bool:
    """Return True for a language in Latin letters.

    An unknown code counts as Latin, as in script detection.

    >>> has_latin_letters("de"), has_latin_letters("ru"), has_latin_letters("zh")
    (True, False, False)
    """
    return code_of(lang) not in _OTHER


def check_language(lang: str) -> None:
    """Raise an error for a language that no tokenizer supports.

    >>> check_language("pt-BR")
    >>> check_language("km")
    Traceback (most recent call last):
    newsdesk.errors.ArgumentError: language 'km' is written without spaces and has no tokenizer here; zh, ja and th have one
    """
    code = code_of(lang)
    if code in _UNSUPPORTED:
        raise ArgumentError(
            f"language {lang!r} is written without spaces and has no tokenizer here; zh, ja and th have one"
        )
    if code not in _LATIN | _OTHER:
        raise ArgumentError(f"language {lang!r} is not an ISO 639-1 code such as en, zh or ja")
