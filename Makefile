# The targets people and CI use; `make` alone lists them. Plain make 3.81 is enough.
PYTHON_IN_VENV := .venv/bin/python
# macOS drops this variable in every shell, so it is set anew on the line of each command.
LIBRARIES := $(if $(filter Darwin,$(shell uname)),DYLD_FALLBACK_LIBRARY_PATH=/opt/homebrew/lib:/usr/local/lib:/usr/lib)
RUN := $(LIBRARIES) $(PYTHON_IN_VENV)

.DEFAULT_GOAL := help
.PHONY: help setup browser report test check docs lock wheel clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' Makefile

setup: ## Make .venv with everything needed (quick when nothing changed)
	@bash scripts/setup

browser: setup ## Install Chromium and poppler for the tests
	@bash scripts/browser

report: setup ## Build the flagship report into build/
	@$(LIBRARIES) .venv/bin/reportgen build specs/breast_cancer.toml -o build

test: setup ## Run the tests
	$(RUN) -m pytest -n auto --dist loadgroup

check: setup ## Lint, types, import layers, spelling, generated documents
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy
	.venv/bin/lint-imports --no-logo
	.venv/bin/codespell
	$(RUN) scripts/write_docs.py --check

docs: setup ## Rewrite the generated documents
	$(RUN) scripts/write_docs.py

lock: setup ## Renew requirements.lock from pyproject.toml
	$(RUN) -m uv pip compile --quiet --upgrade --universal --fork-strategy fewest --python-version 3.11 \
	  --generate-hashes --extra dev --no-emit-find-links --custom-compile-command 'make lock' \
	  --output-file requirements.lock pyproject.toml

wheel: setup ## Build the wheel and the source archive into dist/
	$(RUN) -m build --no-isolation

clean: ## Remove .venv and everything built
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
