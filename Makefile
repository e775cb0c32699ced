# Everything a contributor does. Each target sets up what it needs; `make help` lists them.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PROTO_VENV := .venv-protos
PROTO_BIN := $(PROTO_VENV)/bin
LOAD_VENV := .venv-load
FAST_VENV := .venv-fast
FAST := $(CURDIR)/build/fast
PEERS := loadtest/peers/node_modules/.package-lock.json
SCENARIO ?= steady
PROTOS := $(sort $(wildcard protos/artreferee/v1/*.proto))
OUT ?= out
DEALS ?= 4
RULESET ?= artsee
PYTEST ?= -n 3 --dist loadscope
INSTALL = bin/pip install --quiet --disable-pip-version-check $(PIP)

.PHONY: help setup play tournament test tools test-long train ladder soak check format words protos protos-fresh baseline fast test-fast bench bench-peers load clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/$(INSTALL) -c constraints.txt -e '.[server,terminal,tracing,dev]'
	touch $@

$(VENV)/playable: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/$(INSTALL) --no-compile -c constraints.txt -e '.[server,terminal]'
	touch $@

$(PROTO_VENV)/ready: protos/constraints.txt
	$(PYTHON) -m venv $(PROTO_VENV)
	$(PROTO_VENV)/$(INSTALL) -c protos/constraints.txt grpcio-tools mypy-protobuf
	touch $@

$(LOAD_VENV)/ready: pyproject.toml constraints.txt loadtest/constraints.txt
	$(PYTHON) -m venv $(LOAD_VENV)
	$(LOAD_VENV)/$(INSTALL) -c constraints.txt -c loadtest/constraints.txt -e '.[load]'
	touch $@

$(FAST_VENV)/ready: clients/bots/constraints.txt
	$(PYTHON) -m venv $(FAST_VENV)
	$(FAST_VENV)/$(INSTALL) -c clients/bots/constraints.txt msgspec mypy setuptools
	touch $@

setup: $(VENV)/ready ## make .venv and install everything pinned in it

play: $(if $(wildcard $(VENV)/ready),setup,$(VENV)/playable) ## play a match in the terminal against bots; RULESET=artsee, art_decko or classic_art
	$(BIN)/curator play $(RULESET)

tournament: setup ## play every ruleset on an embedded referee; OUT=folder for the results
	$(BIN)/curator tournament --deals $(DEALS) --out $(OUT)

test: setup $(PROTO_VENV)/ready ## the tests that take minutes at most
	$(BIN)/pytest $(PYTEST)

tools: $(LOAD_VENV)/ready $(PEERS) ## what the tests of load tools need, which are skipped without

test-long: setup $(PROTO_VENV)/ready ## all tests, also the long ones
	$(BIN)/pytest $(PYTEST) -m 'long or not long'

train: setup ## learn the evaluations of the searching bot anew, from matches of greedy players
	$(BIN)/python -m clients.bots.search.train $(TRAIN)

ladder: setup ## play the bots against each other, in at most 90 minutes on two cores; LADDER=--short for a look
	$(BIN)/python -m clients.bots.ladder $(LADDER)

soak: setup ## play 1,000 matches while replicas are killed and answers lost; SOAK="--seed 2" for other faults, SOAK=--cluster for a Redis Cluster
	$(BIN)/python -m tests.soak $(SOAK)

check: setup protos-fresh ## format, lint, types, import contracts, protos, Dockerfile
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/buf lint protos
	$(BIN)/buf format protos --diff --exit-code
	$(BIN)/buf breaking protos --against protos/baseline.binpb
	$(BIN)/hadolint deploy/Dockerfile

format: setup ## format and mend what can be mended by a tool
	$(BIN)/ruff check --fix --quiet || true
	$(BIN)/ruff format
	$(BIN)/buf format protos --write

words: setup ## bring the Spanish catalogue of the terminal up to date with the code, and compile it
	$(BIN)/python -m tests.clients.terminal.catalogues

define generate
	PATH="$(abspath $(PROTO_BIN)):$$PATH" $(PROTO_BIN)/python -m grpc_tools.protoc -I protos \
	  --python_out=$(1) --mypy_out=quiet:$(1) $(PROTOS)
	PATH="$(abspath $(PROTO_BIN)):$$PATH" $(PROTO_BIN)/python -m grpc_tools.protoc -I protos \
	  --grpc_python_out=$(1) --mypy_grpc_out=quiet:$(1) protos/artreferee/v1/service.proto
endef

protos: $(PROTO_VENV)/ready ## generate the stubs anew
	$(call generate,protos)

protos-fresh: $(PROTO_VENV)/ready
	rm -rf $(PROTO_VENV)/fresh && mkdir $(PROTO_VENV)/fresh
	@$(call generate,$(PROTO_VENV)/fresh)
	@cd $(PROTO_VENV)/fresh && for stub in artreferee/v1/*; do \
	  cmp "$$stub" "$(CURDIR)/protos/$$stub" || { echo "stale stubs: run make protos"; exit 1; }; done

baseline: setup ## promise the contract as it is: from then on `make check` finds what would break it
	$(BIN)/buf build protos -o protos/baseline.binpb

fast: setup $(FAST_VENV)/ready ## a copy with rules and search compiled, in build/fast; build/fast/curator is curator with it
	$(BIN)/python -m clients.bots.compiled $(FAST) $(FAST_VENV)/bin/mypyc

test-fast: fast ## the tests of rules and search on the compiled copy
	PYTHONPATH=$(FAST) PYTHONSAFEPATH=1 $(BIN)/python -m pytest $(PYTEST) --import-mode=append tests/core tests/games tests/clients/bots

bench: setup ## measure rules, codec and service, with floors of the same run
	$(BIN)/python -m loadtest.bench

$(PEERS): loadtest/peers/package-lock.json
	npm ci --prefix loadtest/peers --no-audit --no-fund --loglevel=error
	touch $@

bench-peers: setup $(PEERS) ## play alike at a referee, boardgame.io and Colyseus; needs node and npm; COMPARE="--matches 64" for less
	$(BIN)/python -m loadtest.peers $(COMPARE)

load: setup $(LOAD_VENV)/ready ## play a scenario at two referees behind HAProxy; SCENARIO=smoke, steady, thinking, ramp or soak
	$(BIN)/python -m loadtest.run $(SCENARIO) $(LOAD)

clean: ## remove what the targets made
	rm -rf $(VENV) $(PROTO_VENV) $(LOAD_VENV) $(FAST_VENV) build loadtest/peers/node_modules $(OUT) dist .mypy_cache .pytest_cache .ruff_cache
