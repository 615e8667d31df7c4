# A thin layer over Meson. Each target first installs the Debian packages that it needs
# (scripts/packages).
BUILD ?= build
BUILD_SAN ?= build-san
BUILD_TSAN ?= build-tsan
BUILD_COV ?= build-cov
PYTHON := /usr/bin/python3
SEEDS ?= 1000000
COMPARED ?= 10000
FROM ?= 1
# Rules of clang-tidy that do not apply to tests: the fields of a table's row are in reading order,
# not by size, and functions that ld's --wrap substitutes are named __wrap_….
TEST_CHECKS := -clang-analyzer-optin.performance.Padding,-bugprone-reserved-identifier

# Set up a build directory with these options, again when tools or groups were added or removed.
# gold links the hundreds of test programs in a fifth of the time of the default linker. Sanitizers
# compile at -O1, in 5/8 of the time of -O2.
comma := ,
set-up = (test -f $(1)/build.ninja || CC_LD=gold meson setup $(1) $(2)) && \
	(scripts/groups all | cmp -s - $(1)/groups.txt || meson setup --reconfigure $(1))

.DEFAULT_GOAL := help
.PHONY: help product build build-san build-tsan run format test test-quick test-group tool test-compose game-day test-swarm test-ha test-deb test-next-debian test-wire-forms test-real-engine check-clients simulate mutants fuzz coverage check bench bench-tools soak docs picture client-packages release deb clean

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

product: ## build the product into build/, without tests
	@scripts/packages build
	@$(call set-up,$(BUILD))
	@ninja -C $(BUILD) product

build: ## build the product and what the black-box tests start into build/; `meson test` builds the rest
	@scripts/packages build
	@$(call set-up,$(BUILD))
	@ninja -C $(BUILD) test-programs

build-san: ## set up build-san/ with AddressSanitizer and UndefinedBehaviorSanitizer; build the portal for its test
	@scripts/packages build test
	@$(call set-up,$(BUILD_SAN),-Doptimization=1 -Db_sanitize=address$(comma)undefined)
	@ninja -C $(BUILD_SAN) portal/tollgate-portal

build-tsan: ## set up build-tsan/ with ThreadSanitizer; its test suite builds what it runs
	@scripts/packages build test
	@$(call set-up,$(BUILD_TSAN),-Doptimization=1 -Db_sanitize=thread)

run: product ## run everything on this machine, with a demo account; Ctrl-C stops it
	@scripts/packages run
	@exec $(PYTHON) deploy/local/run.py --build $(BUILD)

format: ## write what a program can write and lints check: C, pages of settings and metrics, cluster manifests, units
	@scripts/packages build test
	@$(PYTHON) tests/lint/format.py --write .
	@$(PYTHON) tests/lint/configuration.py --write .
	@$(PYTHON) deploy/kubernetes/manifests.py
	@$(PYTHON) deploy/swarm/stack.py
	@$(PYTHON) deploy/systemd/units.py

test: ## run all tests of every commit; the last line counts
	@scripts/packages build run test browser
	@$(MAKE) --no-print-directory build build-san build-tsan
	@$(PYTHON) tests/run.py --build $(BUILD) --build-san $(BUILD_SAN) --build-tsan $(BUILD_TSAN)

test-quick: build ## run the tests of one build that use nothing but one shared stack, while you work
	@scripts/packages run test browser
	@$(PYTHON) tests/run.py --build $(BUILD) --quick

test-group: ## run the tests of one group: make test-group GROUP=utils
	@scripts/packages build run test browser
	@$(call set-up,$(BUILD))
	@$(PYTHON) tests/run.py --build $(BUILD) --group $(GROUP)

tool: ## create the folder of a new tool, which builds and passes: make tool GROUP=utils NAME=uuid-inspect
	@scripts/tool/new $(GROUP) $(NAME)

test-compose: ## test compose.yaml in its own Docker engine: built, scaled, crashed, upgraded
	@scripts/packages compose npm
	@$(PYTHON) -m pytest -q -c tests/pytest.ini --confcutdir=tests/compose tests/compose

game-day: ## run an operator's day: an older version is installed, upgraded, rolled back, broken, and restored under traffic
	@scripts/packages compose
	@$(PYTHON) -m pytest -v -s -c tests/pytest.ini --confcutdir=tests/gameday tests/gameday

test-swarm: ## test the Docker Swarm stack on three machines: deployed, scaled, upgraded, one machine lost; needs root
	@scripts/packages compose
	@$(PYTHON) -m pytest -q -c tests/pytest.ini --confcutdir=tests/swarm tests/swarm

test-ha: build ## test PostgreSQL on three nodes that crash, hang and lose the network under load; needs root
	@scripts/packages run test ha
	@$(PYTHON) -m pytest -q -c tests/pytest.ini --confcutdir=tests/ha tests/ha --build=$(abspath $(BUILD))

test-deb: ## test the Debian packages on a bare Debian 12: installed, called, upgraded, removed; needs root
	@scripts/packages build deb
	@$(PYTHON) -m pytest -q -s -c tests/pytest.ini --confcutdir=tests/debian tests/debian

test-next-debian: ## run `make test` on a bare Debian 13 in build-trixie/, with its compilers and libraries; needs root
	@scripts/packages compose
	@$(PYTHON) tests/check/next-debian.py

test-wire-forms: build ## test the AI tools with a mock provider from npm, in both wire formats
	@scripts/packages run test npm
	@$(PYTHON) tests/check/models/wire-forms.py --build $(BUILD)

test-real-engine: build ## test the text tools of svc-ai with llama.cpp from npm
	@scripts/packages run test npm
	@$(PYTHON) tests/check/models/llama/real-engine.py --build $(BUILD)

check-clients: build ## test with clients from npm: agent SDKs, the MCP conformance suite, OpenAPI linters
	@scripts/packages run test npm
	@$(PYTHON) tests/clients/run.py --build $(BUILD)

simulate: ## run SEEDS=1000000 schedules of the ledger, from seed FROM=1 on, in virtual time, and COMPARED=10000 next to a real PostgreSQL
	@scripts/packages build run test
	@$(call set-up,$(BUILD))
	@ninja -C $(BUILD) tests/simulator/simulator gateway/tollctl
	@$(BUILD)/tests/simulator/simulator --from $(FROM) --seeds $(SEEDS) --jobs 0
	@$(PYTHON) tests/simulator/compare.py --build $(BUILD) --from $(FROM) --seeds $(COMPARED)

mutants: build ## break SHARE=4/4, every fourth place, of the ledger's SQL, one at a time: PostgreSQL and the model must differ; and of the gateway's C: the simulator or a unit test must fail
	@scripts/packages run test
	@$(PYTHON) tests/simulator/sql_mutants.py --build $(BUILD) --share $(or $(SHARE),4/4)
	@$(PYTHON) tests/simulator/mutation/c_mutants.py --build $(BUILD) --share $(or $(SHARE),4/4)

fuzz: ## search for MINUTES=60 for inputs that break a parser; KEEP=--keep adds what reaches other code to the seeds
	@scripts/packages check
	@export CC=clang; $(call set-up,build-fuzz,-Dfuzz=true)
	@$(PYTHON) tests/check/fuzz.py --build build-fuzz --minutes $(or $(MINUTES),60) $(KEEP)

check: test test-compose game-day test-swarm test-ha test-deb test-next-debian test-wire-forms test-real-engine check-clients ## run all tests above, random faults and requests, attacks, fuzzing, the portal in a browser, clang-tidy, json-to-code's languages
	@scripts/packages check npm
	@ninja -C $(BUILD) check-programs
	@$(PYTHON) tests/faults/schedule.py --build $(BUILD) --seconds 300
	@$(MAKE) --no-print-directory simulate SEEDS=100000 COMPARED=2000 FROM=$$(date +%s)
	@$(PYTHON) tests/simulator/mutants.py --build $(BUILD)
	@$(PYTHON) tests/check/attacker.py --build $(BUILD)
	@$(PYTHON) tests/check/farmer.py --build $(BUILD)
	@$(PYTHON) tests/check/ownership.py --build $(BUILD)
	@$(PYTHON) tests/check/apps.py --build $(BUILD)
	@$(PYTHON) tests/check/older/gateway.py --build $(BUILD)
	@$(PYTHON) tests/check/one-request.py --build $(BUILD) --seconds 120
	@$(PYTHON) tests/check/payments.py --build $(BUILD)
	@$(PYTHON) tests/check/pages.py --build $(BUILD)
	@$(PYTHON) -m pytest -q -c tests/pytest.ini --build=$(abspath $(BUILD)) --check tests/api/reports/test_browser.py \
		tests/api/clients/test_client_packages.py
	@$(PYTHON) tests/check/enumeration_timing.py --build $(BUILD)
	@$(PYTHON) tests/check/payments-wire.py --build $(BUILD)
	@test -f build-clang/build.ninja || CC=clang meson setup build-clang -Db_lundef=false
	@meson compile -C build-clang
	@run-clang-tidy-14 -quiet -p build-clang '^$(CURDIR)/(common|gateway|portal|browser|svc-[a-z]+)/(?!.*/tests/).*\.c$$'
	@run-clang-tidy-14 -quiet -p build-clang -checks=$(TEST_CHECKS) '^$(CURDIR)/(tests|svc-[a-z]+/.*/tests)/.*\.c$$'
	@export CC=clang; $(call set-up,build-fuzz,-Dfuzz=true)
	@$(PYTHON) tests/check/fuzz.py --build build-fuzz
	@$(PYTHON) tests/check/json-to-code.py --build $(BUILD)
	@$(PYTHON) tests/check/carbon.py --build $(BUILD)
	@$(PYTHON) tests/check/json-schema.py --build $(BUILD)
	@$(PYTHON) tests/check/openapi/openapi-diff.py --build $(BUILD)
	@$(PYTHON) tests/check/openapi/openapi-pairs.py --build $(BUILD)
	@$(PYTHON) tests/check/kubernetes.py --build $(BUILD)
	@$(PYTHON) tests/check/tech-detect.py --build $(BUILD)
	@$(PYTHON) tests/check/tls-clients.py --build $(BUILD)
	@$(PYTHON) tests/check/tls-tools/tls-tools.py --build $(BUILD)

bench: build ## measure this machine: paid calls against bare charges, each tool, agents, caps, scans, the portal under load
	@scripts/packages run test bench
	@$(PYTHON) tests/bench/run.py --build $(BUILD)

bench-tools: build ## measure each tool's CPU time next to the best library that people use for its work
	@scripts/packages run test npm bench-tools
	@ninja -C $(BUILD) bench-programs
	@$(PYTHON) tests/bench/libraries/compare.py --build $(BUILD)

soak: build ## run MINUTES=120 of load with the chores of operators: memory, descriptors, tables and times must stay flat
	@scripts/packages run test bench
	@$(PYTHON) tests/bench/soak.py --build $(BUILD) --minutes $(or $(MINUTES),120)

coverage: build-san ## count the branches of the paid path, the bus, the network and the entry that the tests take
	@scripts/packages build run test browser coverage
	@$(call set-up,$(BUILD_COV),-Db_coverage=true -Doptimization=0)
	@ninja -C $(BUILD_COV) test-programs
	@$(PYTHON) tests/check/coverage.py --build $(BUILD_COV)

docs: build ## write docs/tools/ and the clients' types from the contracts and the responses of this build
	@scripts/packages run test
	@$(PYTHON) tests/run.py --build $(BUILD) --write-pages

picture: ## draw the architecture page's picture, which folder uses which, from the includes
	@$(PYTHON) scripts/architecture.py

client-packages: ## build the wheel and the npm archive of clients/ into the build folder
	@scripts/packages clients
	@scripts/client-packages $(BUILD)/packages

release: ## build and push the images of a version, list and check their packages, sign: IMAGE=registry.example.com/tollgate TOLLGATE_VERSION=1.0 TRACKER=tracker.json SIGNING_KEY=release.key
	@scripts/packages release
	@deploy/docker/release

deb: ## build the Debian packages of the current commit into build-deb/, and check them with lintian
	@scripts/packages build deb
	@scripts/deb

clean: ## remove the builds; the demo's data in var/ stays
	@rm -rf $(BUILD) $(BUILD_SAN) $(BUILD_TSAN) build-clang build-fuzz build-compose build-deb build-debian build-release build-trixie
