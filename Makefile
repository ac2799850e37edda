# SPDX-License-Identifier: Apache-2.0
# The everyday commands. `make demo` and `make test` work on a fresh Debian or Ubuntu with a C compiler, git and make: they
# install what is missing (and say what and why first; FLUXION_NO_INSTALL=1 only names it), configure, build and run.
#   make demo            builds the library and two examples, and runs them
#   make test            builds everything and runs the quick and full tests (TIER=quick: those alone, TIER=long: all)
#   make check           the habits of the source tree in one table
#   make install         into PREFIX (/usr/local)
#   make PRESET=debug … debug, asan or tsan instead of release
PRESET ?= release
TIER ?= full
PREFIX ?= /usr/local
BUILD = build/$(PRESET)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: demo test build check install clean
build:
	@sh scripts/setup.sh build
	@sh scripts/configure.sh $(PRESET) -DFLUXION_TESTS=OFF
	cmake --build $(BUILD)

demo:
	@sh scripts/setup.sh demo
	@sh scripts/configure.sh $(PRESET) -DFLUXION_TESTS=OFF
	@cmake --build $(BUILD) --target fluxion euclidean digits_knn
	@for name in euclidean digits_knn; do echo; echo "== $(BUILD)/bin/$$name"; $(BUILD)/bin/$$name || exit 1; done

test:
	@sh scripts/setup.sh test
	@sh scripts/configure.sh $(PRESET) -DFLUXION_TESTS=ON
	@cmake --build $(BUILD)
	@TIER=$(TIER) JOBS=$(JOBS) sh scripts/run_tests.sh $(BUILD)

check:
	@bash scripts/check

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf build
