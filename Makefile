# The targets people and CI use; `make` alone lists them. Plain make 3.81 is enough.
PYTHON_IN_VENV := .venv/bin/python
# macOS drops this variable in every shell, so it is set anew on the line of each command.
LIBRARIES := $(if $(filter Darwin,$(shell uname)),DYLD_FALLBACK_LIBRARY_PATH=/opt/homebrew/lib:/usr/local/lib:/usr/lib)
RUN := $(LIBRARIES) $(PYTHON_IN_VENV)

.DEFAULT_GOAL := help
.PHONY: help setup browser latex servers spark integrations report test test-fast goldens check docs site bench lock wheel clean picture

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

setup: ## Make .venv with everything needed (quick when nothing changed)
	@bash scripts/setup

browser: setup ## Install Chromium and poppler for the tests
	@bash scripts/browser

latex: setup ## Install LaTeX for the tests
	@bash scripts/latex

servers: setup ## Install PostgreSQL and systemd for the tests
	@bash scripts/servers

spark: setup ## Install Java and Spark for the tests
	@bash scripts/spark

integrations: setup ## Install MLflow, pre-commit, actionlint and others for the tests
	@bash scripts/integrations

report: setup ## Build the flagship report into build/
	@$(LIBRARIES) .venv/bin/reportgen build specs/breast_cancer.toml -o build

test: setup ## Run all tests
	$(RUN) -m pytest -n auto --dist loadgroup

test-fast: setup ## Run the quick tests (a minute or so); only unmarked ones
	$(RUN) -m pytest -n auto --dist loadgroup -m "not slow and not browser and not latex and not servers and not spark and not integrations"

goldens: setup ## Renew the expected results and texts (goldens/ in tests/); read the diff
	$(RUN) -m pytest -n auto --dist loadgroup -k "golden or wording" --update-goldens tests/end_to_end/test_specs_build.py tests/report

check: setup ## Lint, types, import layers, spelling, Dockerfile, generated documents
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy
	.venv/bin/lint-imports --no-logo
	.venv/bin/codespell
	.venv/bin/hadolint Dockerfile
	$(RUN) scripts/write_docs.py --check

docs: setup ## Rewrite the generated documents
	$(RUN) scripts/write_docs.py

picture: setup ## Renew the picture of README.md: page one of the flagship's PDF
	$(RUN) scripts/write_picture.py

site: setup ## Build the documentation site into build/site
	@bash scripts/site

# Such as: make bench BENCH="--cases a,b --rows 1e5,1e6 --rounds 3"
bench: setup ## Time reportgen beside other tools: docs/performance.md
	$(RUN) -m uv pip install --quiet --python $(PYTHON_IN_VENV) --requirement pyproject.toml \
	  --extra bench --constraint requirements.lock
	$(RUN) -m benchmarks.speed $(BENCH)

# All can be installed into one environment: the later locks keep to the earlier.
COMPILE = $(RUN) -m uv pip compile --quiet --upgrade --universal --fork-strategy fewest --python-version 3.11 \
  --generate-hashes --no-emit-find-links --custom-compile-command 'make lock'

lock: setup ## Renew the lock files from pyproject.toml
	$(COMPILE) --extra dev --output-file requirements.lock pyproject.toml
	$(COMPILE) --extra integrations --constraint requirements.lock \
	  --output-file requirements-integrations.lock pyproject.toml
	$(COMPILE) --extra docs --constraint requirements.lock \
	  --constraint requirements-integrations.lock --output-file requirements-docs.lock pyproject.toml
	$(COMPILE) --extra spark --extra spark-connect --constraint requirements.lock \
	  --constraint requirements-integrations.lock --output-file requirements-spark.lock pyproject.toml

wheel: setup ## Build the wheel and the source archive into dist/
	$(RUN) -m build --no-isolation

clean: ## Remove .venv and everything built
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
