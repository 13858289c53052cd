# Commands for people. Each one sets up the tools that it needs, from the lock files.

PYTHON ?= python3
PORT ?= 8501
BIN := .venv/bin

.PHONY: demo test test-all check bench soak load-test cluster-test scale-test setup setup-test clean

demo: .venv/run.stamp ## the dashboard with the service and a demo squad on this machine
	@PORT=$(PORT) $(BIN)/coachboard demo

test: .venv/test.stamp ## format, lint, types, import contracts, all tests but the slow ones
	@scripts/check
	@scripts/test

test-all: test ## the same, and the slow tests
	@scripts/test -m "slow and browser"
	@scripts/test -m "slow and not browser" --dist load

check: .venv/test.stamp ## format, lint, types, import contracts
	@scripts/check

bench: .venv/test.stamp ## the benchmark table, as ratios to a floor measured in the same run
	@PYTHONPATH=tests $(BIN)/python -m bench

soak: .venv/test.stamp ## fault families at length (KILLS=50 PEOPLE=50 MINUTES=30 BROWSERS=12 BROWSER_MINUTES=10), one table
	@PYTHONPATH=tests $(BIN)/python -m soak --kills $(or $(KILLS),50) --people $(or $(PEOPLE),50) --minutes $(or $(MINUTES),30) \
		--browsers $(or $(BROWSERS),12) --browser-minutes $(or $(BROWSER_MINUTES),10)

load-test: .venv/test.stamp ## the club's load: 200 athletes on PostgreSQL, two dashboards behind nginx (PEOPLE=60 MINUTES=15)
	@PYTHONPATH=tests $(BIN)/python -m soak.club --people $(or $(PEOPLE),60) --minutes $(or $(MINUTES),15)

cluster-test: .venv/test.stamp ## a cluster on this machine: kills of primary, service, dashboard and HAProxy (PEOPLE=60 MINUTES=10)
	@PYTHONPATH=tests $(BIN)/python -m soak.cluster --people $(or $(PEOPLE),60) --minutes $(or $(MINUTES),10)

scale-test: .venv/test.stamp ## a coach's day among 10,000 athletes beside the same among 200, on PostgreSQL (ATHLETES=10000)
	@PYTHONPATH=tests $(BIN)/python -m bench.federation --athletes $(or $(ATHLETES),10000)

setup: .venv/run.stamp
setup-test: .venv/test.stamp

# Without --no-deps, pip 23.2 looks up the newest coverage for pytest-cov's `coverage[toml]` and refuses it for its
# missing hash: each release of coverage would break the setup.
.venv/run.stamp: requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Setting up .venv (once) ..." >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q src app.py # saves the time at the first start
	@touch $@

.venv/test.stamp: requirements-test.lock .venv/run.stamp
	@echo "Setting up the test tools (once) ..." >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-test.lock
	@touch $@

clean: ## removes the environment; data stay
	@rm -rf .venv
