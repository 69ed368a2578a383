# Every target works from a bare clone: what it needs is installed into .venv first, and again when the
# project's requirements change. PYTHON=python3.12 make … chooses the interpreter for a new .venv.

PYTHON ?= python3
CONFIG ?= configs/train/straight_quick.yaml
DEALS ?= 400
# More arguments for the command behind a target: make play ARGS="--players 3", make test ARGS="-k meld".
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
RUMMY := $(BIN)/rummy
PYTEST := $(BIN)/python -m pytest
DEMO := runs/demo
# The compiled engine is a different one when it is built with bounds checks: never in the usual cache folder.
CHECKED_CACHE := $(CURDIR)/$(VENV)/cache-boundscheck

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo play train chromium test test-slow test-nojit test-bounds coverage lint bench clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/train.stamp  ## the whole way in minutes: train, export, evaluate with table and picture
	@mkdir -p $(DEMO)
	$(RUMMY) train --config configs/train/straight_quick.yaml --runs-dir $(DEMO)
	@run="$$(ls -td $(DEMO)/*/ | head -n 1)"; run="$${run%/}"; set -ex; \
	$(RUMMY) export "$$run" "$$run/policy"; \
	$(RUMMY) evaluate --ruleset straight --players 2 --agents "$$run/policy" random easy normal hard \
	    --deals $(DEALS) --seed 1 --json "$$run/evaluation.json" --picture "$$run/evaluation.png"; \
	{ set +x; } 2>/dev/null; \
	printf '\nPicture: %s\nPlay against it:\n\n    %s play --terminal --bots %s\n\n' \
	    "$$run/evaluation.png" "$(RUMMY)" "$$run/policy"

play: $(VENV)/game.stamp  ## play in the browser, against the shipped policy or with others
	@$(RUMMY) play $(ARGS)

train: $(VENV)/train.stamp  ## train: make train CONFIG=configs/train/straight.yaml
	$(RUMMY) train --config $(CONFIG) $(ARGS)

test: $(VENV)/dev.stamp $(VENV)/chromium.stamp  ## the fast tests
	$(PYTEST) -n auto $(ARGS)

test-slow: $(VENV)/dev.stamp $(VENV)/chromium.stamp  ## the tests that take minutes
	$(PYTEST) -n auto -m slow $(ARGS)

chromium: $(VENV)/chromium.stamp  ## find or install the browser for the tests of the page

test-nojit: $(VENV)/dev.stamp  ## the tests of the rules with the engine as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTEST) -n auto -m "core and not slow" $(ARGS)

test-bounds: $(VENV)/dev.stamp  ## the tests of the rules with every array access checked
	NUMBA_BOUNDSCHECK=1 RUMMY_CACHE_DIR=$(CHECKED_CACHE) $(PYTEST) -n auto -m "core and not slow" $(ARGS)

coverage: $(VENV)/dev.stamp  ## lines of the engine that the tests of the rules reach
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -m "core and not slow" $(ARGS)
	$(BIN)/coverage report

lint: $(VENV)/dev.stamp  ## ruff, mypy, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/bench.stamp  ## speed on this machine, beside other libraries
	@mkdir -p runs
	$(RUMMY) bench --json runs/bench.json $(ARGS)

clean:  ## remove the environment and what tools left behind; runs/ stays
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "expected Python 3.11 or newer, got $$($(PYTHON) --version 2>&1 | head -n 1): name one with PYTHON=…" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

# Each stamp: the extra of its name.
$(VENV)/game.stamp: EXTRA = [game]
$(VENV)/train.stamp: EXTRA = [train]
$(VENV)/dev.stamp: EXTRA = [dev]
$(VENV)/bench.stamp: EXTRA = [train,bench]
$(VENV)/game.stamp $(VENV)/train.stamp $(VENV)/dev.stamp $(VENV)/bench.stamp: pyproject.toml constraints.txt | $(BIN)/python
	@echo "setting up $(VENV) for rummy-env$(EXTRA): some minutes the first time"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.$(EXTRA)'
	@touch $@

$(VENV)/chromium.stamp: $(VENV)/dev.stamp
	@.ci/chromium $(BIN)/python
	@touch $@
