# `make` or `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO          ?= go
STATICCHECK ?= $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
ERRCHECK    ?= $(GO) run github.com/kisielk/errcheck@v1.30.0
INEFFASSIGN ?= $(GO) run github.com/gordonklaus/ineffassign@v0.2.0

# What the workspace's modules hold; the benchmarks, whose libraries are many, stand apart.
ALL := ./... ./cmd/uid/... ./worker/sqlite/... ./internal/proof/...
# Those of them that test for longest begin first.
LONGEST := ./internal/proof/databases ./internal/proof/fleet ./internal/proof/promise
# What make test builds and lints, but leaves to make metrics to run.
METRICS := ./metrics/prometheus/... ./metrics/otel/...
# What make test builds and lints, but leaves to make engines to run; the longest first, too.
ENGINES := ./internal/engines ./internal/engines/sqlstore ./stores/etcd/... ./stores/redis/... ./stores/zookeeper/... ./internal/engines/...
# The programs to copy from, whose libraries are many: make recipes builds, lints and runs them.
RECIPES := ./recipes/...

# The race detector needs a C compiler; without one the tests run without it, and say so.
CC_FOUND := $(shell command -v "$${CC:-gcc}" 2>/dev/null)
RACE     := $(if $(CC_FOUND),-race,)

FUZZTIME ?= 2s
# FULL=1 has mutants and engines do all that they can, which takes hours.
FULL ?=
# How much the deeper gates do.
HISTORIES ?= 1000000
TAKES     ?= 500000000

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: server lint imports race portable ## everything a change has to pass; under five minutes on two cores, with warm caches

.PHONY: lint
lint: ## gofmt, go vet, staticcheck, errcheck, ineffassign, tidy modules
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi
	$(GO) vet $(ALL) $(ENGINES) $(METRICS)
	$(STATICCHECK) $(ALL) $(ENGINES) $(METRICS)
	$(ERRCHECK) -ignoretests -exclude .errcheck $(ALL) $(ENGINES) $(METRICS)
	$(INEFFASSIGN) $(ALL) $(ENGINES) $(METRICS)
	internal/proof/tidy -diff

.PHONY: imports
imports: ## what each part imports, and how many bytes each way to a worker ID adds to a program
	$(GO) run ./internal/proof/imports

.PHONY: modules
modules: ## build each module by itself, outside the workspace, as a release would have it, and do what README shows
	$(GO) run ./internal/proof/modules

.PHONY: readme
readme: ## compile and run the programs and commands of README as a reader would, outside the repository
	$(GO) run ./internal/proof/modules -readme

.PHONY: tidy
tidy: ## go mod tidy in each module
	internal/proof/tidy

.PHONY: server
server: ## say which database server the tests get; as root, install one if need be
	@$(GO) run ./internal/testserver/look

.PHONY: race
race: server ## all tests, with the race detector, databases included
	@[ -n "$(RACE)" ] || echo 'note: no C compiler found, so the tests run without the race detector'
	$(GO) run ./internal/proof/gotest $(RACE) -p 3 $(LONGEST) $(ALL)

.PHONY: test-tmpfs
test-tmpfs: server ## the tests that keep files and databases, with their folders in memory, where a write takes no time
	@free=$$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1 || true); \
	  if [ "$${free:-0}" -lt 1000000 ]; then echo 'make test-tmpfs needs /dev/shm with 1 GB free'; exit 1; fi; \
	  dir=$$(mktemp -d /dev/shm/uid-test-XXXXXX); trap 'rm -rf "$$dir"' EXIT; \
	  GOTMPDIR="$${TMPDIR:-/tmp}" TMPDIR="$$dir" $(GO) run ./internal/proof/gotest -count 1 ./internal/state ./segment/... ./worker/... ./worker/sqlite/... ./internal/proof/databases ./internal/proof/promise ./cmd/uid ./internal/testserver

.PHONY: portable
portable: ## the tests on 32 bits, and a build for ARM
	GOARCH=386 $(GO) test ./ ./health ./metrics ./bits ./foreign ./form ./opaque ./plan ./ringbuffer ./internal/tenure ./cached ./default ./segment ./worker ./worker/lease
	GOARCH=arm64 $(GO) build ./... ./cmd/uid

.PHONY: machines
machines: ## whether all, with its tests, compiles on 32 bits, ARM, Windows and macOS: by its types alone, which is quick
	$(GO) run ./internal/proof/typecheck -for linux/386,linux/arm64 $(ALL) $(ENGINES) $(METRICS)
	$(GO) run ./internal/proof/typecheck -for windows/amd64,darwin/arm64 ./... ./cmd/uid/... ./worker/sqlite/...
	$(GO) run ./internal/proof/typecheck -for linux/386,windows/amd64 $(RECIPES)

.PHONY: docs
docs: ## write docs/promise.md anew, from the tests that it names
	$(GO) test -count 1 -run '^TestPromisePage$$' ./internal/proof/promise -update

.PHONY: model
model: model-ring model-shard model-lease model-tenure model-segment model-clock ## check the Promela models of the ring, of shards, of leases, of generators, of segments and of uncached's clock, and that their mutants are caught

.PHONY: model-ring
model-ring: spin
	ringbuffer/model/check

.PHONY: model-shard
model-shard: spin
	cached/model/check

.PHONY: model-lease
model-lease: spin
	worker/lease/model/check

.PHONY: model-tenure
model-tenure: spin
	internal/tenure/model/check

.PHONY: model-segment
model-segment: spin
	segment/model/check

.PHONY: model-clock
model-clock: spin
	default/model/check

.PHONY: spin
spin:
	@$(GO) run ./internal/testserver/need spin spin

.PHONY: linearizability
linearizability: ## check a million short histories of the real ring
	UID_HISTORIES=$(HISTORIES) $(GO) test -count 1 -timeout 15m -run '^(TestLinearizable|TestHistory.*|TestHistoriesDetect)$$' ./ringbuffer

.PHONY: stress
stress: ## half a billion takes from tiny, starved rings
	UID_STRESS_TAKES=$(TAKES) $(GO) test -count 1 -timeout 15m -run '^(TestStress|TestStressDetects|TestPublished)$$' ./ringbuffer

.PHONY: sealed
sealed: ## look for an order in ten million sealed UIDs of one day
	UID_SEALED=10000000 $(GO) test -count 1 -timeout 15m -run '^(TestNoVisibleOrder|TestWeakCiphersShow)$$' ./opaque

.PHONY: faults
faults: ## kill and pause leaseholders and database servers, hundreds of times
	UID_FAULTS=full $(GO) test -count 1 -timeout 15m -v ./internal/proof/fleet

.PHONY: simulation
simulation: ## simulate a year of 10,000 processes in three regions, and write docs/fleet.md and docs/fleet.svg; ten minutes
	UID_SIMULATION=full GOGC=800 $(GO) test -count 1 -timeout 2h -v -run '^TestFull$$' ./internal/proof/simulation

.PHONY: engines
engines: ## the stores of all engines, on real servers, and faults of both; FULL=1 injects hundreds
	FULL=$(FULL) $(GO) run ./internal/proof/gotest -count 1 -p 2 -timeout 20m $(ENGINES)
	$(GO) run ./internal/engines/faults $(if $(FULL),-full)
	$(GO) run ./internal/engines/segments $(if $(FULL),-full)

.PHONY: recipes
recipes: server ## lint, compile and run the programs of recipes, on real servers
	$(GO) vet $(RECIPES)
	$(STATICCHECK) $(RECIPES)
	$(ERRCHECK) -ignoretests -ignoregenerated -exclude .errcheck $(RECIPES)
	$(INEFFASSIGN) $(RECIPES)
	$(GO) run ./internal/proof/gotest -count 1 -timeout 10m $(RECIPES)

.PHONY: metrics
metrics: promtool ## the collectors for Prometheus and OpenTelemetry, and the alert rules
	$(GO) test $(METRICS)
	cd metrics && promtool check rules alerts.yaml && promtool test rules alerts_test.yaml
	promtool check metrics < metrics/prometheus/testdata/exposition.txt

.PHONY: promtool
promtool:
	@$(GO) run ./internal/testserver/need promtool prometheus

.PHONY: page
page: chromium server ## the page of package debug in a real Chromium, with a real MariaDB that goes away; less than a minute
	$(GO) vet ./internal/browser/... && $(STATICCHECK) ./internal/browser/... && $(ERRCHECK) -ignoretests -exclude .errcheck ./internal/browser/...
	$(GO) run ./internal/proof/gotest -count 1 -timeout 10m ./internal/browser

.PHONY: chromium
chromium:
	@$(GO) run ./internal/testserver/need chromium chromium fonts-liberation

.PHONY: serve
serve: ## a million UIDs over each protocol of uid serve, while it and its database are killed; one minute
	$(GO) run ./internal/engines/serve

.PHONY: mutants
mutants: ## take guards out, one in turn, and see a test fail: a twelfth of all, as the sources choose; FULL=1 takes each
	$(GO) run ./internal/proof/mutants $(if $(FULL),,-of 12)

.PHONY: fuzz
fuzz: ## fuzz every parser, codec and configuration, FUZZTIME each
	$(GO) run ./internal/proof/fuzz -time $(FUZZTIME)

# How long make soak runs, HOURS or else FOR, how many UIDs it has to draw, and what else.
FOR       ?= 3m10s
SOAK_UIDS ?= $(if $(HOURS),0,3.5e9)
SEED      ?=
.PHONY: soak
soak: ## billions of UIDs by processes that are killed and paused; a night: make soak HOURS=8; SEED=1 replays a schedule
	$(GO) run ./internal/proof/soak --for $(if $(HOURS),$(HOURS)h,$(FOR)) --at-least $(SOAK_UIDS) $(if $(SEED),--seed $(SEED)) $(SOAK_FLAGS)

.PHONY: bench
bench: bench-module ## measure everything, redraw the charts and tables (some 20 minutes; keep the machine idle)
	cd benchmarks && $(GO) run . run --profile full && $(GO) run . draw results/full.txt

.PHONY: bench-quick
bench-quick: ## a smaller comparison in less than three minutes; its tables come to the terminal
	cd benchmarks && $(GO) run . run --profile quick && $(GO) run . draw --charts results/quick --documents= results/quick.txt && $(GO) run . show results/quick.txt

.PHONY: bench-module
bench-module: ## what calls cost, as multiples of a bare atomic add, by the benchmarks beside the code
	$(GO) test -run '^$$' -bench Ratio -benchtime 200x ./cached
	$(GO) test -run '^$$' -bench 'Latency|Memory' -benchtime 1x ./cached
	$(GO) test -run '^$$' -bench 'Claim' -benchtime 1x ./ringbuffer
	$(GO) test -run '^$$' -bench 'Refill' ./cached
	$(GO) test -run '^$$' -bench . ./default ./bits ./form ./opaque ./plan .

# What make bench-compare compares with today, and how.
BEFORE ?= HEAD
ROUNDS ?= 15
BENCH  ?= Ratio|Placement|GetUID
.PHONY: bench-pgo
bench-pgo: ## what GetUID costs when a profile lets the compiler inline it
	$(GO) run ./internal/proof/revisions -before HEAD -pgo -rounds $(ROUNDS) -benchtime 100x -bench 'Ratio/GetUID$$/' -metrics '×add$$|ns/UID' ./cached

.PHONY: bench-compare
bench-compare: ## BEFORE=revision: benchmarks of two revisions, in turn in one run
	$(GO) run ./internal/proof/revisions -before '$(BEFORE)' -rounds $(ROUNDS) -bench '$(BENCH)' -metrics '×add$$|ns/UID|get'

.PHONY: bench-smoke
bench-smoke: ## run every benchmark once, the comparison with its servers too, so that none rots
	$(GO) test -run '^$$' -bench . -benchtime 1x -short $(ALL) $(METRICS)
	cd benchmarks && $(GO) vet ./... && $(STATICCHECK) ./... && $(GO) test ./...
	cd benchmarks && $(GO) run . run --profile smoke && $(GO) run . draw --charts results/smoke --documents= results/smoke.txt && $(GO) run . show results/smoke.txt
