# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Each sets up .venv with exactly what it needs, once; a stamp per set of extras keeps a second run from reinstalling.

PYTHON ?= python3
PIP_VERSION := 26.3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INPUTS := pyproject.toml constraints.txt

# One thread for numerical libraries: two BLAS threads on a busy machine are slower than one.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.PHONY: demo test check format lint types docs bench research dist clean help
.DEFAULT_GOAL := help

help:
	@echo "make demo    the whole loop on the sample newsroom, ends in demo/report.html"
	@echo "make test    every test"
	@echo "make check   format, lint, types, tests and docs: what CI runs"
	@echo "make bench   speed and size, as ratios against peers"
	@echo "make research  every experiment behind the pages of results (hours)"
	@echo "make docs    the documentation site, in build/docs/site"
	@echo "make format  rewrite the sources in the house format"
	@echo "make dist    wheel, source and SBOM of a release, tried in empty environments"
	@echo "make clean   remove .venv and everything made here"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "newsdesk needs Python 3.11 or newer; name one with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.pip-$(PIP_VERSION): | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pip==$(PIP_VERSION)
	@touch $@

$(VENV)/.demo: $(INPUTS) $(VENV)/.pip-$(PIP_VERSION)
	$(INSTALL) --editable '.[campaigns,commenters,corpus,ja,report,vectors,zh]'
	@touch $@

# torch first and alone: asked for by its exact version pip finds a CPU build where one is at hand.
$(VENV)/.test: $(INPUTS) $(VENV)/.pip-$(PIP_VERSION)
	$(INSTALL) torch==2.13.0
	$(INSTALL) --editable '.[all,test]'
	@touch $@ $(VENV)/.demo

$(VENV)/.bench: $(VENV)/.test
	$(INSTALL) --editable '.[bench]'
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/newsdesk demo --out demo --force

# A file of tests stays in one process: its fixtures are made once.
test: $(VENV)/.test
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

lint: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.test
	$(BIN)/mypy

check: lint types test

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.test
	$(BIN)/python -m docs.generate
	$(BIN)/python -m docs.site

bench: $(VENV)/.bench
	$(BIN)/python -m bench

research: $(VENV)/.bench
	$(BIN)/python -m research

# Wheel, source, and a list of what the wheel depends on (SBOM), from an environment that holds nothing else.
dist: $(VENV)/.pip-$(PIP_VERSION)
	bash .ci/installs wheel
	bash .ci/installs lowest
	rm -rf dist build/sbom
	$(PYTHON) -m venv build/sbom/env
	build/sbom/env/bin/python -m pip install --quiet --upgrade pip build
	build/sbom/env/bin/python -m build --outdir dist .
	$(PYTHON) -m venv build/sbom/clean
	build/sbom/clean/bin/python -m pip install --quiet --constraint constraints.txt dist/newsdesk-*.whl
	build/sbom/env/bin/python -m pip install --quiet cyclonedx-bom
	build/sbom/env/bin/cyclonedx-py environment --output-reproducible --output-file dist/newsdesk.cdx.json build/sbom/clean/bin/python

clean:
	rm -rf $(VENV) build dist demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
