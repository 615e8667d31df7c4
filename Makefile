# Thin over Meson. What a target needs is installed first, by package name (scripts/packages).
BUILD ?= build
BUILD_SAN ?= build-san
BUILD_TSAN ?= build-tsan
PYTHON := /usr/bin/python3
# Rules of clang-tidy that tests may break: fields of a table's row stand in reading order, not by size, and
# functions that ld's --wrap puts in place of others are called __wrap_….
TEST_CHECKS := -clang-analyzer-optin.performance.Padding,-bugprone-reserved-identifier

# A build directory with these options, set up again when there are other tools or groups than it knows.
comma := ,
set-up = (test -f $(1)/build.ninja || meson setup $(1) $(2)) && \
	(scripts/groups all | cmp -s - $(1)/groups.txt || meson setup --reconfigure $(1))

.DEFAULT_GOAL := help
.PHONY: help build build-san build-tsan run format test test-group tool test-compose test-swarm test-ha test-wire-forms check-clients check bench docs picture release clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

build: ## everything, into build/
	@scripts/packages build
	@$(call set-up,$(BUILD))
	@meson compile -C $(BUILD)

build-san: ## the same under AddressSanitizer and UndefinedBehaviorSanitizer, into build-san/
	@scripts/packages build test
	@$(call set-up,$(BUILD_SAN),-Db_sanitize=address$(comma)undefined)
	@meson compile -C $(BUILD_SAN)

build-tsan: ## set up build-tsan/ under ThreadSanitizer; the suite tsan builds what it runs
	@scripts/packages build test
	@$(call set-up,$(BUILD_TSAN),-Db_sanitize=thread)

run: build ## the whole product on this machine, with a demo account; Ctrl-C ends it
	@scripts/packages run
	@exec $(PYTHON) deploy/local/run.py --build $(BUILD)

format: ## write what lints check and a program knows: C by clang-format, docs/configuration.md, the descriptions of clusters
	@scripts/packages build test
	@$(PYTHON) tests/lint/format.py --write .
	@$(PYTHON) tests/lint/configuration.py --write .
	@$(PYTHON) deploy/kubernetes/manifests.py
	@$(PYTHON) deploy/swarm/stack.py

test: ## all that must hold; the last line counts
	@scripts/packages build run test browser
	@$(MAKE) --no-print-directory build build-san build-tsan
	@$(PYTHON) tests/run.py --build $(BUILD) --build-san $(BUILD_SAN) --build-tsan $(BUILD_TSAN)

test-group: ## one group alone, by its own tests: make test-group GROUP=utils
	@scripts/packages build run test
	@$(call set-up,$(BUILD))
	@$(PYTHON) tests/run.py --build $(BUILD) --group $(GROUP)

tool: ## the folder of a new tool, which builds and passes: make tool GROUP=utils NAME=uuid-inspect
	@scripts/tool/new $(GROUP) $(NAME)

test-compose: ## compose.yaml for real: built, scaled, crashed, rolled, in a Docker engine of its own
	@scripts/packages compose
	@$(PYTHON) -m pytest -q -c tests/pytest.ini --confcutdir=tests/compose tests/compose

test-swarm: ## the stack of Docker Swarm on three machines: deployed, scaled, rolled, and one of them lost; needs root
	@scripts/packages compose
	@$(PYTHON) -m pytest -q -c tests/pytest.ini --confcutdir=tests/swarm tests/swarm

test-ha: build ## the database on three nodes that die, hang and are cut off under load; as root
	@scripts/packages run test ha
	@$(PYTHON) -m pytest -q -c tests/pytest.ini --confcutdir=tests/ha tests/ha --build=$(abspath $(BUILD))

test-wire-forms: build ## the AI tools with a provider that others wrote, from npm, in both wire forms
	@scripts/packages run test npm
	@$(PYTHON) tests/check/wire-forms.py --build $(BUILD)

check-clients: build ## what others wrote against the product, from npm: SDKs of agents, the protocol's conformance suite, linters of OpenAPI
	@scripts/packages run test npm
	@$(PYTHON) tests/clients/run.py --build $(BUILD)

check: test test-compose test-swarm test-ha test-wire-forms check-clients ## test, and what takes longer: random faults, requests, attackers and farmers, the portal's pages in a browser, clang-tidy, the languages of json-to-code, a peer of carbon-footprint
	@scripts/packages check npm
	@$(PYTHON) tests/faults/schedule.py --build $(BUILD) --seconds 300
	@$(PYTHON) tests/check/attacker.py --build $(BUILD)
	@$(PYTHON) tests/check/farmer.py --build $(BUILD)
	@$(PYTHON) tests/check/ownership.py --build $(BUILD)
	@$(PYTHON) tests/check/one-request.py --build $(BUILD) --seconds 120
	@$(PYTHON) tests/check/payments.py --build $(BUILD)
	@$(PYTHON) tests/check/pages.py --build $(BUILD)
	@$(PYTHON) tests/check/enumeration_timing.py --build $(BUILD)
	@$(PYTHON) tests/check/payments-wire.py --build $(BUILD)
	@test -f build-clang/build.ninja || CC=clang meson setup build-clang -Db_lundef=false
	@meson compile -C build-clang
	@run-clang-tidy-14 -quiet -p build-clang '^$(CURDIR)/(common|gateway|portal|svc-[a-z]+)/(?!.*/tests/).*\.c$$'
	@run-clang-tidy-14 -quiet -p build-clang -checks=$(TEST_CHECKS) '^$(CURDIR)/(tests|svc-[a-z]+/.*/tests)/.*\.c$$'
	@$(PYTHON) tests/check/json-to-code.py --build $(BUILD)
	@$(PYTHON) tests/check/carbon.py --build $(BUILD)
	@$(PYTHON) tests/check/json-schema.py --build $(BUILD)

bench: build ## paid calls beside bare charges, the time inside each tool, agents and caps, a utility beside scans, the portal with a large account and under a flood, on this machine
	@scripts/packages run test bench
	@$(PYTHON) tests/bench/run.py --build $(BUILD)

docs: build ## write the tools' pages, docs/tools/, from the contracts and the answers of this build
	@scripts/packages run test
	@$(PYTHON) tests/run.py --build $(BUILD) --write-pages

picture: ## draw docs/architecture.svg, who uses whom, from the includes and from docs/architecture.md
	@$(PYTHON) scripts/architecture.py

release: ## the images of a version, built, their packages listed, pushed: IMAGE=registry.example.com/tollgate TOLLGATE_VERSION=1.0
	@deploy/docker/release

clean: ## remove the builds; var/ with the demo's data stays
	@rm -rf $(BUILD) $(BUILD_SAN) $(BUILD_TSAN) build-clang build-compose build-release
