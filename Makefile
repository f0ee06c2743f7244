# The targets people and CI use; `make` alone lists them. Plain make 3.81 is enough.
PYTHON_IN_VENV := .venv/bin/python
# macOS drops this variable in every shell, so it is set anew on the line of each command.
LIBRARIES := $(if $(filter Darwin,$(shell uname)),DYLD_FALLBACK_LIBRARY_PATH=/opt/homebrew/lib:/usr/local/lib:/usr/lib)
RUN := $(LIBRARIES) $(PYTHON_IN_VENV)

.DEFAULT_GOAL := help
.PHONY: help setup browser servers spark report test test-fast goldens check docs bench lock wheel clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' Makefile

setup: ## Make .venv with everything needed (quick when nothing changed)
	@bash scripts/setup

browser: setup ## Install Chromium and poppler for the tests
	@bash scripts/browser

servers: setup ## Install PostgreSQL and systemd for the tests
	@bash scripts/servers

spark: setup ## Install Java and Spark for the tests
	@bash scripts/spark

report: setup ## Build the flagship report into build/
	@$(LIBRARIES) .venv/bin/reportgen build specs/breast_cancer.toml -o build

test: setup ## Run all tests
	$(RUN) -m pytest -n auto --dist loadgroup

test-fast: setup ## Run the quick tests (a minute or so); not slow, browser, servers, spark
	$(RUN) -m pytest -n auto --dist loadgroup -m "not slow and not browser and not servers and not spark"

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

# Such as: make bench BENCH="--cases a,b --rows 1e5,1e6 --rounds 3"
bench: setup ## Time reportgen beside other tools: docs/performance.md
	$(RUN) -m uv pip install --quiet --python $(PYTHON_IN_VENV) --requirement pyproject.toml \
	  --extra bench --constraint requirements.lock
	$(RUN) -m benchmarks.speed $(BENCH)

lock: setup ## Renew requirements.lock from pyproject.toml
	$(RUN) -m uv pip compile --quiet --upgrade --universal --fork-strategy fewest --python-version 3.11 \
	  --generate-hashes --extra dev --no-emit-find-links --custom-compile-command 'make lock' \
	  --output-file requirements.lock pyproject.toml
	$(RUN) -m uv pip compile --quiet --upgrade --universal --fork-strategy fewest --python-version 3.11 \
	  --generate-hashes --extra spark --constraint requirements.lock --no-emit-find-links \
	  --custom-compile-command 'make lock' --output-file requirements-spark.lock pyproject.toml

wheel: setup ## Build the wheel and the source archive into dist/
	$(RUN) -m build --no-isolation

clean: ## Remove .venv and everything built
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
