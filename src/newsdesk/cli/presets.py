"""Settings of a paper by name: `--preset gholipour2020` gives a command's options the values that the paper states.

A preset holds values of options, per command, and settings of methods, by the name of the method. What the user states wins over both: an option on the
command line, and a setting in a spec such as `submodular+abs(extract_words=50)`. Only what differs from the defaults of newsdesk is listed; `tests/cli/test_presets.py`
holds the complete settings of each paper against what a preset builds.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import click

from newsdesk.cli.options import Command, Decorator, option
from newsdesk.registry import Literal, Spec


@dataclass(frozen=True, slots=True)
class PaperPreset:
    """What one paper states: options of commands, by the names of their parameters, and settings of methods."""

    paper: str
    options: Mapping[str, Mapping[str, Any]]
    methods: Mapping[str, Mapping[str, Literal]] = field(default_factory=dict)

    def completed(self, specs: str) -> str:
        """Return comma-separated specs with the paper's settings added where a spec does not state them.

        >>> PRESETS["gholipour2020"].completed("submodular+abs(diversity=3)")
        'submodular+abs(diversity=3, extract_words=100)'
        """
        from newsdesk.metrics.systems import split_specs

        return ",".join(str(self._settled(Spec.parse(text))) for text in split_specs(specs))

    def _settled(self, spec: Spec) -> Spec:
        stated = dict(spec.arguments)
        added = {k: v for k, v in self.methods.get(spec.name, {}).items() if k not in stated}
        return Spec(spec.name, (*spec.arguments, *added.items()))


PRESETS: Mapping[str, PaperPreset] = {
    "gholipour2020": PaperPreset(
        "Gholipour Ghalandari et al. 2020, Section 5 and Appendix A",
        {
            # 40 tokens (5.1), the rows of Table 5.
            "study table5": {
                "methods": "oracle-multi,oracle-single,oracle-lead,random-lead,random,textrank,centroid,submodular,tsr,bertreg,submodular+abs",
                "max_words": 40,
                "unit": "tokens",
            },
            # 100 clusters of the validation set, redundancy 0 to 1 by 0.1, diversity 1 to 10 (A.2), which are the grids by default.
            "study tune": {"sample": 100, "max_words": 40, "measure": "R1-F"},
            # 25 to 50 in steps of 5 (footnote 8).
            "study lengths": {"words": "25,30,35,40,45,50", "oracle": "oracle-multi"},
        },
        # An extract of 100 words is rewritten (5.2).
        {"submodular+abs": {"extract_words": 100}},
    ),
}


def preset_option(command: str, specs: str = "") -> Decorator:
    """Return the option --preset of a command; `specs` is the parameter that names its methods."""
    names = [name for name, preset in PRESETS.items() if command in preset.options]

    def chosen(ctx: click.Context, _: click.Parameter, value: str | None) -> str | None:
        # Defaults of the context lose against the command line; --preset is read first.
        if value:
            ctx.default_map = dict(PRESETS[value].options[command])
        return value

    def decorated(function: Command) -> Command:
        @option(
            "--preset",
            f"Settings of a paper: {', '.join(names)}; options that are given win.",
            type=click.Choice(names),
            is_eager=True,
            callback=chosen,
        )
        @functools.wraps(function)
        def settled(*, preset: str | None, **values: Any) -> None:
            if preset and specs and values[specs]:
                values[specs] = PRESETS[preset].completed(values[specs])
            function(**values)

        return settled

    return decorated
