# Each target does its own set-up. The environment is installed again only when the pins change.

VENV   := .venv
PYTHON ?= python3
BIN    := $(VENV)/bin
RUN    := $(VENV)/.run
TEST   := $(VENV)/.test
DEV    := $(VENV)/.dev
SCAN   := .venv-scan
SKY    := .venv-skypilot
LOWEST := .venv-lowest
DIST   := .venv-dist
PURE   := .venv-pure
SCHEMA  = $(BIN)/check-jsonschema --quiet --builtin-schema vendor.
# Python compiles what it imports: of the SDKs' many thousand files few are.
PIP    := --quiet --disable-pip-version-check --no-compile

.PHONY: preview test pure dist thorough mutate test-lowest e2e rehearse real skypilot lint scan outdated outside golden docs site bench bench-scheduler
.DEFAULT_GOAL := preview

preview: $(RUN)  ## what `pulumi up` would build for the GKE stack, with no account and no Pulumi CLI
	$(BIN)/rdma-cluster preview gke

# The programs that tests start would be compiled anew each time.
test thorough: export PYTHONDONTWRITEBYTECODE =
test: $(TEST)  ## the tests; nothing reaches a cloud or the internet
	$(BIN)/pytest -q -n logical

pure:  ## the tests of what decides, which needs no SDK
	@test -x $(PURE)/bin/python || $(PYTHON) -m venv $(PURE)
	$(PURE)/bin/pip install $(PIP) -e . $$(grep -E '^(pytest|pytest-xdist|hypothesis|jsonschema)==' requirements.txt)
	$(PURE)/bin/pytest -q -n logical -m "not thorough and not variant" \
		$(addprefix tests/,acceptance catalog claims common fabrics faults injection nccl)

dist:  ## wheel and source archive as an index takes them
	@test -x $(DIST)/bin/python || $(PYTHON) -m venv $(DIST)
	$(DIST)/bin/pip install $(PIP) $$(grep -hE '^(build|readme-renderer.*|twine)==' requirements.txt requirements-dev.txt)
	rm -rf dist
	$(DIST)/bin/python -m build
	$(DIST)/bin/twine check --strict dist/*

thorough: $(DEV)  ## what `make test` leaves out to be quick: every key of every stack changed, programs that import SDKs, more examples
	$(BIN)/python -m tools.browser.found
	$(BIN)/pytest -q -n logical -m "thorough or variant or hypothesis" --hypothesis-profile thorough

mutate: $(DEV)  ## mutants that a seed draws, and which test notices each: make mutate DRAW="--seed 7 --since main"
	$(BIN)/python -m tools.mutate $(DRAW)

test-lowest: $(LOWEST)/.dev  ## the same with the lowest version of everything that pyproject.toml allows
	$(LOWEST)/bin/pytest -q -n logical -p no:anyio -W ignore::DeprecationWarning

e2e: $(DEV)  ## a real Kubernetes control plane takes what we make; needs Go, or KUBECONFIG_E2E
	@test -n "$$KUBECONFIG_E2E" || $(BIN)/python -m tests.controlplane.build
	$(BIN)/pytest -q $(if $(KUBECONFIG_E2E),,-n 2) tests/controlplane

rehearse: $(DEV)  ## the real engine runs every stack on simulated clouds; needs `pulumi` on PATH
	$(BIN)/pytest -q -rs -n 2 --dist worksteal tests/rehearsal

real: $(DEV)  ## the same with providers' own plugins, those that there are; it says what it leaves out
	@$(BIN)/python -m tests.real.plugins || exit 0; \
	$(BIN)/pytest -q -rs -n 2 --dist worksteal -m "not thorough" tests/real

skypilot: $(DEV)  ## SkyPilot itself on the stacks that are made for it, over the control plane of `make e2e`
	@test -x $(SKY)/bin/python || $(PYTHON) -m venv $(SKY)
	$(SKY)/bin/pip install $(PIP) -r tools/skypilot/requirements.txt
	$(BIN)/python -m tests.controlplane.build
	SKYPILOT=$(CURDIR)/$(SKY)/bin/python $(BIN)/pytest -q tests/controlplane/test_skypilot.py

docs: $(DEV)  ## renew the pages that are made from the code
	$(BIN)/python -m docs.generate

site: $(DEV)  ## the documentation as a site that opens without a server: build/site/html/index.html
	$(BIN)/python -m docs.site build/site
	$(BIN)/zensical build --clean --strict --config-file build/site/mkdocs.yml

scan: $(DEV)  ## every Kubernetes object of every stack before an independent scanner
	@test -x $(SCAN)/bin/checkov || $(PYTHON) -m venv $(SCAN)
	$(SCAN)/bin/pip install $(PIP) -r tools/scan/requirements.txt
	$(BIN)/python -m tools.scan $(SCAN)/bin/checkov

outdated: $(DEV)  ## every pin beside the newest that its registry tells, or its publisher's list; reaches the internet
	$(BIN)/python -m tools.outdated

outside: $(DEV)  ## what public reports were answered first, and what they are answered now
	$(BIN)/python -m tests.outside

golden: $(DEV)  ## renew the golden graphs; say why in the commit
	$(BIN)/python -m tests.golden

lint: $(DEV)  ## style, types, which package may import which, scripts and workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/ty check
	PYTHONPATH=components:rehearsal:. $(BIN)/lint-imports --no-cache
	@git ls-files components rehearsal | grep '[.]py$$' | grep -v /catalog/ | xargs awk \
		'FNR == 301 { print FILENAME ": more than 300 lines hold two concerns"; long = 1 } END { exit long }'
	$(BIN)/shellcheck --external-sources components/rdma_agent/*.sh components/rdma_agent/acceptance/*.sh \
		components/rdma_cluster/oke/cloud_init/*.sh \
		components/rdma_cluster/gce/on_machine/*.sh
	$(BIN)/zizmor --offline --quiet --pedantic .github
	$(SCHEMA)github-workflows .github/workflows/*.yml
	$(SCHEMA)github-issue-forms .github/ISSUE_TEMPLATE/missing.yml .github/ISSUE_TEMPLATE/wrong.yml
	$(SCHEMA)dependabot .github/dependabot.yml
	$(SCHEMA)citation-file-format CITATION.cff

bench: $(DEV)  ## times as ratios to an empty Python process
	$(BIN)/python -m bench

bench-scheduler: $(DEV)  ## aligned claims on 1,000 simulated nodes, through the real scheduler
	$(BIN)/python -m tests.controlplane.build
	$(BIN)/python -m bench.scheduler

$(RUN): requirements-gke.txt requirements-base.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install $(PIP) -r requirements-gke.txt
	@touch $@

$(TEST): $(RUN) requirements.txt requirements-eks.txt requirements-aks.txt requirements-oke.txt
	$(BIN)/pip install $(PIP) -r requirements.txt
	@touch $@

$(DEV): $(TEST) requirements-dev.txt
	$(BIN)/pip install $(PIP) -r requirements-dev.txt
	@touch $@

$(LOWEST)/.dev: pyproject.toml requirements.txt
	@test -x $(LOWEST)/bin/python || $(PYTHON) -m venv $(LOWEST)
	$(PYTHON) -m tests.lowest > $(LOWEST)/requirements.txt
	$(LOWEST)/bin/pip install $(PIP) -r $(LOWEST)/requirements.txt
	@touch $@
