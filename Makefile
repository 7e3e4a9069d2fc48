# Everything runs from the virtual environment .venv, which the first target that needs it creates.
# PYTHON may name another interpreter (3.11 or newer).
PYTHON ?= python3
VENV := .venv
MINUTES ?= 30
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Each process that a test starts would compile the package anew if the shell forbids compiled files.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test boundscheck bench attack docs lint clean help

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/installed-demo  ## learn to rank, and search spoken words, on bundled data; leaves a report with pictures
	$(BIN)/rankine demo demo-output

# Two processes fill two cores; more threads of linear algebra would wait for each other (`make boundscheck` has them).
# Each process begins with a half of the tests, so few kernels are compiled and few fixtures made in both.
test: $(VENV)/installed-dev  ## lint, types, docs and all tests
	$(MAKE) --no-print-directory -j2 lint docs
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q

boundscheck: $(VENV)/installed-dev  ## all tests with an index beyond an array's end as an error; compiles everything anew
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$$(mktemp -d) $(BIN)/python -m pytest -n 2 -q

bench: $(VENV)/installed-bench  ## speed against peers, as ratios in one run
	$(BIN)/python -m benchmarks

attack: $(VENV)/installed-dev  ## mutated files, bombs, kills, histories, hostile names, certificates: `make attack MINUTES=30`
	$(BIN)/python -m attacks --minutes $(MINUTES)

docs: $(VENV)/installed-dev  ## the documentation, warnings are errors
	$(BIN)/sphinx-build -W -E --keep-going -q -b html docs docs/_build/html

lint: $(VENV)/installed-dev  ## ruff, mypy and the order of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

clean:  ## remove what the other targets made, compiled kernels included
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf $(VENV) docs/_build demo-output bench-output .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# A stamp per set of dependencies: with the stamps in place nothing touches the network.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Without the model of Whisper, which is fetched, the demo shows what PocketSphinx heard.
$(VENV)/installed-demo: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[spoken,whisper]"
	$(BIN)/rankine spoken models add tiny.en || echo "the demo goes on without Whisper"
	touch $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[dev]"
	touch $@

$(VENV)/installed-bench: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[bench]"
	touch $@
