"""Tests of articles from files of any form."""
