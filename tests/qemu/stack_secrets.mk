# SPDX-License-Identifier: Apache-2.0
# stack_secrets as a firmware with a plain Makefile builds it, with one set of flags for everything.
#   make -f stack_secrets.mk SOTTO_DIR=… MBEDTLS_DIR=… NANOPB_DIR=… FIAT_DIR=… \
#        OPTIMIZE=-O3 CC=… CXX=…
# With OPTIMIZE='-O3 -DCOUNTS' REGISTRY=counter.toml the rows of a counter instead of a flush.
REGISTRY := batch.toml
include $(SOTTO_DIR)/sdk/sources.mk

FIRMWARE := $(SOTTO_DIR)/examples/firmware
SOURCES := $(SOTTO_DIR)/tests/qemu/stack_secrets.c $(FIRMWARE)/semihosting.c \
  $(FIRMWARE)/start_cortex_m.c $(SOTTO_DIR)/ports/testing/sotto_testing.c metrics.c \
  $(SOTTO_CORE_SOURCES) $(SOTTO_SDK_SOURCES_MBEDTLS) $(SOTTO_MBEDTLS_SOURCES) $(SOTTO_NANOPB_SOURCES)
OBJECTS := $(addsuffix .o,$(notdir $(SOURCES)))
VPATH := $(sort $(dir $(SOURCES)))

FLAGS := -mcpu=cortex-m0 $(OPTIMIZE) $(SOTTO_FLAGS) -DSOTTO_TESTING_SLOT_BYTES=4 \
  $(addprefix -I,. $(FIRMWARE) $(SOTTO_DIR)/ports/testing $(SOTTO_INCLUDES) \
  $(SOTTO_NANOPB_INCLUDES) $(SOTTO_MBEDTLS_INCLUDES) $(SOTTO_FIAT_INCLUDES)) \
  $(addprefix -D,$(SOTTO_MBEDTLS_DEFINES) $(SOTTO_NANOPB_DEFINES))

stack_secrets.elf: $(OBJECTS)
	$(CC) $(FLAGS) -nostartfiles -nostdlib -T $(FIRMWARE)/memory.ld -Wl,--gc-sections \
	  -Wl,--defsym=flash_origin=0 -Wl,--defsym=flash_length=256K \
	  -Wl,--defsym=ram_origin=0x20000000 -Wl,--defsym=ram_length=16K $^ -lc -lgcc -o $@
%.c.o: %.c metrics.c
	$(CC) $(FLAGS) -std=c99 -c $< -o $@
%.cpp.o: %.cpp metrics.c
	$(CXX) $(FLAGS) $(SOTTO_CORE_FLAGS) $(SOTTO_CXX_FLAGS) -std=c++17 -c $< -o $@
metrics.c: $(SOTTO_DIR)/tools/measure/$(REGISTRY)
	$(SOTTO_DIR)/tools/sotto-registry compile $< --out .
