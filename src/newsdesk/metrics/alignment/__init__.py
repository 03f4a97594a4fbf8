"""METEOR's alignments: which words of a candidate are matched with which words of a reference, for whole batches of pairs.

`aligner` is the entry point. `chunks` finds the most matches in the fewest chunks, by the beam search of the METEOR 1.5 jar; NLTK's rule and
the fewest crossings of 2005 stand in `aligner`. All of them end in the same counts per pair (`pairs`), from which METEOR is arithmetic.
"""
