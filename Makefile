# Everything below makes its own virtual environment; Python 3.10 or newer and make are all it takes.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: help demo test check unit soak bench matrix picture recordings snapshots clean

help:  ## Say what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "ddpwatch needs Python 3.10 or newer, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: $(INSTALLED)  ## Train on 4 CPU ranks and watch it; without a terminal, print the final table
	@if [ -t 0 ] && [ -t 1 ]; then $(BIN)/ddpwatch demo; else $(BIN)/ddpwatch demo --headless; fi

test: check unit  ## Lint, type-check and run every test

check: $(INSTALLED)  ## Lint, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Two at a time, file by file: half of the time is waiting for ranks that train.
unit: $(INSTALLED)
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

soak: $(INSTALLED)  ## Every test, also those that take long
	$(BIN)/python -m pytest -m 'soak or not soak' --timeout 3000 --numprocesses 2 --dist loadfile

bench: $(INSTALLED)  ## Measure what the documents claim
	@set -e; for bench in tests/bench/[a-z]*.py; do echo "== $$bench"; $(BIN)/python -m "tests.bench.$$(basename $$bench .py)"; done

matrix: $(INSTALLED)  ## The same small run on Lightning 2.0, 2.2, 2.4 and the newest
	PYTHON=$(PYTHON) $(BIN)/python -m tests.matrix.run

picture: $(INSTALLED)  ## Draw the pictures of the documents anew
	$(BIN)/python -m docs.picture
	$(BIN)/python -m docs.answer

recordings: $(INSTALLED)  ## Make the demo recordings anew
	$(BIN)/python -m demo.recordings.make

snapshots: $(INSTALLED)  ## Accept the screens as they look now
	$(BIN)/python -m pytest tests/tui --snapshot-update

clean:  ## Remove the virtual environment and all caches
	rm -rf $(VENV) .matrix build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
