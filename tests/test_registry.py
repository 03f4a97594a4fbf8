"""Spec strings and tables: what parses, what is refused, and what a wrong name is told."""

from __future__ import annotations

import contextlib
import inspect
import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

from newsdesk.errors import MissingExtraError, NewsdeskError, SpecError
from newsdesk.registry import TABLES, Registry, Spec, require

NAMES = st.from_regex(r"[a-z0-9][a-z0-9+._-]{0,12}", fullmatch=True)
KEYS = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True).filter(
    lambda key: key not in __import__("keyword").kwlist
)
LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=5,
)
SPECS = st.builds(
    lambda name, pairs: Spec(name, tuple(pairs.items())),
    NAMES,
    st.dictionaries(KEYS, LITERALS, max_size=4),
)


def made(
    cost: float | None = None, count: int = 1, name: str = "", *, loud: bool = False
) -> tuple[object, ...]:
    """An entry of a table."""
    return cost, count, name, loud


MADE = Registry("thing", {"made": "tests.test_registry:made"})


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("made(cost='x')", "'cost' is 'x', not a number or None"),
        ("made(cost=True)", "'cost' is True, not a number or None"),
        ("made(count=1.5)", "'count' is 1.5, not a whole number"),
        ("made(name=1)", "'name' is 1, not text"),
        ("made(loud=1)", "'loud' is 1, not True or False"),
        ("made(cots=1)", "'cots' is no setting; did you mean 'cost'? there are: cost, count, name, loud"),
    ],
)  # fmt: skip
def test_a_setting_of_the_wrong_kind_is_told(text: str, fault: str) -> None:
    with pytest.raises(SpecError, match=re.escape(f"thing {text}: {fault}")):
        MADE.make(text)


def test_a_whole_number_is_a_number_and_numpy_has_both() -> None:
    assert MADE.make("made(cost=1)", count=np.int64(2)) == (1, 2, "", False)
    assert MADE.make("made", cost=np.float64(0.5), loud=True) == (0.5, 1, "", True)


@pytest.mark.parametrize("kind", ["metrics", "rankers", "summarizers", "tokenizers"])
def test_no_setting_of_any_entry_ends_in_a_traceback(kind: str) -> None:
    table = TABLES[kind]
    for name in table:
        for setting in inspect.signature(table.load(name)).parameters:
            for value in ("x", -1, 0.5, None, True, (1, 2)):
                with contextlib.suppress(NewsdeskError):
                    table.make(Spec(name, ((setting, value),)))


@given(SPECS)
def test_a_spec_parses_back_from_its_text(spec: Spec) -> None:
    assert Spec.parse(str(spec)) == spec


def test_a_spec_is_read_with_any_spacing() -> None:
    spec = Spec.parse(" w-rouge-l ( combine = 'union' , beta=1.2)")
    assert spec == Spec("w-rouge-l", (("combine", "union"), ("beta", 1.2)))
    assert str(spec) == "w-rouge-l(combine='union', beta=1.2)"


def test_a_list_in_a_spec_becomes_a_tuple() -> None:
    assert Spec.parse("m(k=[1, 5, 10])").arguments == (("k", (1, 5, 10)),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a b",
        "-x",
        "name(",
        "name(1)",
        "name(x)",
        "name(x=1, x=2)",
        "name(x=1)(y=2)",
        "name(x=1).y",
        "name(x=open('f'))",
        "name(x=__import__('os'))",
        "name(**{'x': 1})",
        "name(x={1: 2})",
        "name(x=1e999)",
        "name(x=1) trailing",
        "name(x=" + "(" * 10_000,
        "name(x='\0')\0",
    ],
)
def test_what_is_not_a_spec_is_refused(text: str) -> None:
    with pytest.raises(SpecError):
        Spec.parse(text)


def test_an_unknown_name_is_told_what_it_may_have_meant() -> None:
    table = Registry("metric", {"rouge-1": "a:b", "rouge-2": "a:b", "bleu-4": "a:b"})
    with pytest.raises(SpecError, match=r"did you mean 'bleu-4'\? there are: rouge-1, rouge-2"):
        table.load("blue-4")


def test_an_alias_is_accepted_wherever_a_name_is_and_resolves_to_it() -> None:
    table = Registry("thing", MADE.entries, aliases={"usual": "made"})
    assert table.load("usual") is made
    assert table.make("usual(count=2)") == table.make("made(count=2)") == (None, 2, "", False)
    assert table.resolve("usual(count=2)") == Spec("made", (("count", 2),))
    assert (list(table), table.names) == (["made"], ["made", "usual"])
    with pytest.raises(SpecError, match=r"'usul'; did you mean 'usual'\? there are: made, usual"):
        table.resolve("usul")


@pytest.mark.parametrize("kind", list(TABLES))
def test_every_alias_stands_for_an_entry_and_hides_none(kind: str) -> None:
    table = TABLES[kind]
    assert set(table.aliases.values()) <= set(table)
    assert not set(table.aliases) & set(table)


def test_an_unknown_argument_is_refused_by_name() -> None:
    with pytest.raises(SpecError, match=r"encoder lsa\(dimension=3\): 'dimension' .*'dimensions'"):
        TABLES["encoders"].make("lsa(dimension=3)")


def test_an_error_inside_a_factory_is_not_taken_for_a_wrong_argument() -> None:
    with pytest.raises(TypeError):
        Registry("x", {"broken": f"{__name__}:_broken"}).make("broken")


def _broken() -> None:
    raise TypeError("a bug")


def test_a_missing_extra_says_what_to_type() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'newsdesk\[zh\]'"):
        require("no_such_module_anywhere", extra="zh", what="cutting Chinese into words")


@pytest.mark.parametrize("kind", list(TABLES))
def test_every_entry_of_every_table_loads(kind: str) -> None:
    for name in TABLES[kind]:
        loaded = TABLES[kind].load(name)
        assert callable(loaded) or loaded.endswith(".toml")
