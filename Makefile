# FinClaw: make run, make tracing, make extras, make patroni, make test, make check, make demo, make digest, make client, make bench
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
INSTALLED_TRACING := $(VENV)/installed-tracing
INSTALLED_EXTRAS := $(VENV)/installed-extras
INSTALLED_DEV := $(VENV)/installed-dev
INSTALLED_BENCH := $(VENV)/installed-bench
ADAPTERS := $(VENV)/adapters
INSTALLED_ADAPTERS := $(ADAPTERS)/installed
PATRONI := $(VENV)/patroni
INSTALLED_PATRONI := $(PATRONI)/installed
MANAGE := $(BIN)/python manage.py
DATA ?= data
CATALOGUES := $(patsubst %.po,%.mo,$(wildcard locale/*/LC_MESSAGES/django.po))

.PHONY: run tracing extras patroni test check types style layers migrations deployment demo digest client adapters typescript bench prove lock stop clean

run: $(INSTALLED) $(CATALOGUES)  ## everything under one process; Ctrl-C stops all
	@$(MANAGE) up

demo: $(INSTALLED) $(CATALOGUES)  ## a tour in the terminal
	@LOG_LEVEL=WARNING $(MANAGE) demo

digest: $(INSTALLED) $(CATALOGUES)  ## how people's minds changed within a week, in counts
	@LOG_LEVEL=WARNING $(MANAGE) digest

tracing: $(INSTALLED_TRACING)  ## what sends traces to OTEL_EXPORTER_OTLP_ENDPOINT

extras: $(INSTALLED_EXTRAS)  ## all that is optional: tracing, other knowledge stores, S3, reading text in images

patroni: $(INSTALLED_PATRONI)  ## what keeps PostgreSQL running on several nodes, beside the product

test: check $(CATALOGUES)  ## the gates, then the suite
	$(BIN)/pytest -n 2 --dist worksteal

check: $(INSTALLED_DEV)  ## the gates, two at a time
	@$(MAKE) --no-print-directory --jobs=2 --output-sync types style layers migrations deployment

types:
	$(BIN)/mypy .

style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

layers:
	$(BIN)/lint-imports --no-cache

migrations:
	$(MANAGE) makemigrations --check --dry-run

deployment:
	HTTPS=1 TRUSTED_PROXIES=1 SECRET_KEY=$$($(BIN)/python -c "import secrets; print(secrets.token_urlsafe(64))") \
		$(MANAGE) check --deploy --fail-level WARNING

client: $(INSTALLED_DEV)  ## what of clients/python is made from the API
	$(BIN)/python clients/python/generate.py

adapters: $(INSTALLED_ADAPTERS) $(CATALOGUES)  ## agent frameworks' own stores and histories beside ours
	ADAPTERS_REQUIRED=1 $(ADAPTERS)/bin/python -m pytest tests/client/adapters

typescript: $(INSTALLED)  ## types of the API, compiled (needs Node)
	$(MANAGE) spectacular --format openapi-json --file clients/typescript/openapi.json
	cd clients/typescript && npm ci --no-audit --no-fund --silent && npm run --silent generate && npm run --silent check

bench: $(INSTALLED_BENCH)  ## all measurements; DATA=folder with the data sets
	$(BIN)/python -m bench --data $(DATA)

prove: $(INSTALLED_DEV)  ## the long proofs, whole
	$(BIN)/pytest -n 2 --dist worksteal -m proof
	ALL_EXAMPLES=1 $(BIN)/pytest -n 2 --dist worksteal -m hypothesis
	$(BIN)/python -m tests.patterns
	$(BIN)/python -m bench.worker_kills --jobs 1000
	$(BIN)/python -m bench.learning_kills --messages 1000
	$(BIN)/python -m bench.erasure_kills --people 40 --kill-every 0.05
	$(BIN)/python -m bench.restored_backup --people 200
	$(BIN)/python -m bench.reembedding --entries 100000
	$(BIN)/python -m bench.research_tasks --tasks 50
	$(BIN)/python -m bench.long_tasks --tasks 200
	$(BIN)/python -m bench.drift
	$(BIN)/python -m bench.typescript_clients
	$(BIN)/python -m tests.clients
	$(MAKE) --no-print-directory adapters
	$(MAKE) --no-print-directory patroni
	$(BIN)/python -m bench.high_availability --times 5
	ISOLATION_OPERATIONS=10000 $(BIN)/pytest tests/isolation
	ISOLATION_OPERATIONS=1000 ISOLATION_STORE=qdrant $(BIN)/pytest tests/isolation
	$(BIN)/python -m bench.projection
	SCHEMA_EXAMPLES=8 $(BIN)/pytest tests/api/test_schema.py
	PREVIEW_EXAMPLES=40 $(BIN)/pytest tests/erasure/test_the_preview_is_the_erasure.py
	WHOLE_WALKS=1 $(BIN)/pytest tests/consent/test_sixteen_combinations.py
	METAMORPHIC_PAIRS=500 $(BIN)/pytest -n 2 tests/brain/research/test_impersonal_parts.py
	$(BIN)/python -m tests.hostile_text
	$(BIN)/python -m bench.probes --probes 100000
	$(MANAGE) evaluate_recall

stop:  ## the embedded PostgreSQL, should it still run
	@$(MANAGE) database stop

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): requirements.lock | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

$(INSTALLED_TRACING): requirements-tracing.lock | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-tracing.lock
	@touch $@ $(INSTALLED)

$(INSTALLED_EXTRAS): requirements-extras.lock | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-extras.lock
	@touch $@ $(INSTALLED) $(INSTALLED_TRACING)

$(INSTALLED_DEV): requirements-dev.lock | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@ $(INSTALLED)

$(INSTALLED_BENCH): requirements-bench.lock | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.lock
	@touch $@ $(INSTALLED) $(INSTALLED_DEV)

$(INSTALLED_ADAPTERS): requirements-adapters.lock  # of its own: what frameworks need is not ours to bear
	$(PYTHON) -m venv $(ADAPTERS)
	$(ADAPTERS)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-adapters.lock
	@touch $@

$(INSTALLED_PATRONI): deploy/requirements-patroni.lock  # of its own: it runs on the database's machines, without the product
	$(PYTHON) -m venv $(PATRONI)
	$(PATRONI)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r deploy/requirements-patroni.lock
	@touch $@

%.mo: %.po | $(INSTALLED)
	@$(MANAGE) compile_catalogues

PIN := --quiet --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --index-strategy unsafe-best-match
LOCK := uv pip compile pyproject.toml $(PIN)
lock:  ## pin every dependency anew (needs uv)
	$(LOCK) -o requirements.lock
	$(LOCK) --extra tracing -o requirements-tracing.lock
	$(LOCK) --all-extras -o requirements-extras.lock
	$(LOCK) --group dev -o requirements-dev.lock
	$(LOCK) --group dev --group bench -o requirements-bench.lock
	$(LOCK) --group dev --group adapters -o requirements-adapters.lock
	uv pip compile deploy/requirements-patroni.in $(PIN) -o deploy/requirements-patroni.lock

clean:  ## the virtual environment and every datum of this checkout
	-$(MANAGE) database stop
	rm -rf $(VENV) var
