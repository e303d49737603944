# SPDX-License-Identifier: GPL-2.0-only
# make help lists the targets. All that is built or fetched lies in build/.

export CGO_ENABLED := 0
SHELL := /bin/bash
GO ?= go
# The kernels on which the VM tests run, in virtual time.
KERNELS ?= 6.12 6.12-rt
# lab: virtual machines in virtual time; host: this machine, its own kernel.
ON ?= lab
REPORT := build/report
# article: the five experiments; loads: beside hackbench, stress-ng, cyclictest.
PLAN ?= article
SIGLAB := $(CURDIR)/build/bin/siglab

# Targets are no files: every one that help tells of.
.PHONY: $(shell sed -n 's/^\([a-z0-9-]*\):.*\#\# .*/\1/p' $(MAKEFILE_LIST))

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

deps: ## install what is missing (root), or tell the one command that does
	@scripts/deps.sh

deps-test: ## the same, and what tests and lint need
	@scripts/deps.sh test

build: ## build the commands into build/bin
	@mkdir -p build/bin
	$(GO) build -trimpath -buildvcs=false -o build/bin/ ./cmd/...
	@scripts/install/documents.sh

kmod: ## build the module for the running kernel (KDIR=... for another)
	$(MAKE) -C kmod

kernels: deps build ## fetch the kernels of the VM tests into build/kernels
	$(SIGLAB) kernels $(KERNELS:%=--fetch %)

report: deps build ## run the five experiments -> build/report (ON=host: here; PLAN=loads)
	@scripts/deps.sh $(PLAN)
	@mkdir -p $(REPORT)
ifneq ($(ON),host)
	$(SIGLAB) kernels --fetch 6.12
endif
	$(SIGLAB) run --plan scripts/plans/$(PLAN) -o $(REPORT)/runs --on $(ON)
	build/bin/sigreport report -o $(REPORT)/report.html \
		$$(sed -n 's|^\([A-Za-z0-9._-]*\):.*|$(REPORT)/runs/\1|p' scripts/plans/$(PLAN))

test: unit modes arm64 browser fleet vm ## all tests: unit tests, then tests in virtual machines

unit: deps build ## unit tests
	$(GO) test ./...

modes: deps ## unit tests of receiving with the race detector (cgo), as PIE, with coverage
	CGO_ENABLED=1 $(GO) test -race ./sigwait/...
	$(GO) test -buildmode=pie ./sigwait/...
	$(GO) test -cover ./sigwait/...

arm64: deps-test ## unit tests of receiving for arm64, emulated, and without assembly
	@# not the rings of the baseline: they start the program again, past the emulator
	GOARCH=arm64 QEMU_RTSIG_MAP="64 64 1" $(GO) test -p 1 -exec qemu-aarch64 ./sigwait ./sigwait/blame ./sigwait/internal/sys
	$(GO) test -tags portable ./sigwait/...

browser: deps-test ## the report in headless Chromium -> build/screenshots
	$(GO) test -count=1 -tags browser -run InBrowser ./plots/report

bench-trend: ## time and memory for the trend of 10,000 runs
	$(GO) test -run '^$$' -bench Trend -benchtime 3x ./analysis/trend

bench-report: deps-test ## time in which a report of 730 runs opens, in % of 3 s
	$(GO) test -tags browser -run '^$$' -bench Open -benchtime 5x ./plots/report

fleet: deps-test build ## recorders, a real Prometheus, and the files of scripts/fleet
	scripts/fleet/check.sh
	$(GO) test -count=1 -tags fleet -run 'TestScrape|TestFleet' ./cmd/sigwait

vm: deps-test kernels ## tests in virtual machines
	@set -e; for k in $(KERNELS); do \
		echo "module and receivers on $$k"; \
		$(GO) test -count=1 -tags vm -timeout 30m -exec "$(SIGLAB) exec --kernel $$k --" ./sigwait ./sigwait/blame ./sigwait/internal/selftest; \
	done
	$(GO) test -count=1 -tags vm -timeout 30m ./cmd/siglab/... ./scripts/bench

install: ## put what is built into PREFIX (/usr/local), module and its source for DKMS too
	@scripts/install/install.sh

deb: build ## a Debian package of the same -> build/siglat_1.0_amd64.deb
	@scripts/install/deb.sh
test-install: deps-test build ## the same, DKMS and modprobe in a Debian below build/dkms (root)
	scripts/install/test-dkms.sh

test-debug: deps-test build ## the module on kernels with KASAN, lockdep and more (FUZZTIME=10m)
	scripts/debug/kernel.sh
	scripts/debug/test.sh

test-kernels: deps build ## the module on every kernel: warnings, its tests, a storm (STORM=60s) -> table
	$(GO) test -c -tags vm -o build/selftest.test ./sigwait/internal/selftest
	$(SIGLAB) matrix --update README.md -- build/selftest.test -storm $(or $(STORM),60s)

soak: kernels ## a million signals to each receiver, memory after ten million samples
	$(GO) test -v -count=1 -tags soak -run Soak -timeout 1h ./cmd/sigwait
	$(GO) test -v -count=1 -tags soak -run Soak -timeout 2h -exec "$(SIGLAB) exec --timeout 2h --" ./sigwait

lint: deps-test kernels ## formatting, vet, staticcheck, shellcheck; warnings, sparse and checkpatch for the module
	@out=$$(gofmt -l .); [ -z "$$out" ] || { echo "gofmt -w needed:" $$out; exit 1; }
	GOARCH=amd64 $(GO) vet ./...
	GOARCH=amd64 $(GO) vet -tags vm,browser,soak,fleet ./...
	GOARCH=arm64 $(GO) vet ./...
	$(GO) tool staticcheck -tags vm,browser,soak,fleet ./...
	shellcheck $$(git ls-files 'scripts/*.sh' '.ci/run')
	scripts/install/documents.sh lint
	$(SIGLAB) kernels --werror --build all
	scripts/lint-kmod.sh $(KERNELS)

bench: kernels ## receivers in Go against C, virtual time -> build/bench
	@mkdir -p build/bench
	$(GO) build -trimpath -buildvcs=false -o build/bench/ ./scripts/bench
	build/bench/bench $(KERNELS)

bench-peers: kernels ## programs of rt-tests against ours, virtual time: peer, ours, ratio
	@scripts/deps.sh peers
	@mkdir -p build/bench
	$(GO) build -trimpath -buildvcs=false -o build/bench/ ./scripts/bench
	build/bench/bench --peers $(KERNELS)

bench-analysis: build ## sigreport against wc, datamash and cat (LINES_M=100 million lines)
	@scripts/deps.sh bench
	scripts/bench/analysis.sh

fuzz: ## every fuzz target for FUZZTIME (60s) each
	scripts/fuzz.sh

clean: ## remove what was built; fetched kernels stay (rm -r build for all)
	rm -rf build/bin build/bench build/kmod build/report
	$(MAKE) -C kmod clean
