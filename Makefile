# cfctl: `make` lists the targets.
GO          ?= go
GOLANGCI    ?= github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GORELEASER  ?= github.com/goreleaser/goreleaser/v2@v2.16.0
VALE        ?= github.com/vale-cli/vale/v3/cmd/vale@v3.21.0
HUGO        ?= github.com/gohugoio/hugo@v0.152.2
ACTIONLINT  ?= github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT      ?= $(shell git rev-parse HEAD 2>/dev/null)
DATE        ?= $(shell git log -1 --format=%cI 2>/dev/null)
LDFLAGS      = -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)
FUZZTIME    ?= 20s
# A slow machine takes longer than go test's ten minutes for a package.
PATIENT      = -timeout 60m
# The tests that need servers, which are those of files with the tag, and the train
# killed at each of its points. `make test` has run the others.
E2E          = ^($(shell grep -rl '^//go:build e2e' --include='*_test.go' internal | xargs sed -n 's/^func \(Test[A-Za-z0-9_]*\).*/\1/p' | paste -sd '|' -)|TestKilledEverywhere)$$
# Where goroutines meet: the packages that use sync, but for the two whose tests are processes.
RACED        = $(addprefix ./,$(shell grep -rlE '^\s*(import )?"sync(/atomic)?"$$' --include='*.go' --exclude='*_test.go' internal | xargs -n 1 dirname | sort -u | grep -v '^internal/\(testing\|campaign\)'))
comma       := ,

.PHONY: help
help: ## this list
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## bin/cfctl, with its version stamped
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "$(LDFLAGS)" -o bin/cfctl ./cmd/cfctl

.PHONY: try
try: ## install cfctl and preview the migration of the example repository
	@echo "compiling cfctl: one to three minutes the first time, seconds after that"
	CGO_ENABLED=0 $(GO) install -trimpath -ldflags "$(LDFLAGS)" ./cmd/cfctl
	@echo '$$ cfctl migrate testdata/example'
	@"$$(n=$$($(GO) env GOBIN); echo $${n:-$$($(GO) env GOPATH)/bin})/cfctl" migrate testdata/example

.PHONY: test
test: lint ## lint, unit tests, contract scripts, race detector; needs Go and git alone
	$(GO) test -vet=off $(PATIENT) ./...
	$(GO) test -vet=off -tags portable ./internal/source
	GORACE=atexit_sleep_ms=10 $(GO) test -vet=off $(PATIENT) -race $(RACED)

.PHONY: e2e
e2e: ## tests against real servers, which are installed first (root, Debian)
	@for script in .ci/e2e/*.sh; do "$$script" install || exit 1; done
	$(GO) test -tags e2e -count=1 $(PATIENT) -run '$(E2E)' ./internal/release ./internal/registry ./internal/objects/... ./internal/campaign
	$(GO) test -tags e2e -count=1 -timeout 20m -run 'TestPackages|TestAction|TestBinary|TestCI|TestPreCommit' ./cmd/cfctl

.PHONY: packages
packages: ## the packages and the image of this tree, made, installed and run (root, Debian)
	@.ci/e2e/packages.sh install-all
	$(GO) test -tags e2e -count=1 -timeout 20m -run TestPackages -v ./cmd/cfctl

.PHONY: kill-sweep
kill-sweep: ## releases and campaigns killed at every one of their points (long)
	CFCTL_KILL=all $(GO) test -tags e2e -count=1 -timeout 60m -run 'TestKilledEverywhere|TestKilledAtEveryWrite' -v ./internal/release ./internal/campaign

.PHONY: demo-release
demo-release: ## a release of four repositories on servers of this machine (root, Debian)
	@.ci/e2e/emulate.sh install && .ci/e2e/registry.sh install
	@echo 'compiling cfctl and its servers: up to five minutes the first time; the release itself takes a minute'
	@DEMO=$${TMPDIR:-/tmp} $(GO) test -tags e2e -count=1 -run TestDemo ./internal/release -v | grep -v '^\(=== \|--- \|PASS\|ok \)'

.PHONY: demo-campaign
demo-campaign: ## 40 repositories migrated on servers of this machine, on Kubernetes' real Job controller (root, Debian)
	@.ci/e2e/kube-apiserver.sh install
	@echo 'compiling cfctl and its servers: up to five minutes the first time; the campaign itself takes some minutes'
	@DEMO=$${TMPDIR:-/tmp} $(GO) test -tags e2e -count=1 -timeout 20m -run 'TestDemo$$' ./internal/campaign -v | grep -v '^\(=== \|--- \|PASS\|ok \)'

.PHONY: lint
lint: ## gofmt, loops over maps, golangci-lint (with vet), actionlint for the workflows, vale for the documents
	@bad=$$(gofmt -l cmd internal); test -z "$$bad" || { echo "not gofmt'ed: $$bad"; exit 1; }
	$(GO) build -o bin/maporder ./internal/testing/maporder
	$(GO) vet -vettool=bin/maporder -tags e2e ./...
	$(GO) run $(GOLANGCI) run --allow-parallel-runners ./...
	$(GO) run $(ACTIONLINT) -shellcheck= -pyflakes= .github/workflows/*.yml docs/ci/github.yml docs/ci/release.yml
	@if command -v cc >/dev/null; then $(GO) run $(VALE) README.md CONTRIBUTING.md docs; else echo 'the prose of the documents is not checked: vale needs a C compiler'; fi

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (20s), and 10,000 random trees
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 2s $$pkg || exit 1; \
	  done; done
	CFCTL_TREES=10000 $(GO) test -vet=off -count=1 -run TestHalfObjects ./internal/migrate

.PHONY: bench
bench: ## Go benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: generate
generate: ## write all generated files: the schema, reference pages, tables in pages
	UPDATE=1 $(GO) test -count=1 ./cmd/cfctl -run 'TestReference$$|TestChecks$$|TestDesignDocuments$$|TestFindings$$|TestTrustIsDocumented$$'
	UPDATE=1 $(GO) test -count=1 ./internal/migrate -run 'TestHeuristicsAreDocumented$$'
	UPDATE=1 $(GO) test -count=1 ./internal/release -run 'TestNeedsAreWrittenDown$$'

.PHONY: golden
golden: ## rewrite the golden parts of the contract scripts and of the migrated trees
	UPDATE=1 $(GO) test ./cmd/cfctl -run TestScripts
	UPDATE=1 $(GO) test ./internal/migrate -run 'TestTrees|TestKubernetesObjects|TestEmbeddedShapes'

.PHONY: snapshot
snapshot: ## archives and packages of this tree for all systems into dist/, unpublished
	$(GO) run $(GORELEASER) check
	$(GO) run $(GORELEASER) release --snapshot --clean --skip=ko$(if $(shell command -v syft),,$(comma)sbom)

.PHONY: docs
docs: ## the documents as a site in dist/site, its links and widths checked (builds Hugo first: minutes)
	cd docs/site && HUGO_MODULE_PROXY="$$($(GO) env GOPROXY)" CGO_ENABLED=0 $(GO) run $(HUGO) --noBuildLock --cleanDestinationDir --destination $(CURDIR)/dist/site
	CFCTL_SITE=$(CURDIR)/dist/site $(GO) test -tags e2e -count=1 -run TestSite -v ./cmd/cfctl

.PHONY: clean
clean: ## remove what was built
	rm -rf bin dist .release
