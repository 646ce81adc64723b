# `make` sets up the environment and runs the pipeline; `make help` lists the rest.
SHELL := /bin/bash
PYTHON ?= python3
CORES ?= all
BIN := .venv/bin
ARGS ?=
CONFIG ?=
WITH = $(if $(CONFIG),--configfile $(CONFIG))

.PHONY: all help setup setup-test setup-slurm test test-fast test-long speed times speed-cluster docs golden torture audit lock real league format

all: setup  ## set up, then run every experiment in config/config.yaml, or of CONFIG=my.yaml
	@$(BIN)/snakemake --cores $(CORES) --no-hooks $(WITH) $(ARGS)
	@$(if $(filter -n -np --dry-run --dryrun,$(ARGS)),,$(BIN)/lincon league $(or $(CONFIG),paper))

LISTED = sed -nE 's/^([a-z-]+):.*  $(1) (.*)/  make \1\t\2/p' Makefile | sed 's/make all/make    /' | expand -t 24
help:  ## list these targets
	@echo 'To run studies (CONFIG=my.yaml adds a config, ARGS=... options of Snakemake):'; $(call LISTED,##)
	@echo 'To work on lincon itself:'; $(call LISTED,#:)

setup: .venv/.run  ## create .venv with the pinned dependencies
setup-test: .venv/.test  #: the same, with the test tools
setup-slurm: .venv/.slurm  ## the same, with the Slurm executor

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14) and "Python 3.11 to 3.13 is needed, this is " + sys.version.split()[0] + "; name another with: make PYTHON=python3.13")'
	@echo 'Setting up Python in .venv'
	@$(PYTHON) -m venv .venv

.venv/.run: requirements.txt pyproject.toml | .venv/bin/python
	@echo 'Installing the packages of requirements.txt, which takes minutes'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
.venv/.test: requirements-test.txt .venv/.run
	@echo 'Installing the test tools of requirements-test.txt'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-test.txt
	@touch $@
.venv/.slurm: requirements-slurm.txt .venv/.run
	@echo 'Installing the Slurm executor of requirements-slurm.txt'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-slurm.txt
	@touch $@

test: setup-test setup-slurm  #: run all tests on all cores, the cluster's where Slurm is installed
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --durations 10 $(ARGS)

test-fast: setup-test  #: what to run at every save: units, without compiling
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto --dist loadfile -m 'not long and not slow' tests/unit $(ARGS)

test-long: setup-test  #: the full-size statistical tests
	$(BIN)/python -m pytest -m long tests/unit $(ARGS)

torture: setup-test  #: kills, odd configs, damage, other surroundings, fuzzed rounds, by the hundred; see docs/robustness.md
	TORTURE=1 $(BIN)/python -m pytest -n auto --dist loadfile tests/torture tests/unit/engine/lazy/test_index.py $(ARGS)

audit: setup-test  #: bandit over the code, pip-audit over the pinned packages (asks a service for known weaknesses)
	$(BIN)/bandit -c pyproject.toml -q -r workflow tools
	$(BIN)/pip-audit --disable-pip --require-hashes --progress-spinner off --requirement requirements-test.txt

speed: setup  #: time the engines against each other; table, Parquet and figure in results/benchmarks
	$(BIN)/python benchmarks/engine.py $(ARGS)

times: setup  #: time what people wait for: the first make, again, with blocks, with nothing to do
	$(BIN)/python benchmarks/times.py

speed-cluster: setup-test setup-slurm  #: time Slurm against this machine; see docs/cluster.md
	$(BIN)/python benchmarks/cluster.py $(ARGS)

docs: setup-test  #: regenerate config/README.md, and build the documentation site into site/
	PYTHONPATH=workflow $(BIN)/python tools/config_readme.py
	$(BIN)/python tools/fill_numbers.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

golden: setup-test  #: regenerate the golden checksums of a small study, and print what moved
	PYTHONPATH=workflow:. $(BIN)/python -m tests.workflow.golden

lock: setup-test  #: regenerate requirements*.txt from pyproject.toml; ARGS=--upgrade takes newer releases
	$(BIN)/python tools/lock.py $(ARGS)

EMPTY = $(shell find resources/raw -type f -empty 2>/dev/null)
real: setup  ## once online: get the real data and play them instead of stand-ins
	@$(BIN)/snakemake --cores $(CORES) --no-hooks $(WITH) $(ARGS) --config data=real $(if $(EMPTY),--forcerun $(EMPTY))
	@$(BIN)/lincon league $(or $(CONFIG),paper)

league: all  ## which policy for my arms: run CONFIG=... and print its league

format: setup-test  #: format the code
	$(BIN)/ruff format . && $(BIN)/ruff check --fix . && $(BIN)/snakefmt Snakefile workflow
