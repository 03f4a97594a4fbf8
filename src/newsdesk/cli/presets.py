"""Settings of a paper by name: `--preset gholipour2020` gives a command's options the values that the paper states.

A preset holds values of options, per command, and settings of methods, by the name of the method. What the user states wins over both: an option on the
command line, and a setting in a spec such as `submodular+abs(extract_words=50)`. Only what differs from the defaults of newsdesk is listed; `tests/cli/test_presets.py`
holds the complete settings of each paper against what a preset builds.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click

from newsdesk.cli.options import Command, Decorator, option

if TYPE_CHECKING:
    from newsdesk.registry import Literal, Spec


@dataclass(frozen=True, slots=True)
class PaperPreset:
    """What one paper states: options of commands, by parameter name, and settings of methods."""

    paper: str
    options: Mapping[str, Mapping[str, Any]]
    methods: Mapping[str, Mapping[str, Literal]] = field(default_factory=dict)

    def completed(self, specs: str) -> str:
        """Return comma-separated specs with the paper's settings added where a spec does not state them.

        >>> PRESETS["gholipour2020"].completed("submodular+abs(diversity=3)")
        'submodular+abs(diversity=3, extract_words=100)'
        """
        from newsdesk.metrics.systems import split_specs
        from newsdesk.registry import Spec

        return ",".join(str(self._settled(Spec.parse(text))) for text in split_specs(specs))

    def _settled(self, spec: Spec) -> Spec:
        stated = dict(spec.arguments)
        papers = self.methods.get(spec.name, {})
        added = {name: value for name, value in papers.items() if name not in stated}
        return replace(spec, arguments=(*spec.arguments, *added.items()))


# Titles and contents are read in full, without a limit that the paper states, and so is no end of training but its budget.
_QIN_NETWORK: Mapping[str, Literal] = {"max_content_words": None, "patience": None}
# Gensim leaves out words seen less than five times; all 10,000 iterations are done (appendix B).
_FUJITA_NETWORK: Mapping[str, Literal] = {"vector_min_count": 5, "patience": None}

PRESETS: Mapping[str, PaperPreset] = {
    "qin2018": PaperPreset(
        "Qin et al. 2018, section 5 and supplement C.1",
        {
            "comment fit": {},
            # The columns and rows of Table 4 of the supplement.
            "comment compare": {
                "models": "ir-t,ir-tc,seq2seq,att,att-tc",
                "metrics": "meteor,w-meteor,rouge-l(combine='coco'),w-rouge-l,cider,w-cider,bleu-1,w-bleu-1",
            },
        },
        # By default as in the paper: 256 units, 30,000 words, comments cut at 50 words, every (article, comment) pair, Adam.
        # Not stated, and so ours: neighbours, negatives, filters, sizes of vectors, dropout, beam, the length of training.
        {
            "ir-t": {"relevance_model": "cnn"},
            "ir-tc": {"relevance_model": "cnn"},
            "seq2seq": _QIN_NETWORK,
            "att": _QIN_NETWORK,
            "att-tc": _QIN_NETWORK,
        },
    ),
    "fujita2019": PaperPreset(
        "Fujita et al. 2019, sections 3.1 and 3.2, appendix B",
        {
            "rank fit": {},
            # The rows of Tables 4 and 5.
            "rank compare": {
                "models": "like,random,length,ranksvm,svr,ranknet,lstm-reg",
                "ks": "1,5,10",
            },
            # 300 dimensions; window, negatives, epochs and least count are gensim's defaults.
            "rank vectors": {"dimensions": 300, "epochs": 5, "min_count": 5},
        },
        # By default as in the paper: words seen four times or more, two LSTMs of 300 units, batches of 10, Adam at 0.0001.
        # Not stated, and so ours: the loss of SVR and its epsilon, what becomes of words without a vector.
        {
            "ranksvm": {"beyond_grid": False},
            "svr": {"beyond_grid": False},
            "ranknet": _FUJITA_NETWORK,
            "lstm-reg": _FUJITA_NETWORK,
        },
    ),
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
        def settled(*, preset: str | None, **values: Any) -> Any:
            if preset and specs and values[specs]:
                values[specs] = PRESETS[preset].completed(values[specs])
            return function(**values)

        return settled

    return decorated
