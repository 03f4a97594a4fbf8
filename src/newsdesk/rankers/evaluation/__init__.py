"""Rankers measured on judged comments, so that length cannot pass for quality: systems, folds, comparisons, gaming and audits."""
