# Everything runs from the virtual environment .venv, which the first target that needs it creates.
# PYTHON may name another interpreter (3.11 or newer).
PYTHON ?= python3
VENV := .venv
MINUTES ?= 30
BIN := $(VENV)/bin
VENDOR := src/rankine/web/page/vendor
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Each process that a test starts would compile the package anew if the shell forbids compiled files.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test waveform wheel chromium boundscheck bench attack docs lint clean help

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/installed-demo $(VENDOR)/wavesurfer.esm.js  ## learn to rank, and search spoken words, on bundled data; leaves a report with pictures
	$(BIN)/rankine demo demo-output

# Two processes fill two cores; more threads of linear algebra would wait for each other (`make boundscheck` has them).
# Each process begins with a half of the tests, so few kernels are compiled and few fixtures made in both.
test: $(VENV)/installed-dev $(VENDOR)/wavesurfer.esm.js $(VENV)/axe.min.js chromium  ## lint, types, docs and all tests
	$(MAKE) --no-print-directory -j2 lint docs
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q

waveform: $(VENDOR)/wavesurfer.esm.js  ## fetch what draws the waveform of the page

wheel: $(VENDOR)/wavesurfer.esm.js | $(BIN)/python  ## build the wheel, waveform included, into dist/
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip wheel -q --no-deps --wheel-dir dist .

boundscheck: $(VENV)/installed-dev  ## all tests with an index beyond an array's end as an error; compiles everything anew
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$$(mktemp -d) $(BIN)/python -m pytest -n 2 -q

bench: $(VENV)/installed-bench  ## speed against peers, as ratios in one run
	$(BIN)/python -m benchmarks

attack: $(VENV)/installed-dev  ## mutated files, bombs, kills, histories, hostile names, certificates: `make attack MINUTES=30`
	$(BIN)/python -m attacks --minutes $(MINUTES)

docs: $(VENV)/installed-dev  ## the documentation, warnings are errors
	$(BIN)/python -m sphinx -W -E --keep-going -q -b html docs docs/_build/html

lint: $(VENV)/installed-dev  ## ruff, mypy and the order of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

clean:  ## remove what the other targets made, compiled kernels included
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf $(VENV) $(VENDOR) dist docs/_build demo-output bench-output .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# A stamp per set of dependencies: with the stamps in place nothing touches the network.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Without the model of Whisper, which is fetched, the demo shows what PocketSphinx heard.
$(VENV)/installed-demo: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[spoken,whisper,web]"
	$(BIN)/rankine spoken models add tiny.en || echo "the demo goes on without Whisper"
	touch $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[dev]"
	touch $@

$(VENV)/installed-bench: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[bench]"
	touch $@

# What the page and its tests take from the npm registry: a version, and the hash that its package must have.
# Without npm the page has a plain line in place of the waveform, and the tests of its access skip.
define fetch
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && mkdir -p $(@D) \
	&& { npm pack --silent --pack-destination $$folder $(1)@$(2) > /dev/null || { echo "no $(1): $(5)"; exit 0; }; } \
	&& echo "$(3)  $$folder/$(1)-$(2).tgz" | sha512sum --check --quiet \
	&& tar -xzf $$folder/$(1)-$(2).tgz -C $$folder \
	&& cp $$folder/package/LICENSE $(@:.js=.LICENSE) && cp $$folder/package/$(4) $@
endef

$(VENDOR)/wavesurfer.esm.js:
	$(call fetch,wavesurfer.js,8.0.1,8743a74564954ea2182d2c37fc856b06db2e9ffc70f4be6ee050376e37d20d314c5ffc6cc15592d49c0ae1f16edee966c515121e0f3340e465eb310d1bdf377a,dist/wavesurfer.esm.js,the page goes on without a waveform)

$(VENV)/axe.min.js: | $(BIN)/python
	$(call fetch,axe-core,4.14.0,f564d9c448ec67b6f5dd31fc24f99b576cfc0876e5f34ff6866dd73c41b826035d40b2bcd480515e64b11df3003a44aa41e4714ffd1dc0d0f3d863a6df3ce971,axe.min.js,its tests skip)

# A system's package: only root can install it, and only if it is missing.
chromium:
	@command -v chromium > /dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq \
	&& DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium > /dev/null; } \
	|| echo "there is no chromium: the tests in a browser skip"
