# `make` or `make help` lists the targets. Most do all that they can; ON=... is the part to do.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help test race lint modules changed mutants model explore stress engines portable fuzz soak bench night docs tidy release generate

GO          ?= go
STATICCHECK ?= $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
ERRCHECK    ?= $(GO) run github.com/kisielk/errcheck@v1.30.0
INEFFASSIGN ?= $(GO) run github.com/gordonklaus/ineffassign@v0.2.0

# What make test tests is all but what needs other servers than a MariaDB, or a browser: that is left to make engines.
# Where goroutines share something, it uses the race detector. It tests what is stored without: that takes four times as
# long, for code that waits for a database. What is read outside of its module, as documents are, go test's cache does
# not notice.
RACED  := ./backfill ./cached ./debug ./default ./internal/suite ./internal/tenure ./metrics ./metrics/expvars ./ringbuffer \
  ./segment ./stores ./stores/drivertest ./worker ./worker/disposable ./worker/lease ./worker/statefile
STORED := ./test/documents ./test/databases ./test/promise ./test/backfill ./test/command ./test/migrating ./test/soak \
  ./test/stored ./cmd/uid ./worker/sqlite
MODULE := github.com/uidgen/uid
PLAIN   = $(filter-out $(patsubst .%,$(MODULE)%,$(RACED) $(STORED) ./test/engines% ./test/browser), $(shell $(GO) list \
  -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... ./cmd/uid/... ./connect/postgres/... ./metrics/... ./test/...))
TESTED  = $(PLAIN) $(RACED) $(STORED)
# What is linted: all but the benchmarks and recipes, whose libraries are many.
ALL := ./... ./cmd/uid/... ./worker/sqlite/... ./test/... ./metrics/... \
  ./stores/etcd/... ./stores/kubernetes/... ./stores/redis/... ./stores/zookeeper/... ./connect/postgres/... ./orm/...
# What is tested on 32 bits: what computes and what is lock-free.
PORTABLE := ./ ./health ./metrics ./bits ./foreign ./form ./opaque ./plan ./ringbuffer ./internal/tenure ./cached ./default \
  ./segment ./worker ./worker/lease
# The programs to copy from, whose libraries are many: they are linted where they are run. Tests of the modules in orm/
# stand there, too: users of these would require the tests' drivers.
RECIPES := ./recipes/...

# Progress, and what failed. make lint vets.
TESTS := $(GO) run gotest.tools/gotestsum@v1.13.0 --format pkgname --format-hide-empty-pkg --hide-summary skipped -- -vet off
# One MariaDB for the tests of all packages.
SHARING := $(GO) run ./test/share

# The race detector needs a C compiler; without one the tests run without it, and say so.
CC_FOUND := $(shell command -v "$${CC:-gcc}" 2>/dev/null)
RACE     := $(if $(CC_FOUND),-race,)

# FULL=1 has engines and explore do all that they can, which takes hours.
FULL ?=
# How much the deeper gates do.
FUZZTIME  ?= 30000x
TAKES     ?= 500000000

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Tests keep their files in memory if there is room: a disk only makes them wait. The folder has the same name each time,
# since go test's cache minds it.
test: ## before a commit: all tests, on a real MariaDB and on SQLite; ON="./cached ./default": those of packages
	@[ -n "$(RACE)" ] || echo 'note: no C compiler found, so the tests run without the race detector'
	@free=$$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1 || true); \
	  if [ -z "$${TMPDIR-}" ] && [ "$${free:-0}" -gt 1000000 ]; then \
	    export GOTMPDIR=/tmp TMPDIR=/dev/shm/uid-test-$$(cksum <<<"$(CURDIR)" | tr -d ' '); mkdir -pm 711 "$$TMPDIR"; trap 'rm -rf "$$TMPDIR"' EXIT; \
	  fi; \
	  $(if $(ON),$(SHARING) $(TESTS) $(if $(filter-out $(RACED),$(ON)),,$(RACE)) -count 1 $(ON), \
	    $(TESTS) $(PLAIN); $(TESTS) $(RACE) $(RACED); $(SHARING) $(TESTS) -count 1 -p 2 $(STORED))

race: ## all tests with the race detector, and with their files on a disk; ON=
	TMPDIR=$${TMPDIR:-/var/tmp} $(SHARING) $(TESTS) $(RACE) -count 1 -p 2 -timeout 30m $(or $(ON),$(TESTED))

# What an example prints cannot be wrapped.
lint: ## gofmt, lines of at most 120 columns, go vet, staticcheck, errcheck, ineffassign, names, imports, cycles, size
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi
	@out=$$(git ls-files '*.go' | xargs perl -CSD -n \
	    -e 's/\t/    /g; chomp; $$output = m{^ *//} && ($$output || m{^ *// (Unordered o|O)utput:});' \
	    -e 'print "$$ARGV:$$.: $$_\n" if length > 120 && !$$output; close ARGV if eof'); \
	  if [ -n "$$out" ]; then echo "longer than 120 columns:"; echo "$$out"; exit 1; fi
	$(GO) vet $(ALL)
	$(STATICCHECK) $(ALL)
	$(ERRCHECK) -ignoretests -exclude .errcheck $(ALL)
	$(INEFFASSIGN) $(ALL)
	$(GO) run ./test/api
	test/imports
	$(GO) run ./test/cycles
	test/house

modules: generate ## each module by itself: go vet outside the workspace, a tidy go.mod; licences, known vulnerabilities
	test/modules

changed: ## the models, schedules, mutants and suites of what has changed since BASE (origin/main, or the last four hours)
	test/changed $(BASE)

SLIPS ?= 40
mutants: generate ## take guards out, one in turn, and see a test fail: all, or of packages changed SINCE a revision; and SLIPS
	$(SHARING) $(GO) run ./test/mutants $(if $(SINCE),-changed $(SINCE)) $(if $(ON),-run '$(ON)') -slips $(SLIPS)

model: ## check the Promela models, and that their mutants are caught; ON=ring, lease, kubernetes, tenure or segment
	@$(GO) run ./test/need spin spin
	for check in $$(git ls-files '*model/check' | grep '$(ON)'); do "$$check"; done

explore: ## lock-free code in every order of its steps with two preemptions; FULL=1: three, and random orders; ON=./cached
	$(GO) run ./test/explore/run $(if $(FULL),-preemptions 3 -limit 1m,-limit 20s) $(ON)
	$(if $(FULL),$(GO) run ./test/explore/run -random 100000 -limit 15s $(ON))

stress: ## half a billion takes from tiny, starved rings
	UID_STRESS_TAKES=$(TAKES) $(GO) test -count 1 -timeout 15m -run '^(TestStress|TestPublished)$$' ./ringbuffer

# What make engines plays on, each a command. On Galera there are the suites of stores, and what its nodes have of their
# own. promise is the table of docs/promise.md, on all engines but MariaDB and SQLite, on which make test plays it. faults
# kills and pauses leaseholders and servers, and leases does so hundreds of times. serve is a million UIDs over each
# protocol of uid serve, while it and its database are killed; page is package debug in a real Chromium. The API server
# of kubernetes is built from its sources, once: that takes 7 to 16 minutes of processor time.
ENGINES := stores kubernetes galera mysql9 postgres promise faults leases serve metrics page recipes
on.stores   = $(TESTS) -count 1 -p 2 -timeout 20m ./stores/etcd/... ./stores/redis/... ./stores/zookeeper/... \
  $$($(GO) list ./test/engines/... | grep -vE '/(serve|kubernetes)')
on.kubernetes = UID_TEST_ENGINES=kubernetes $(TESTS) -count 1 -timeout 40m ./stores/kubernetes/... \
  ./test/engines/kubernetes ./recipes/service
on.galera   = UID_TEST_ENGINES=galera $(TESTS) -count 1 -timeout 20m \
  -run 'Test(Store|Segments|SegmentsBesideLeaf|.*Galera)$$' ./test/databases
on.mysql9   = UID_TEST_ENGINES=mysql9 $(TESTS) -count 1 -timeout 20m ./test/databases
on.postgres = UID_TEST_ENGINES=postgres $(TESTS) -count 1 -timeout 20m ./test/databases
on.promise  = for engine in mysql9 galera postgres etcd kubernetes zookeeper redis; do \
  UID_TEST_ENGINES=$$engine $(TESTS) -count 1 -timeout 20m -run '^TestPromise$$' ./test/promise || none=1; done; [ -z "$${none-}" ]
on.faults   = $(GO) run ./test/soak --on all --for $(if $(FULL),8m --publish,40s)
on.leases   = $(GO) run ./test/soak --on mariadb,sqlite --draw leases --for 8m
on.serve    = $(GO) run ./test/soak --on serve --for 40s && $(GO) test -count 1 -v ./test/engines/serve
on.metrics  = $(GO) test ./metrics/... && $(GO) run ./test/need promtool prometheus && \
  (cd metrics && promtool check rules alerts.yaml && promtool test rules alerts_test.yaml) && \
  promtool check metrics < metrics/prometheus/testdata/exposition.txt
on.page     = $(GO) run ./test/need chromium chromium fonts-liberation && $(TESTS) -count 1 -timeout 10m ./test/browser
on.recipes  = $(GO) vet $(RECIPES) && $(STATICCHECK) $(RECIPES) && $(INEFFASSIGN) $(RECIPES) && \
  $(ERRCHECK) -ignoretests -ignoregenerated -exclude .errcheck $(RECIPES) && $(SHARING) $(TESTS) -count 1 -timeout 10m $(RECIPES)

engines: generate ## on real servers, and with programs of others: all ENGINES, or ON="postgres page"; FULL=1: hundreds of faults
	@export FULL=$(FULL); failed=; \
	$(foreach part,$(or $(ON),$(ENGINES)),echo '==> $(part)'; \
	  ($(or $(on.$(part)),$(error there is no $(part), but: $(ENGINES)))) || failed+=' $(part)'; )\
	[ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

# A kernel may run no 32-bit programs; then they are emulated, without the signals that preempt a goroutine,
# which the emulator does not survive.
portable: ## the tests on 32 bits, and go vet for 32 bits, ARM, Windows and macOS
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
	for machine in linux/arm64 windows/amd64 darwin/arm64; do \
	  GOOS=$${machine%/*} GOARCH=$${machine#*/} CGO_ENABLED=0 $(GO) vet ./... ./cmd/uid/... ./worker/sqlite/...; \
	done
	GOARCH=386 CGO_ENABLED=0 $(GO) vet $(ALL)

fuzz: ## fuzz every parser, codec and configuration, FUZZTIME each
	git grep -oE '^func Fuzz\w+' -- '*_test.go' | while IFS=: read -r file func; do \
	  echo "$${file%/*} $${func#func }"; \
	  $(GO) test -run '^$$' -fuzz "^$${func#func }\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")"; \
	done

# How long make soak runs, HOURS or else FOR, how many UIDs it has to draw, and what else.
FOR       ?= 3m10s
SOAK_UIDS ?= $(if $(HOURS),0,3.5e9)
SEED      ?=
soak: ## billions of UIDs by processes that are killed and paused; a night: make soak HOURS=8; SEED=1 replays a schedule
	$(GO) run ./test/soak --for $(if $(HOURS),$(HOURS)h,$(FOR)) --at-least $(SOAK_UIDS) $(if $(SEED),--seed $(SEED)) $(SOAK_FLAGS)

# MEASURE measures all of a profile. A run that fails leaves the former results alone.
MEASURE = $(GO) test ./measure -run '^$$' -bench . -timeout 0 -profile $1 | tee results/run.tmp && mv results/run.tmp results/$1.txt
# What make bench measures, each a command: full is what redraws charts and tables (some 20 minutes; keep the machine
# idle), quick a smaller comparison in less than three, peers what goes wrong with other libraries (docs/evidence/peers.md),
# ours what calls cost as multiples of a bare atomic add, compare benchmarks of BEFORE and of today, in turn in one run,
# pgo what GetUID costs when a profile lets the compiler inline it, and smoke each benchmark once, so that none rots.
BEFORE ?= HEAD
ROUNDS ?= 15
BENCH  ?= Ratio|Placement|GetUID
bench.full    = $(bench.ours) && cd benchmarks && $(call MEASURE,full) && $(GO) run . results/full.txt | tee results/tables.txt && \
  $(GO) run ./peers
bench.peers   = cd benchmarks && $(GO) run ./peers
bench.quick   = cd benchmarks && $(call MEASURE,quick) && $(GO) run . -charts results/quick -documents= results/quick.txt
bench.ours    = $(GO) test -run '^$$' -bench Ratio -benchtime 200x ./cached && \
  $(GO) test -run '^$$' -bench 'Latency|Memory' -benchtime 1x ./cached && $(GO) test -run '^$$' -bench 'Refill' ./cached && \
  $(GO) test -run '^$$' -bench . ./default ./bits ./form ./opaque ./plan .
bench.compare = test/compare '$(BEFORE)' '$(BENCH)' $(ROUNDS) ./cached ./default
bench.pgo     = PGO=1 BENCHTIME=100x test/compare HEAD 'Ratio/GetUID$$/' $(ROUNDS) ./cached
bench.smoke   = $(GO) test -run '^$$' -bench . -benchtime 1x -short $(TESTED) && \
  cd benchmarks && $(GO) vet ./... && $(STATICCHECK) ./... && $(GO) test ./... && \
  $(call MEASURE,smoke) && $(GO) run . -charts results/smoke -documents= results/smoke.txt

bench: ## measure everything, redraw the charts and tables; ON=quick, peers, ours, compare (BEFORE=revision), pgo or smoke
	$(or $(bench.$(or $(ON),full)),$(error make bench has no $(ON)))

# Each prints how long it takes; one that fails does not keep the rest from running.
night: ## everything else, at full length: hours
	@failed=; for gate in race portable modules 'mutants SLIPS=200' model 'explore FULL=1' stress engines soak fuzz 'bench ON=smoke'; do \
	  echo "==> make $$gate"; began=$$SECONDS; \
	  $(MAKE) --no-print-directory $$gate || failed+=" $$gate"; \
	  echo "<== make $$gate took $$((SECONDS - began)) s"; \
	done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

docs: ## write docs/promise.md anew, from the tests that it names
	$(GO) test -count 1 -run '^TestPromisePage$$' ./test/promise -update

tidy: generate ## go mod tidy in each module
	test/modules -tidy

release: ## VERSION=v0.1.0: all that a release has, in DIST, tried as a user would; it publishes nothing
	test/release "$(VERSION)" "$(or $(DIST),$(abspath ../uid-$(VERSION)))"

generate: # what is generated, and not kept
	cd recipes/ent/ent && $(GO) generate
