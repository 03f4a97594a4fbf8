"""Run every experiment, or those named."""

import sys

import research
from bench._runner import run

sys.exit(run(research, sys.argv[1:]))
