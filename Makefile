# RACE= leaves out the tests with the race detector, PKG=./internal/store runs one
# package. An empty PKG means all packages.
RACE ?= -race
PKG ?=
export RACE PKG

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

test: ## everything CI runs; installs what is missing where it may
	@scripts/test

check: ## formatting, generated code, static build, vet, staticcheck
	@scripts/check

unit: ## Go tests of PKG, without race detector, browser and PostgreSQL
	@RACE= ANNOTATE_TEST_CHROMIUM= ANNOTATE_TEST_POSTGRES= scripts/gotest

generate: ## Go code of the templ files, formatted
	@scripts/generate

setup: ## Debian packages for the tests: Chromium, fonts, PostgreSQL, node, LaTeX
	@scripts/setup

soak: ## tests that try for long at random, and all pages in all looks, ANNOTATE_SOAK (30m) each
	@scripts/soak

bench: ## benchmarks of PKG
	CGO_ENABLED=0 go test -run '^$$' -bench . -benchmem $(or $(PKG),./...)

pictures: ## the pictures in docs/pictures
	CGO_ENABLED=0 go run ./internal/pictures

build: ## the program, one static binary
	CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o annotate ./cmd/annotate

.PHONY: help test check unit soak generate setup bench pictures build
