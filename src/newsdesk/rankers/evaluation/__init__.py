"""Length-controlled evaluation of rankers on judged comments: systems, folds, comparisons, gaming and audits."""
