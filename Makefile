# The two main commands are `make run` and `make test`; the rest are parts of them.

.PHONY: run test services bench survive fuzz mutants sbom fmt lint test-postgres test-rust test-web test-browser

export CARGO_TERM_COLOR ?= auto

WEB_SOURCES := $(shell find web proto/hourmeter \( -name node_modules -o -name dist -o -name gen -o -name test-results -o -name e2e \) -prune -o -type f ! -name '*.gen.*' -print)

# Start Hourmeter on this machine. PORT, DATA_DIR, TRUSTED_PROXIES, DEMO=1: see README.
run: web/dist/index.html
	@cargo build --release --locked -p hourmeter-standalone --bin hourmeter
	@exec target/release/hourmeter

# The same with separate processes.
services: web/dist/index.html
	@cargo build --release --locked -p hourmeter-standalone --bin hourmeter
	@exec target/release/hourmeter services

# All checks, from formatting to browser tests. Installs what it needs.
test:
	@deploy/gate all

# Parts of it, for the inner loop.
lint test-rust test-web test-browser:
	@deploy/gate $@

# Generated inputs for each fuzz target for a minute, and mutation tests: not part of `make test`.
fuzz mutants:
	@deploy/gate $@

# A disposable PostgreSQL for `cargo nextest run`; prints variables to export, stops on Ctrl-C.
test-postgres: web/node_modules/.installed
	@deploy/gate $@

# Benchmarks of the release build on fresh data.
bench: web/dist/index.html
	@cargo build --release --locked -p hourmeter-standalone -p hourmeter-lab
	@exec target/release/hourmeter-bench

# Fault injection with real processes: kills, pauses, overload. Takes a quarter of an hour.
survive: web/dist/index.html
	@cargo build --release --locked -p hourmeter-standalone -p hourmeter-lab
	@exec target/release/hourmeter-survive

# The software bill of materials as CycloneDX, in target/sbom.
sbom:
	@deploy/sbom

fmt: web/node_modules/.installed
	cargo fmt --all
	cd web && npm run --silent format

web/node_modules/.installed: web/package.json web/package-lock.json
	@echo "Installing the web client's packages"
	@cd web && npm install --no-audit --no-fund --loglevel=error
	@touch $@

web/dist/index.html: web/node_modules/.installed $(WEB_SOURCES)
	@echo "Building the web client"
	@cd web && npm run --silent gen && npm run --silent build
	@touch $@
