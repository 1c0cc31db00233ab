# `make` or `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO          ?= go
STATICCHECK ?= $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
ERRCHECK    ?= $(GO) run github.com/kisielk/errcheck@v1.30.0
INEFFASSIGN ?= $(GO) run github.com/gordonklaus/ineffassign@v0.2.0

# What make test tests: all but what needs other servers than a MariaDB, or kills and pauses processes in real time,
# which is left to make engines, make faults, make metrics and make page. What links SQLite runs without the race
# detector there, and with it at night: that takes four times as long, for code that waits for a database. What is read
# outside of its module, as documents are, go test's cache does not notice.
STORED := ./test/documents ./test/databases ./test/promise ./test/backfill ./test/command ./test/migrating ./test/soak \
  ./test/stored ./cmd/uid ./worker/sqlite
UNSTORED = ./... ./cmd/uid/internal/... ./connect/postgres/... $(shell $(GO) list ./test/... | grep -vE '/test/(engines|browser|documents|databases|promise|backfill|command|migrating|soak|stored)')
TESTED = $(STORED) $(UNSTORED)
# What is linted: all but the benchmarks and recipes, whose libraries are many.
ALL := ./... ./cmd/uid/... ./worker/sqlite/... ./test/... ./metrics/prometheus/... ./metrics/otel/... \
  ./stores/etcd/... ./stores/redis/... ./stores/zookeeper/... ./connect/postgres/... ./orm/uidgorm ./orm/uident
# What is tested on 32 bits: what computes and what is lock-free.
PORTABLE := ./ ./health ./metrics ./bits ./foreign ./form ./opaque ./plan ./ringbuffer ./internal/tenure ./cached ./default \
  ./segment ./worker ./worker/lease
# The programs to copy from, whose libraries are many: make recipes builds, lints and runs them. Tests of the modules in
# orm/ stand there, too: users of these would require the tests' drivers.
RECIPES := ./recipes/...

# Progress, and what failed.
TESTS := $(GO) run gotest.tools/gotestsum@v1.13.0 --format pkgname --format-hide-empty-pkg --
# One MariaDB for the tests of all packages.
SHARING := $(GO) run ./test/share

# The race detector needs a C compiler; without one the tests run without it, and say so.
CC_FOUND := $(shell command -v "$${CC:-gcc}" 2>/dev/null)
RACE     := $(if $(CC_FOUND),-race,)

# FULL=1 has engines do all that they can, which takes hours.
FULL ?=
# How much the deeper gates do.
FUZZTIME  ?= 30000x
TAKES     ?= 500000000
PREEMPTIONS ?= 2

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: server lint imports tests ## what to run before a commit: two minutes on two cores, with warm caches

.PHONY: changed
changed: ## the models, explored schedules, mutants and suites of what has changed since BASE (origin/main, or the last four hours)
	test/changed $(BASE)

# Each prints how long it takes; one that fails does not keep the rest from running.
NIGHT := race portable modules machines metrics mutants model explore-night stress sealed faults engines recipes page serve soak fuzz bench-smoke
.PHONY: night
night: ## everything else, at full length: hours; each gate can be called by itself
	@failed=; for gate in $(NIGHT); do \
	  echo "==> make $$gate"; began=$$SECONDS; \
	  $(MAKE) --no-print-directory $$gate || failed+=" $$gate"; \
	  echo "<== make $$gate took $$((SECONDS - began)) s"; \
	done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

.PHONY: api
api: ## whether what the modules export is what their files api.txt list; make api-write writes them
	$(GO) run ./test/api

.PHONY: api-write
api-write:
	$(GO) run ./test/api -write

# What an example prints cannot be wrapped.
.PHONY: lint
lint: api ## make api, gofmt, lines of at most 120 columns, go vet, staticcheck, errcheck, ineffassign
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi
	@out=$$(git ls-files '*.go' | xargs perl -CSD -n \
	    -e 's/\t/    /g; chomp; $$output = m{^ *//} && ($$output || m{^ *// (Unordered o|O)utput:});' \
	    -e 'print "$$ARGV:$$.: $$_\n" if length > 120 && !$$output; close ARGV if eof'); \
	  if [ -n "$$out" ]; then echo "longer than 120 columns:"; echo "$$out"; exit 1; fi
	$(GO) vet $(ALL)
	$(STATICCHECK) $(ALL)
	$(ERRCHECK) -ignoretests -exclude .errcheck $(ALL)
	$(INEFFASSIGN) $(ALL)

.PHONY: check
check: lint imports modules ## all that reads the code without running it

.PHONY: imports
imports: ## whether a part imports what its users would pay for without using it
	test/imports

.PHONY: modules
modules: generate ## each module by itself: go vet outside the workspace, a tidy go.mod; licences, known vulnerabilities
	test/modules

.PHONY: tidy
tidy: generate ## go mod tidy in each module
	test/modules -tidy

.PHONY: release
release: ## VERSION=v0.1.0: all that a release has, in DIST, tried as a user would; it publishes nothing
	test/release "$(VERSION)" "$(or $(DIST),$(abspath ../uid-$(VERSION)))"

.PHONY: generate
generate: # what is generated, and not kept
	cd recipes/ent/ent && $(GO) generate

.PHONY: server
server: # the database server of the tests, which root installs if need be
	@[ -n "$${UID_TEST_MYSQL_DSN-}" ] || $(GO) run ./test/need mariadbd mariadb-server

# Tests keep their files in memory if there is room: a disk only makes them wait.
.PHONY: tests
tests: server ## all tests, on a real MariaDB and on SQLite; with the race detector where no database is
	@[ -n "$(RACE)" ] || echo 'note: no C compiler found, so the tests run without the race detector'
	@free=$$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1 || true); \
	  if [ -z "$${TMPDIR-}" ] && [ "$${free:-0}" -gt 1000000 ]; then \
	    export GOTMPDIR=/tmp TMPDIR=$$(mktemp -d /dev/shm/uid-test-XXXXXX); chmod 711 "$$TMPDIR"; trap 'rm -rf "$$TMPDIR"' EXIT; \
	  fi; \
	  $(TESTS) $(RACE) $(UNSTORED); $(SHARING) $(TESTS) -count 1 -p 2 $(STORED)

.PHONY: race
race: server ## the tests on databases once more, with the race detector, and with their files on a disk
	TMPDIR=$${TMPDIR:-/var/tmp} $(SHARING) $(TESTS) $(RACE) -count 1 -p 2 -timeout 30m $(STORED) ./internal/state ./segment/... ./worker/...

# A kernel may run no 32-bit programs; then they are emulated, without the signals that preempt a goroutine,
# which the emulator does not survive.
.PHONY: portable
portable: ## the tests on 32 bits, and a build for ARM
	@export GOOS=linux GOARCH=386; how='test'; \
	if ! $(GO) test -run '^$$' ./health >/dev/null 2>&1; then \
	  if GOARCH= GOOS= $(GO) run ./test/need qemu-i386 qemu-user; then \
	    export GODEBUG=asyncpreemptoff=1; how='test -exec qemu-i386'; \
	  else \
	    echo 'note: this machine runs no 32-bit programs, so these tests are only compiled'; how=vet; \
	  fi; \
	fi; \
	packages='$(PORTABLE)'; echo "GOARCH=386 go $$how $$packages"; $(GO) $$how $$packages
	GOARCH=arm64 $(GO) build ./... ./cmd/uid

.PHONY: machines
machines: ## go vet of all, with its tests, for 32 bits, ARM, Windows and macOS
	for machine in linux/arm64 windows/amd64 darwin/arm64; do \
	  GOOS=$${machine%/*} GOARCH=$${machine#*/} CGO_ENABLED=0 $(GO) vet ./... ./cmd/uid/... ./worker/sqlite/...; \
	done
	GOARCH=386 CGO_ENABLED=0 $(GO) vet $(ALL)

.PHONY: docs
docs: ## write docs/promise.md anew, from the tests that it names
	$(GO) test -count 1 -run '^TestPromisePage$$' ./test/promise -update

.PHONY: model
model: model-ring model-lease model-tenure model-segment ## check the Promela models of the ring, of leases, of generators and of segments, and that their mutants are caught

.PHONY: model-ring
model-ring: spin
	ringbuffer/model/check

.PHONY: model-lease
model-lease: spin
	worker/lease/model/check

.PHONY: model-tenure
model-tenure: spin
	internal/tenure/model/check

.PHONY: model-segment
model-segment: spin
	segment/model/check

.PHONY: spin
spin:
	@$(GO) run ./test/need spin spin

.PHONY: explore
explore: ## run lock-free code in every order of its steps with two preemptions at most, PREEMPTIONS=n; half a minute
	$(GO) run ./test/explore/run -preemptions $(PREEMPTIONS) -limit 20s

.PHONY: explore-night
explore-night: ## the same with three, and random schedules, in half an hour
	$(GO) run ./test/explore/run -preemptions 3 -limit 1m
	$(GO) run ./test/explore/run -random 100000 -limit 15s

.PHONY: stress
stress: ## half a billion takes from tiny, starved rings
	UID_STRESS_TAKES=$(TAKES) $(GO) test -count 1 -timeout 15m -run '^(TestStress|TestPublished)$$' ./ringbuffer

.PHONY: sealed
sealed: ## look for an order in ten million sealed UIDs of one day
	UID_SEALED=10000000 $(GO) test -count 1 -timeout 15m -run '^(TestNoVisibleOrder|TestWeakCiphersShow)$$' ./opaque

.PHONY: faults
faults: ## kill and pause leaseholders and database servers, hundreds of times
	FULL=1 $(GO) test -count 1 -timeout 1h -v -run 'Leases/on/(mariadb|sqlite)$$' ./test/engines/faults

.PHONY: stores
stores: ## the tests of the stores' modules, without servers
	$(TESTS) -timeout 20m ./stores/etcd/... ./stores/redis/... ./stores/zookeeper/...

.PHONY: postgres
postgres: ## the tests on databases, on PostgreSQL
	UID_TEST_ENGINES=postgres FULL=$(FULL) $(TESTS) -count 1 -timeout 20m ./test/databases

# On Galera there are the suites of stores, and what its nodes have of their own.
.PHONY: engines
engines: ## the stores of all engines, on real servers, and faults of both; FULL=1 injects hundreds
	FULL=$(FULL) $(TESTS) -count 1 -p 2 -timeout 20m ./stores/etcd/... ./stores/redis/... ./stores/zookeeper/... $$($(GO) list ./test/engines/... | grep -vE "/(faults|serve)")
	UID_TEST_ENGINES=galera FULL=$(FULL) $(TESTS) -count 1 -timeout 20m -run 'Test(Store|Segments|SegmentsBesideLeaf|.*Galera)$$' ./test/databases
	UID_TEST_ENGINES=mysql9 FULL=$(FULL) $(TESTS) -count 1 -timeout 20m ./test/databases
	$(MAKE) --no-print-directory postgres promise
	FULL=$(FULL) $(GO) test -count 1 -timeout $(if $(FULL),8h,40m) -v ./test/engines/faults

.PHONY: promise
promise: ## the table of docs/promise.md, played on all engines but MariaDB and SQLite, on which make test plays it
	@failed=; for engine in mysql9 galera postgres etcd zookeeper redis; do \
	  UID_TEST_ENGINES=$$engine $(TESTS) -count 1 -timeout 20m -run '^TestPromise$$' ./test/promise || failed+=" $$engine"; \
	done; [ -z "$$failed" ] || { echo "failed on:$$failed"; exit 1; }

.PHONY: recipes
recipes: server generate ## lint, compile and run the programs of recipes, and the tests of orm, on real servers
	$(GO) vet $(RECIPES)
	$(STATICCHECK) $(RECIPES)
	$(ERRCHECK) -ignoretests -ignoregenerated -exclude .errcheck $(RECIPES)
	$(INEFFASSIGN) $(RECIPES)
	$(SHARING) $(TESTS) -count 1 -timeout 10m $(RECIPES)

.PHONY: metrics
metrics: promtool ## the collectors for Prometheus and OpenTelemetry, and the alert rules
	$(GO) test ./metrics/prometheus/... ./metrics/otel/...
	cd metrics && promtool check rules alerts.yaml && promtool test rules alerts_test.yaml
	promtool check metrics < metrics/prometheus/testdata/exposition.txt

.PHONY: promtool
promtool:
	@$(GO) run ./test/need promtool prometheus

.PHONY: page
page: chromium server ## the page of package debug in a real Chromium, with a real MariaDB that goes away; less than a minute
	$(TESTS) -count 1 -timeout 10m ./test/browser

.PHONY: chromium
chromium:
	@$(GO) run ./test/need chromium chromium fonts-liberation

.PHONY: serve
serve: ## a million UIDs over each protocol of uid serve, while it and its database are killed; one minute
	$(GO) test -count 1 -v ./test/engines/serve

SLIPS ?= 40
.PHONY: mutants
mutants: generate server ## take guards out, one in turn, and see a test fail: each, or those of packages changed SINCE a revision; and SLIPS
	$(SHARING) $(GO) run ./test/mutants $(if $(SINCE),-changed $(SINCE)) -slips $(SLIPS)

.PHONY: fuzz
fuzz: ## fuzz every parser, codec and configuration, FUZZTIME each
	git grep -oE '^func Fuzz\w+' -- '*_test.go' | while IFS=: read -r file func; do \
	  echo "$${file%/*} $${func#func }"; \
	  $(GO) test -run '^$$' -fuzz "^$${func#func }\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")"; \
	done

# How long make soak runs, HOURS or else FOR, how many UIDs it has to draw, and what else.
FOR       ?= 3m10s
SOAK_UIDS ?= $(if $(HOURS),0,3.5e9)
SEED      ?=
.PHONY: soak
soak: ## billions of UIDs by processes that are killed and paused; a night: make soak HOURS=8; SEED=1 replays a schedule
	$(GO) run ./test/soak --for $(if $(HOURS),$(HOURS)h,$(FOR)) --at-least $(SOAK_UIDS) $(if $(SEED),--seed $(SEED)) $(SOAK_FLAGS)

# MEASURE measures all of a profile. A run that fails leaves the former results alone.
MEASURE = $(GO) test ./measure -run '^$$' -bench . -timeout 0 -profile $1 | tee results/run.tmp && mv results/run.tmp results/$1.txt

.PHONY: bench
bench: bench-module ## measure everything, redraw the charts and tables (some 20 minutes; keep the machine idle)
	cd benchmarks && $(call MEASURE,full) && $(GO) run . results/full.txt | tee results/tables.txt

.PHONY: bench-quick
bench-quick: ## a smaller comparison in less than three minutes; its tables come to the terminal
	cd benchmarks && $(call MEASURE,quick) && $(GO) run . -charts results/quick -documents= results/quick.txt

.PHONY: bench-module
bench-module: ## what calls cost, as multiples of a bare atomic add, by the benchmarks beside the code
	$(GO) test -run '^$$' -bench Ratio -benchtime 200x ./cached
	$(GO) test -run '^$$' -bench 'Latency|Memory' -benchtime 1x ./cached
	$(GO) test -run '^$$' -bench 'Refill' ./cached
	$(GO) test -run '^$$' -bench . ./default ./bits ./form ./opaque ./plan .

# What make bench-compare compares with today, and how.
BEFORE ?= HEAD
ROUNDS ?= 15
BENCH  ?= Ratio|Placement|GetUID
.PHONY: bench-pgo
bench-pgo: ## what GetUID costs when a profile lets the compiler inline it
	PGO=1 BENCHTIME=100x test/compare HEAD 'Ratio/GetUID$$/' $(ROUNDS) ./cached

.PHONY: bench-compare
bench-compare: ## BEFORE=revision: benchmarks of two revisions, in turn in one run
	test/compare '$(BEFORE)' '$(BENCH)' $(ROUNDS) ./cached ./default

.PHONY: bench-smoke
bench-smoke: ## run every benchmark once, the comparison with its servers too, so that none rots
	$(GO) test -run '^$$' -bench . -benchtime 1x -short $(TESTED) ./metrics/prometheus/... ./metrics/otel/...
	cd benchmarks && $(GO) vet ./... && $(STATICCHECK) ./... && $(GO) test ./...
	cd benchmarks && $(call MEASURE,smoke) && $(GO) run . -charts results/smoke -documents= results/smoke.txt
