# Everything runs from a virtual environment of its own (.venv), which the first target that needs it makes.
# Kept to GNU make 3.81, which macOS ships.
VENV := .venv
BIN := $(VENV)/bin
HEADRACE := $(BIN)/headrace
UV := .venv-lock/bin/uv
# Interpreter for a new .venv; empty: the newest that fits.
PYTHON :=
export PYTHON
# The pinned packages and this checkout are what runs, not what a person's shell adds.
unexport PYTHONPATH
unexport PYTHONHOME

# An environment that no longer works (its Python is gone, the checkout has moved) is made again.
ifneq ($(wildcard $(VENV)/*.stamp),)
ifneq ($(shell $(BIN)/python -c "import headrace; print('works')" 2>/dev/null),works)
$(shell rm -f $(VENV)/*.stamp)
endif
endif

.PHONY: help demo test check format lock bench docs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/run.stamp ## set up, then compare policies and plan on built-in examples (writes demo.html, plan.html)
	$(HEADRACE) simulate --example seed-day
	$(HEADRACE) simulate --example llm-week --chart demo.html
	$(HEADRACE) plan --example llm-week --slots 256 --accelerators 8 --target 90% --today hpa:70% --holdout 7d \
		--report plan.html

test: check ## set up, then check everything and run all tests
	@requirements/prometheus >/dev/null || true
	@requirements/kubernetes >/dev/null || true
	$(BIN)/python -m pytest -n auto

check: $(VENV)/develop.stamp ## format, lint, types, import layers; no tests
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-cache --no-logo

format: $(VENV)/develop.stamp ## rewrite the sources as `make check` wants them
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

# Universal: one file for Python 3.11 to 3.14 on Linux and macOS. The hashes are those of every file that the registry
# has for a version; nothing of this machine's pip or uv settings gets in.
COMPILE = env -u PIP_FIND_LINKS -u UV_FIND_LINKS $(UV) pip compile --quiet --no-config --universal \
	--python-version 3.11 --fork-strategy fewest --generate-hashes --custom-compile-command "make lock" \
	$(if $(UPGRADE),--upgrade)
lock: .venv-lock/lock.stamp ## resolve requirements/*.txt again (UPGRADE=1: to the newest versions)
	$(COMPILE) --all-extras --group build pyproject.toml -o requirements/run.txt
	$(COMPILE) --all-extras --group build --group develop pyproject.toml -c requirements/run.txt -o requirements/develop.txt
	$(COMPILE) --group lock -o requirements/lock.txt

bench: $(VENV)/run.stamp ## run each file of benchmarks/
	@for each in benchmarks/*.py; do echo "$$each"; $(BIN)/python "$$each" || exit 1; done

docs: $(VENV)/develop.stamp ## check the documentation: links, decision pages, charters
	$(BIN)/python -m pytest -q tests/house/test_docs.py

clean: ## remove what make and the tools have made
	rm -rf $(VENV) .venv-lock dist demo.html plan.html .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/run.stamp: requirements/run.txt requirements/install pyproject.toml
	@requirements/install $(VENV) requirements/run.txt editable
	@touch $@

# All that run.txt has and more, so the other stamp is due as well.
$(VENV)/develop.stamp: requirements/develop.txt requirements/install pyproject.toml
	@requirements/install $(VENV) requirements/develop.txt editable
	@touch $@ $(VENV)/run.stamp

.venv-lock/lock.stamp: requirements/lock.txt requirements/install
	@requirements/install .venv-lock requirements/lock.txt
	@touch $@
