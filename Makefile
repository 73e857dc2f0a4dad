# make demo   install, and run the bundled example to a report
# make dev    Dagster's web interface on the demonstration, or on the workspace that JURYLINE_WORKSPACE names
# make test   install for development, check, and run the tests
.DEFAULT_GOAL := help
PYTHON ?= python3
PY := .venv/bin/python
# Compiled once here rather than at every start: a start imports a thousand modules.
INSTALL := .venv/bin/uv pip install --quiet --compile-bytecode --python $(PY)
# A worker takes whole files, so that what a file sets up is set up once.
WORKERS := --numprocesses auto --dist loadfile --no-loadscope-reorder
export UV_LINK_MODE := copy
export UV_SYSTEM_CERTS := true

.PHONY: help demo test test-slow check format bench coverage dev lock clean

help:
	@grep '^# make' Makefile | cut -c3-

# A stamp a lock file: an unchanged lock installs nothing, so the second install takes no time.
.venv/bin/uv: locks/bootstrap.txt
	$(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r locks/bootstrap.txt
	@touch .venv/bin/uv

.venv/runtime: locks/runtime.txt pyproject.toml .venv/bin/uv
	$(INSTALL) --require-hashes -r locks/runtime.txt
	$(INSTALL) --no-build-isolation --no-deps --editable .
	@touch $@

.venv/dev: locks/dev.txt .venv/runtime
	$(INSTALL) --require-hashes -r locks/dev.txt
	@touch $@

demo: .venv/runtime
	@$(PY) -m pipelines.command demo

test: .venv/dev check
	$(PY) -m pytest -m "not slow" $(WORKERS)

test-slow: .venv/dev
	$(PY) -m pytest -m slow $(WORKERS) $(TESTS)

check: .venv/dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	.venv/bin/lint-imports --config pyproject.toml

format: .venv/dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bench: .venv/dev
	$(PY) -m benchmarks

# Writes docs/coverage.md: minutes.
coverage: .venv/dev
	$(PY) -m benchmarks.simulated

dev: .venv/runtime
	@JURYLINE_WORKSPACE=$${JURYLINE_WORKSPACE:-demo} $(PY) -m pipelines.command ui

LOCK = .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras \
	--no-emit-index-url --no-header
lock: .venv/bin/uv
	$(LOCK) pyproject.toml --extra build --output-file locks/runtime.txt
	$(LOCK) pyproject.toml --all-extras --constraints locks/runtime.txt --output-file locks/dev.txt
	echo uv | $(LOCK) - --output-file locks/bootstrap.txt

clean:
	rm -rf .venv demo
