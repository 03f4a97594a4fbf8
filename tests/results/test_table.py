"""Tables and numbers: three digits where people read, every digit where programs read."""

from __future__ import annotations

import csv
import io

from hypothesis import given, strategies as st

from newsdesk.results.page import Section, Verdict, page
from newsdesk.results.table import PValue, Ranged, Table, number_text

TABLE = Table.of(
    ("system", "R1", "p", "n"),
    [("a_b|c", Ranged(0.34125, 0.3, 0.4), PValue(0.00001), 1200), ("50 %", None, PValue(0.04), 3)],
)


@given(st.floats(-1e9, 1e9))
def test_a_number_has_three_digits_or_its_whole_part(value: float) -> None:
    text = number_text(value)
    assert abs(float(text.replace(",", "")) - value) <= max(0.005 * abs(value), 5e-7)
    decimals = text.partition(".")[2]
    assert len(decimals) <= 6 and not (abs(value) >= 1000 and decimals)


def test_every_form_of_a_table_has_the_same_rows() -> None:
    assert TABLE.markdown().splitlines() == [
        "| system | R1 | p | n |",
        "|---|--:|--:|--:|",
        "| a_b\\|c | 0.341 [0.300, 0.400] | < 0.001 | 1,200 |",
        "| 50 % | – | 0.040 | 3 |",
    ]
    assert r"a\_b\textbar{}c & 0.341 [0.300, 0.400] & \textless{} 0.001 & 1,200 \\" in TABLE.latex()
    rows = list(csv.reader(io.StringIO(TABLE.csv())))
    assert rows == [
        ["system", "R1", "R1 low", "R1 high", "p", "n"],
        ["a_b|c", "0.34125", "0.3", "0.4", "1e-05", "1200"],
        ["50 %", "", "", "", "0.04", "3"],
    ]


def test_one_column_has_one_number_of_decimals() -> None:
    html = Table.of(["seconds"], [[195.5], [3.25]]).html()
    assert ">196<" in html and ">3<" in html and "195.5" not in html


def test_a_table_whose_rows_are_quantities_has_one_number_of_decimals_per_row() -> None:
    table = Table.of(["", "a", "b"], [["words", 195.5, 3.25], ["share", 0.946, 1.0]], by_row=True)
    assert table.markdown().splitlines()[2:] == ["| words | 196 | 3 |", "| share | 0.946 | 1.000 |"]
    html = table.html()
    assert ">196<" in html and ">0.946<" in html and ">1.000<" in html


def test_the_forms_of_a_table_are_folded_below_it_only_where_they_are_asked_for() -> None:
    section = Section("t").table(["x"], [[0.5]]).fold(Section("more").table(["y"], [[1]]))
    plain, full = section.html(1), section.html(1, exports=True)
    assert "exports" not in plain and full.count('<details class="exports">') == 2
    assert [table.header for table in section.tables] == [("x",), ("y",)]


def test_the_verdict_stands_before_the_contents_and_the_date_on_a_line_of_its_own() -> None:
    verdict = Verdict("a beats b.", 0.026, (-0.065, 0.139), "difference", "newsdesk score x")
    html = page("T", "", [Section("One"), Section("Two")], verdict=verdict, date="Written today.")
    assert html.index("a beats b.") < html.index("<nav>")
    assert "<strong>0.026</strong>" in html and "[-0.065, 0.139]" in html
    assert '<p class="date">Written today.</p>' in html.splitlines()


def test_signatures_are_behind_a_mark_and_each_is_shown_once() -> None:
    html = Section("t").signatures(["s|1", "s|1", ""]).html(1)
    assert html.count("s|1") == 1 and "<summary" in html
    assert "details" not in Section("t").signatures([]).html(1)
