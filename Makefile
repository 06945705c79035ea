# Every target sets itself up. `make` alone lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
TORCH ?= cpu
BIN := .venv/bin
MANIFESTS := constraints.txt pyproject.toml $(wildcard protos/pyproject.toml protos/build.py services/*/pyproject.toml operators/*/pyproject.toml pipelines/*/pyproject.toml)
PROTOS := $(shell find protos/gyeol -name '*.proto' 2>/dev/null)
SOURCES := $(wildcard services/*/src operators/*/src pipelines/*/src)

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  \033[1m%-14s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/ready: $(MANIFESTS) $(PROTOS)
	@PYTHON=$(PYTHON) .ci/install $(TORCH)

setup: .venv/ready ## Make the environment (TORCH=auto or cu128 for a GPU)

run: setup ## The main job: a whole run on this machine, from seeds to a gated model
	@$(BIN)/gyeol run -f examples/ko-quickstart.yaml

test: setup harness tools lint ## Everything that must hold (under 20 minutes on 2 cores)
	@$(BIN)/pytest -m "not needs_cluster and not soak" --ignore tests/benchmarks \
	  --numprocesses logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder

soak: setup tools ## A thousand runs on one operator, and a process killed after each of its writes (long)
	@$(BIN)/pytest -m "soak and not needs_cluster" tests

test-cluster: setup tools ## The same scenarios against the cluster that KUBECONFIG names
	@$(BIN)/pytest -m needs_cluster tests

harness: .venv/harness ## lm-evaluation-harness, whose figures ours are held against
.venv/harness: constraints.txt | setup
	@cert=$${SSL_CERT_FILE:-$$($(PYTHON) -m pip config --global get global.cert 2>/dev/null || true)}; \
	  [ -z "$$cert" ] || export SSL_CERT_FILE=$$cert; \
	  UV_FIND_LINKS=$$($(BIN)/python -m pip config get global.find-links 2>/dev/null || true) \
	  $(BIN)/uv pip install --quiet --python .venv --constraint constraints.txt --group harness && touch .venv/harness

lint: setup ## Style, types, layers, protos, images
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy $(SOURCES)
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/buf lint protos && $(BIN)/buf format protos --diff --exit-code
	@$(BIN)/hadolint services/Dockerfile pipelines/Dockerfile

tools: .tools/bin/helm ## Put pinned helm and kubectl into .tools/bin
.tools/bin/helm: .ci/tools.py | setup
	@$(BIN)/python .ci/tools.py .tools/bin

format: setup ## Bring code and protos into shape
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format . && $(BIN)/buf format protos --write

bench: setup ## Speed, as ratios against what one would otherwise pick
	@$(BIN)/pytest tests/benchmarks -s

lock: setup ## Compile constraints.txt anew
	@$(BIN)/uv pip compile --quiet --universal --no-emit-index-url --no-emit-find-links --no-header --no-annotate --python-version 3.11 \
	  $(filter-out pyproject.toml,$(filter %/pyproject.toml,$(MANIFESTS))) --group build --group test --group lint --group fast --group harness \
	  | sed -E '/^-e /d; s/^(torch==[0-9.]+).*/\1/' | uniq > constraints.new && mv constraints.new constraints.txt

clean: ## Remove what was built and every run on this machine
	@rm -rf .venv .tools .gyeol protos/build

.PHONY: help soak setup harness tools run test test-cluster lint format bench lock clean
