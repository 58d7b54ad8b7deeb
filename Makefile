# Parity: everything is built from here. `make help` lists the targets.
# Objects land in build/VARIANT/, programs in bin/ (release) or build/VARIANT/bin/.

VARIANT  ?= release
CC       ?= gcc
CLANG    ?= clang
PREFIX   ?= /usr/local
OPT      ?= -O2 -g
WARN      = -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes
B         = build/$(VARIANT)
BIN       = $(if $(filter release,$(VARIANT)),bin,$(B)/bin)
SANITIZE_asan = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CFLAGS_   = -std=gnu11 -D_GNU_SOURCE $(OPT) $(WARN) $(SANITIZE_$(VARIANT)) $(if $(CI),-Werror) $(CFLAGS)
LDFLAGS_  = $(SANITIZE_$(VARIANT)) $(LDFLAGS)
objects   = $(patsubst %.c,$(B)/%.o,$(1))

# What each program is made of. harness/ and servers/ never include each other: each sees its own tree.
HARNESS  := $(filter-out harness/volley/main.c,$(wildcard harness/*/*.c))
HARNESS  := $(filter-out harness/tests/%,$(HARNESS))
HTTP     := $(wildcard servers/http/*.c)
SERVERS  := $(patsubst servers/%/main.c,%,$(wildcard servers/*/main.c))
# A server whose library isn't there is left out, so that nothing else waits for it.
HEADER_uv = uv.h
HEADER_lear = yaml.h zlib.h
lacking   = $(if $(HEADER_$(1)),$(shell $(CC) $(CFLAGS) $(HEADER_$(1):%=-include %) -E - </dev/null >/dev/null 2>&1 || echo $(1)))
LEFT_OUT := $(foreach s,$(SERVERS),$(call lacking,$(s)))
SERVERS  := $(filter-out $(LEFT_OUT),$(SERVERS))
VOLLEY   := $(if $(wildcard harness/volley/main.c),$(BIN)/volley)
PROGRAMS  = $(BIN)/parity $(VOLLEY) $(SERVERS:%=$(BIN)/servers/%) $(if $(LEAR_TLS),$(BIN)/servers/lear-tls)
UNIT     := $(patsubst %.c,build/asan/%,$(wildcard harness/tests/test_*.c servers/tests/test_*.c))
HELPERS  := $(patsubst %.c,build/asan/%.o,$(wildcard harness/tests/sample_*.c))
KQUEUE   := build/asan/servers/tests/reactor_kqueue
E2E      := $(wildcard harness/tests/*.bats servers/tests/*.bats harness/tests/*.t servers/tests/*.t)
FUZZ     := $(patsubst %.c,build/fuzz/%,$(wildcard servers/tests/fuzz_*.c harness/tests/fuzz_*.c))
FUZZ_SECONDS ?= 60
JOBS     := $(shell nproc)
ASAN_MAKE = $(MAKE) --no-print-directory -s VARIANT=asan OPT='-O1 -g'

.PHONY: help all bench test unit lint format asan fuzz install clean deps deps-test docroot
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile

all: $(PROGRAMS) docroot ## build bin/parity, bin/volley and bin/servers/*
	@for s in $(LEFT_OUT); do echo "servers/$$s is not built: its library is missing; make deps installs it" >&2; done

bench: deps ## install what is missing, build, run the default comparison, write its report
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@bin/parity run quick

test: deps-test ## every test: unit (ASan, UBSan), end to end, pages, lint
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@$(MAKE) --no-print-directory -s unit
	@CDPATH= prove -e '' $(UNIT) $(E2E)

unit: ## build the unit tests and the programs that tests run, with ASan and UBSan in build/asan
	@$(ASAN_MAKE) -j$(JOBS) all $(UNIT) $(KQUEUE)

lint: deps-test ## clang-format, clang-tidy, cppcheck, shellcheck
	@prove -e '' harness/tests/lint.t

format: ## rewrite the C sources in the project's format
	clang-format -i $(wildcard harness/*.[ch] harness/*/*.[ch] servers/*/*.[ch])

asan: ## build every program with ASan and UBSan in build/asan/bin
	@$(ASAN_MAKE) -j$(JOBS) all

fuzz: $(FUZZ) ## run each fuzz target for FUZZ_SECONDS (60)
	@scripts/fuzz $(FUZZ_SECONDS) $(FUZZ)

install: all ## install below PREFIX (/usr/local), or DESTDIR
	scripts/install "$(DESTDIR)$(PREFIX)"

clean: ## remove what was built
	rm -rf build bin configs/docroot

deps: ; @scripts/deps bench
deps-test: ; @scripts/deps test
docroot: ; @scripts/docroot configs/docroot
FORCE:

$(BIN)/parity: $(call objects,harness/main.c) $(B)/libparity.a
$(BIN)/volley: $(call objects,harness/volley/main.c) $(B)/libparity.a
$(B)/libparity.a: $(call objects,$(HARNESS))
$(B)/libhttp.a: $(call objects,$(HTTP))
$(BIN)/parity $(BIN)/volley: LIBS = -ljansson -luring -lm
.SECONDEXPANSION:
$(BIN)/servers/%: $$(call objects,$$(or $$(SOURCES_$$*),$$(wildcard servers/%/*.c))) $(B)/libhttp.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_) -o $@ $^ $(LIBS_$*) -luring
LIBS_uv = -luv
LIBS_lear = -lyaml -lz
# lear with TLS: make all LEAR_TLS=1 builds it too, as bin/servers/lear-tls.
SOURCES_lear = $(filter-out %/certificate.c %/front.c %/tls.c %/tunnel.c,$(wildcard servers/lear/*.c))
SOURCES_lear-tls = $(wildcard servers/lear/*.c)
LIBS_lear-tls = $(LIBS_lear) -lssl -lcrypto
$(BIN)/parity $(BIN)/volley:
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_) -o $@ $^ $(LIBS)
$(B)/harness/present/site_assets.o: harness/present/site.css harness/present/site.js
%.a:
	@rm -f $@ && $(AR) rcs $@ $^
$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) -I$(firstword $(subst /, ,$<)) $(CFLAGS_) -MMD -MP -c -o $@ $<
ifeq ($(VARIANT),asan)
$(B)/harness/tests/test_%: $(B)/harness/tests/test_%.o $(HELPERS) $(B)/libparity.a
	@$(CC) $(LDFLAGS_) -o $@ $^ -lcmocka -ljansson -luring -lm
$(B)/servers/tests/test_%: $(B)/servers/tests/test_%.o $(B)/libhttp.a
	@$(CC) $(LDFLAGS_) -o $@ $^ -lcmocka -luring -lm $(LIBS_test_$*)
# The shim comes before the library, whose kqueue engine only refuses.
$(KQUEUE): $(call objects,$(wildcard servers/reactor/*.c) servers/tests/kqueue_shim.c) $(B)/libhttp.a
	@$(CC) $(LDFLAGS_) -o $@ $^ -luring
else
build/asan/%: FORCE
	@$(ASAN_MAKE) $@
endif
LIBS_test_peer = -lhttp_parser
LIBS_test_lear_gzip = -lz
LIBS_test_lear_settings = -lyaml
build/fuzz/%: %.c FORCE
	@mkdir -p $(@D)
	@$(CLANG) -I$(firstword $(subst /, ,$<)) -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,address,undefined \
	  -fno-sanitize-recover=undefined -o $@ $< $(if $(filter servers/%,$<),$(HTTP),$(HARNESS)) -ljansson -luring -lm
-include $(shell find $(B) -name '*.d' 2>/dev/null)
