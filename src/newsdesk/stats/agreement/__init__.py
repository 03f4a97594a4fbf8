"""Inter-annotator agreement with intervals over items: kappa, alpha, ICC, Kendall's W and tau-b, split halves.

Judgments are an array annotators × items, nan (or None) where missing. A measure is a value (`Alpha("ordinal")`) that reduces each
item to what it needs; `with_interval` adds a confidence interval, and the functions return the bare number, None where it is
undefined. `Agreement.note` explains a missing value, or how little data is behind one.

- **Cohen's kappa** (1960; weighted 1968) is 1 - ΣwO / ΣwE with w = |i - j| or (i - j)² on the *place* of a label: pass all labels
  of the scale, or gaps close. Qin et al. (2018) cite the weighted form and name no weights.
- **Rotating kappa**: each item was graded by some two of several annotators. All pairs of judgments of an item are pooled, each
  in both orders, since nobody is "the first"; so both sides have one distribution, and it is a weighted Scott's pi (1955).
- **Fleiss' kappa** (1971) and the **intraclass correlations** ICC(1,1), ICC(2,1), ICC(3,1) of Shrout and Fleiss (1979): `variance`.
- **Krippendorff's alpha** (2004): coincidences within units of two or more values, a value of a unit of m counting 1 / (m - 1).
  The ordinal distance is the difference of mid-ranks among all values that have a partner, so it is recomputed in every resample.
- **Alpha over pairs** (Fujita et al., 2019): a unit is a pair of comments of one task, a worker's value is >, < or = from the
  two votes. A pair has no first comment, so it is counted in both orders, and names of comments cannot change the value. The
  paper's own caveat: the task wants people to differ, so a low alpha is no verdict on the C-scores that come of it.
- **Kendall's W** (tie-corrected) and **tau-b** compare rankings of one item; the value is the mean over items, for tau-b over
  all pairs of annotators of all items. W of m annotators who rank at random is 1 / m, not 0: no band applies to it.
- **Split halves**: the annotators of each item fall into two random halves; the correlation of the halves' means over items.
  The Spearman-Brown formula predicts the correlation between two panels of the full size.

`intervals` describes the bootstrap; an interval generalizes to other items judged by the same annotators.
"""

from newsdesk.stats.agreement.agreement import (
    Agreement,
    Halves,
    band,
    cohen_kappa,
    kendall_w,
    krippendorff_alpha,
    pair_alpha,
    rotating_kappa,
    split_half,
    tau_b,
    with_interval,
)
from newsdesk.stats.agreement.coincidences import Alpha, Kappa, PairAlpha, RotatingKappa, Votes
from newsdesk.stats.agreement.concordance import ICC, FleissKappa, KendallW, SplitHalf, TauB
from newsdesk.stats.units import Measure

__all__ = [
    "ICC",
    "Agreement",
    "Alpha",
    "FleissKappa",
    "Halves",
    "Kappa",
    "KendallW",
    "Measure",
    "PairAlpha",
    "RotatingKappa",
    "SplitHalf",
    "TauB",
    "Votes",
    "band",
    "cohen_kappa",
    "kendall_w",
    "krippendorff_alpha",
    "pair_alpha",
    "rotating_kappa",
    "split_half",
    "tau_b",
    "with_interval",
]
