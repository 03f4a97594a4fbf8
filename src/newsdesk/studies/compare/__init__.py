"""Systems compared by metrics and by people: intervals, tests, groups that cannot be told apart, ranks, and length as a covariate."""
