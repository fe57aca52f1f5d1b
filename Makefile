# Everything is set up inside .venv; no other command is needed on a fresh machine.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-slow pytest lint lint-in-silence docs clean

# The main job: trains PPO and DQN on both games from configs/ and scores them against the exact solver.
demo: .venv/installed-train
	$(BIN)/python scripts/demo.py

# What CI runs: the tests, and at the same time lint, format, types and directions of imports, whose output is printed
# once the tests are over. The order of the tests is random; the seed is printed at the end, and
# `.venv/bin/pytest --randomly-seed=SEED` repeats it.
test: .venv/installed-dev
	@$(MAKE) --no-print-directory -j2 -k pytest lint-in-silence; tests_and_lint=$$?; \
		cat .venv/lint.log; exit $$tests_and_lint

pytest:
	$(BIN)/pytest -n auto --dist loadfile

lint-in-silence:
	@$(MAKE) --no-print-directory lint > .venv/lint.log 2>&1

# The tests that take minutes.
test-slow: .venv/installed-dev
	$(BIN)/pytest -n auto -m slow

# The site of the documentation, into site/; a broken link fails.
docs: .venv/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.venv/installed-train: pyproject.toml constraints.txt
	@echo "Installing into .venv (a few minutes the first time) ..."
	$(PYTHON) -m venv .venv
	$(PIP) -e '.[train]'
	@touch $@

.venv/installed-dev: pyproject.toml constraints.txt
	@echo "Installing into .venv (a few minutes the first time) ..."
	$(PYTHON) -m venv .venv
	$(PIP) -e '.[train,dev,docs]'
	@touch $@ .venv/installed-train

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
