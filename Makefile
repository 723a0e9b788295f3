# Orihon. `make` lists the targets.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python -m

.DEFAULT_GOAL := help
.PHONY: help env web demo serve test check lint types contracts unit integration e2e screenshots web-test plans chaos bench docs lock clean chromium

help: ## List the targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.installed: requirements/dev.txt requirements/build.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Orihon needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Set PYTHON=python3.12 or similar.") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what Orihon needs into $(VENV); the first time this takes about a minute."
	$(BIN)/pip install --quiet --require-hashes -r requirements/dev.txt -r requirements/build.txt
	$(BIN)/pip install --quiet --no-build-isolation --no-deps --editable .
	touch $@

env: $(VENV)/.installed ## Create the environment in .venv

web: env ## Build the web app (only when its sources changed)
	$(BIN)/python hatch_build.py

demo: web ## A filled library in a minute: everything, with a sample site to follow
	@$(BIN)/orihon demo

serve: web ## Start Orihon on its own data directory
	@$(BIN)/orihon serve

check: lint types contracts ## What CI runs first; takes seconds

lint: env
	$(BIN)/ruff check src tests bench hatch_build.py
	$(BIN)/ruff format --check src tests bench hatch_build.py

types: env
	$(BIN)/mypy

contracts: env
	$(BIN)/lint-imports --no-logo

unit: env ## Tests without I/O
	$(BIN)/pytest -q tests/unit

integration: env ## Tests on real PostgreSQL, files and HTTP
	$(BIN)/pytest -q -n 2 -m "not plans and not e2e and not chaos" tests/integration tests/chaos

web-test: web ## Types and tests of the web app
	$(BIN)/python hatch_build.py --test

chromium: env
	$(BIN)/python tests/e2e/need_chromium.py

e2e: web chromium ## A real browser against running processes
	$(BIN)/pytest -q -m e2e tests/e2e

screenshots: web chromium ## Take the pictures of the README anew
	mkdir -p docs/screenshots
	ORIHON_SCREENSHOTS=docs/screenshots $(BIN)/pytest -q -m e2e tests/e2e/test_screens.py

test: check unit web-test integration e2e ## Everything; under 20 minutes on two cores

plans: env ## Query plans at a million rows (long)
	$(BIN)/pytest -q -m plans tests

chaos: env ## Long chaos runs (kills at seeded moments)
	$(BIN)/pytest -q -s -m chaos tests/chaos

bench: web ## Measurements beside peers; writes bench/results/latest.json
	$(BIN)/python -m bench

docs: env ## Generate the reference pages
	$(BIN)/python -m orihon.api.openapi > docs/openapi.json
	$(BIN)/python -m orihon.sources.html.reference docs/site-profiles.md
	$(BIN)/python -m orihon.cli.reference docs

lock: env ## Lock the Python requirements with hashes
	$(BIN)/python -m venv .venv/lock && .venv/lock/bin/pip install --quiet uv
	UV_CUSTOM_COMPILE_COMMAND="make lock" .venv/lock/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url pyproject.toml --extra demo -o requirements/runtime.txt
	UV_CUSTOM_COMPILE_COMMAND="make lock" .venv/lock/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url pyproject.toml --extra demo --group dev -c requirements/runtime.txt -o requirements/dev.txt
	UV_CUSTOM_COMPILE_COMMAND="make lock" .venv/lock/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --group build -o requirements/build.txt

clean: ## Remove what was built; never the data
	rm -rf $(VENV) web/node_modules web/build web/.svelte-kit src/orihon/web dist
