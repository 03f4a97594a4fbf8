"""Commands rebuilt from results: metrics, cutoffs, samples and seed are in them, file names are not and stand in capitals."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from newsdesk.studies.report.chapter import Content


def rebuilt_command(kind: str, content: Content) -> str:
    """The command that prints a result of this kind, as far as the result tells it; empty where nothing is known."""
    if kind not in _REBUILD:
        return ""
    try:
        return f"newsdesk {_REBUILD[kind](content)}"
    except (KeyError, IndexError, TypeError, AttributeError):
        return ""  # the chapter says what is wrong with the result


def _scores(content: Content) -> str:
    rows = content["scores"]
    metrics = ",".join(dict.fromkeys(row["metric"] for row in rows))
    words = ["score", "OUTPUTS", "--references", "REFERENCES", "--metrics", metrics]
    if any(row.get("ci") for row in rows):
        words.append("--ci")
    if content.get("comparisons"):
        words.append("--significance")
    signatures = [row["signature"] for row in content.get("comparisons") or rows]
    return shlex.join([*words, *_drawn(signatures[0]), "--json"])


def _rankings(content: Content) -> str:
    row = content["systems"][0]
    cutoffs = ",".join(name.partition("@")[2] for name in row if name.startswith("ndcg@"))
    drawn = _drawn(row["signature"])
    if "fillers" in content:
        models = ",".join(each["system"] for each in content["systems"])
        words = ["rank", "compare", "THREADS", "--models", models]
    else:
        words = ["rank", "eval", "RUNS", "--threads", "THREADS"]
    return shlex.join([*words, "--k", cutoffs, *drawn, "--json"])


def _summaries(content: Content) -> str:
    methods = ",".join(row["system"] for row in content["systems"])
    # The limit of recall says in its signature what was counted; tokens are the default of the study.
    words = "-words" in content["systems"][0]["R1-R"]["signature"].partition("|cut:")[2]
    unit = ["--unit", "words"] if words else []
    return shlex.join(["study", "table5", "CLUSTERS", "--methods", methods, *unit, "--json"])


def _correlations(content: Content) -> str:
    names = dict.fromkeys(row["metric"] for row in content["correlations"])
    metrics = ",".join(name for name in names if name != "Human")
    words = ["study", "correlate", "OUTPUTS", "--references", "REFERENCES", "--human", "SCORES"]
    return shlex.join([*words, "--metrics", metrics, "--json"])


def _systems(content: Content) -> str:
    measures = {
        name: value for row in content["systems"] for name, value in row["measures"].items()
    }
    metrics = ",".join(name for name, value in measures.items() if value["kind"] == "metric")
    words = ["study", "compare", "OUTPUTS", "--references", "REFERENCES", "--metrics", metrics]
    if len(metrics.split(",")) < len(measures):
        words += ["--human", "SCORES"]
    return shlex.join([*words, "--json"])


def _campaign(content: Content) -> str:
    return shlex.join(["campaign", "report", content["campaign"], "--json"])


def _status(content: Content) -> str:
    return shlex.join(["campaign", "status", content["campaign"], "--json"])


def _drawn(signature: str) -> list[str]:
    """The options that a signature has: samples and seed."""
    words = []
    for name in ("samples", "seed"):
        if match := re.search(rf"\|{name}:(\d+)", signature):
            words += [f"--{name}", match[1]]
    return words


_REBUILD: dict[str, Callable[[Content], str]] = {
    "systems": _systems,
    "scores": _scores,
    "rankings": _rankings,
    "summaries": _summaries,
    "correlations": _correlations,
    "campaign": _campaign,
    "status": _status,
}
