# `make` sets up the environment and runs the pipeline; `make help` lists the rest.
SHELL := /bin/bash
PYTHON ?= python3
CORES ?= all
BIN := .venv/bin
ARGS ?=
CONFIG ?=
CONFIGS ?= config/config.yaml $(filter-out config/config.yaml,$(wildcard config/*.yaml))

.PHONY: all help setup setup-test setup-slurm test test-long bench bench-cluster docs lock real status clean-stale report format

all: setup  ## set up, then run every experiment in config/config.yaml
	$(BIN)/snakemake --cores $(CORES) $(ARGS)

help:  ## list these targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

setup: .venv/.run  ## create .venv with the pinned dependencies
setup-test: .venv/.test  ## the same, with the test tools
setup-slurm: .venv/.slurm  ## the same, with the Slurm executor

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv

.venv/.run: requirements.txt pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
.venv/.test: requirements-test.txt .venv/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-test.txt
	@touch $@
.venv/.slurm: requirements-slurm.txt .venv/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-slurm.txt
	@touch $@

test: setup-test setup-slurm  ## run all tests, the cluster's included where Slurm is installed
	$(BIN)/python -m pytest $(ARGS)

test-long: setup-test setup-slurm  ## the full-size statistical tests, and the slow cluster tests
	$(BIN)/python -m pytest -m long tests/unit tests/cluster $(ARGS)

bench: setup  ## time the engines against each other; table, Parquet and figure in results/benchmarks
	$(BIN)/python benchmarks/engine.py $(ARGS)

bench-cluster: setup-test setup-slurm  ## time Slurm against this machine; see docs/cluster.md
	$(BIN)/python benchmarks/cluster.py $(ARGS)

docs: setup  ## re-make config/README.md, the list of every config key, from the schema
	$(BIN)/python tools/config_readme.py

lock: setup-test  ## re-make requirements*.txt from pyproject.toml; ARGS=--upgrade takes newer releases
	$(BIN)/python tools/lock.py $(ARGS)

real: setup  ## once online: get the real data and replace what stand-ins were used for
	$(BIN)/snakemake --cores 1 --config data=auto -- real_data
	$(BIN)/snakemake --cores $(CORES) $(ARGS)

status: setup  ## how many runs of each experiment are there, missing, stale
	@$(BIN)/snakemake --cores 1 --summary $(if $(CONFIG),--configfile $(CONFIG)) 2>/dev/null | \
	    PYTHONPATH=workflow $(BIN)/python -m lincon status --configs config/config.yaml $(CONFIG)

clean-stale: setup  ## list run files that no experiment of config/*.yaml refers to; ARGS=--delete deletes
	@PYTHONPATH=workflow $(BIN)/python -m lincon clean-stale --configs $(CONFIGS) $(ARGS)

report: all  ## one self-contained HTML page of all figures and tables: report.html
	$(BIN)/snakemake --report report.html

format: setup-test  ## format the code
	$(BIN)/ruff format . && $(BIN)/ruff check --fix . && $(BIN)/snakefmt Snakefile workflow
