"""Which articles report which event: features of a pair, a fitted aligner, candidates, and clusters.

The classifier of Gholipour Ghalandari et al. (2020, section 3), with their features (`paper`) or with ours (`rich`).
"""
