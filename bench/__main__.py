"""Run every bench, or those named."""

import sys

import bench
from bench._runner import run

sys.exit(run(bench, sys.argv[1:]))
