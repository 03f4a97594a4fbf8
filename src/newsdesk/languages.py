"""Languages by their ISO 639-1 codes: which are supported, which write spaces between words, which use Latin letters.

A tag may go on after a hyphen, as in `zh-Hant` or `pt-BR`; only its first part counts. `zh`, `ja` and `th` are written without
spaces and have tokenizers of their own. Tibetan, Dzongkha, Khmer, Lao and Burmese are written without spaces too, and nothing here
can cut them into words, so they are not supported; neither is a code that ISO 639-1 does not list.
"""

from __future__ import annotations

from newsdesk.errors import ArgumentError

_UNSPACED = ("zh", "ja", "th")
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


def has_spaces(lang: str) -> bool:
    """True for a language that writes spaces between words.

    >>> has_spaces("en"), has_spaces("zh-Hant")
    (True, False)
    """
    return _code(lang) not in _UNSPACED


def has_latin_letters(lang: str) -> bool:
    """True for a language that is written in Latin letters; an unknown code counts as Latin, as script detection does.

    >>> has_latin_letters("de"), has_latin_letters("ru"), has_latin_letters("zh")
    (True, False, False)
    """
    return _code(lang) not in _OTHER


def check_language(lang: str) -> None:
    """Raise an error for a language that no tokenizer supports.

    >>> check_language("pt-BR")
    >>> check_language("km")
    Traceback (most recent call last):
    newsdesk.errors.ArgumentError: language 'km' is written without spaces and has no tokenizer here; zh, ja and th have one
    """
    code = _code(lang)
    if code in _UNSUPPORTED:
        raise ArgumentError(
            f"language {lang!r} is written without spaces and has no tokenizer here; zh, ja and th have one"
        )
    if code not in _LATIN | _OTHER:
        raise ArgumentError(f"language {lang!r} is not an ISO 639-1 code such as en, zh or ja")


def _code(lang: str) -> str:
    return lang.partition("-")[0].lower()
